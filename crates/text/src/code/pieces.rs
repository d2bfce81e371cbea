//! Where code may be cut when it is too long for one chunk: at blank lines, and where there are none, before
//! statements.

use crate::Span;
use crate::chunk::{CHUNK_BYTES, Piece, paragraphs};

/// The pieces of a stretch of code.
pub(super) fn pieces(text: &str, span: Span) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for piece in paragraphs(text, span) {
        if piece.span.len() <= CHUNK_BYTES {
            pieces.push(piece);
        } else {
            statements(text, piece, &mut pieces);
        }
    }
    pieces
}

/// Cuts before the lines that are indented least, the first one aside, unless they close something.
fn statements(text: &str, paragraph: Piece, pieces: &mut Vec<Piece>) {
    let inside = &text[paragraph.span.clone()];
    let begins = |line: &str| {
        let word = line.trim_start();
        let indent = line.len() - word.len();
        let opens = |letter: char| letter.is_alphanumeric() || "_@#$/\"'*-&".contains(letter);
        word.starts_with(opens).then_some(indent)
    };
    let least = inside.split_inclusive('\n').skip(1).filter_map(begins).min();
    let (mut start, mut at, mut fresh) = (paragraph.span.start, paragraph.span.start, paragraph.fresh);
    for line in inside.split_inclusive('\n') {
        if at > start && least.is_some() && begins(line) == least {
            pieces.push(Piece { span: start..at, fresh });
            (start, fresh) = (at, false);
        }
        at += line.len();
    }
    pieces.push(Piece { span: start..paragraph.span.end, fresh });
}
