//! read_file and get_note_info.

use serde_json::{Value, json};
use wellread_testkit::World;

use crate::ask::{error, fails, ok};

fn read(world: &World, args: Value) -> Value {
    ok(world, "read_file", args)
}

#[test]
fn a_file_that_fits_comes_whole_and_unmarked() {
    let text = "é".repeat(4000);
    let world = World::with_files([("Long.md", text.as_bytes()), ("Empty.md", b"")]);
    assert_eq!(
        read(&world, json!({ "path": "Long" })),
        json!({ "success": true, "path": "Long.md", "content": text, "total_chars": 4000 })
    );
    assert_eq!(
        read(&world, json!({ "path": "Empty.md" })),
        json!({ "success": true, "path": "Empty.md", "content": "", "total_chars": 0 })
    );
}

#[test]
fn a_longer_file_ends_with_a_marker_that_names_the_next_offset() {
    let text = "0123456789".repeat(401);
    let world = World::with_files([("Long.md", text.as_bytes())]);
    let first = read(&world, json!({ "path": "Long" }));
    assert_eq!(first["next_offset"], 4000);
    assert_eq!(
        first["content"].as_str().unwrap(),
        format!("{}\n\n[cut at character 4000 of 4010: read on with offset=4000]", &text[..4000])
    );
    let second = read(&world, json!({ "path": "Long", "offset": 4000 }));
    assert_eq!(second["content"], "[continued: characters 4000 to 4010 of 4010]\n\n0123456789");
    assert!(second.get("next_offset").is_none());
}

#[test]
fn a_part_in_the_middle_has_both_a_header_and_a_marker() {
    let world = World::new("-- A.md\nabcdefghij");
    assert_eq!(
        read(&world, json!({ "path": "A", "offset": 2, "length": 3 }))["content"],
        "[continued: characters 2 to 5 of 10]\n\ncde\n\n[cut at character 5 of 10: read on with offset=5]"
    );
}

#[test]
fn all_parts_together_are_the_file_and_no_character_is_cut() {
    let text = "Grüße 日本語 😀 e\u{301}\r\n".repeat(30);
    let world = World::with_files([("A.md", text.as_bytes())]);
    for length in [1, 7, 100] {
        let (mut whole, mut next) = (String::new(), Some(0));
        while let Some(offset) = next {
            let part = read(&world, json!({ "path": "A", "offset": offset, "length": length }));
            let content = part["content"].as_str().unwrap();
            let content = content
                .strip_prefix("[continued: ")
                .map_or(content, |rest| rest.split_once("\n\n").unwrap().1);
            whole += content.rsplit_once("\n\n[cut at character").map_or(content, |(text, _)| text);
            next = part["next_offset"].as_u64();
            assert_eq!(part["total_chars"], text.chars().count());
        }
        assert_eq!(whole, text, "in parts of {length}");
    }
}

#[test]
fn a_byte_order_mark_is_not_part_of_the_text() {
    let world = World::new("-- A.md\n\u{feff}abc\r\ndef\r\n");
    let answer = read(&world, json!({ "path": "A" }));
    assert_eq!((&answer["content"], &answer["total_chars"]), (&json!("abc\r\ndef\r\n"), &json!(10)));
    assert_eq!(
        read(&world, json!({ "path": "A", "length": 1 }))["content"],
        "a\n\n[cut at character 1 of 10: read on with offset=1]"
    );
}

#[test]
fn an_offset_past_the_end_is_an_error() {
    let world = World::new("-- A.md\nabc\n-- E.md\n");
    for (path, offset, total) in [("A.md", 4, 4), ("A.md", 99, 4), ("E.md", 1, 0)] {
        let answer = fails(&world, "read_file", json!({ "path": path, "offset": offset }));
        assert_eq!(
            answer,
            json!({
                "success": false,
                "error": format!("the offset {offset} is past the end"),
                "hint": format!("the file has {total} characters"),
                "path": path,
            })
        );
    }
}

#[test]
fn a_length_of_nothing_is_an_error_and_a_huge_one_is_not() {
    let world = World::new("-- A.md\nabc");
    assert_eq!(
        error(&world, "read_file", json!({ "path": "A", "length": 0 })),
        "`length` must be at least 1"
    );
    assert_eq!(
        read(&world, json!({ "path": "A", "offset": 1, "length": u64::MAX }))["content"],
        "[continued: characters 1 to 3 of 3]\n\nbc"
    );
}

#[test]
fn a_note_that_is_not_utf8_is_read_with_a_warning() {
    let world = World::with_files([("A.md", b"caf\xe9 [[Bees]]\n".as_slice())]);
    let answer = read(&world, json!({ "path": "A" }));
    assert_eq!(answer["content"], "caf\u{fffd} [[Bees]]\n");
    assert_eq!(answer["warning"], "`A.md` is not UTF-8; characters that could not be read show as \u{fffd}");
    assert!(ok(&world, "get_note_info", json!({ "path": "A" }))["warning"].is_string());
}

#[test]
fn a_binary_file_is_refused() {
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".as_slice();
    // Zeros are valid UTF-8, and no text.
    let world = World::with_files([("a.png", png), ("b.bin", b"ab\0\0cd".as_slice())]);
    for (tool, path) in [("read_file", "a.png"), ("get_note_info", "a.png"), ("read_file", "b.bin")] {
        let answer = fails(&world, tool, json!({ "path": path }));
        assert_eq!(answer["error"], format!("`{path}` is not a text file"));
        assert_eq!(answer["path"], path);
    }
}

#[test]
fn the_ending_may_be_left_out_where_only_one_file_fits() {
    let world = World::new(
        "-- A.md\na\n-- B.md\nb\n-- B.txt\nc\n-- C/x.md\nd\n-- C.md\ne\n-- D\nf\n-- D.md\ng\n-- v1.2.md\nh\n",
    );
    for (path, content) in
        [("A", "a\n"), ("C", "e\n"), ("D", "f\n"), ("v1.2", "h\n"), ("/vault/A", "a\n"), ("./C//x", "d\n")]
    {
        assert_eq!(read(&world, json!({ "path": path }))["content"], content, "{path}");
    }
    let answer = fails(&world, "read_file", json!({ "path": "B" }));
    assert_eq!(answer["error"], "several files match `B`: `B.md`, `B.txt`");
    assert_eq!((&answer["hint"], &answer["path"]), (&json!("give the path with its extension"), &json!("B")));
}

#[test]
fn a_missing_file_is_answered_with_the_nearest_names() {
    let world = World::new("-- Projects/Bees.md\na\n-- Beech.md\nb\n-- Zebra.md\nc\n");
    let answer = fails(&world, "read_file", json!({ "path": "Bees.md" }));
    assert_eq!((&answer["error"], &answer["path"]), (&json!("File not found: Bees.md"), &json!("Bees.md")));
    assert!(answer["hint"].as_str().unwrap().starts_with("did you mean `Projects/Bees.md`"), "{answer}");
    assert_eq!(fails(&world, "read_file", json!({ "path": "zebra" }))["hint"], "did you mean `Zebra.md`?");
    let nowhere = fails(&world, "read_file", json!({ "path": "Quux" }));
    assert!(nowhere["hint"].as_str().unwrap().starts_with("paths are relative to the vault"), "{nowhere}");
}

#[test]
fn note_info_tells_all_but_the_text() {
    let world = World::new(
        "-- Bees.md\n\
         ---\n\
         title: Bees # ours\n\
         tags: [insect, Garden/Hive]\n\
         aliases: [Apis, \"Honey bee\"]\n\
         created: 2024-05-01\n\
         ---\n\
         # Bees\n\
         \n\
         ```\n\
         ## not me\n\
         ```\n\
         See [[Honey]], [[honey|again]], [wax](Wax.md) and [[Nobody#x]]. #insect #new\n\
         \n\
         Wax\n\
         ---\n\
         -- Honey.md\n[[Bees]] [[bees#Bees]]\n\
         -- Wax.md\n[[Honey bee]]\n\
         -- Other.md\n`[[Bees]]`\n",
    );
    assert_eq!(
        ok(&world, "get_note_info", json!({ "path": "Bees" })),
        json!({
            "success": true,
            "path": "Bees.md",
            "frontmatter": {
                "title": "Bees",
                "tags": ["insect", "Garden/Hive"],
                "aliases": ["Apis", "Honey bee"],
                "created": "2024-05-01",
            },
            "headings": [
                { "level": 1, "text": "Bees", "line": 7 },
                { "level": 2, "text": "Wax", "line": 14 },
            ],
            "tags": ["insect", "Garden/Hive", "new"],
            "aliases": ["Apis", "Honey bee"],
            "outgoing_links": 3,
            "incoming_links": 2,
            "size": world.read_bytes("Bees.md").unwrap().len(),
            "created": "2024-05-01",
            "modified": "2026-03-01",
        })
    );
}

#[test]
fn a_broken_frontmatter_is_a_warning_and_the_rest_is_told() {
    let world = World::new("-- A.md\n---\na: [\n---\n# H\n");
    let answer = ok(&world, "get_note_info", json!({ "path": "A" }));
    assert!(answer["warning"].as_str().unwrap().starts_with("the frontmatter can't be read: "), "{answer}");
    assert_eq!((&answer["frontmatter"], &answer["headings"][0]["text"]), (&json!({}), &json!("H")));
}

#[test]
fn a_name_that_the_disk_spells_in_two_characters_is_found_as_it_is_typed() {
    let world = World::with_files([("Cafe\u{301}/Ro\u{302}ti.md", &b"warm"[..])]);
    for typed in ["Caf\u{e9}/R\u{f4}ti.md", "Caf\u{e9}/R\u{f4}ti", "Cafe\u{301}/R\u{f4}ti"] {
        assert_eq!(ok(&world, "read_file", json!({ "path": typed }))["content"], "warm");
    }
    fails(&world, "read_file", json!({ "path": "caf\u{e9}/r\u{f4}ti" }));
}
