//! The sections that Wellread itself wrote into a note: nothing is learnt from them.

use wellread_text::{ChunkKind, Note, Span, fold, note_chunks};

use crate::corpus::{Hash, VaultPath};
use crate::evidence::FilePlace;

const OWN: [&str; 2] = ["research", "summary"];

/// Where `## Research` and `## Summary` stand, with all that is under them.
pub(super) fn own_sections(note: &Note, text: &str) -> Vec<Span> {
    let mut found = Vec::new();
    for (at, heading) in note.headings.iter().enumerate() {
        if heading.level == 2 && OWN.contains(&fold(&heading.text).as_str()) {
            let next = note.headings[at + 1..].iter().find(|next| next.level <= 2);
            found.push(heading.span.start..next.map_or(text.len(), |next| next.span.start));
        }
    }
    found
}

/// A note without them.
pub fn own_text(text: &str) -> String {
    let mut own = String::with_capacity(text.len());
    let mut at = 0;
    for section in own_sections(&Note::parse(text), text) {
        own.push_str(&text[at..section.start]);
        at = section.end;
    }
    own + &text[at..]
}

/// The passages of a note that its user wrote, as places. Its fields are none.
pub fn own_passages(path: &VaultPath, text: &str, hash: Hash) -> Vec<FilePlace> {
    let note = Note::parse(text);
    let own = own_sections(&note, text);
    let chunks = note_chunks(text, &note).into_iter();
    let chunks = chunks.filter(|chunk| chunk.kind != ChunkKind::Frontmatter && !is_within(&chunk.span, &own));
    let place = |chunk: wellread_text::Chunk| FilePlace {
        path: path.clone(),
        start_line: chunk.lines.0,
        end_line: chunk.lines.1,
        span: chunk.span,
        hash,
    };
    chunks.map(place).collect()
}

pub(super) fn is_within(span: &Span, sections: &[Span]) -> bool {
    sections.iter().any(|section| section.start <= span.start && span.end <= section.end)
}
