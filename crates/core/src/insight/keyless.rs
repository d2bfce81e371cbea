//! What can be found in notes without a model and without network: topics, the sentences that speak of them, notes that
//! were forgotten, figures that differ, questions that are open.
//!
//! The same vault gives the same answers: no clock is asked, nothing is drawn by lot. What is given back are places and
//! quotations, never prose of its own: who writes them down adds the citations. Every quotation is one that the
//! [gate](crate::trust::gate) finds in its source.

mod code_lines;
mod differences;
mod forgotten_notes;
mod generated_sections;
mod open_questions;
mod passage;
mod plain_text;
mod quotation;
mod quotes;
mod topics;

pub use code_lines::{CodeText, TellingLine, lines_for, lines_in_evidence};
pub use differences::{Difference, differences};
pub use forgotten_notes::{Forgotten, forgotten};
pub use generated_sections::{MARK, marked_end, own_passages, own_text};
pub(crate) use generated_sections::{is_within, own_sections};
pub use open_questions::{Asked, DeadLink, OpenQuestion, dead_links, questions};
pub use passage::{Passage, Quote};
pub use quotation::quotable;
pub use quotes::sentences_for;
pub use topics::{Topic, TopicKind, topics};
