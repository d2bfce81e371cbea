//! Rust: the place of a panic, and backtraces: `4: store::Store::open`, then `at ./src/store.rs:31:5`.

use super::lines::{parse_function_name, parse_place};
use super::{Frame, ParsedFrame};

pub fn parse_frame(lines: &[&str]) -> Option<ParsedFrame> {
    let line = lines.first()?.trim();
    parse_panic(line).or_else(|| parse_backtrace_frame(line, lines.get(1).copied()))
}

fn parse_panic(line: &str) -> Option<ParsedFrame> {
    let (_, at) = line.split_once(" panicked at ")?;
    let at = at.trim_end_matches(':');
    // Older versions: the message in quotes, then the place.
    let written = if at.starts_with('\'') { at.rsplit_once("', ")?.1 } else { at };
    let (path, line) = parse_place(written)?;
    let frame = Frame { path: Some(path), line: Some(line), function: None };
    Some(ParsedFrame { begins: true, ..ParsedFrame::new(frame) })
}

fn parse_backtrace_frame(line: &str, next: Option<&str>) -> Option<ParsedFrame> {
    let (number, called) = line.split_once(": ")?;
    let at = next.and_then(|next| next.trim().strip_prefix("at ")).and_then(parse_place);
    let is_numbered = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    // Without a place, the name must be a path of modules; otherwise any numbered list would match.
    let is_path = called.contains("::") && !called.contains(' ');
    if !is_numbered || at.is_none() && !is_path {
        return None;
    }
    // With addresses: `4: 0x55d0 - store::Store::open`.
    let called = called.split_once(" - ").map_or(called, |(_, called)| called);
    let called = parse_called_function(called.trim());
    let lines = if at.is_some() { 2 } else { 1 };
    let (path, line) = at.unzip();
    Some(ParsedFrame { lines, ..ParsedFrame::new(Frame { path, line, function: called }) })
}

/// `<store::Store as Open>::open` becomes `Store.open`, which is its name in the source.
fn parse_called_function(written: &str) -> Option<String> {
    let Some((subject, rest)) = written.strip_prefix('<').and_then(|inner| inner.split_once(" as ")) else {
        return parse_function_name(written);
    };
    let method = rest.split_once(">::").map_or("", |(_, method)| method);
    parse_function_name(&format!("{subject}::{method}"))
}
