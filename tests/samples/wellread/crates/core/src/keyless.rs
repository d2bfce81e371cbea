//! What can be found in notes without a model and without network: topics, the sentences that speak of them, notes that
//! were forgotten, figures that differ, questions that are open.
//!
//! The same vault gives the same answers: no clock is asked, nothing is drawn by lot. What is given back are places and
//! quotations, never prose of its own: who writes them down adds the citations. Every quotation is one that the
//! [gate](crate::gate) finds in its source.

mod differences;
mod forgotten;
mod lines;
mod open;
mod own;
mod passage;
mod quotable;
mod quotes;
mod said;
mod topics;

pub use differences::{Difference, differences};
pub use forgotten::{Forgotten, forgotten};
pub use lines::{CodeText, TellingLine, lines_for, lines_in_evidence};
pub use open::{Asked, DeadLink, OpenQuestion, dead_links, questions};
pub use own::{MARK, marked_end, own_passages, own_text};
pub(crate) use own::{is_within, own_sections};
pub use passage::{Passage, Quote};
pub use quotable::quotable;
pub use quotes::sentences_for;
pub use topics::{Topic, TopicKind, topics};
