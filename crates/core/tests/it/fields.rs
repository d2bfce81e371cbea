//! update_frontmatter.

use serde_json::{Value, json};
use wellread_testkit::World;

use crate::ask::{dry, fails, ok, with};

const FRONT: &str = "---\n# mine\ntitle:   'It''s' # keep\ntags: [a, b]\nlist:\n  # first\n  - one\nempty:\nmap:\n  x: 1\n---\nbody\n";

/// The frontmatter after a change, the body being checked.
#[track_caller]
fn changed(args: Value) -> String {
    let world = World::with_files([("A.md", FRONT.as_bytes())]);
    ok(&world, "update_frontmatter", with(args, "path", json!("A")));
    world.read_text("A.md")
}

/// [`FRONT`] with one piece of it replaced.
#[track_caller]
fn but(old: &str, new: &str) -> String {
    assert_eq!(FRONT.matches(old).count(), 1);
    FRONT.replace(old, new)
}

#[test]
fn a_field_is_set_and_every_other_line_stays() {
    for (field, value, expected) in [
        ("title", json!("New"), but("title:   'It''s' # keep", "title: New # keep")),
        ("tags", json!("x"), but("tags: [a, b]", "tags: x")),
        ("tags", json!(["c", "d"]), but("tags: [a, b]", "tags:\n  - c\n  - d")),
        ("tags", json!("[\"c\"]"), but("tags: [a, b]", "tags:\n  - c")),
        ("empty", json!("3"), but("empty:\n", "empty: 3\n")),
        ("empty", json!(3), but("empty:\n", "empty: 3\n")),
        ("empty", json!("true"), but("empty:\n", "empty: true\n")),
        ("empty", json!("\"3\""), but("empty:\n", "empty: \"3\"\n")),
        ("empty", json!("not json"), but("empty:\n", "empty: not json\n")),
        ("empty", json!("a: b #c"), but("empty:\n", "empty: \"a: b #c\"\n")),
        ("empty", json!("[[Bees]]"), but("empty:\n", "empty: \"[[Bees]]\"\n")),
        ("empty", json!("3.10"), but("empty:\n", "empty: \"3.10\"\n")),
        ("empty", json!("007"), but("empty:\n", "empty: \"007\"\n")),
        ("empty", json!("-1.5"), but("empty:\n", "empty: -1.5\n")),
        (
            "empty",
            json!("123456789012345678901234567890"),
            but("empty:\n", "empty: \"123456789012345678901234567890\"\n"),
        ),
        ("empty", json!("yes"), but("empty:\n", "empty: \"yes\"\n")),
        ("map", json!("flat"), but("map:\n  x: 1\n", "map: flat\n")),
        ("new", json!("x"), but("  x: 1\n---\n", "  x: 1\nnew: x\n---\n")),
        ("list", json!("x"), but("list:\n  # first\n  - one\n", "list: x\n")),
    ] {
        assert_eq!(changed(json!({ "field": field, "value": value })), expected, "{field} {value}");
    }
}

#[test]
fn a_field_is_removed_with_its_lines() {
    for (field, lines) in [
        ("title", "title:   'It''s' # keep\n"),
        ("tags", "tags: [a, b]\n"),
        ("empty", "empty:\n"),
        ("map", "map:\n  x: 1\n"),
    ] {
        assert_eq!(changed(json!({ "field": field, "operation": "remove" })), but(lines, ""), "{field}");
    }
}

#[test]
fn appending_makes_a_list_and_skips_duplicates() {
    for (field, value, expected) in [
        ("tags", json!("c"), but("[a, b]", "[a, b, c]")),
        ("tags", json!(["b", "c", "c"]), but("[a, b]", "[a, b, c]")),
        ("list", json!("two"), but("  - one\n", "  - one\n  - two\n")),
        ("list", json!("[\"one\", \"two\"]"), but("  - one\n", "  - one\n  - two\n")),
        ("empty", json!("x"), but("empty:\n", "empty:\n  - x\n")),
        ("title", json!("x"), but("title:   'It''s' # keep", "title: # keep\n  - It's\n  - x")),
        ("new", json!("x"), but("  x: 1\n---\n", "  x: 1\nnew:\n  - x\n---\n")),
    ] {
        assert_eq!(
            changed(json!({ "field": field, "value": value, "operation": "append" })),
            expected,
            "{field} {value}"
        );
    }
}

#[test]
fn what_is_so_already_is_not_written() {
    for args in [
        json!({ "field": "title", "value": "It's" }),
        json!({ "field": "tags", "value": "[\"a\",\"b\"]" }),
        json!({ "field": "tags", "value": "a", "operation": "append" }),
        json!({ "field": "title", "value": "It's", "operation": "append" }),
    ] {
        let world = World::with_files([("A.md", FRONT.as_bytes())]);
        let answer = ok(&world, "update_frontmatter", with(args, "path", json!("A")));
        assert_eq!(answer["message"], "nothing to change: it is so already");
        assert_eq!(world.read_text("A.md"), FRONT);
        assert!(world.vault.history(1).unwrap().is_empty());
    }
}

#[test]
fn a_note_without_frontmatter_gets_one_at_its_top() {
    for (before, after) in [
        ("body\n", "---\nk: v\n---\nbody\n"),
        ("", "---\nk: v\n---\n"),
        ("\u{feff}a\r\nb\r\n", "\u{feff}---\r\nk: v\r\n---\r\na\r\nb\r\n"),
        ("---\nnever closed\n", "---\nk: v\n---\n---\nnever closed\n"),
        ("---\n---\nbody\n", "---\nk: v\n---\nbody\n"),
    ] {
        let world = World::with_files([("A.md", before.as_bytes())]);
        ok(&world, "update_frontmatter", json!({ "path": "A", "field": "k", "value": "v" }));
        assert_eq!(world.read_text("A.md"), after);
    }
}

#[test]
fn what_cannot_be_done_says_why_and_names_the_note() {
    let world = World::new(&format!(
        "-- A.md\n{FRONT}-- B.md\n---\na: [\n---\n-- C.md\ntext\n-- D.md\n---\na: 1\na: 2\n---\n"
    ));
    for (args, message) in [
        (
            json!({ "path": "A", "field": "gone", "operation": "remove" }),
            "no field `gone` in the frontmatter",
        ),
        (
            json!({ "path": "C", "field": "gone", "operation": "remove" }),
            "no field `gone` in the frontmatter",
        ),
        (json!({ "path": "A", "field": "", "value": "x" }), "a frontmatter field needs a name"),
        (
            json!({ "path": "A", "field": "a\nb", "value": "x" }),
            "a frontmatter field's name is one line, without control characters",
        ),
        (
            json!({ "path": "A", "field": "map", "value": "x", "operation": "append" }),
            "the field `map` is a mapping: nothing can be appended to it",
        ),
        (json!({ "path": "B", "field": "a", "value": "x" }), "the frontmatter cannot be read: "),
        (json!({ "path": "D", "field": "a", "value": "x" }), "the frontmatter cannot be read: "),
    ] {
        let answer = fails(&world, "update_frontmatter", args.clone());
        assert!(answer["error"].as_str().unwrap().starts_with(message), "{args}: {answer}");
        assert_eq!(answer["path"], format!("{}.md", args["path"].as_str().unwrap()));
    }
}

#[test]
fn set_and_append_need_a_value() {
    let world = World::with_files([("A.md", FRONT.as_bytes())]);
    for args in [
        json!({ "path": "A", "field": "title" }),
        json!({ "path": "A", "field": "title", "value": null }),
        json!({ "path": "A", "field": "title", "operation": "append" }),
    ] {
        let answer = fails(&world, "update_frontmatter", args);
        assert_eq!(
            (&answer["error"], &answer["hint"]),
            (&json!("this operation needs a `value`"), &json!("only `remove` needs none"))
        );
    }
}

#[test]
fn removing_takes_no_value_so_that_nobody_loses_a_list_who_meant_an_entry() {
    let world = World::new("-- A.md\n---\ntags: [a, b]\n---\n");
    let remove = |value| json!({ "path": "A", "field": "tags", "operation": "remove", "value": value });
    let answer = fails(&world, "update_frontmatter", remove(json!("a")));
    assert_eq!(answer["error"], "`remove` removes the whole field and takes no `value`");
    assert!(answer["hint"].as_str().unwrap().contains("`set` the list that should remain"));
    ok(&world, "update_frontmatter", remove(json!(null)));
    assert_eq!(world.read_text("A.md"), "---\n---\n");
}

#[test]
fn the_answer_says_what_was_done() {
    let world = World::with_files([("A.md", FRONT.as_bytes())]);
    for (args, message) in [
        (json!({ "path": "A", "field": "k", "value": 1 }), "set `k` in `A.md`"),
        (json!({ "path": "A", "field": "k", "value": 2, "operation": "append" }), "added to `k` in `A.md`"),
        (json!({ "path": "A", "field": "k", "operation": "remove" }), "removed `k` from `A.md`"),
    ] {
        assert_eq!(ok(&world, "update_frontmatter", args)["message"], message);
    }
    assert_eq!(world.read_text("A.md"), FRONT);
    assert_eq!(
        dry(&world, "update_frontmatter", json!({ "path": "A", "field": "tags", "operation": "remove" })),
        "--- a/A.md\n+++ b/A.md\n@@ -1,7 +1,6 @@\n ---\n # mine\n title:   'It''s' # keep\n-tags: [a, b]\n list:\n   # first\n   - one\n"
    );
}
