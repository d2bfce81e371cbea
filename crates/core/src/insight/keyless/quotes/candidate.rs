//! A sentence that may be quoted: how well it matches the query, and how well it can be understood by itself.

use std::collections::BTreeSet;

use wellread_text::{Sentence, SourceIndex, Span, Terms, extract_claims, significant_words};

use crate::insight::keyless::findings::is_in_several;
use crate::insight::keyless::lines::{join_line, join_sentences};
use crate::insight::keyless::passage::Passage;
use crate::insight::keyless::quotation::plain_text;
use crate::insight::keyless::quotation::{is_found, quote_code, quote_sentence, trim_marks, without_links};
use crate::insight::keyless::standalone::find_leaning;

/// The share of a query that a sentence must match together with its headings; more is required of queries of one or
/// two words.
const MIN_COVERAGE: f32 = 0.5;
const MIN_COVERAGE_OF_TWO: f32 = 0.6;
/// The lowest score worth quoting.
const MIN_SCORE: f32 = 0.5;
/// The weight of a query's word that occurs only in the title or a heading above.
const HEADING_WEIGHT: f32 = 0.5;
/// The weight of a query's word that occurs only in a link.
const LINK_WEIGHT: f32 = 0.75;

/// A sentence, or a line of code, that may be quoted.
#[derive(Clone)]
pub(in crate::insight::keyless) struct SentenceCandidate<'a> {
    pub passage: usize,
    pub of: Passage<'a>,
    pub span: Span,
    pub sentence: Option<Sentence>,
    pub stems: Vec<String>,
    /// The words outside of links: a link's text names its target, and says nothing about it.
    pub unlinked: BTreeSet<String>,
    pub above: BTreeSet<String>,
}

/// Every sentence of the passages, and every line of those that are code; each place once.
pub(in crate::insight::keyless) fn candidates<'a>(passages: &[Passage<'a>]) -> Vec<SentenceCandidate<'a>> {
    let mut found: Vec<SentenceCandidate<'a>> = Vec::new();
    for (passage, &of) in passages.iter().enumerate() {
        let above: BTreeSet<String> = stems(of.title())
            .into_iter()
            .chain(of.headings.iter().flat_map(|heading| stems(heading)))
            .collect();
        let mut add =
            |span: Span, sentence: Option<Sentence>, stems: Vec<String>, unlinked: BTreeSet<String>| {
                let place = of.start + span.start;
                let known = |other: &SentenceCandidate<'_>| {
                    other.of.source == of.source && other.of.start + other.span.start == place
                };
                if !found.iter().any(known) {
                    found.push(SentenceCandidate {
                        passage,
                        of,
                        span,
                        sentence,
                        stems,
                        unlinked,
                        above: above.clone(),
                    });
                }
            };
        for sentence in of.sentences() {
            let span = trim_marks(of.text, &sentence.span);
            let words = stems(&plain_text(&sentence));
            let unlinked = stems(&without_links(&sentence.text)).into_iter().collect();
            add(span, Some(sentence), words, unlinked);
        }
        if !of.is_prose {
            let mut at = 0;
            for line in of.text.split_inclusive('\n') {
                let inner = line.trim();
                let start = at + line.len() - line.trim_start().len();
                at += line.len();
                if inner.chars().filter(|letter| letter.is_alphabetic()).count() > 5 {
                    let words = stems(inner);
                    let unlinked = words.iter().cloned().collect();
                    add(start..start + inner.len(), None, words, unlinked);
                }
            }
        }
    }
    found
}

fn stems(text: &str) -> Vec<String> {
    let terms = Terms::from_text(text);
    let all = terms.words.split(' ').chain(terms.parts.split(' '));
    all.filter(|stem| !stem.is_empty()).map(str::to_owned).collect()
}

/// Phrases before a link that says where to read on.
const POINTER_PHRASES: [&str; 12] = [
    "see",
    "compare with",
    "is in",
    "described in",
    "as in",
    "with",
    "more on",
    "siehe",
    "voir",
    "go to",
    "are in",
    "after",
];
const REFERS: [&str; 8] = ["see ", "more on", "siehe ", "voir ", "cf.", "built into:", "related:", "source:"];
const EQUATES: [&str; 10] = ["is", "are", "was", "means", "were", "ist", "sind", "est", "sont", "heisst"];

/// Whether a sentence says where to read on.
pub(in crate::insight::keyless) fn points_elsewhere(sentence: &Sentence) -> bool {
    let written = sentence.text.to_lowercase();
    POINTER_PHRASES.iter().any(|lead| written.contains(&format!("{lead} [")))
}

/// Whether a sentence says next to nothing besides its links.
pub(in crate::insight::keyless) fn is_mostly_links(sentence: &Sentence) -> bool {
    significant_words(&without_links(&sentence.text)).len() < 4
}

impl SentenceCandidate<'_> {
    pub fn order(&self) -> (usize, usize) {
        (self.passage, self.span.start)
    }

    /// The score for a query. None if the sentence does not match it.
    pub fn score(&self, query: &[String], weights: &[f32]) -> Option<f32> {
        let all: f32 = weights.iter().sum();
        let mut covered = 0.0;
        let mut own = 0;
        for (stem, weight) in query.iter().zip(weights) {
            if self.stems.contains(stem) {
                covered += weight * if self.unlinked.contains(stem) { 1.0 } else { LINK_WEIGHT };
                own += 1;
            } else if self.above.contains(stem) {
                covered += weight * HEADING_WEIGHT;
            }
        }
        let coverage = covered / all.max(f32::MIN_POSITIVE);
        let enough = if query.len() < 3 { MIN_COVERAGE_OF_TWO } else { MIN_COVERAGE };
        if own == 0 || coverage < enough {
            return None;
        }
        let pairs = query.windows(2).filter(|pair| self.stems.windows(2).any(|here| here == *pair)).count();
        let together = if query.len() > 1 { 0.2 * pairs as f32 / (query.len() - 1) as f32 } else { 0.0 };
        // Earlier passages rank higher.
        let found = 0.1 / (1.0 + self.passage as f32 * 0.5);
        let score = (coverage + together + found + self.information_score(query)) * self.standalone_score();
        (score >= MIN_SCORE).then_some(score)
    }

    /// The score for information besides the query's words: numbers, dates, definitions.
    fn information_score(&self, query: &[String]) -> f32 {
        let Some(sentence) = &self.sentence else { return 0.0 };
        let claimed = extract_claims(sentence);
        let figures = if claimed.numbers.is_empty() && claimed.dates.is_empty() { 0.0 } else { 0.08 };
        let words = plain_text(sentence).to_lowercase();
        let mut words =
            words.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).take(8);
        let defines = words.position(|word| EQUATES.contains(&word)).is_some_and(|at| {
            (1..=6).contains(&at)
                && self.stems[..at.min(self.stems.len())].iter().any(|stem| query.contains(stem))
        });
        figures + if defines { 0.12 } else { 0.0 }
    }

    /// How well the sentence can be understood by itself.
    fn standalone_score(&self) -> f32 {
        let Some(sentence) = &self.sentence else { return 0.7 };
        let plain = plain_text(sentence);
        let (plain, length) = (plain.trim(), plain.trim().chars().count());
        let mut form: f32 = match length {
            ..25 => 0.6,
            25..45 => 0.85,
            45..=300 => 1.0,
            _ => 0.75,
        };
        let lower = plain.to_lowercase();
        if plain.ends_with('?') {
            form *= 0.6;
        }
        if plain.ends_with(':') {
            form *= 0.7;
        }
        if REFERS.iter().any(|lead| lower.starts_with(lead)) {
            form *= 0.6;
        }
        if points_elsewhere(sentence) {
            form *= 0.7;
        }
        if self.unlinked.len() < self.stems.len() && is_mostly_links(sentence) {
            form *= 0.6;
        }
        if find_leaning(plain).is_some() {
            form *= 0.9;
        }
        form
    }

    /// This sentence together with the one right before it in its paragraph, if there is one: what it refers to.
    pub fn with_previous(&self, all: &[Self]) -> Option<Self> {
        let sentence = self.sentence.as_ref()?;
        let is_right_before = |other: &&Self| {
            let gap = self.of.text.get(other.span.end..self.span.start);
            other.passage == self.passage
                && other.sentence.as_ref().is_some_and(|before| before.block.span == sentence.block.span)
                && gap.is_some_and(|gap| gap.trim().is_empty())
        };
        let before = all.iter().find(is_right_before)?;
        let joined = join_sentences(&[before.sentence.as_ref()?, sentence])?;
        Some(self.extended_to(joined))
    }

    /// The whole line that the sentence stands on, if that is short and says more.
    pub fn with_line(&self, all: &[Self]) -> Option<Self> {
        let sentence = self.sentence.as_ref()?;
        let of_block = all.iter().filter(|other| other.passage == self.passage);
        let of_block = of_block.filter_map(|other| other.sentence.as_ref());
        let block: Vec<&Sentence> =
            of_block.filter(|other| other.block.span == sentence.block.span).collect();
        let number = block.iter().position(|other| other.span == sentence.span)?;
        Some(self.extended_to(join_line(self.of.text, &block, number)?))
    }

    /// The same with further sentences beside its own.
    fn extended_to(&self, joined: Sentence) -> Self {
        Self {
            span: trim_marks(self.of.text, &joined.span),
            stems: stems(&plain_text(&joined)),
            unlinked: stems(&without_links(&joined.text)).into_iter().collect(),
            sentence: Some(joined),
            above: self.above.clone(),
            ..*self
        }
    }

    /// Whether several of these sources have the sentence: then it belongs to none of them.
    pub fn is_generic(&self, all: &[Passage<'_>]) -> bool {
        is_in_several(&self.of.text[self.span.clone()], all)
    }

    pub fn quote(&self, held: &SourceIndex) -> Option<String> {
        match &self.sentence {
            Some(sentence) => {
                let quoted = quote_sentence(sentence, held)?;
                // It must be found in its own bytes as well, for callers that cite only these.
                let alone = SourceIndex::new(&self.of.text[self.span.clone()], true);
                is_found(&quoted, &alone).then_some(quoted)
            }
            None => quote_code(&self.of.text[self.span.clone()], held),
        }
    }
}
