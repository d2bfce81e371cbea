//! The sections that Wellread itself wrote into a note: nothing is learnt from them.

use wellread_text::{ChunkKind, Note, Span, fold, note_chunks};

use crate::corpus::{Hash, VaultPath};
use crate::evidence::FilePlace;

/// What stands at the end of a section that a run wrote, around the run's id.
pub const MARK: (&str, &str) = ("<!-- wellread: run ", " -->");

/// Where `## Research` and `## Summary` stand, up to the mark of their run: what somebody wrote below it is theirs. One without
/// a mark is all of it ours where it is the research, which the next run replaces, and nobody's but the user's where it is a
/// summary.
pub(crate) fn own_sections(note: &Note, text: &str) -> Vec<Span> {
    let mut found = Vec::new();
    for (at, heading) in note.headings.iter().enumerate().filter(|(_, heading)| heading.level == 2) {
        let next = note.headings[at + 1..].iter().find(|next| next.level <= 2);
        let section = heading.span.start..next.map_or(text.len(), |next| next.span.start);
        match (fold(&heading.text).as_str(), marked_end(&text[section.clone()])) {
            ("research" | "summary", Some(end)) => found.push(section.start..section.start + end),
            ("research", None) => found.push(section),
            _ => {}
        }
    }
    found
}

/// Where the mark of a run ends in a section.
pub fn marked_end(section: &str) -> Option<usize> {
    let start = section.find(MARK.0)? + MARK.0.len();
    Some(start + section[start..].find(MARK.1)? + MARK.1.len())
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

pub(crate) fn is_within(span: &Span, sections: &[Span]) -> bool {
    sections.iter().any(|section| section.start <= span.start && span.end <= section.end)
}
