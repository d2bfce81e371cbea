//! The YAML block at a note's top: read whole, changed one field at a time.

mod edit;
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

use crate::Span;
use crate::span::{bom_len, line_end};

/// A block larger than this is not read: no person wrote it.
const MAX_BYTES: usize = 256 * 1024;

/// The block between two lines of `---` that a note begins with.
#[derive(Debug, Clone, PartialEq)]
pub struct Frontmatter {
    /// From the first `---` to after the closing line's ending.
    pub span: Span,
    /// Between the two lines.
    pub inner: Span,
    /// What the YAML says, or in one line why it says nothing.
    pub fields: Result<Map<String, Value>, String>,
}

impl Frontmatter {
    /// The block at the very top, after a byte-order mark. An unclosed one is none.
    pub fn parse(text: &str) -> Option<Frontmatter> {
        let (span, inner) = block(text)?;
        let fields = if inner.len() > MAX_BYTES {
            Err(format!("the frontmatter is larger than {} KiB", MAX_BYTES / 1024))
        } else {
            yaml::parse(&text[inner.clone()]).map(|fields| fields.map)
        };
        Some(Frontmatter { span, inner, fields })
    }

    pub fn field(&self, name: &str) -> Option<&Value> {
        self.fields.as_ref().ok()?.get(name)
    }
}

/// The block, and what is between its two lines.
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

/// A scalar as text; none for null, lists and mappings.
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
