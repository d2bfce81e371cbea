//! Where a cited text is in a note whose Open Knowledge Format fields were written since: these stand above all of it, and
//! move it as a whole.

use wellread_text::{Frontmatter, OkfFields};

use crate::domain::evidence::FilePlace;

/// The byte at which the text begins. `None` if the note has no such fields, or unless the text is there exactly once, not
/// further below the fields than it was below the note's top.
pub(super) fn find_below_fields(note: &str, cited: &FilePlace, wanted: &str) -> Option<usize> {
    let body = Frontmatter::parse(note)?.span.end;
    if wanted.trim().is_empty() || !OkfFields::read(note).is_okf() {
        return None;
    }
    let places = note[body..].match_indices(wanted).map(|(at, _)| at);
    let places: Vec<usize> = places.take_while(|at| *at <= cited.span.start).take(2).collect();
    match places.as_slice() {
        [at] => Some(body + at),
        _ => None,
    }
}
