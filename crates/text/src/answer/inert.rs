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

use crate::answer::neutral::visible;
use crate::edit::open_blocks::close_fences;
use crate::note::mask::too_deep;

pub use edit::Removed;
use edit::{Edit, apart, apply};
use reading::Readings;

/// What may stay.
pub struct Allowed<'a> {
    /// Whether this address, http or https, is one that the text may lead to.
    pub urls: &'a dyn Fn(&str) -> bool,
    /// Whether there is a note (or file) that a link with this path leads to: decoded, without `#heading`.
    pub notes: &'a dyn Fn(&str) -> bool,
}

/// A text in which nothing lives, and what was taken out of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inert {
    pub text: String,
    pub removed: Removed,
}

/// What stands where an address was that has no text of its own.
pub(crate) const GONE: &str = "⟨link removed⟩";

/// Taking one thing out can bring another to light. A text that needs more rounds than this was made to.
const ROUNDS: usize = 12;

/// Takes out of a text all that would do something, and says what it was. Doing it twice is doing it once.
pub fn inert(markdown: &str, allowed: &Allowed<'_>) -> Inert {
    let (text, hidden) = visible(markdown);
    let mut removed = Removed { hidden, ..Removed::default() };
    let mut text = text.into_owned();
    for _ in 0..ROUNDS {
        let edits = edits(&text, allowed);
        if edits.is_empty() {
            let closed = close_fences(&text);
            if closed == text {
                return checked(text, removed, allowed);
            }
            removed.structure += 1;
            text = closed;
        } else {
            text = apply(&text, &edits, &mut removed);
        }
    }
    plain::escaped(&text, removed, allowed)
}

/// All that one look finds. Empty where the text is inert but for what it leaves open.
fn edits(text: &str, allowed: &Allowed<'_>) -> Vec<Edit> {
    let deep = deep(text);
    if !deep.is_empty() {
        // Before anything is parsed: following containers that deep takes time without bound.
        return deep;
    }
    let mut readings = Readings::of(text, allowed);
    let mut structural = std::mem::take(&mut readings.edits);
    structural.extend(marks::first_line(text));
    let wikilinks = marks::wikilinks(text, &readings, allowed);
    let marks = marks::marks(text, &readings, allowed);
    apart([structural, wikilinks, marks])
}

fn deep(text: &str) -> Vec<Edit> {
    let mut start = 0;
    let mut edits = vec![];
    for line in text.split_inclusive('\n') {
        if let Some(deep) = too_deep(line) {
            edits.push(Edit::of(start + deep.start..start + deep.end, "").structure());
        }
        start += line.len();
    }
    edits
}

/// Looks once more with other eyes, and fails closed.
fn checked(text: String, removed: Removed, allowed: &Allowed<'_>) -> Inert {
    if reading::is_live(&text, allowed) {
        plain::escaped(&text, removed, allowed)
    } else {
        Inert { text, removed }
    }
}

#[cfg(test)]
mod tests;
