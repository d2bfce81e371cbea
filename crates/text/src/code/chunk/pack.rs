//! Pieces of text, put together into chunks of a good size.

use crate::{LineIndex, Span};

use super::CHUNK_BYTES;

/// Where a text may be cut: pieces follow each other, and a chunk is one or more of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ChunkPiece {
    pub span: Span,
    /// Whether a chunk would rather begin here than anywhere else.
    pub fresh: bool,
}

/// Puts neighboring pieces together while they fit, and cuts those that do not fit alone: at line ends, then at
/// the ends of sentences, then at spaces, and where there is none, anywhere. The spans come out trimmed and in order.
pub(crate) fn pack(text: &str, pieces: impl IntoIterator<Item = ChunkPiece>) -> Vec<Span> {
    let mut packed: Vec<Span> = Vec::new();
    let mut open: Option<Span> = None;
    for piece in pieces {
        for span in cut(text, piece.span) {
            let joined = open.take().map_or(span.clone(), |open| {
                if !piece.fresh && span.end - open.start <= CHUNK_BYTES {
                    open.start..span.end
                } else {
                    packed.push(open);
                    span
                }
            });
            open = Some(joined);
        }
    }
    packed.extend(open);
    packed.into_iter().map(|span| trim(text, span)).filter(|span| !span.is_empty()).collect()
}

/// The first and the last line of a span.
pub(crate) fn line_range(lines: &LineIndex, span: &Span) -> (usize, usize) {
    (lines.line_of(span.start), lines.line_of(span.end.saturating_sub(1).max(span.start)))
}

/// The span without blank lines at its beginning and white space at its end.
fn trim(text: &str, span: Span) -> Span {
    let inside = &text[span.clone()];
    let end = span.start + inside.trim_end().len();
    let blank = inside.len() - inside.trim_start().len();
    // The first line's indentation is part of what it says.
    let start = inside[..blank].rfind('\n').map_or(0, |newline| newline + 1);
    let start = span.start + start;
    start.min(end)..end
}

fn cut(text: &str, span: Span) -> Vec<Span> {
    let mut parts = Vec::new();
    let mut start = span.start;
    while span.end - start > CHUNK_BYTES {
        let end = start + find_cut(&text[start..span.end]);
        parts.push(start..end);
        start = end;
    }
    parts.push(start..span.end);
    parts
}

/// Where to cut a text that is longer than a chunk: as late as it goes, at the best kind of place there is.
fn find_cut(text: &str) -> usize {
    let limit = floor_char_boundary(text, CHUNK_BYTES);
    let head = &text[..limit];
    // The first of two halves must not be a scrap.
    let least = CHUNK_BYTES / 4;
    let late = |at: Option<usize>| at.filter(|&at| at >= least);
    late(head.rfind('\n').map(|at| at + 1))
        .or_else(|| late(sentence_end(head)))
        .or_else(|| late(head.rfind(char::is_whitespace).map(|at| at + width(text, at))))
        .unwrap_or(limit)
}

/// After the last sentence that ends in this text, with the white space behind it.
fn sentence_end(text: &str) -> Option<usize> {
    let mut found = None;
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let after = at + letter.len_utf8();
        match letter {
            // A language without spaces has none after its full stop either.
            '。' | '！' | '？' | '｡' => found = Some(after),
            '.' | '!' | '?' | '…' => {
                if let Some(&(_, next)) = letters.peek()
                    && next.is_whitespace()
                {
                    found = Some(after + next.len_utf8());
                }
            }
            _ => {}
        }
    }
    found.filter(|&end| end <= text.len())
}

fn floor_char_boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0).max(1)
}

fn width(text: &str, at: usize) -> usize {
    text[at..].chars().next().map_or(1, char::len_utf8)
}
