//! Renders definitions, edges and steps from the answers of actions.

use serde_json::Value;
use wellread_text::Language;

use crate::code::codebase::{MODULE, dotted_name};
use crate::research::code::InvestigationStep;
use crate::research::code::answer::inert_text;

/// The longest line of code that is shown.
const LONGEST_LINE: usize = 200;

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

/// Code as a fenced block of its language. `None` if it can't be shown as it is.
pub(super) fn code_block(path: &str, code: &str) -> Option<String> {
    let longest = code.lines().map(|line| line.chars().count()).max()?;
    if longest > LONGEST_LINE || code.trim().is_empty() {
        return None;
    }
    let ticks = code.split(|letter| letter != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(ticks.max(2) + 1);
    let language = Language::from_path(path).map(Language::name).unwrap_or_default();
    let block = format!("{fence}{language}\n{code}\n{fence}");
    (inert_text(&block) == block).then_some(block)
}

/// A block that nothing leads to, with its citation, for where no sentence about it passes. `None` if it has an address,
/// which nothing says anything about.
pub(super) fn block_alone(block: &str, cited: &str) -> Option<String> {
    (!block.contains("://")).then(|| format!("{block}\n{cited}"))
}

/// The first sentence of a comment or a docstring, without the marks around it; `None` if there is none.
pub(super) fn doc_sentence(doc: &str) -> Option<String> {
    let marks = |letter: char| "/*!#\"'- \t".contains(letter);
    let lines =
        doc.lines().map(|line| line.trim().trim_start_matches(marks)).skip_while(|line| line.is_empty());
    let mut words = String::new();
    for line in lines.take(3) {
        if line.is_empty() || line.starts_with([':', '@']) {
            break;
        }
        words = format!("{words} {line}");
        if let Some((first, _)) = words.split_once(". ") {
            return Some(format!("{}.", first.trim()));
        }
        if words.ends_with('.') {
            break;
        }
    }
    let words = words.trim().trim_end_matches(['"', '\'', '*', '/']).trim();
    words.ends_with('.').then(|| words.to_owned())
}

/// Whether a line of code begins a statement that goes on below.
pub(super) fn is_unfinished(code: &str) -> bool {
    bracket_depth(code) != 0 || code.ends_with(['(', '[', '{', ',', '=', '\\']) || code.starts_with('.')
}

/// How many of these lines the first statement takes; `None` if it goes on below them or has begun above.
pub(super) fn statement_lines(code: &str) -> Option<usize> {
    if code.trim_start().starts_with('.') {
        return None;
    }
    let mut depth = 0;
    for (at, line) in code.lines().enumerate() {
        depth += bracket_depth(line);
        if depth < 0 {
            return None;
        }
        if depth == 0 && !line.trim_end().ends_with([',', '=', '\\']) {
            return Some(at + 1);
        }
    }
    None
}

fn bracket_depth(code: &str) -> i32 {
    let count = |marks: &[char]| i32::try_from(code.matches(marks).count()).unwrap_or(i32::MAX);
    count(&['(', '[', '{']) - count(&[')', ']', '}'])
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

/// The ids of the definitions that were found for a name of the question, or the name itself if none is known.
pub(super) fn resolve_name(name: &str, named: &[Value]) -> Vec<String> {
    let dotted = dotted_name(name);
    let fits = |row: &&Value| {
        let id = text_field(row, "id");
        let qualified = strip_line_suffix(id.rsplit("::").next().unwrap_or_default());
        qualified == dotted || qualified.ends_with(&format!(".{dotted}"))
    };
    let asked = |row: &&Value| text_field(row, "asked") == name;
    let ids = |rows: Vec<&Value>| rows.iter().take(3).map(|row| text_field(row, "id").to_owned()).collect();
    let mut found: Vec<String> = ids(named.iter().filter(asked).collect());
    if found.is_empty() {
        found = ids(named.iter().filter(fits).collect());
    }
    if found.is_empty() { vec![name.to_owned()] } else { found }
}

/// A name without the `@line` suffix that distinguishes symbols of the same name.
pub(super) fn strip_line_suffix(name: &str) -> &str {
    match name.rsplit_once('@') {
        Some((name, line)) if line.parse::<usize>().is_ok() => name,
        _ => name,
    }
}

pub(super) fn certainty_suffix(edge: &Value) -> &'static str {
    if edge["certainty"] == "likely" { " (likely)" } else { "" }
}

/// Renders an edge with its code; without the code if it can't be shown on a line.
pub(super) fn render_edge(edge: &Value, (from, to): (&str, &str), code: &str) -> String {
    let verb = match text_field(edge, "kind") {
        "implements" if is_class(edge) => "inherits from",
        kind => kind,
    };
    let code = code.split_whitespace().collect::<Vec<_>>().join(" ");
    // An opening bracket at the end says nothing.
    let code = code.trim_end_matches(|letter: char| "{([,= ".contains(letter));
    let fits = !code.is_empty() && code.len() <= LONGEST_LINE && !code.contains('`');
    let code = if fits { format!(": `{code}`") } else { String::new() };
    format!("- `{from}` {verb} `{to}`{}{code}", certainty_suffix(edge))
}

/// Whether the line of an edge declares a class that extends the other, rather than implements it.
fn is_class(edge: &Value) -> bool {
    let line = text_field(edge, "text");
    let before = line.split(&symbol_name(edge, "to")).next().unwrap_or(line);
    let words: Vec<&str> = before.split(|letter: char| !letter.is_alphanumeric()).collect();
    let at = |word: &str| words.iter().rposition(|known| *known == word);
    at("class").is_some() && at("implements") <= at("extends")
}

/// The name of what an edge leads to, as its code has it: a constructor is called by the name of its class. `subject`
/// is the name that was asked about.
pub(super) fn target_name(edge: &Value, subject: &str, code: &str) -> String {
    let name = symbol_name(edge, "to");
    let id = text_field(edge, "to");
    let owner = strip_line_suffix(id.rsplit("::").next().unwrap_or(id)).rsplit('.').nth(1);
    // What leaves the subject does not lead to it.
    let subject = (symbol_name(edge, "from") != subject).then_some(subject);
    let known = [subject, Some(&name), owner].into_iter().flatten();
    let mut written = known.filter(|known| !known.is_empty() && code.contains(*known)).map(plain_line);
    written.next().unwrap_or(name.clone())
}

/// The last two parts of a symbol's qualified name.
pub(super) fn qualified_name(edge: &Value, end: &str) -> String {
    let id = text_field(edge, end);
    let name = strip_line_suffix(id.rsplit("::").next().unwrap_or(id));
    let mut parts: Vec<&str> = name.rsplit('.').take(2).collect();
    parts.reverse();
    plain_line(&parts.join("."))
}

pub(super) fn render_steps(steps: &[InvestigationStep]) -> String {
    let rendered: Vec<String> =
        steps.iter().map(|step| format!("{} ({})", step.action, plain_line(&step.found))).collect();
    rendered.join(", ")
}
