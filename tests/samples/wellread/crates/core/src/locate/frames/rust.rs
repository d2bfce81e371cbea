//! Rust: where a panic happened, and backtraces: `4: store::Store::open`, and `at ./src/store.rs:31:5` on the next line.

use super::lines::{function, place};
use super::{Frame, Read};

pub fn frame(lines: &[&str]) -> Option<Read> {
    let line = lines.first()?.trim();
    panicked(line).or_else(|| of_backtrace(line, lines.get(1).copied()))
}

fn panicked(line: &str) -> Option<Read> {
    let (_, at) = line.split_once(" panicked at ")?;
    let at = at.trim_end_matches(':');
    // Older: the message in quotes, and the place behind it.
    let written = if at.starts_with('\'') { at.rsplit_once("', ")?.1 } else { at };
    let (path, line) = place(written)?;
    let frame = Frame { path: Some(path), line: Some(line), function: None };
    Some(Read { begins: true, ..Read::one(frame) })
}

fn of_backtrace(line: &str, next: Option<&str>) -> Option<Read> {
    let (number, called) = line.split_once(": ")?;
    let at = next.and_then(|next| next.trim().strip_prefix("at ")).and_then(place);
    let is_numbered = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    // Of a list that counts its points, no point is a path of modules.
    let is_path = called.contains("::") && !called.contains(' ');
    if !is_numbered || at.is_none() && !is_path {
        return None;
    }
    // With addresses: `4: 0x55d0 - store::Store::open`.
    let called = called.split_once(" - ").map_or(called, |(_, called)| called);
    let called = called_on(called.trim());
    let lines = if at.is_some() { 2 } else { 1 };
    let (path, line) = at.unzip();
    Some(Read { lines, ..Read::one(Frame { path, line, function: called }) })
}

/// `<store::Store as Open>::open` is `Store.open`, since that is what it is called where it is written.
fn called_on(written: &str) -> Option<String> {
    let Some((subject, rest)) = written.strip_prefix('<').and_then(|inner| inner.split_once(" as ")) else {
        return function(written);
    };
    let method = rest.split_once(">::").map_or("", |(_, method)| method);
    function(&format!("{subject}::{method}"))
}
