//! Where a cited text is in a note whose Open Knowledge Format fields were written since: these stand above all of it, and
//! move it as a whole.

use wellread_text::{Frontmatter, OkfFields};

use crate::domain::evidence::FilePlace;

/// The byte at which the text begins: the last place that is not further below the fields than it was below the note's top.
/// `None` if the note has no such fields, or if there is no such place.
pub(super) fn find_below_fields(note: &str, cited: &FilePlace, wanted: &str) -> Option<usize> {
    let body = Frontmatter::parse(note)?.span.end;
    if wanted.trim().is_empty() || !OkfFields::read(note).is_okf() {
        return None;
    }
    let below = &note[body..];
    let mut end = below.len().min(cited.span.start.saturating_add(wanted.len()));
    while !below.is_char_boundary(end) {
        end -= 1;
    }
    below[..end].rfind(wanted).map(|at| body + at)
}
