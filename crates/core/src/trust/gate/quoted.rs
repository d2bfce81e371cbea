//! Whether a sentence stands in its sources word for word.

use wellread_text::{Claims, SHORTEST_QUOTATION, Sentence, SentenceKind, SentencePart, to_comparable};

use super::cited_text::CitedText;

/// Words between quotations that say nothing by themselves.
const JOINERS: [&str; 4] = ["and", "but", "while", "whereas"];

/// Whether the whole sentence stands in one of the texts without a change, or consists of quotations that do.
pub(super) fn is_quoted(sentence: &Sentence, claims: &Claims, cited: &[&CitedText]) -> bool {
    let found =
        |text: &String| cited.iter().any(|cited_text| cited_text.index.find_quotation(text).is_some());
    let all_found = || !claims.quotations.is_empty() && claims.quotations.iter().all(found);
    if matches!(sentence.kind, SentenceKind::Code | SentenceKind::Quote) {
        return all_found();
    }
    let prose: String = sentence
        .parts
        .iter()
        .filter_map(|part| match part {
            SentencePart::Prose(words) | SentencePart::Code(words) => Some(words.as_str()),
            SentencePart::Address(_) => None,
        })
        .collect();
    let whole = to_comparable(&prose);
    let whole = whole.trim_matches(|letter: char| !letter.is_alphanumeric() && letter != ')').to_owned();
    let is_whole = whole.chars().count() >= SHORTEST_QUOTATION && found(&whole);
    is_whole || has_quotations_alone(whole, claims) && all_found()
}

/// Whether nothing but quotations is said, which are joined at most.
fn has_quotations_alone(mut prose: String, claims: &Claims) -> bool {
    for quotation in &claims.quotations {
        let quotation = to_comparable(quotation);
        let quotation = quotation.trim_matches(|letter: char| !letter.is_alphanumeric());
        if quotation.chars().count() < SHORTEST_QUOTATION {
            return false;
        }
        prose = prose.replacen(quotation, " ", 1);
    }
    let mut rest = prose.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    rest.all(|word| JOINERS.contains(&word))
}
