//! Java, Kotlin and others: `at com.acme.store.Store.open(Store.java:31)`. The package gives the file's folder.

use super::lines::parse_function_name;
use super::{Frame, ParsedFrame};

const ENDINGS: [&str; 5] = [".java", ".kt", ".kts", ".scala", ".groovy"];

pub fn parse_frame(lines: &[&str]) -> Option<ParsedFrame> {
    let rest = lines.first()?.trim().strip_prefix("at ")?;
    let (called, rest) = rest.split_once('(')?;
    let (written, _) = rest.split_once(')')?;
    // A module or a class loader may come first: `java.base/java.util.List.of`, `app//com.acme.Store.open`.
    let called = called.rsplit('/').next().unwrap_or(called).trim();
    if called.contains(' ') || !called.contains('.') {
        return None;
    }
    let (file, line) = match written.split_once(':') {
        Some((file, line)) => (Some(file), Some(line.parse().ok()?)),
        None => (Some(written), None),
    };
    let file = file.filter(|file| ENDINGS.iter().any(|ending| file.ends_with(ending)));
    if file.is_none() && !matches!(written, "Native Method" | "Unknown Source" | "<generated>") {
        return None;
    }
    let parts: Vec<&str> = called.split('.').collect();
    let package = parts.get(..parts.len().saturating_sub(2)).unwrap_or_default();
    let path = file.map(|file| [package, &[file]].concat().join("/"));
    Some(ParsedFrame::new(Frame { path, line, function: parse_function_name(called) }))
}
