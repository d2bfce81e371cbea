//! How much a passage has to do with a query, whatever its rank.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wellread_text::{QueryTerm, TermForm, Terms};

use super::PassageSignals;

/// How much a passage has to do with the query. What has nothing to do with it is not found.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Relevance {
    /// It contains most words of the query, or is clearly near in meaning.
    #[default]
    Strong,
    /// It contains some words of the query, or is just near enough in meaning.
    Weak,
}

/// A passage with less than this share of the query's words is found by its meaning or not at all.
const SOME_WORDS: f32 = 0.3;
/// A passage with this share of the query's words is a strong match.
const MOST_WORDS: f32 = 0.6;
/// So many words are enough, whatever their share of a long query.
const ENOUGH_FOR_SOME: f32 = 3.0;
const ENOUGH_FOR_MOST: f32 = 5.0;
/// How much nearer than just related a passage is that is clearly near in meaning.
const CLEARLY_NEARER: f32 = 0.07;
/// The nearest of so many passages may be near by chance. Each time that there are half as many, by this share less.
const MANY_PASSAGES: f32 = 20.0;
const LESS_BY_CHANCE: f32 = 0.08;

/// Where nearness in meaning begins to count, as cosines.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NearnessLines {
    /// The embedder's own line, which holds among many passages.
    pub among_many: f32,
    /// The lowest cosine of a passage that is found without a word of the query.
    pub least: f32,
    falls: bool,
}

impl NearnessLines {
    /// One line, however many passages there are.
    pub(super) fn fixed(related_from: f32) -> Self {
        Self { among_many: related_from, least: related_from, falls: false }
    }

    /// A line that lies lower among a few passages: none of them comes as near by chance as the nearest of many.
    pub(super) fn falling(related_from: f32) -> Self {
        Self { falls: true, ..Self::fixed(related_from) }
    }

    /// The lines for a search among so many passages.
    pub(super) fn among(self, passages: usize) -> Self {
        let halvings = (MANY_PASSAGES / passages.max(1) as f32).log2().max(0.0);
        let share = if self.falls { 1.0 - LESS_BY_CHANCE * halvings } else { 1.0 };
        Self { least: self.among_many * share, ..self }
    }
}

/// The relevance of a passage; `None` if it has nothing to do with the query. `covered` is how many of the query's words it
/// contains.
pub(super) fn judge_relevance(
    signals: &PassageSignals,
    covered: f32,
    terms: usize,
    lines: Option<NearnessLines>,
) -> Option<Relevance> {
    let share = if terms == 0 { 0.0 } else { covered / terms as f32 };
    let is_near = |from: fn(NearnessLines) -> f32| {
        signals.cosine.zip(lines).is_some_and(|(cosine, lines)| cosine >= from(lines))
    };
    let is_clearly_near = is_near(|lines| lines.among_many + CLEARLY_NEARER);
    if signals.named || share >= MOST_WORDS || covered >= ENOUGH_FOR_MOST || is_clearly_near {
        Some(Relevance::Strong)
    } else if share >= SOME_WORDS || covered >= ENOUGH_FOR_SOME || is_near(|lines| lines.least) {
        Some(Relevance::Weak)
    } else {
        None
    }
}

/// How many of the query's words a passage contains, in its text, above it or in its file's name. A compound of which only
/// parts occur counts by their share.
pub(super) fn count_covered<'a>(texts: impl IntoIterator<Item = &'a str>, terms: &[QueryTerm]) -> f32 {
    let mut all = Terms::default();
    texts.into_iter().for_each(|text| all.add(text));
    let words: HashSet<&str> = all.words.split(' ').chain(all.parts.split(' ')).collect();
    let holds = |form: &TermForm| match form {
        TermForm::Word(word) => words.contains(word.as_str()),
        TermForm::Phrase(phrase) => phrase.iter().all(|word| words.contains(word.as_str())),
        TermForm::Prefix(start) => words.iter().any(|word| word.starts_with(start.as_str())),
    };
    let covered = |term: &QueryTerm| {
        let whole = term.whole_forms();
        if whole.iter().any(holds) {
            return 1.0;
        }
        let parts = &term.forms[whole.len()..];
        let held = parts.iter().filter(|form| holds(form)).count();
        if parts.is_empty() { 0.0 } else { held as f32 / parts.len() as f32 }
    };
    terms.iter().map(covered).sum()
}

#[cfg(test)]
mod tests {
    use wellread_text::query_terms;

    use super::*;

    fn judge(query: &str, text: &str, cosine: Option<f32>) -> Option<Relevance> {
        let terms = query_terms(query);
        let signals = PassageSignals { cosine, ..PassageSignals::default() };
        judge_relevance(
            &signals,
            count_covered([text], &terms),
            terms.len(),
            Some(NearnessLines::fixed(0.38)),
        )
    }

    #[test]
    fn words_and_nearness_both_make_a_passage_relevant() {
        let text = "The queen leaves the hive in May.";
        assert_eq!(judge("when does the queen leave", text, None), Some(Relevance::Strong));
        assert_eq!(judge("queen excluder", text, None), Some(Relevance::Weak));
        assert_eq!(judge("queen elizabeth royal family tree", text, None), None);
        assert_eq!(judge("queen elizabeth royal family tree", text, Some(0.4)), Some(Relevance::Weak));
        assert_eq!(judge("monarch departs", text, Some(0.5)), Some(Relevance::Strong));
        assert_eq!(judge("zzzqqqxyz", text, Some(0.3)), None);
    }

    #[test]
    fn among_a_few_passages_less_nearness_is_enough() {
        let judge = |cosine, passages| {
            let signals = PassageSignals { cosine: Some(cosine), ..PassageSignals::default() };
            judge_relevance(&signals, 0.0, 3, Some(NearnessLines::falling(0.38).among(passages)))
        };
        assert_eq!(judge(0.3, 2), Some(Relevance::Weak));
        assert_eq!(judge(0.3, 20), None);
        assert_eq!(judge(0.2, 1), None);
        // What is clearly near does not depend on how much there is.
        assert_eq!(judge(0.44, 2), Some(Relevance::Weak));
        assert_eq!(judge(0.46, 20_000), Some(Relevance::Strong));
        assert_eq!(judge(0.37, 20_000), None);
    }

    #[test]
    fn a_long_query_needs_a_few_of_its_words() {
        let query = "traceback when the parser reads an empty file with windows line endings after upgrade to version";
        assert_eq!(judge(query, "the parser reads a file", None), Some(Relevance::Weak));
        assert_eq!(
            judge(query, "an empty file, line endings, the parser reads", None),
            Some(Relevance::Strong)
        );
        assert_eq!(judge(query, "a version", None), None);
    }

    #[test]
    fn parts_of_a_compound_count_by_their_share() {
        assert_eq!(judge("parse_line", "parse and more", None), Some(Relevance::Weak));
        assert_eq!(judge("日本語の本棚", "日本語の本", None), Some(Relevance::Strong));
    }
}
