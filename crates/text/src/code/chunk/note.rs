//! A note in chunks: its frontmatter, and its body by heading, paragraph and sentence.

use crate::span::bom_len;
use crate::{Heading, LineIndex, Note, Span};

use super::{Chunk, ChunkKind, ChunkPiece, line_range, pack};

/// A note's chunks, in the order of the text.
pub fn chunk_note(text: &str, note: &Note) -> Vec<Chunk> {
    let lines = LineIndex::new(text);
    let mut chunks = Vec::new();
    let mut body = bom_len(text);
    if let Some(front) = &note.frontmatter {
        let fields = ChunkPiece { span: front.span.clone(), fresh: true };
        push(&mut chunks, text, &lines, ChunkKind::Frontmatter, &[], [fields]);
        body = front.span.end;
    }
    let mut path: Vec<&Heading> = Vec::new();
    let ends = note.headings.iter().map(|heading| heading.span.start).chain([text.len()]);
    let starts = std::iter::once(None).chain(note.headings.iter().map(Some));
    let mut start = body;
    for (heading, end) in starts.zip(ends) {
        if let Some(heading) = heading {
            path.retain(|above| above.level < heading.level);
            path.push(heading);
        }
        if end > start {
            // A heading without text, such as a `#` alone, names nothing.
            let named = path.iter().filter(|heading| !heading.text.is_empty());
            let context: Vec<String> = named.map(|heading| heading.text.clone()).collect();
            push(&mut chunks, text, &lines, ChunkKind::Text, &context, paragraphs(text, start..end));
            start = end;
        }
    }
    chunks
}

fn push(
    chunks: &mut Vec<Chunk>,
    text: &str,
    lines: &LineIndex,
    kind: ChunkKind,
    context: &[String],
    pieces: impl IntoIterator<Item = ChunkPiece>,
) {
    let spans = pack(text, pieces);
    chunks.extend(spans.into_iter().map(|span| Chunk {
        lines: line_range(lines, &span),
        span,
        kind,
        context: context.to_vec(),
    }));
}

/// Stretches between blank lines, each with the blank lines after it. The first may begin a new chunk.
pub(crate) fn paragraphs(text: &str, span: Span) -> Vec<ChunkPiece> {
    let mut pieces: Vec<ChunkPiece> = Vec::new();
    let (mut at, mut start, mut blank_before) = (span.start, span.start, false);
    for line in text[span.clone()].split_inclusive('\n') {
        let blank = line.trim().is_empty();
        if !blank && blank_before && at > start {
            pieces.push(ChunkPiece { span: start..at, fresh: pieces.is_empty() });
            start = at;
        }
        blank_before = blank;
        at += line.len();
    }
    pieces.push(ChunkPiece { span: start..span.end, fresh: pieces.is_empty() });
    pieces
}
