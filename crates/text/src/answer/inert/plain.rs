//! The last resort: a text with all markup escaped. Ugly, but inert whatever it was.

use super::address::{find_by_host, find_by_scheme};
use super::{AllowedLinks, InertText, REMOVED_LINK, RemovedCounts, edits};

/// Removes every address and escapes every mark; if something active is still left, keeps only letters.
pub(super) fn escape_all(text: &str, removed: RemovedCounts, allowed: &AllowedLinks<'_>) -> InertText {
    let removed = RemovedCounts { whole: true, ..removed };
    let text = escape_marks(&without_addresses(text));
    if edits(&text, allowed).is_empty() && !super::reading::is_live(&text, allowed) {
        return InertText { text, removed };
    }
    let letters = |letter: char| if letter.is_alphanumeric() || letter == '\n' { letter } else { ' ' };
    let lines: Vec<String> = text.split('\n').map(|line| line.chars().map(letters).collect()).collect();
    let lines: Vec<&str> = lines.iter().map(|line| line.trim()).collect();
    InertText { text: lines.join("\n"), removed }
}

fn without_addresses(text: &str) -> String {
    let none = AllowedLinks { urls: &|_| false, notes: &|_| false };
    let mut out = String::with_capacity(text.len());
    let (mut at, mut done) = (0, 0);
    while at < text.len() {
        let found = match text.as_bytes()[at] {
            b':' => find_by_scheme(text, at, done, text.len(), false, &none),
            b'w' | b'W' | b'/' => find_by_host(text, at, text.len(), false, &none),
            _ => None,
        };
        match found {
            Some(found) => {
                out.push_str(&text[done..found.span.start]);
                out.push_str(REMOVED_LINK);
                done = found.span.end;
                at = done;
            }
            None => at += 1,
        }
    }
    out.push_str(&text[done..]);
    out
}

fn escape_marks(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    for (number, line) in text.split('\n').enumerate() {
        if number > 0 {
            out.push('\n');
        }
        for letter in line.trim().chars() {
            match letter {
                '<' => out.push_str("&lt;"),
                _ if letter.is_ascii_punctuation() => out.extend(['\\', letter]),
                _ => out.push(letter),
            }
        }
    }
    out
}
