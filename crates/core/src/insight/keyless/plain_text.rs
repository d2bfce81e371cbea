//! What a sentence says, without what it is written with.

use wellread_text::{Sentence, SentencePart};

/// Its words on one line, without marks of emphasis, links and lists.
pub(super) fn plain_text(sentence: &Sentence) -> String {
    let parts = sentence.parts.iter().filter_map(|part| match part {
        SentencePart::Prose(words) | SentencePart::Code(words) => Some(words.as_str()),
        SentencePart::Address(_) => None,
    });
    parts.collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
}
