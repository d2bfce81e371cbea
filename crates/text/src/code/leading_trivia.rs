//! What belongs to a definition but stands above it: its comment and its attributes.

use crate::{LineIndex, Span};

use super::parse::ParsedCode;

const MAX_INDENT: usize = 1_000;

/// What stands directly above a place.
#[derive(Clone)]
pub(super) struct LeadingTrivia {
    /// Where the first of the attributes begins, or the place itself.
    pub start: usize,
    /// From the first comment to the last.
    pub doc: Option<Span>,
}

/// The attributes and comments directly above the byte, in any order. A comment is directly above when there is no
/// blank line between and nothing before it on its line; an attribute always belongs to what comes next.
pub(super) fn find_leading_trivia(
    text: &str,
    lines: &LineIndex,
    reading: &ParsedCode,
    byte: usize,
) -> LeadingTrivia {
    let mut found = LeadingTrivia { start: byte, doc: None };
    let mut top = byte;
    loop {
        let attribute = last_before(text, &reading.attributes, top).filter(|span| {
            let end = trimmed_end(text, span);
            text[end..top].trim().is_empty()
        });
        if let Some(span) = attribute {
            (top, found.start) = (span.start, span.start);
            continue;
        }
        let comment = last_before(text, &reading.comments, top).filter(|span| {
            let between = &text[trimmed_end(text, span)..top];
            let near = between.trim().is_empty() && newlines(between) == 1;
            // A script's first line speaks to the system.
            near && begins_line(text, lines.line_start(span.start), span.start)
                && !text[span.start..].starts_with("#!")
        });
        let Some(span) = comment else { return found };
        let end = found.doc.as_ref().map_or(trimmed_end(text, span), |doc| doc.end);
        found.doc = Some(span.start..end);
        top = span.start;
    }
}

/// Where the definition itself begins: behind the attributes and comments that it begins with.
pub(super) fn skip_attributes(text: &str, reading: &ParsedCode, start: usize, limit: usize) -> usize {
    let mut at = start;
    while let Some(next) = [&reading.attributes, &reading.comments].into_iter().find_map(|spans| {
        spans.get(spans.partition_point(|span| span.start < at)).filter(|span| span.start == at)
    }) {
        let end = trimmed_end(text, next);
        let after = end + (text[end..].len() - text[end..].trim_start().len());
        if after <= at || after >= limit {
            break;
        }
        at = after;
    }
    at
}

/// Whether there is nothing but white space between the line's start and the byte.
pub(super) fn begins_line(text: &str, line: usize, byte: usize) -> bool {
    let line = line.max(crate::span::bom_len(text));
    // Nobody indents so far; and who does, to have us read it again and again, does not succeed.
    byte - line <= MAX_INDENT && text[line..byte].trim().is_empty()
}

/// The last of the spans that begin before the byte, provided that it ends there, too.
fn last_before<'a>(text: &str, spans: &'a [Span], byte: usize) -> Option<&'a Span> {
    let behind = spans.partition_point(|span| span.start < byte);
    spans[..behind].last().filter(|span| trimmed_end(text, span) <= byte)
}

/// Some grammars count the line break to a comment.
pub(super) fn trimmed_end(text: &str, span: &Span) -> usize {
    span.start + text[span.clone()].trim_end().len()
}

fn newlines(text: &str) -> usize {
    text.bytes().filter(|&byte| byte == b'\n').count()
}
