//! Makes Markdown that a model or a stranger wrote inert, before it is displayed or written into a note.
//!
//! Nothing in the result loads, runs, leads to an address that was not allowed, or swallows the text around it. Clean
//! text stays unchanged byte for byte. Only the form is checked here; whether a sentence is true is checked by the
//! gate.
//!
//! | file | contents |
//! | --- | --- |
//! | `reading` | what a Markdown parser sees, in the three ways in which the text may be read |
//! | `marks` | what Obsidian and its plugins see, and addresses in running text |
//! | `address` | which destinations may stay, and where an address ends |
//! | `fence` | languages of code blocks that are only displayed |
//! | `entity` | characters that are written as entities |
//! | `plain` | the last resort: the text with all markup escaped |

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

/// The destinations that may stay.
pub struct AllowedLinks<'a> {
    /// Whether the text may link to this http or https address.
    pub urls: &'a dyn Fn(&str) -> bool,
    /// Whether a note or file exists for a link with this path, which is decoded and has no `#heading`.
    pub notes: &'a dyn Fn(&str) -> bool,
}

/// An inert text and the counts of what was removed from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InertText {
    /// The inert text.
    pub text: String,
    /// What was removed.
    pub removed: RemovedCounts,
}

/// Replaces an address that has no text of its own.
pub(crate) const REMOVED_LINK: &str = "⟨link removed⟩";

/// Removing one thing can expose another. A text that needs more rounds was made to.
const ROUNDS: usize = 12;

/// Removes everything active from a text and counts it. The function is idempotent.
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

/// The edits of one round. Empty if the text is inert except for blocks that it leaves open.
fn edits(text: &str, allowed: &AllowedLinks<'_>) -> Vec<InertEdit> {
    let deep = find_deep_nesting(text);
    if !deep.is_empty() {
        // Before any parsing: containers that deep would take unbounded time.
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

/// Checks the result independently, and escapes the whole text if anything active is left.
fn verify_inert(text: String, removed: RemovedCounts, allowed: &AllowedLinks<'_>) -> InertText {
    if reading::is_live(&text, allowed) {
        plain::escape_all(&text, removed, allowed)
    } else {
        InertText { text, removed }
    }
}

#[cfg(test)]
mod tests;
