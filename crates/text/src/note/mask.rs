//! Makes the copy of a note's body that the Markdown parser reads, with the same length in bytes.
//!
//! What Markdown must not see is covered with other bytes: comments and math blocks, which are not Markdown; carriage
//! returns that end no line, since a line here ends with `\n` alone; and containers nested so deep that parsing them
//! would take unbounded time. Offsets stay valid, since each byte is replaced by exactly one byte.

use std::borrow::Cow;

use crate::Span;
use crate::note::scan::{Scan, list_mark};

/// Nobody nests quotes and lists this deep; deeper levels are read as text.
const MAX_MARKS: usize = 64;
/// A line with a larger indent is not a list item.
const MAX_INDENT: usize = 256;

/// Returns the body as the Markdown parser may see it.
pub(crate) fn mask<'a>(body: &'a str, scan: &Scan) -> Cow<'a, str> {
    let mut covered: Vec<(Span, u8)> = vec![];
    for span in scan.comments.iter().chain(&scan.math) {
        cover_lines(body, span, &mut covered);
    }
    let bytes = body.as_bytes();
    covered.extend(lone_returns(bytes).map(|at| (at..at + 1, b' ')));
    let mut start = 0;
    for line in body.split_inclusive('\n') {
        covered.extend(find_excess_nesting(line).map(|deep| (start + deep.start..start + deep.end, b'x')));
        start += line.len();
    }
    if covered.is_empty() {
        return Cow::Borrowed(body);
    }
    let mut copy = bytes.to_vec();
    for (span, with) in covered {
        copy[span].fill(with);
    }
    // Whole characters are covered by ASCII bytes, so this is still UTF-8; otherwise the worst is a wrong outline.
    Cow::Owned(String::from_utf8(copy).unwrap_or_else(|_| " ".repeat(body.len())))
}

/// Covers a comment line by line. A line that the comment fills becomes blank; elsewhere its words become other
/// words, so that the rest of the line turns neither into indented code nor into a heading.
fn cover_lines(body: &str, span: &Span, covered: &mut Vec<(Span, u8)>) {
    let mut at = span.start;
    for line in body[span.clone()].split_inclusive('\n') {
        let words = line.trim_end_matches(['\r', '\n']);
        let end = at + words.len();
        let begins = body[..at].ends_with('\n') || at == 0;
        let ends = end == body.len() || body[end..].starts_with(['\r', '\n']);
        if begins && ends {
            covered.push((at..end, b' '));
        } else {
            let black = words.char_indices().filter(|(_, letter)| !letter.is_ascii_whitespace());
            covered
                .extend(black.map(|(offset, letter)| (at + offset..at + offset + letter.len_utf8(), b'x')));
        }
        at += line.len();
    }
}

fn lone_returns(bytes: &[u8]) -> impl Iterator<Item = usize> + '_ {
    (0..bytes.len()).filter(|&at| bytes[at] == b'\r' && bytes.get(at + 1) != Some(&b'\n'))
}

/// The part of a line's containers and indentation that is too deep.
pub(crate) fn find_excess_nesting(line: &str) -> Option<Span> {
    let bytes = line.as_bytes();
    let (mut at, mut marks, mut indent, mut limit) = (0, 0, 0, None);
    while at < bytes.len() {
        let step = match bytes[at] {
            b' ' | b'\t' => {
                indent += if bytes[at] == b'\t' { 4 } else { 1 };
                1
            }
            b'>' => {
                marks += 1;
                1
            }
            _ => match list_mark(&line[at..]) {
                Some(length) => {
                    marks += 1;
                    length
                }
                None => break,
            },
        };
        if limit.is_none() && (marks > MAX_MARKS || indent > MAX_INDENT + marks) {
            limit = Some(at);
        }
        at += step;
    }
    limit.filter(|_| !line[at..].trim().is_empty()).map(|limit| limit..at)
}
