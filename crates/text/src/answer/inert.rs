//! Makes markdown that a model or a stranger wrote inert, before it is shown or written into a note.
//!
//! Nothing in it loads, runs, leads to a place that was not allowed, or swallows the text around it. What is clean stays
//! byte for byte. Nothing is judged here but form: whether a sentence is true is the gate's business.
//!
//! | file | what |
//! | --- | --- |
//! | `reading` | what a markdown parser sees, in the three ways in which the text may be read |
//! | `marks` | what Obsidian and its plugins see, and addresses in running text |
//! | `address` | which destinations may stay, and where an address ends |
//! | `fence` | languages of code blocks that are only shown |
//! | `entity` | characters that are written as something else |
//! | `plain` | the last resort: the text with nothing but text in it |

mod address;
mod edit;
mod entity;
mod fence;
mod marks;
mod plain;
mod reading;

use crate::answer::neutral::strip_hidden;
use crate::edit::open_blocks::close_open_blocks;
use crate::note::mask::find_excess_nesting;

pub use edit::RemovedCounts;
use edit::{InertEdit, apply, select_disjoint};
use reading::MarkdownReadings;

/// What may stay.
pub struct AllowedLinks<'a> {
    /// Whether this address, http or https, is one that the text may lead to.
    pub urls: &'a dyn Fn(&str) -> bool,
    /// Whether there is a note (or file) that a link with this path leads to: decoded, without `#heading`.
    pub notes: &'a dyn Fn(&str) -> bool,
}

/// A text in which nothing lives, and what was taken out of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InertText {
    pub text: String,
    pub removed: RemovedCounts,
}

/// What stands where an address was that has no text of its own.
pub(crate) const REMOVED_LINK: &str = "⟨link removed⟩";

/// Taking one thing out can bring another to light. A text that needs more rounds than this was made to.
const ROUNDS: usize = 12;

/// Takes out of a text all that would do something, and says what it was. Doing it twice is doing it once.
pub fn make_inert(markdown: &str, allowed: &AllowedLinks<'_>) -> InertText {
    let (text, hidden) = strip_hidden(markdown);
    let mut removed = RemovedCounts { hidden, ..RemovedCounts::default() };
    let mut text = text.into_owned();
    for _ in 0..ROUNDS {
        let edits = edits(&text, allowed);
        if edits.is_empty() {
            let closed = close_open_blocks(&text);
            if closed == text {
                return verify_inert(text, removed, allowed);
            }
            removed.structure += 1;
            text = closed;
        } else {
            text = apply(&text, &edits, &mut removed);
        }
    }
    plain::escape_all(&text, removed, allowed)
}

/// All that one look finds. Empty where the text is inert but for what it leaves open.
fn edits(text: &str, allowed: &AllowedLinks<'_>) -> Vec<InertEdit> {
    let deep = find_deep_nesting(text);
    if !deep.is_empty() {
        // Before anything is parsed: following containers that deep takes time without bound.
        return deep;
    }
    let mut readings = MarkdownReadings::from_text(text, allowed);
    let mut structural = std::mem::take(&mut readings.edits);
    structural.extend(marks::first_line(text));
    let wikilinks = marks::wikilinks(text, &readings, allowed);
    let marks = marks::marks(text, &readings, allowed);
    select_disjoint([structural, wikilinks, marks])
}

fn find_deep_nesting(text: &str) -> Vec<InertEdit> {
    let mut start = 0;
    let mut edits = vec![];
    for line in text.split_inclusive('\n') {
        if let Some(deep) = find_excess_nesting(line) {
            edits.push(InertEdit::new(start + deep.start..start + deep.end, "").with_structure_kind());
        }
        start += line.len();
    }
    edits
}

/// Looks once more with other eyes, and fails closed.
fn verify_inert(text: String, removed: RemovedCounts, allowed: &AllowedLinks<'_>) -> InertText {
    if reading::is_live(&text, allowed) {
        plain::escape_all(&text, removed, allowed)
    } else {
        InertText { text, removed }
    }
}

#[cfg(test)]
mod tests;
