//! The YAML block at the top of a note: read as a whole, changed one field at a time.

mod edit;
mod foreign;
mod layout;
mod lexer;
mod links;
mod write;
mod yaml;

pub use edit::{FrontmatterChange, change_frontmatter};
pub(crate) use lexer::{ScalarStyle, style_at};
pub(crate) use links::frontmatter_links;
pub use write::frontmatter_block;

use serde_json::{Map, Value};
use yaml::Fields;

use crate::span::{bom_len, line_end};
use crate::{Span, fold};

/// A larger block is not read: no person wrote it.
const MAX_BYTES: usize = 256 * 1024;

/// The key under which a mapping takes over the fields of others.
const MERGE_KEY: &str = "<<";

/// The block between two `---` lines at the top of a note.
#[derive(Debug, Clone, PartialEq)]
pub struct Frontmatter {
    /// From the first `---` to the end of the closing line, its line ending included.
    pub span: Span,
    /// The YAML between the two lines.
    pub inner: Span,
    /// The parsed fields, or a one-line message why they cannot be parsed.
    pub fields: Result<Map<String, Value>, String>,
}

impl Frontmatter {
    /// Parses the block at the very top, after an optional byte-order mark. `None` for an unclosed block.
    pub fn parse(text: &str) -> Option<Frontmatter> {
        let (span, inner) = block(text)?;
        let fields = if inner.len() > MAX_BYTES {
            Err(format!("the frontmatter is larger than {} KiB", MAX_BYTES / 1024))
        } else {
            yaml::parse(&text[inner.clone()]).map(|fields| fields.map)
        };
        Some(Frontmatter { span, inner, fields })
    }

    /// The value of a field. `None` if there is no such field or the YAML is invalid.
    pub fn field(&self, name: &str) -> Option<&Value> {
        self.fields.as_ref().ok()?.get(name)
    }

    /// The values of every field with one of these names, which are in lower case, in the order of the names. Case and
    /// white space around a name as it is written do not matter. Fields that a merge key (`<<`) brings in count, also where
    /// the note itself has one of that name.
    pub fn fields_named<'a>(&'a self, names: &'a [&str]) -> impl Iterator<Item = &'a Value> {
        let mut fields: Vec<(String, &Value)> = Vec::new();
        if let Ok(own) = &self.fields {
            collect_fields(own, &mut fields);
        }
        let with_name = move |name: &&str| {
            let same = fields.iter().filter(|(written, _)| written == name).map(|(_, value)| *value);
            same.collect::<Vec<_>>()
        };
        names.iter().flat_map(with_name)
    }

    /// The line of `text`, from 1, on which a field begins. `None` if there is no such field.
    pub fn line_of(&self, text: &str, name: &str) -> Option<usize> {
        let fields = yaml::parse(&text[self.inner.clone()]).ok()?;
        let key = fields.keys.iter().find(|key| key.name == name)?;
        // The line of the first `---` stands before the YAML.
        Some(key.line + 1)
    }

    /// The bytes of each item of a list whose items begin on lines of their own; `None` if there is no such list, or if it
    /// is written in another way.
    pub fn list_items(&self, text: &str, name: &str) -> Option<Vec<Span>> {
        let fields = yaml::parse(&text[self.inner.clone()]).ok()?;
        let count = fields.map.get(name)?.as_array()?.len();
        layout::list_items(text, &layout::place(text, self, &fields, name).ok()?, count)
    }

    /// Whether there is no such field, or nothing is written as its value.
    pub fn is_free(&self, text: &str, name: &str) -> bool {
        let Ok(fields) = yaml::parse(&text[self.inner.clone()]) else { return false };
        let place = || layout::place(text, self, &fields, name).ok();
        !fields.map.contains_key(name) || place().is_some_and(|place| layout::is_written_empty(text, &place))
    }

    /// Whether the value of a field has comments, besides one at the end of the key's own line.
    pub fn has_inner_comment(&self, text: &str, name: &str) -> bool {
        let Ok(fields) = yaml::parse(&text[self.inner.clone()]) else { return false };
        let Ok(place) = layout::place(text, self, &fields, name) else { return false };
        let behind = place.comment.map_or(place.value.start, |comment| comment.end);
        self.has_comment(text, &(behind..place.value.end))
    }

    /// Whether a comment begins in these bytes.
    pub fn has_comment(&self, text: &str, span: &Span) -> bool {
        self.comments(text).any(|comment| span.contains(&comment))
    }

    /// The bytes at which comments begin, in order.
    pub fn comments(&self, text: &str) -> impl Iterator<Item = usize> {
        let styled = lexer::styled_spans(text, &self.inner).into_iter();
        styled.filter(|(_, style)| *style == ScalarStyle::Comment).map(|(span, _)| span.start)
    }
}

/// The spans of the whole block and of the YAML between its two lines.
fn block(text: &str) -> Option<(Span, Span)> {
    let start = bom_len(text);
    let first = line_end(text, start);
    if !is_fence(&text[start..first]) || !text[start..first].ends_with('\n') {
        return None;
    }
    let mut at = first;
    while at < text.len() {
        let end = line_end(text, at);
        if is_fence(&text[at..end]) {
            return Some((start..end, first..at));
        }
        at = end;
    }
    None
}

fn is_fence(line: &str) -> bool {
    line.trim_end() == "---"
}

/// The fields of a mapping by their folded names, and those of the mappings that it merges.
fn collect_fields<'a>(mapping: &'a Map<String, Value>, found: &mut Vec<(String, &'a Value)>) {
    for (name, value) in mapping {
        if name != MERGE_KEY {
            found.push((fold(name.trim()), value));
        }
    }
    let merged = match mapping.get(MERGE_KEY) {
        Some(Value::Array(several)) => several.as_slice(),
        Some(one) => std::slice::from_ref(one),
        None => &[],
    };
    merged.iter().filter_map(Value::as_object).for_each(|mapping| collect_fields(mapping, found));
}

/// A scalar as text; `None` for null, lists and mappings.
pub(crate) fn scalar_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

#[cfg(test)]
mod tests;
