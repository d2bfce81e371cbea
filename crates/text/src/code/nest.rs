//! Definitions in their order and in each other, out of what a query found in any order.

use std::cmp::Reverse;

use crate::Span;

use super::above::{above, behind_attributes};
use super::names::{owner_parts, parts};
use super::parse::{Found, Reading};
use super::{Language, SymbolKind};

/// What stands deeper is not listed: nobody nests so deep, and whatever holds a name repeats those above it.
const MAX_DEPTH: usize = 32;

/// A definition, or a scope that names what is in it.
#[derive(Debug)]
pub(super) struct Entry {
    /// `None` is a scope.
    pub kind: Option<SymbolKind>,
    /// With attributes.
    pub span: Span,
    /// With the comment above it, too.
    pub whole: Span,
    pub doc: Option<Span>,
    pub signature: Span,
    pub has_body: bool,
    /// The names that it is reached by, its own last.
    pub path: Vec<String>,
    /// The innermost entry around it.
    pub parent: Option<usize>,
    depth: usize,
}

impl Entry {
    pub(super) fn is_callable(&self) -> bool {
        self.kind.is_some_and(SymbolKind::is_callable)
    }

    fn is_type(&self) -> bool {
        self.kind.is_none_or(SymbolKind::is_type)
    }
}

/// The entries in the order of the text, outer ones first.
pub(super) fn nest(text: &str, reading: &mut Reading, language: Language) -> Vec<Entry> {
    let mut found: Vec<(Found, Option<Span>)> = Vec::with_capacity(reading.found.len());
    for mut one in std::mem::take(&mut reading.found) {
        let upper = above(text, reading, one.span.start);
        let end = one.span.start + text[one.span.clone()].trim_end().len();
        one.span = upper.start..end;
        found.push((one, upper.doc));
    }
    found.sort_by_key(|(one, _)| (one.span.start, Reverse(one.span.end), one.name.start));

    let mut entries: Vec<Entry> = Vec::new();
    // Those that are open here, outermost first.
    let mut open: Vec<usize> = Vec::new();
    for (one, doc) in found {
        while open.last().is_some_and(|&top| entries[top].span.end <= one.span.start) {
            open.pop();
        }
        let mut parent = open.last().copied();
        if let Some(top) = parent {
            if entries[top].span.end < one.span.end {
                continue;
            }
            // Two names for one thing stand beside each other, and what is in it belongs to the first.
            if entries[top].span == one.span {
                parent = entries[top].parent;
            }
        }
        let above = parent.map(|parent| &entries[parent]);
        if let Some(mut entry) = entry(text, reading, language, one, doc, above) {
            entry.parent = parent;
            let twin = open.last().is_some_and(|&top| entries[top].span == entry.span);
            entries.push(entry);
            if !twin {
                open.push(entries.len() - 1);
            }
        }
    }
    entries
}

fn entry(
    text: &str,
    reading: &Reading,
    language: Language,
    found: Found,
    doc: Option<Span>,
    parent: Option<&Entry>,
) -> Option<Entry> {
    let depth = parent.map_or(0, |parent| parent.depth + 1);
    let mut own = parts(&text[found.name.clone()])?;
    if found.kind.is_none() && language == Language::Rust {
        // The path to a type says where it was defined, which is not where we are.
        own.drain(..own.len() - 1);
    }
    let owner = found.owner.map(|owner| owner_parts(&text[owner])).unwrap_or_default();
    let kind = match found.kind {
        Some(SymbolKind::Function)
            if own.len() > 1 || !owner.is_empty() || parent.is_some_and(Entry::is_type) =>
        {
            Some(SymbolKind::Method)
        }
        kind => kind,
    };
    if depth > MAX_DEPTH || parent.is_some_and(Entry::is_callable) && is_local(kind, found.body.is_some()) {
        return None;
    }
    let path = parent.map(|parent| parent.path.clone()).unwrap_or_default();
    let path = path.into_iter().chain(owner).chain(own).collect();
    let signature = signature(text, reading, kind, &found.span, found.body);
    let (span, has_body) = (found.span, found.body.is_some());
    let whole = doc.as_ref().map_or(span.start, |doc| doc.start.min(span.start))..span.end;
    Some(Entry { kind, span, whole, doc: found.doc.or(doc), signature, has_body, path, parent: None, depth })
}

/// Whether it is nobody's business outside the function that holds it.
fn is_local(kind: Option<SymbolKind>, has_body: bool) -> bool {
    use SymbolKind::{Constant, Field, Function, Method, Type, Variable};
    match kind {
        Some(Constant | Variable | Field | Type) => true,
        Some(Function | Method) => !has_body,
        _ => false,
    }
}

/// From the definition's first word to before its body. Without a body a function is all signature, and of
/// anything else the first line is.
fn signature(
    text: &str,
    reading: &Reading,
    kind: Option<SymbolKind>,
    span: &Span,
    body: Option<usize>,
) -> Span {
    let start = behind_attributes(text, reading, span.start, body.unwrap_or(span.end).min(span.end));
    let end = match body {
        Some(body) if body > start && body <= span.end => body,
        _ if kind.is_some_and(SymbolKind::is_callable) => span.end,
        _ => start + text[start..span.end].lines().next().map_or(0, str::len),
    };
    let inside = text[start..end].trim_end();
    let inside = if body.is_some() { inside.trim_end_matches(['{', '=']).trim_end() } else { inside };
    // An operator may be nothing but such a sign.
    if inside.is_empty() { start..end } else { start..start + inside.len() }
}
