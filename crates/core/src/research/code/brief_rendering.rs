//! Renders definitions, edges and steps from the answers of actions.

use serde_json::Value;

use super::InvestigationStep;
use crate::code::codebase::MODULE;

pub(super) fn rows(found: &Value, list: &str) -> Vec<Value> {
    found[list].as_array().cloned().unwrap_or_default()
}

pub(super) fn text_rows(found: &Value, list: &str) -> Vec<String> {
    rows(found, list).iter().filter_map(|row| row.as_str().map(str::to_owned)).collect()
}

pub(super) fn text_field<'a>(row: &'a Value, name: &str) -> &'a str {
    row[name].as_str().unwrap_or_default()
}

/// Untrusted text on one line, without backticks, cut to 200 characters.
pub(super) fn plain_line(words: &str) -> String {
    words.replace('`', "'").split_whitespace().collect::<Vec<_>>().join(" ").chars().take(200).collect()
}

pub(super) fn render_definition(row: &Value) -> Option<String> {
    let name = text_field(row, "qualified_name").rsplit('.').next()?.to_owned();
    let (kind, path, line) =
        (text_field(row, "kind"), plain_line(text_field(row, "path")), &row["start_line"]);
    let signature = plain_line(text_field(row, "signature"));
    let signature = if signature.contains(&name) { format!(": `{signature}`") } else { String::new() };
    Some(format!("- `{}` is a {kind} at `{path}:{line}`{signature}", plain_line(&name)))
}

/// The last part of a symbol's name; the path for a module.
pub(super) fn symbol_name(edge: &Value, end: &str) -> String {
    let id = text_field(edge, end);
    let qualified = id.rsplit("::").next().unwrap_or(id);
    let name = strip_line_suffix(qualified);
    if name == MODULE {
        return plain_line(text_field(edge, "path"));
    }
    plain_line(name.rsplit('.').next().unwrap_or(name))
}

/// The symbols that a name of the question refers to, or the name itself if none is known.
pub(super) fn resolve_name(name: &str, ids: &[String]) -> Vec<String> {
    let name = name.replace("::", ".");
    let fits = |id: &&String| {
        let qualified = strip_line_suffix(id.rsplit("::").next().unwrap_or_default());
        qualified == name || qualified.ends_with(&format!(".{name}"))
    };
    let found: Vec<String> = ids.iter().filter(fits).take(3).cloned().collect();
    if found.is_empty() { vec![name] } else { found }
}

/// A name without the `@line` suffix that distinguishes symbols of the same name.
pub(super) fn strip_line_suffix(name: &str) -> &str {
    match name.rsplit_once('@') {
        Some((name, line)) if line.parse::<usize>().is_ok() => name,
        _ => name,
    }
}

/// Whether an edge's end is this symbol.
pub(super) fn is_same_symbol(end: Option<&str>, seed: &str) -> bool {
    end.is_some_and(|end| end == seed)
}

pub(super) fn certainty_suffix(edge: &Value) -> &'static str {
    if edge["certainty"] == "likely" { " (likely)" } else { "" }
}

pub(super) fn render_code(edge: &Value) -> String {
    format!("`{}`", plain_line(text_field(edge, "text").trim()))
}

/// Renders an edge with its line of code.
pub(super) fn render_edge(edge: &Value) -> String {
    let (from, kind, to) = (symbol_name(edge, "from"), text_field(edge, "kind"), symbol_name(edge, "to"));
    format!("- `{from}` {kind} `{to}`{}: {}", certainty_suffix(edge), render_code(edge))
}

pub(super) fn render_steps(steps: &[InvestigationStep]) -> String {
    let rendered: Vec<String> =
        steps.iter().map(|step| format!("{} ({})", step.action, plain_line(&step.found))).collect();
    rendered.join(", ")
}
