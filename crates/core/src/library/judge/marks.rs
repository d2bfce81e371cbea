//! The invisible mark at the end of a section that a run wrote.

use wellread_text::{Note, Span};

/// The mark at the end of a generated section, around the run's id.
pub const MARK: (&str, &str) = ("<!-- wellread: run ", " -->");

/// Where the mark of a run ends in a section.
pub fn find_mark_end(section: &str) -> Option<usize> {
    let start = section.find(MARK.0)? + MARK.0.len();
    Some(start + section[start..].find(MARK.1)? + MARK.1.len())
}

/// The spans of a note that runs wrote: each from the heading of its section to the run's mark.
pub fn find_marked_sections(note: &Note, text: &str) -> Vec<Span> {
    let section = |(at, _): (usize, &str)| {
        let end = at + find_mark_end(&text[at..])?;
        let heading = note.headings.iter().rfind(|heading| heading.level <= 2 && heading.span.end <= at);
        Some(heading.map_or(0, |heading| heading.span.start)..end)
    };
    text.match_indices(MARK.0).filter_map(section).collect()
}
