//! Notes that nobody should have written: each gets an answer or one clear line, and every other file is served.
//!
//! Time is not measured; a run that takes a minute counts as hung and fails.

use std::fs;

use serde_json::{Value, json};

use crate::desk::Desk;

/// In proportion to what these notes hold, and no more: a note of a hundred thousand headings has that many.
const LARGEST_ANSWER: usize = 16 * 1024 * 1024;

fn alias_bomb() -> String {
    let mut yaml = String::from("---\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for n in 1..12 {
        let inner = vec![format!("*a{}", n - 1); 10].join(", ");
        yaml += &format!("a{n}: &a{n} [{inner}]\n");
    }
    yaml + "---\nBoom.\n"
}

fn front(yaml: &str) -> String {
    format!("---\n{yaml}\n---\n# Note\n\n## Part\n\nText.\n")
}

/// Name → bytes.
fn notes() -> Vec<(&'static str, Vec<u8>)> {
    let many = |mark: &str| mark.repeat(100_000);
    let text: Vec<(&str, String)> = vec![
        ("empty", String::new()),
        ("one newline", "\n".to_owned()),
        ("only a byte-order mark", "\u{feff}".to_owned()),
        ("only a fence", "```".to_owned()),
        ("open frontmatter", "---\ntags: x\n".to_owned()),
        ("a line of ten megabytes", "word ".repeat(2 << 20)),
        ("a line without a space", "x".repeat(2 << 20)),
        ("NUL", "# Note\0\n\n## Part\n\n\0[[Ho\0me]]\n".to_owned()),
        ("every control character", (1u8..32).map(char::from).collect()),
        ("broken yaml", front("tags: [a, b\nkey: : :")),
        ("tabs in yaml", front("a:\n\t- b\n\t\t- c")),
        ("yaml that is a list", front("- a\n- b")),
        ("yaml that is a word", front("just words")),
        ("yaml of two documents", front("a: 1\n...\nb: 2")),
        ("yaml with a tag", front("a: !!python/object/apply:os.system [ls]\nb: !<x> y")),
        (
            "yaml with keys of every kind",
            front("1: a\ntrue: b\nnull: c\n[x, y]: d\n{a: b}: e\n? |\n  long\n: f"),
        ),
        ("yaml that merges itself", front("a: &a\n  <<: *a\nb: *b")),
        ("alias bomb", alias_bomb()),
        ("deep flow yaml", front(&format!("a: {}{}", "[".repeat(20_000), "]".repeat(20_000)))),
        ("deep block yaml", front(&(0..2_000).map(|n| format!("{}a:\n", " ".repeat(n))).collect::<String>())),
        ("duplicate keys", front("a: 1\na: 2\ntags: x\ntags: y")),
        ("a key of one megabyte", front(&format!("{}: 1", "k".repeat(1 << 20)))),
        ("a value of one megabyte", front(&format!("a: {}", "v".repeat(1 << 20)))),
        (
            "a hundred thousand fields",
            front(&(0..100_000).map(|n| format!("k{n}: {n}\n")).collect::<String>()),
        ),
        ("a huge number", front("a: 1e999999\nb: 99999999999999999999999999999\nc: .nan\nd: 0x")),
        ("brackets", many("[")),
        ("links that never close", many("[[a")),
        ("link in link", format!("{}{}", many("[["), many("]]"))),
        ("parentheses", format!("[a]{}", many("("))),
        ("quotes", many("> ")),
        ("stars", many("*")),
        ("stars and underscores", many("*_")),
        ("words between stars", many("**a *b ")),
        ("backticks", many("`")),
        ("backticks of growing length", (1..700).map(|n| "`".repeat(n) + " ").collect()),
        ("exclamation marks", many("![")),
        ("angles", many("<")),
        ("comments that never close", many("%%a <!-- ")),
        ("entities", many("&#x")),
        ("tables", format!("|{}\n|{}\n", many("a|"), many("-|"))),
        ("lists in lists", (0..3_000).map(|n| format!("{}- a\n", "  ".repeat(n % 500))).collect()),
        ("headings", "# A\n".repeat(100_000)),
        ("underlines", "a\n=\n".repeat(50_000)),
        ("tags", many("#a/")),
        ("references", (0..20_000).map(|n| format!("[{n}]: <x> \"")).collect()),
        ("block ids", many("a ^b\n")),
        ("only carriage returns", "a\r".repeat(100_000)),
        ("combining marks", format!("# {}\n", "e\u{301}\u{302}".repeat(50_000))),
        ("bidirectional marks", "\u{202e}[[Home]]\u{2066}".repeat(20_000)),
    ];
    let mut notes: Vec<(&str, Vec<u8>)> =
        text.into_iter().map(|(name, text)| (name, text.into_bytes())).collect();
    notes.push(("binary", (0..=255u8).cycle().take(200_000).collect()));
    notes.push(("latin 1", b"# Caf\xe9\n\n## Part\n\n[[Home]] \xff\n".to_vec()));
    notes.push(("half a character", b"# Note\n\xe6\x97".to_vec()));
    notes.push(("utf 16", "# Note\n".encode_utf16().flat_map(u16::to_le_bytes).collect()));
    notes
}

fn calls(path: &str) -> [(&'static str, Value); 8] {
    [
        ("read_file", json!({ "path": path })),
        ("read_file", json!({ "path": path, "offset": 3, "length": 50 })),
        ("get_note_info", json!({ "path": path })),
        ("find_outlinks", json!({ "path": path })),
        ("find_backlinks", json!({ "note_name": path })),
        ("update_frontmatter", json!({ "path": path, "field": "seen", "value": "x" })),
        ("replace_section", json!({ "path": path, "heading": "## Part", "content": "## Part\n\nNew." })),
        ("append_to_section", json!({ "path": path, "heading": "# A", "content": "More." })),
    ]
}

/// One note in a small vault of good ones, through every tool that looks into it.
fn survive(name: &str, bytes: &[u8]) {
    let desk = Desk::bare();
    desk.save("Home.md", "# Home\n\n[[Good]] and [[Bad]]\n");
    desk.save("Good.md", "---\nseen: yes\n---\nGood.\n");
    for (tool, args) in calls("Bad.md") {
        desk.save("Bad.md", bytes);
        let ran = desk.tool(tool, &args);
        let what = || {
            format!("{name}: {tool}: {:?} {}", ran.status, ran.stdout.chars().take(300).collect::<String>())
        };
        match ran.status {
            Some(0) => drop(ran.done()),
            Some(status @ 2..=4) => drop(ran.failed(status)),
            _ => panic!("{}", what()),
        }
        assert!(ran.stdout.len() < LARGEST_ANSWER, "{}: {} bytes", what(), ran.stdout.len());
        assert!(ran.stderr.is_empty(), "{}: {}", what(), ran.stderr);
        let now = fs::read(desk.vault().join("Bad.md")).unwrap();
        if ran.status != Some(0)
            || tool.starts_with("read")
            || tool.starts_with("get")
            || tool.starts_with("find")
        {
            assert!(now == bytes, "{} changed the note", what());
        } else if std::str::from_utf8(bytes).is_err() {
            panic!("{} wrote to what is not UTF-8", what());
        }
    }
    desk.save("Bad.md", bytes);
    desk.run(["status", "--json"]).done();
    desk.tool("read_file", &json!({ "path": "Home" })).done();
    assert_eq!(
        desk.tool("find_backlinks", &json!({ "note_name": "Good" })).done()["results"][0],
        "Home.md",
        "{name}"
    );
    let found = desk
        .tool(
            "list_files_by_frontmatter",
            &json!({ "field": "seen", "value": "yes", "match_type": "equals" }),
        )
        .done();
    assert!(found["results"].as_array().unwrap().contains(&json!("Good.md")), "{name}: {found}");
    desk.tool("move_file", &json!({ "source": "Good", "destination": "Better" })).done();
    assert!(desk.text("Home.md").contains("[[Better]]"), "{name}");
}

/// In parts, so that they run side by side.
fn survive_part(part: usize, of: usize) {
    for (n, (name, bytes)) in notes().iter().enumerate() {
        if n % of == part {
            survive(name, bytes);
        }
    }
}

#[test]
fn bad_notes_are_answered_and_disturb_no_other_first_part() {
    survive_part(0, 3);
}

#[test]
fn bad_notes_are_answered_and_disturb_no_other_second_part() {
    survive_part(1, 3);
}

#[test]
fn bad_notes_are_answered_and_disturb_no_other_third_part() {
    survive_part(2, 3);
}

#[test]
fn a_note_of_forty_megabytes_is_refused_by_name_and_left_alone() {
    let desk = Desk::new();
    let big = "A line of a note.\n".repeat((40 << 20) / 18);
    desk.save("Big.md", &big);
    // Who links to it is known without looking into it.
    for (tool, args) in calls("Big.md").into_iter().filter(|(tool, _)| *tool != "find_backlinks") {
        let said = desk.tool(tool, &args).failed(4);
        assert!(said["error"].as_str().unwrap().contains("`Big.md` is larger than 32 MiB"), "{tool}: {said}");
        assert_eq!(said["path"], "Big.md");
    }
    assert_eq!(fs::metadata(desk.vault().join("Big.md")).unwrap().len(), big.len() as u64);
    let status = desk.run(["status", "--json"]).done();
    assert_eq!(status["skipped"][0]["path"], "Big.md", "{status}");
    assert!(
        desk.tool("find_backlinks", &json!({ "note_name": "Varroa mite" })).done()["total"].as_u64()
            > Some(3)
    );
}

/// Just below the limit it is a note like any other.
#[test]
fn a_note_of_thirty_megabytes_is_read_and_edited() {
    let desk = Desk::bare();
    desk.save("Big.md", "A line of a note.\n".repeat((30 << 20) / 18));
    let read = desk.tool("read_file", &json!({ "path": "Big", "offset": 30_000_000, "length": 40 })).done();
    assert!(read["content"].as_str().unwrap().contains("A line of a note."));
    desk.tool("append_to_file", &json!({ "path": "Big", "content": "the end" })).done();
    desk.run(["undo", "--json"]).done();
}

/// An edit must not make a note that could not be read again.
#[test]
fn an_edit_that_would_make_a_note_too_large_is_refused() {
    let desk = Desk::bare();
    desk.save("Big.md", "A line of a note.\n".repeat((31 << 20) / 18));
    let before = fs::read(desk.vault().join("Big.md")).unwrap();
    let args = json!({ "path": "Big", "content": "x".repeat(2 << 20) }).to_string();
    let ran = crate::desk::Ran::fed(desk.here().args(["tool", "append_to_file", "-"]), args.as_bytes());
    let said = ran.failed(4);
    assert!(said["error"].as_str().unwrap().contains("32 MiB"), "{said}");
    assert!(fs::read(desk.vault().join("Big.md")).unwrap() == before);
}
