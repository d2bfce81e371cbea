//! Where code may be cut when it is too long for one chunk: at blank lines, and where there are none, before
//! statements.

use crate::Span;
use crate::code::chunk::{CHUNK_BYTES, ChunkPiece, paragraphs};

/// How many levels of indentation are tried before lines are taken as they come.
const LEVELS: usize = 6;

/// The pieces of a stretch of code.
pub(super) fn pieces(text: &str, span: Span) -> Vec<ChunkPiece> {
    let mut pieces = paragraphs(text, span);
    // A piece that is still too long is cut before what stands deeper in it.
    let mut least = vec![0; pieces.len()];
    for _ in 0..LEVELS {
        if pieces.iter().all(|piece| piece.span.len() <= CHUNK_BYTES) {
            break;
        }
        let (mut finer, mut deeper) = (Vec::new(), Vec::new());
        for (piece, least) in pieces.into_iter().zip(least) {
            let level =
                if piece.span.len() > CHUNK_BYTES { level(&text[piece.span.clone()], least) } else { None };
            match level {
                Some(level) => statements(text, &piece, level, &mut finer),
                None => finer.push(piece),
            }
            deeper.resize(finer.len(), level.map_or(least, |level| level + 1));
        }
        (pieces, least) = (finer, deeper);
    }
    pieces
}

/// The least indentation, from `least` on, of lines that begin something, the first line aside.
fn level(text: &str, least: usize) -> Option<usize> {
    text.split_inclusive('\n').skip(1).filter_map(indent).filter(|&indent| indent >= least).min()
}

/// Cuts before the lines of this indentation.
fn statements(text: &str, piece: &ChunkPiece, level: usize, pieces: &mut Vec<ChunkPiece>) {
    let (mut start, mut at, mut fresh) = (piece.span.start, piece.span.start, piece.fresh);
    for line in text[piece.span.clone()].split_inclusive('\n') {
        if at > start && indent(line) == Some(level) {
            pieces.push(ChunkPiece { span: start..at, fresh });
            (start, fresh) = (at, false);
        }
        at += line.len();
    }
    pieces.push(ChunkPiece { span: start..piece.span.end, fresh });
}

/// How far a line is indented that begins something, rather than closing it.
fn indent(line: &str) -> Option<usize> {
    let word = line.trim_start();
    let begins = |letter: char| letter.is_alphanumeric() || "_@#$/\"'*-&".contains(letter);
    word.starts_with(begins).then_some(line.len() - word.len())
}
