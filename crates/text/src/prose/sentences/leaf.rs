//! A block of words and the content of its parts.

use super::citations::{CitationGroup, find_citation_groups};
use super::{SentenceBlock, SentenceKind, SentencePart};
use crate::Span;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LeafKind {
    Prose,
    Quote,
    Heading,
    /// The head of a table.
    Head,
    Row,
    Code,
}

/// A block that contains no other blocks.
#[derive(Debug)]
pub(super) struct Leaf {
    pub kind: LeafKind,
    pub span: Span,
    pub block: SentenceBlock,
    pub in_item: bool,
    /// Spans in which no sentence ends: emphasis, links, code, quotations. Sorted and disjoint.
    pub whole: Vec<Span>,
    /// The positions of line breaks that end a sentence.
    pub breaks: Vec<usize>,
    /// Line breaks that may only fill lines, until the block is complete.
    pub soft_breaks: Vec<Span>,
    /// The number of block quotes around it.
    pub quotes: usize,
    pub pieces: Vec<(Span, SentencePart)>,
}

impl Leaf {
    /// The content of a part of the block, without its citations.
    pub fn collect_parts(&self, text: &str, span: &Span, groups: &[&CitationGroup]) -> Vec<SentencePart> {
        let first = self.pieces.partition_point(|(at, _)| at.end <= span.start);
        let mut parts = Vec::new();
        for (at, piece) in self.pieces[first..].iter().take_while(|(at, _)| at.start < span.end) {
            let SentencePart::Prose(written) = piece else {
                parts.push(match piece {
                    SentencePart::Code(code) if !groups.is_empty() => {
                        SentencePart::Code(without_citations(code))
                    }
                    other => other.clone(),
                });
                continue;
            };
            // An entity or an escape differs from its meaning; it is short and contains no citation.
            if text.get(at.clone()) != Some(written.as_str()) {
                parts.push(piece.clone());
                continue;
            }
            let mut from = at.start.max(span.start);
            let end = at.end.min(span.end);
            let near = groups.partition_point(|group| group.span.end <= from);
            for group in groups[near..].iter().take_while(|group| group.span.start < end) {
                if from < group.span.start {
                    parts.push(SentencePart::Prose(text[from..group.span.start].to_owned()));
                }
                from = group.span.end.min(end).max(from);
            }
            if from < end {
                parts.push(SentencePart::Prose(text[from..end].to_owned()));
            }
        }
        parts
    }

    /// A part of the block as written, without the marks of its containers.
    pub fn flatten(&self, text: &str, span: &Span, kind: SentenceKind) -> String {
        if kind == SentenceKind::Code {
            let parts = self.pieces.iter().map(|(_, part)| match part {
                SentencePart::Prose(text) | SentencePart::Code(text) | SentencePart::Address(text) => {
                    text.as_str()
                }
            });
            return parts.collect::<String>().trim_end().to_owned();
        }
        let mut lines = text[span.clone()].split('\n');
        let mut flat: Vec<&str> = lines.next().map(str::trim).into_iter().collect();
        for mut line in lines {
            for _ in 0..self.quotes {
                let inner = line.trim_start_matches([' ', '\t']);
                line = inner.strip_prefix('>').unwrap_or(inner);
            }
            flat.push(line.trim().trim_end_matches('\\'));
        }
        flat.retain(|line| !line.is_empty());
        flat.join(" ")
    }
}

/// Code without the comments that contain its citations.
fn without_citations(code: &str) -> String {
    let groups = find_citation_groups(code, 0..code.len());
    let mut out = String::with_capacity(code.len());
    let (mut at, mut next) = (0, 0);
    for line in code.split_inclusive('\n') {
        let (start, end) = (at, at + line.len());
        let (mut left, mut from) = (String::new(), start);
        at = end;
        let first = next;
        while let Some(group) = groups.get(next).filter(|group| group.span.start < end) {
            left.push_str(&code[from..group.span.start]);
            from = group.span.end;
            next += 1;
        }
        left.push_str(&code[from..end]);
        if next > first {
            left.truncate(without_comment(&left).len());
            left.push('\n');
        }
        out.push_str(&left);
    }
    out
}

/// A line without an empty comment at its end.
fn without_comment(line: &str) -> &str {
    let line = line.trim_end();
    let line = ["*/", "-->"].iter().find_map(|close| line.strip_suffix(close)).unwrap_or(line).trim_end();
    let opens = ["//", "/*", "<!--", "--", "#", ";;", "%"];
    opens.iter().find_map(|open| line.strip_suffix(open)).unwrap_or(line).trim_end()
}

/// Whether HTML contains anything besides tags.
pub(super) fn has_words(html: &str) -> bool {
    let mut rest = html;
    while let Some(open) = rest.find('<') {
        let tag = rest[open + 1..].starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '/');
        if rest[..open].contains(char::is_alphanumeric) || !tag {
            return true;
        }
        rest = rest[open..].split_once('>').map_or("", |(_, after)| after);
    }
    rest.contains(char::is_alphanumeric)
}
