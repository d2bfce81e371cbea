//! Whether a sentence stands in its sources word for word.

use wellread_text::{
    Claims, SHORTEST_QUOTATION, Sentence, SentenceKind, SentencePart, canonical_unit, to_comparable,
};

use super::sentence_check::CitedText;

/// Words between quotations that say nothing by themselves.
const JOINERS: [&str; 4] = ["and", "but", "while", "whereas"];

/// The longest text, in bytes, that is searched for a sentence with another figure: each sentence of an answer is searched for.
const MAX_SEARCHED: usize = 16_000;
/// The longest such sentence.
const MAX_SENTENCE: usize = 600;

/// Whether the whole sentence stands in one of the texts without a change, or consists of quotations that do.
pub(super) fn is_quoted(sentence: &Sentence, claims: &Claims, cited: &[&CitedText]) -> bool {
    let found =
        |text: &String| cited.iter().any(|cited_text| cited_text.index.find_quotation(text).is_some());
    let all_found = || !claims.quotations.is_empty() && claims.quotations.iter().all(found);
    if matches!(sentence.kind, SentenceKind::Code | SentenceKind::Quote) {
        return all_found();
    }
    let whole = to_whole(sentence);
    let is_whole = whole.chars().count() >= SHORTEST_QUOTATION && found(&whole);
    is_whole || has_quotations_alone(whole, claims) && all_found()
}

/// The quantity that a source has in the place of this one, where every other word of the sentence is the source's own. A number
/// without a unit may be a year or the name of a thing, and then the sentence is about something else.
pub(super) fn find_other_figure(sentence: &Sentence, written: &str, cited: &[&CitedText]) -> Option<String> {
    if sentence.text.len() > MAX_SENTENCE {
        return None;
    }
    let whole = to_whole(sentence);
    let is_edge = |letter: Option<char>| letter.is_none_or(|letter| !letter.is_alphanumeric());
    let places = whole.match_indices(written).map(|(at, _)| (&whole[..at], &whole[at + written.len()..]));
    let mut places = places.filter(|(before, after)| {
        before.chars().count() >= SHORTEST_QUOTATION
            && is_edge(before.chars().next_back())
            && is_edge(after.chars().next())
            && begins_with_unit(after)
    });
    places.find_map(|(before, after)| {
        let texts = cited.iter().flat_map(|cited_text| cited_text.index.comparable_texts());
        let texts = texts.filter(|text| text.len() <= MAX_SEARCHED);
        texts.flat_map(|text| text.match_indices(before).map(|(at, _)| &text[at + before.len()..])).find_map(
            |rest| {
                let length = rest.find(|letter: char| !letter.is_ascii_digit() && letter != '.')?;
                let (figure, behind) = rest.split_at(length);
                let differs = figure.starts_with(|letter: char| letter.is_ascii_digit()) && figure != written;
                let is_same_end = behind.strip_prefix(after).is_some_and(|end| is_edge(end.chars().next()));
                (differs && is_same_end).then(|| figure.to_owned())
            },
        )
    })
}

fn begins_with_unit(text: &str) -> bool {
    let word = text.split_whitespace().next().unwrap_or_default();
    canonical_unit(word.trim_end_matches(|letter: char| letter.is_ascii_punctuation() && letter != '%'))
        .is_some()
}

/// What the sentence says, in comparable form and without marks around it.
fn to_whole(sentence: &Sentence) -> String {
    let said = sentence.parts.iter().filter_map(|part| match part {
        SentencePart::Prose(words) | SentencePart::Code(words) => Some(words.as_str()),
        SentencePart::Address(_) => None,
    });
    let whole = to_comparable(&said.collect::<String>());
    whole.trim_matches(|letter: char| !letter.is_alphanumeric() && letter != ')').to_owned()
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
