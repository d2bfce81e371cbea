//! JavaScript: `at Store.open (src/store.js:31:5)`, `at src/store.js:31:5`, and as Firefox and Safari write it:
//! `open@http://localhost/src/store.js:31:5`.

use super::lines::{function, place};
use super::{Frame, Read};

pub fn frame(lines: &[&str]) -> Option<Read> {
    let line = lines.first()?.trim();
    let (called, written) = match line.strip_prefix("at ") {
        Some(rest) => of_node(rest),
        None => of_a_browser(line)?,
    };
    let (path, line) = match place(written) {
        Some((path, line)) => (Some(path), Some(line)),
        // A call inside the engine is one of the trace all the same.
        None if is_inside(written) => (None, None),
        None => return None,
    };
    let called = called.filter(|_| path.is_some());
    Some(Read::one(Frame { path, line, function: called.and_then(function) }))
}

fn of_node(rest: &str) -> (Option<&str>, &str) {
    let rest = rest.strip_prefix("async ").unwrap_or(rest);
    let rest = rest.strip_prefix("new ").unwrap_or(rest);
    match rest.strip_suffix(')').and_then(|inner| inner.split_once(" (")) {
        Some((called, written)) => (Some(called.split(" [as ").next().unwrap_or(called)), written),
        None => (None, rest),
    }
}

fn of_a_browser(line: &str) -> Option<(Option<&str>, &str)> {
    let (called, written) = line.split_once('@')?;
    let is_address = written.contains("://") || written.starts_with('/');
    (is_address && !called.contains(' ')).then_some((Some(called).filter(|name| !name.is_empty()), written))
}

fn is_inside(written: &str) -> bool {
    written.starts_with("node:")
        || written.starts_with("internal/")
        || matches!(written, "<anonymous>" | "native")
}
