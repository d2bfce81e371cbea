//! Puts the definitions that a query found into their order, and nests them.

use std::cmp::Reverse;
use std::collections::HashSet;

use crate::{LineIndex, Span};

use super::leading_trivia::{LeadingTrivia, find_leading_trivia, skip_attributes, trimmed_end};
use super::names::{owner_parts, parts};
use super::parse::{DefinitionMatch, ParsedCode};
use super::{Language, SymbolKind};

/// What is reached by more names, or by longer ones, is not listed: nobody nests so deep, and each definition
/// repeats the names above it.
const MAX_PATH: usize = 24;
const MAX_PATH_BYTES: usize = 400;
/// How many names one declaration may give.
const MAX_TWINS: usize = 100;

/// A definition, or a scope that names what is in it.
#[derive(Debug)]
pub(super) struct OutlineEntry {
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
    /// Of its name.
    pub name: Span,
    /// Whether chunks are made without it: it is another name for the entry before it, which has the same span, or
    /// only a part of the entry that it belongs to.
    pub aside: bool,
}

impl OutlineEntry {
    pub(super) fn is_callable(&self) -> bool {
        self.kind.is_some_and(SymbolKind::is_callable)
    }

    fn is_type(&self) -> bool {
        self.kind.is_none_or(SymbolKind::is_type)
    }
}

/// The entries in the order of the text, outer ones first.
pub(super) fn nest(
    text: &str,
    lines: &LineIndex,
    reading: &mut ParsedCode,
    language: Language,
) -> Vec<OutlineEntry> {
    let mut entries: Vec<OutlineEntry> = Vec::new();
    // Those that are open here, outermost first.
    let mut open: Vec<usize> = Vec::new();
    let mut twins = 0;
    let mut said: HashSet<Vec<String>> = HashSet::new();
    for (one, doc) in order_matches(text, lines, reading) {
        while open.last().is_some_and(|&top| entries[top].span.end <= one.span.start) {
            open.pop();
        }
        let top = open.last().map(|&top| &entries[top]);
        if top.is_some_and(|top| top.span.end < one.span.end) {
            continue;
        }
        // Two names for one thing stand beside each other, and what is in it belongs to the first.
        let twin = top.is_some_and(|top| top.span == one.span);
        let again = entries.last().is_some_and(|last| last.span == one.span);
        twins = if twin || again { twins + 1 } else { 0 };
        let parent = if twin { top.and_then(|top| top.parent) } else { open.last().copied() };
        if twins > MAX_TWINS {
            continue;
        }
        // A method may say what its type holds; it belongs to the type, and is said once.
        let says = one.part
            && one.kind == Some(SymbolKind::Field)
            && parent.is_some_and(|parent| entries[parent].is_callable());
        let parent = if says { parent.and_then(|parent| entries[parent].parent) } else { parent };
        let enclosing = parent.map(|parent| &entries[parent]);
        if says && !enclosing.is_some_and(OutlineEntry::is_type) {
            continue;
        }
        if let Some(entry) = entry(text, reading, language, one, doc, enclosing) {
            if says && !said.insert(entry.path.clone()) {
                continue;
            }
            if !says && entry.kind == Some(SymbolKind::Field) {
                said.insert(entry.path.clone());
            }
            // A field's type may be defined on the spot, and belongs to what the field belongs to.
            let holds_none = entry.aside && entry.kind == Some(SymbolKind::Field);
            if !twin && !holds_none {
                open.push(entries.len());
            }
            let aside = entry.aside || twin || says;
            entries.push(OutlineEntry { parent, aside, ..entry });
        }
    }
    entries
}

/// What was found with what is above it, in the order of the text, the outer before the inner.
fn order_matches(
    text: &str,
    lines: &LineIndex,
    reading: &mut ParsedCode,
) -> Vec<(DefinitionMatch, Option<Span>)> {
    let mut found = std::mem::take(&mut reading.found);
    found.sort_by_key(|one| one.span.start);
    let mut last: Option<(usize, LeadingTrivia)> = None;
    let mut ordered: Vec<(DefinitionMatch, Option<Span>)> = Vec::with_capacity(found.len());
    for mut one in found {
        let start = one.span.start;
        // Many may begin at the same place, under the same comments.
        let upper = last.take().filter(|(at, _)| *at == start).map(|(_, upper)| upper);
        let upper = upper.unwrap_or_else(|| find_leading_trivia(text, lines, reading, start));
        let end = start + text[one.span].trim_end().len();
        one.span = upper.start..end.max(upper.start);
        ordered.push((one, upper.doc.clone()));
        last = Some((start, upper));
    }
    ordered.sort_by_key(|(one, _)| (one.span.start, Reverse(one.span.end), one.name.start));
    ordered
}

fn entry(
    text: &str,
    reading: &ParsedCode,
    language: Language,
    found: DefinitionMatch,
    doc: Option<Span>,
    parent: Option<&OutlineEntry>,
) -> Option<OutlineEntry> {
    let mut own = parts(&text[found.name.clone()])?;
    if found.kind.is_none() && language.reading.scope_named_by_last_part {
        own.drain(..own.len() - 1);
    }
    let owner = found.owner.map(|owner| owner_parts(&text[owner])).unwrap_or_default();
    let kind = match found.kind {
        Some(SymbolKind::Function)
            if own.len() > 1 || !owner.is_empty() || parent.is_some_and(OutlineEntry::is_type) =>
        {
            Some(SymbolKind::Method)
        }
        kind => kind,
    };
    if parent.is_some_and(OutlineEntry::is_callable) && is_local(kind, found.body.is_some()) {
        return None;
    }
    let path = parent.map(|parent| parent.path.clone()).unwrap_or_default();
    let path: Vec<String> = path.into_iter().chain(owner).chain(own).collect();
    if path.len() > MAX_PATH || path.iter().map(String::len).sum::<usize>() > MAX_PATH_BYTES {
        return None;
    }
    let signature = signature(text, reading, kind, &found.span, found.body);
    let (span, has_body) = (found.span, found.body.is_some());
    let whole = doc.as_ref().map_or(span.start, |doc| doc.start.min(span.start))..span.end;
    Some(OutlineEntry {
        kind,
        span,
        whole,
        doc: found.doc.or(doc),
        signature,
        has_body,
        path,
        parent: None,
        name: found.name,
        aside: found.part,
    })
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

/// The text of a span without the comments at its end.
fn strip_last_comments<'t>(text: &'t str, reading: &ParsedCode, span: Span) -> &'t str {
    let mut end = span.end;
    loop {
        let inside = text[span.start..end].trim_end();
        end = span.start + inside.len();
        let number = reading.comments.partition_point(|comment| comment.start < end);
        let last = number.checked_sub(1).and_then(|number| reading.comments.get(number));
        match last.filter(|comment| comment.start > span.start && trimmed_end(text, comment) >= end) {
            Some(comment) => end = comment.start,
            None => return inside,
        }
    }
}

/// From the definition's first word to before its body. Without a body a function is all signature, and of
/// anything else the first line is.
fn signature(
    text: &str,
    reading: &ParsedCode,
    kind: Option<SymbolKind>,
    span: &Span,
    body: Option<usize>,
) -> Span {
    let start = skip_attributes(text, reading, span.start, body.unwrap_or(span.end).min(span.end));
    let end = match body {
        Some(body) if body > start && body <= span.end => body,
        _ if kind.is_some_and(SymbolKind::is_callable) => span.end,
        _ => start + text[start..span.end].lines().next().map_or(0, str::len),
    };
    let inside = strip_last_comments(text, reading, start..end);
    // What is left out opens with such a sign.
    let inside = if end < span.end { inside.trim_end_matches(['{', '=']).trim_end() } else { inside };
    // A torn definition may have nothing before its body.
    if inside.is_empty() { span.clone() } else { start..start + inside.len() }
}
