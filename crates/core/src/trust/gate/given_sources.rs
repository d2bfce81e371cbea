//! Checks a text against sources that are given with it. Nothing is cited, so each sentence is searched for.
//!
//! A sentence is supported if a few consecutive lines of one source contain enough of its words and all its quotations,
//! numbers and dates. Names and identifiers may be anywhere in that source, since a heading or the title often states
//! them once.

use std::collections::HashSet;

use wellread_text::{
    Claims, Heading, Language, Sentence, SourceIndex, content_words, extract_claims, split_sentences,
};

use super::cited_text::{CitedText, Surroundings, read_headings};
use super::sentence_check::{SentenceCheck, SentenceChecker};
use crate::domain::verdict::{GateReport, JudgedSentence, Verdict, VerdictReason};
use crate::ports::Verifier;

/// The number of lines that make up one place.
const PLACE_LINES: usize = 8;
/// The share of a sentence's words that must occur there.
const MIN_WORD_SHARE: f64 = 0.6;
/// The number of places that are checked in detail.
const MAX_CHECKED_PLACES: usize = 4;
/// The number of lines whose surroundings are considered as places.
const MAX_SCANNED_LINES: usize = 200;

/// Judges a text by the given sources, each a name and a text. A verifier reads each sentence beside the place that
/// supports it best.
pub fn judge_against(
    text: &str,
    sources: &[(String, String)],
    verifier: Option<&dyn Verifier>,
) -> GateReport {
    let sources: Vec<GivenSource<'_>> = sources.iter().map(GivenSource::new).collect();
    let sources: Vec<&GivenSource<'_>> = sources.iter().collect();
    let all = split_sentences(text);
    let claimed: Vec<Claims> = all.iter().map(extract_claims).collect();
    let mut checker = SentenceChecker::new(
        claimed.iter().flat_map(|claims| &claims.names).cloned().collect::<HashSet<_>>(),
        verifier,
    );
    let judged = all
        .iter()
        .zip(&claimed)
        .map(|(sentence, claims)| judge_sentence(sentence, claims, &sources, &mut checker));
    GateReport::new(judged.collect())
}

/// A source with its lines and its index.
pub(super) struct GivenSource<'a> {
    name: &'a str,
    text: &'a str,
    lines: Vec<&'a str>,
    index: SourceIndex,
    headings: Vec<Heading>,
    is_markdown: bool,
}

impl<'a> GivenSource<'a> {
    pub fn new((name, text): &'a (String, String)) -> Self {
        let is_markdown = Language::from_path(name).is_none();
        Self {
            name,
            text,
            lines: text.split('\n').collect(),
            index: SourceIndex::new(text, is_markdown),
            headings: if is_markdown { read_headings(text) } else { Vec::new() },
            is_markdown,
        }
    }

    /// A range of lines, from 1, as a text of its own.
    fn cited_text(&self, (first, last): (usize, usize)) -> CitedText {
        let text = self.lines[first - 1..last].join("\n");
        let around = match self.is_markdown {
            true => Surroundings::above(self.text, &self.headings, first),
            false => Surroundings::default(),
        };
        let cited = CitedText::new(text, self.name, self.is_markdown, around);
        CitedText { path: self.name.to_owned(), start_line: first, ..cited }
    }

    /// The few lines that have the most of these words; `None` if no line has any.
    pub fn best_window(&self, claims: &Claims, words: &[String]) -> Option<CitedText> {
        let places = self.find_candidates(claims, words).into_iter();
        // Most words first, then the shorter place.
        let best =
            places.min_by_key(|&(count, (first, last))| (std::cmp::Reverse(count), last - first, first));
        best.map(|(_, place)| self.cited_text(place))
    }

    /// Places that may support the sentence, each with how many of its words occur there.
    fn find_candidates(&self, claims: &Claims, words: &[String]) -> Vec<(usize, (usize, usize))> {
        let surroundings = |first: usize, last: usize| {
            let first = first.saturating_sub(PLACE_LINES / 2).max(1);
            (first, (last + PLACE_LINES / 2).min(self.lines.len()))
        };
        let mut places: Vec<(usize, usize)> = claims
            .quotations
            .iter()
            .filter_map(|quotation| self.index.find_quotation(quotation))
            .map(|(first, last)| surroundings(first, last))
            .collect();
        let mut rarest: Vec<&String> =
            words.iter().filter(|word| !self.index.lines_with(word).is_empty()).collect();
        rarest.sort_by_key(|word| self.index.lines_with(word).len());
        let lines = rarest.iter().flat_map(|word| self.index.lines_with(word)).take(MAX_SCANNED_LINES);
        places.extend(lines.flat_map(|&line| {
            let line = line as usize;
            [
                surroundings(line, line),
                (line, (line + PLACE_LINES).min(self.lines.len())),
                (line.saturating_sub(PLACE_LINES).max(1), line),
                (line, line),
            ]
        }));
        places.sort_unstable();
        places.dedup();
        let word_count = |&(first, last): &(usize, usize)| {
            let within = |word: &&&String| {
                let lines = self.index.lines_with(word);
                lines
                    .get(lines.partition_point(|&on| (on as usize) < first))
                    .is_some_and(|&on| on as usize <= last)
            };
            rarest.iter().filter(within).count()
        };
        places.into_iter().map(|place| (word_count(&place), place)).collect()
    }
}

/// Judges a sentence by the few lines of the sources that support it best.
pub(super) fn judge_sentence(
    sentence: &Sentence,
    claims: &Claims,
    sources: &[&GivenSource<'_>],
    checker: &mut SentenceChecker<'_>,
) -> JudgedSentence {
    let words = content_words(sentence);
    let mut places: Vec<(usize, usize, (usize, usize))> = Vec::new();
    for (index, source) in sources.iter().enumerate() {
        places.extend(
            source.find_candidates(claims, &words).into_iter().map(|(count, place)| (count, index, place)),
        );
    }
    // Most words first, then the shorter place.
    places
        .sort_by_key(|&(count, index, (first, last))| (std::cmp::Reverse(count), last - first, index, first));
    places.truncate(MAX_CHECKED_PLACES);
    let mut best: Option<(SentenceCheck, CitedText)> = None;
    for (_, index, place) in places {
        let source = sources[index];
        let cited_text = source.cited_text(place);
        let mut check = checker.check(sentence, claims, &[&cited_text]);
        check.why.retain(|why| match why {
            VerdictReason::NameMissing { name } => !source.index.has_name(name),
            VerdictReason::IdentifierMissing { identifier } => !source.index.has_code(identifier),
            VerdictReason::NothingInCommon => false,
            _ => true,
        });
        if check.share < MIN_WORD_SHARE && !check.is_quoted {
            check.why.push(VerdictReason::NothingInCommon);
        }
        if best.as_ref().is_none_or(|(best, _)| check.why.len() < best.why.len()) {
            best = Some((check, cited_text));
        }
    }
    let (verdict, why, evidence) = match best {
        Some((mut check, cited_text)) => {
            checker.consult_verifier(sentence, &[&cited_text], &mut check);
            let cited = check.lines.iter().map(|&lines| cited_text.quote_lines(lines)).collect();
            (check.verdict(&check.why), check.why, cited)
        }
        None => (Verdict::Unknown, vec![VerdictReason::NothingInCommon], Vec::new()),
    };
    let (text, span) = (sentence.text.clone(), sentence.span.clone());
    JudgedSentence { text, span, verdict, connective: false, why, evidence }
}
