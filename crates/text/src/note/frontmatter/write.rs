//! Writes fields as YAML in Obsidian's style.

use serde_json::{Map, Value};

use super::{Frontmatter, yaml};
use crate::EditError;

/// Renders the frontmatter of a new note, from `---` to `---`, with one list item per line.
pub fn frontmatter_block(fields: &Map<String, Value>, eol: &str) -> Result<String, EditError> {
    let mut block = format!("---{eol}");
    for (name, value) in fields {
        check_name(name)?;
        block.push_str(&field(name, value, "", eol));
    }
    block.push_str(&format!("---{eol}"));
    match Frontmatter::parse(&block) {
        Some(Frontmatter { fields: Ok(read), .. }) if &read == fields => Ok(block),
        _ => Err(EditError::refused("these fields cannot be written as frontmatter that reads the same")),
    }
}

/// Checks that a field name is one that a person could type into a form.
pub(super) fn check_name(name: &str) -> Result<(), EditError> {
    let trouble = if name.trim().is_empty() {
        "a frontmatter field needs a name"
    } else if name.chars().any(char::is_control) {
        "a frontmatter field's name is one line, without control characters"
    } else if name.trim() != name {
        "a frontmatter field's name neither begins nor ends with white space"
    } else {
        return Ok(());
    };
    Err(EditError::invalid(trouble))
}

/// The lines of a field, the ending of the last one included.
pub(super) fn field(name: &str, value: &Value, indent: &str, eol: &str) -> String {
    format!("{indent}{}:{}{eol}", scalar_string(name, false), render_value(value, indent, eol))
}

/// The text after a key's colon, up to the ending of the last line.
pub(super) fn render_value(value: &Value, indent: &str, eol: &str) -> String {
    let deeper = format!("{indent}  ");
    match value {
        Value::Null => String::new(),
        Value::Array(items) if !items.is_empty() => {
            items.iter().map(|item| format!("{eol}{deeper}- {}", render_item(item, &deeper, eol))).collect()
        }
        Value::Object(map) if !map.is_empty() => map
            .iter()
            .map(|(name, value)| {
                format!("{eol}{deeper}{}:{}", scalar_string(name, false), render_entry(value, &deeper, eol))
            })
            .collect(),
        _ => format!(" {}", render_inline(value, false)),
    }
}

/// The text after the colon of a key in a mapping. Other programs read YAML 1.1, in which `2026-01-05` is a date and `12:30` a
/// number: only an instant is left to that.
fn render_entry(value: &Value, indent: &str, eol: &str) -> String {
    match value.as_str().filter(|text| text.starts_with(|first: char| first.is_ascii_digit())) {
        Some(text) if !is_instant(text) => format!(" {}", quote_string(text)),
        _ => render_value(value, indent, eol),
    }
}

/// Whether it looks like `2026-09-23T00:00:00Z`.
fn is_instant(text: &str) -> bool {
    let fits = |(at, byte): (usize, u8)| match at {
        10 => byte == b'T',
        _ => byte.is_ascii_digit() || b"-:.+Z".contains(&byte),
    };
    text.len() >= "2026-09-23T00:00:00Z".len() && text.bytes().enumerate().all(fits)
}

/// An item of a list, behind its dash: a mapping has one field per line, anything else is on one line.
pub(super) fn render_item(item: &Value, indent: &str, eol: &str) -> String {
    let Value::Object(map) = item else { return render_inline(item, false) };
    if map.is_empty() {
        return render_inline(item, false);
    }
    let deeper = format!("{indent}  ");
    let field = |(name, value): (&String, &Value)| {
        format!("{}:{}", scalar_string(name, false), render_entry(value, &deeper, eol))
    };
    map.iter().map(field).collect::<Vec<_>>().join(&format!("{eol}{deeper}"))
}

/// A value on one line. In a flow list, commas and brackets have a meaning.
pub(super) fn render_inline(value: &Value, in_flow: bool) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::String(text) => scalar_string(text, in_flow),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| render_inline(item, true)).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(map) => {
            let fields: Vec<String> = map
                .iter()
                .map(|(name, value)| format!("{}: {}", quote_string(name), render_inline(value, true)))
                .collect();
            format!("{{{}}}", fields.join(", "))
        }
    }
}

/// A string, quoted if YAML would read it as something else.
pub(super) fn scalar_string(text: &str, in_flow: bool) -> String {
    if is_plain(text, in_flow) { text.to_owned() } else { quote_string(text) }
}

fn is_plain(text: &str, in_flow: bool) -> bool {
    let Some(first) = text.chars().next() else { return false };
    // Words of YAML 1.1, which other programs still read.
    let words = ["yes", "no", "on", "off", "true", "false", "null", "~", "=", "<<"];
    let special = "-?:,[]{}#&*!|>'\"%@`.+~";
    let marks = [": ", ":\t", " #", "\t#"];
    let means_something = special.contains(first)
        || text.ends_with(':')
        || marks.iter().any(|mark| text.contains(mark))
        || (in_flow && text.contains([',', '[', ']', '{', '}', ':']))
        || words.contains(&text.to_ascii_lowercase().as_str());
    !means_something && text.trim() == text && !text.chars().any(needs_escape) && reads_as_itself(text)
}

/// Whether the parser reads the text as this string and not as a number, date or the like.
fn reads_as_itself(text: &str) -> bool {
    if !text.starts_with(|first: char| first.is_ascii_digit()) {
        return true;
    }
    yaml::parse(&format!("k: {text}"))
        .is_ok_and(|fields| fields.map.get("k").and_then(Value::as_str) == Some(text))
}

fn needs_escape(letter: char) -> bool {
    letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

fn quote_string(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            _ if needs_escape(letter) => out.push_str(&format!("\\u{:04X}", u32::from(letter))),
            _ => out.push(letter),
        }
    }
    out.push('"');
    out
}
