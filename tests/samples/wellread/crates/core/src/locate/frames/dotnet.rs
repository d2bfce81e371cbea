//! C#: `at Acme.Store.Open(String path) in C:\build\src\Store.cs:line 31`, and without a file where there are no symbols.

use super::lines::{function, path_of};
use super::{Frame, Read};

pub fn frame(lines: &[&str]) -> Option<Read> {
    let rest = lines.first()?.trim().strip_prefix("at ")?;
    let (called, at) = match rest.split_once(" in ") {
        Some((called, at)) => (called, Some(at.rsplit_once(":line ")?)),
        None => (rest, None),
    };
    let (name, arguments) = called.split_once('(')?;
    if at.is_none() {
        // What else begins with `at` names a file in its brackets, or leaves a space before them.
        let alone = arguments.strip_suffix(')').is_some_and(|inner| !inner.contains([':', '/', '<']));
        if !alone || name.contains(' ') || !name.contains('.') {
            return None;
        }
    }
    let (path, line) = match at {
        Some((path, line)) => (Some(path_of(path)?), Some(line.trim().parse().ok()?)),
        None => (None, None),
    };
    Some(Read::one(Frame { path, line, function: function(&as_written(name)) }))
}

/// `Store.<OpenAsync>d__5.MoveNext` is what became of `Store.OpenAsync`.
fn as_written(name: &str) -> String {
    match name.split_once(".<").and_then(|(class, rest)| Some((class, rest.split_once('>')?.0))) {
        Some((class, method)) => format!("{class}.{method}"),
        None => name.replace(".ctor", ""),
    }
}
