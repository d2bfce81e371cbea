//! JavaScript: `at Store.open (src/store.js:31:5)`, `at src/store.js:31:5`, and the form of Firefox and Safari:
//! `open@http://localhost/src/store.js:31:5`.

use super::lines::{parse_function_name, parse_place};
use super::{Frame, ParsedFrame};

pub fn parse_frame(lines: &[&str]) -> Option<ParsedFrame> {
    let line = lines.first()?.trim();
    let (called, written) = match line.strip_prefix("at ") {
        Some(rest) => split_node_frame(rest),
        None => split_browser_frame(line)?,
    };
    let (path, line) = match parse_place(written) {
        Some((path, line)) => (Some(path), Some(line)),
        // A call inside the engine also belongs to the trace.
        None if is_engine_internal(written) => (None, None),
        None => return None,
    };
    let called = called.filter(|_| path.is_some());
    Some(ParsedFrame::new(Frame { path, line, function: called.and_then(parse_function_name) }))
}

fn split_node_frame(rest: &str) -> (Option<&str>, &str) {
    let rest = rest.strip_prefix("async ").unwrap_or(rest);
    let rest = rest.strip_prefix("new ").unwrap_or(rest);
    match rest.strip_suffix(')').and_then(|inner| inner.split_once(" (")) {
        Some((called, written)) => (Some(called.split(" [as ").next().unwrap_or(called)), written),
        None => (None, rest),
    }
}

fn split_browser_frame(line: &str) -> Option<(Option<&str>, &str)> {
    let (called, written) = line.split_once('@')?;
    let is_address = written.contains("://") || written.starts_with('/');
    (is_address && !called.contains(' ')).then_some((Some(called).filter(|name| !name.is_empty()), written))
}

fn is_engine_internal(written: &str) -> bool {
    written.starts_with("node:")
        || written.starts_with("internal/")
        || matches!(written, "<anonymous>" | "native")
}
