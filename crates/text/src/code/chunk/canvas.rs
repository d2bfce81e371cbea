//! A canvas in chunks: the text of its cards and labels.

use crate::{Canvas, LineIndex};

use super::{CHUNK_BYTES, Chunk, ChunkKind, line_range, pack, paragraphs};

/// A chunk of a canvas, and its text. In the file, the text is written with the escapes of JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CanvasChunk {
    /// The place of the text in the file.
    pub chunk: Chunk,
    /// The text without escapes: what it is found by.
    pub text: String,
}

/// The chunks of a canvas, in the order of the file: one per card or label, several for a long one.
pub fn chunk_canvas(file: &str, canvas: &Canvas) -> Vec<CanvasChunk> {
    let lines = LineIndex::new(file);
    let mut chunks = Vec::new();
    let mut push = |span, text: &str| {
        let chunk =
            Chunk { lines: line_range(&lines, &span), span, kind: ChunkKind::Text, context: Vec::new() };
        chunks.push(CanvasChunk { chunk, text: text.to_owned() });
    };
    for card in &canvas.texts {
        if card.text.len() <= CHUNK_BYTES {
            push(card.span.clone(), &card.text);
            continue;
        }
        let parts = pack(&card.text, paragraphs(&card.text, 0..card.text.len()));
        for (part, place) in parts.iter().zip(card.places(file, parts.clone())) {
            push(place, &card.text[part.clone()]);
        }
    }
    chunks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_card_is_cut_and_every_part_is_found_again() {
        let long = "Bees dance \\n\\\"in\\\" the \\u00e4ther.\\n\\n".repeat(100);
        let file = format!("{{\"nodes\":[\n{{\"text\":\"short\"}},\n{{\"text\":\"{long}\"}}]}}");
        let chunks = chunk_canvas(&file, &Canvas::parse(&file).unwrap());
        assert_eq!((chunks[0].text.as_str(), &file[chunks[0].chunk.span.clone()]), ("short", "short"));
        assert!(chunks.len() > 3, "{}", chunks.len());
        for CanvasChunk { chunk, text } in &chunks[1..] {
            assert!(text.len() <= CHUNK_BYTES && text.starts_with("Bees dance"), "{text}");
            assert_eq!(chunk.lines, (3, 3));
            let written: String =
                serde_json::from_str(&format!("\"{}\"", &file[chunk.span.clone()])).unwrap();
            assert_eq!(written.trim_end(), text.as_str());
        }
    }
}
