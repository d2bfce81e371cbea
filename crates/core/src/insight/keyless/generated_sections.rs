//! The sections that Wellread itself wrote into a note: they are never used as a source.

use wellread_text::{ChunkKind, Note, Span, chunk_note, fold};

use crate::domain::corpus::{Hash, VaultPath};
use crate::domain::evidence::FilePlace;
use crate::library::judge::find_mark_end;

/// The spans of `## Research` and `## Summary` up to the mark of their run; text below the mark is the user's. Without
/// a mark, a research section is generated as a whole, since the next run replaces it, and a summary is the user's.
pub(crate) fn find_generated_sections(note: &Note, text: &str) -> Vec<Span> {
    let mut found = Vec::new();
    for (at, heading) in note.headings.iter().enumerate().filter(|(_, heading)| heading.level == 2) {
        let next = note.headings[at + 1..].iter().find(|next| next.level <= 2);
        let section = heading.span.start..next.map_or(text.len(), |next| next.span.start);
        match (fold(&heading.text).as_str(), find_mark_end(&text[section.clone()])) {
            ("research" | "summary", Some(end)) => found.push(section.start..section.start + end),
            ("research", None) => found.push(section),
            _ => {}
        }
    }
    found
}

/// A note without its generated sections.
pub fn strip_generated_sections(text: &str) -> String {
    let mut own = String::with_capacity(text.len());
    let mut at = 0;
    for section in find_generated_sections(&Note::parse(text), text) {
        own.push_str(&text[at..section.start]);
        at = section.end;
    }
    own + &text[at..]
}

/// The passages of a note that its user wrote, as places. The frontmatter is left out.
pub fn collect_user_passages(path: &VaultPath, text: &str, hash: Hash) -> Vec<FilePlace> {
    let note = Note::parse(text);
    let own = find_generated_sections(&note, text);
    let chunks = chunk_note(text, &note).into_iter();
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

pub(crate) fn is_within(span: &Span, sections: &[Span]) -> bool {
    sections.iter().any(|section| section.start <= span.start && span.end <= section.end)
}
