//! The messages that the page about troubleshooting quotes are messages of the program.

use std::fs;
use std::path::Path;

use super::pages::Page;
use crate::desk::repository;

/// The text of every product source, with strings that go on in the next line put together.
fn sources() -> String {
    let (mut text, mut folders) = (String::new(), Vec::new());
    for name in ["core", "adapters", "wellread", "text"] {
        folders.push(repository().join("crates").join(name).join("src"));
    }
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                text += &joined(&path);
            }
        }
    }
    text
}

fn joined(path: &Path) -> String {
    let mut parts = fs::read_to_string(path).unwrap().split("\\\n").map(str::to_owned).collect::<Vec<_>>();
    for part in parts.iter_mut().skip(1) {
        *part = part.trim_start().to_owned();
    }
    parts.concat()
}

/// The messages that the first column of a row quotes, in pieces: `…` stands for what a message fills in.
fn quoted(row: &str) -> Vec<String> {
    let Some(first) = row.strip_prefix("| ").and_then(|rest| rest.split(" | ").next()) else {
        return Vec::new();
    };
    let messages = first
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|code| code.contains(' ') && !code.starts_with("wellread "));
    messages
        .flat_map(|message| message.split('…'))
        .map(|piece| piece.trim().to_owned())
        .filter(|piece| piece.len() > 3)
        .collect()
}

#[test]
fn troubleshooting_quotes_messages_that_there_are() {
    let (page, sources) = (Page::read("troubleshooting.md"), sources());
    let quoted: Vec<String> = page.prose().iter().flat_map(|(_, line)| quoted(line)).collect();
    assert!(quoted.len() > 20, "{quoted:?}");
    let unknown: Vec<&String> = quoted.iter().filter(|piece| !sources.contains(piece.as_str())).collect();
    assert!(unknown.is_empty(), "no message says {unknown:?}");
}
