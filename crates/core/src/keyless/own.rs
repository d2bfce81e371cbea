//! The sections that Wellread itself wrote into a note: nothing is learnt from them.

use wellread_text::{Note, Span, fold};

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

pub(super) fn is_within(span: &Span, sections: &[Span]) -> bool {
    sections.iter().any(|section| section.start <= span.start && span.end <= section.end)
}
