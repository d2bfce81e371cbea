//! What a sentence says, without what it is written with.

use wellread_text::{Said, Sentence};

/// Its words on one line, without marks of emphasis, links and lists.
pub(super) fn plain(sentence: &Sentence) -> String {
    let parts = sentence.said.iter().filter_map(|part| match part {
        Said::Prose(words) | Said::Code(words) => Some(words.as_str()),
        Said::Address(_) => None,
    });
    parts.collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
}
