//! What others wrote does nothing to a terminal: no command lets an escape sequence of a note, of code or of a name through.

use std::fs;
use std::os::unix::ffi::OsStrExt as _;

use serde_json::{Value, json};

use crate::desk::{Desk, Ran};

/// Clears the screen, sets the title, moves the cursor, turns words around: with both kinds of introducers.
const HOSTILE: &str = "honey \u{1b}[2J\u{1b}]0;owned\u{7}\u{9b}31m\u{8}\u{7f} wax\rover \u{202e}kaew\u{2066}";

fn acts(letter: char) -> bool {
    let turns = matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    turns || (letter.is_control() && !matches!(letter, '\n' | '\t'))
}

fn is_harmless(ran: &Ran, command: &str) {
    for (name, text) in [("standard output", &ran.stdout), ("standard error", &ran.stderr)] {
        let found = text.replace("\r\n", "\n").chars().find(|letter| acts(*letter));
        assert_eq!(found, None, "{command}: {name}: {text:?}");
    }
}

fn hostile_desk() -> Desk {
    let desk = Desk::bare();
    desk.save("Bees.md", format!("# Bees {HOSTILE}\n\nAll about honey: {HOSTILE}. See [[Wax {HOSTILE}]].\n"));
    desk.save("Hives.md", format!("---\ntags: [\"{}\"]\n---\n# Hives\n\nHoney {HOSTILE}\n", "a\\e[2J"));
    desk.save("Other.md", "# Other\n\nHoney and wax are made in hives by bees.\n");
    let named = desk.vault().join(std::ffi::OsStr::from_bytes(b"Evil \x1b[2J\xc2\x9b31m honey.md"));
    fs::write(named, "# Honey\n\nHoney of a name.\n").unwrap();
    let code = desk.folder().join("code");
    fs::create_dir(&code).unwrap();
    fs::write(
        code.join("press.py"),
        format!("# {HOSTILE}\ndef press(honey):\n    \"\"\"{HOSTILE}\"\"\"\n    return honey\n"),
    )
    .unwrap();
    desk.run(["repo", "add", code.to_str().unwrap()]);
    desk
}

#[test]
fn no_command_lets_escapes_through_to_a_terminal() {
    let desk = hostile_desk();
    let hostile_title = format!("search {HOSTILE}");
    let commands: &[&[&str]] = &[
        &["search", "honey"],
        &["search", "honey", "--json"],
        &["search", &hostile_title],
        &["search", "press", "--in", "code"],
        &["note", "Bees", "--dry-run"],
        &["note", "Bees", "--dry-run", "--json"],
        &["ask", "what is honey made of by bees"],
        &["health"],
        &["status"],
        &["doctor"],
        &["symbol", "press", "--repo", "code"],
        &["outline", "press.py", "--repo", "code"],
        &["why", "honey", "Bees"],
        &["recheck"],
        &["locate", HOSTILE],
        &["code", "Where is `press` defined?"],
        &["runs"],
        &["verify", "Bees"],
        &["undo", "--list"],
        &["tool", "read_file", "{\"path\": \"Bees\"}"],
        &["tool", "read_file", "{\"path\": \"no \\u001b[2J such\"}"],
        &["tool", HOSTILE],
        &["config", "set", "log.level", HOSTILE],
        &["note", HOSTILE],
        &[HOSTILE],
        &["search", "--mode", HOSTILE, "x"],
        &["-vvvv", "search", "honey"],
    ];
    for command in commands {
        let ran = desk.run(*command);
        is_harmless(&ran, &format!("{command:?}"));
    }
    // What they would act on is shown, so that it can be seen.
    for command in
        [&["search", "honey"][..], &["search", "wax", "--in", "code"], &["note", "Bees", "--dry-run"]]
    {
        let ran = desk.run(command);
        assert!(ran.stdout.contains("⟨U+001B⟩[2J"), "{command:?}: {}", ran.stdout);
    }
}

#[test]
fn programs_read_the_text_as_it_is() {
    let desk = hostile_desk();
    let text = desk.text("Bees.md");
    let read: Value = desk.tool("read_file", &json!({ "path": "Bees" })).done();
    assert_eq!(read["content"].as_str(), Some(text.as_str()));
}
