//! What can be found in notes without a model and without network: topics, the sentences about them, forgotten notes,
//! differing figures, open questions.
//!
//! The same vault gives the same results: no clock and no randomness. Results are places and quotations, never
//! generated prose; callers add the citations. Every quotation passes the [gate](crate::trust::gate) against its
//! source.

mod additions;
mod answers;
mod code_lines;
mod code_places;
mod differences;
mod findings;
mod forgotten_notes;
mod generated_sections;
mod lines;
mod mentions;
mod open_questions;
mod passage;
mod question;
mod quotation;
mod quotes;
mod standalone;
mod subject;
mod topics;

pub use additions::{describe_note, find_additions};
pub use answers::{
    AnswerModels, AnswerSearch, FoundAnswer, Nearness, ReadableSection, SectionReading, find_answers,
};
pub use code_lines::{
    CodeText, RelevantLine, asks_for_value, find_lines_in_evidence, find_relevant_lines, is_comment,
    is_own_comment, is_test,
};
pub use code_places::{FoundCode, RankedCode, choose_excerpt, rank_code};
pub use differences::{FigureDifference, find_differences};
pub use findings::{KnownWords, rate_finding};
pub use forgotten_notes::{ForgottenMatch, find_forgotten_notes};
pub use generated_sections::{collect_user_passages, strip_generated_sections};
pub(crate) use generated_sections::{find_generated_sections, is_within};
pub use mentions::{collect_names, find_mentions};
pub use open_questions::{DeadLink, OpenQuestion, QuestionKind, find_dead_links, find_open_questions};
pub use passage::{Passage, Quote};
pub use quotation::to_quotation;
pub use quotes::find_quotes;
pub use subject::find_subject;
pub use topics::{Topic, TopicKind, find_topics};
