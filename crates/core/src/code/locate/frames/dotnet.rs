//! C#: `at Acme.Store.Open(String path) in C:\build\src\Store.cs:line 31`; without a file if there are no symbols.

use super::lines::{parse_function_name, parse_path};
use super::{Frame, ParsedFrame};

pub fn parse_frame(lines: &[&str]) -> Option<ParsedFrame> {
    let rest = lines.first()?.trim().strip_prefix("at ")?;
    let (called, at) = match rest.split_once(" in ") {
        Some((called, at)) => (called, Some(at.rsplit_once(":line ")?)),
        None => (rest, None),
    };
    let (name, arguments) = called.split_once('(')?;
    if at.is_none() {
        // Other frames that begin with `at` have a file in the parentheses, or a space before them.
        let alone = arguments.strip_suffix(')').is_some_and(|inner| !inner.contains([':', '/', '<']));
        if !alone || name.contains(' ') || !name.contains('.') {
            return None;
        }
    }
    let (path, line) = match at {
        Some((path, line)) => (Some(parse_path(path)?), Some(line.trim().parse().ok()?)),
        None => (None, None),
    };
    Some(ParsedFrame::new(Frame { path, line, function: parse_function_name(&demangle_name(name)) }))
}

/// The original name of a compiled method: `Store.<OpenAsync>d__5.MoveNext` is `Store.OpenAsync`.
fn demangle_name(name: &str) -> String {
    match name.split_once(".<").and_then(|(class, rest)| Some((class, rest.split_once('>')?.0))) {
        Some((class, method)) => format!("{class}.{method}"),
        None => name.replace(".ctor", ""),
    }
}
