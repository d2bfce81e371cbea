//! Checks one sentence against the texts that it cites.

use std::cmp::Reverse;
use std::collections::HashSet;

use wellread_text::{
    Claims, Mismatch, Number, Passage, Sentence, SentencePart, SourceIndex, Statement, canonical_unit,
    content_words,
};

use super::cited_text::CitedText;
use super::date_check::check_date;
use super::near_match::find_near_match;
use super::quoted::is_quoted;
use super::reading;
use crate::domain::verdict::{Verdict, VerdictReason};
use crate::ports::Verifier;

/// The result of checking one sentence.
pub(super) struct SentenceCheck {
    pub why: Vec<VerdictReason>,
    /// For each cited text, the lines, from 1, that support the sentence best.
    pub lines: Vec<(usize, usize)>,
    /// The share of the sentence's content words that occur in the cited texts.
    pub share: f64,
    /// Whether the sentence stands word for word in one of the cited texts.
    pub is_quoted: bool,
    /// Whether it is mostly in the source's own words: quotations and code, or a part of one statement.
    pub is_in_source_words: bool,
}

impl SentenceCheck {
    /// The verdict that follows.
    pub fn verdict(&self, why: &[VerdictReason]) -> Verdict {
        match Verdict::from_reasons(why) {
            Verdict::Supported if self.is_quoted => Verdict::Quoted,
            verdict => verdict,
        }
    }
}

/// Checks the sentences of one text.
pub(super) struct SentenceChecker<'a> {
    /// Words that are used as names somewhere in the text.
    names: HashSet<String>,
    /// How many quotations may still be searched for inexactly, the most expensive check.
    near_searches_left: usize,
    /// How many sentences the verifier may still read: the second most expensive check.
    readings_left: usize,
    verifier: Option<&'a dyn Verifier>,
}

/// The share of a sentence's words that must be near another number for that number to contradict it. Less is enough if
/// both have the same unit.
const SAME_CONTEXT: f64 = 0.8;
const SAME_CONTEXT_AND_UNIT: f64 = 0.6;
const MAX_NEAR_SEARCHES: usize = 200;
const MAX_READINGS: usize = 2_000;

impl<'a> SentenceChecker<'a> {
    pub fn new(names: HashSet<String>, verifier: Option<&'a dyn Verifier>) -> Self {
        Self { names, near_searches_left: MAX_NEAR_SEARCHES, readings_left: MAX_READINGS, verifier }
    }

    /// Has the verifier, if there is one, read the sentence beside the cited texts. Of a very long text only the first
    /// sentences are read; the rules decide on the others.
    pub fn consult_verifier(&mut self, sentence: &Sentence, cited: &[&CitedText], check: &mut SentenceCheck) {
        let Some(verifier) = self.verifier.filter(|_| self.readings_left > 0) else { return };
        self.readings_left -= usize::from(reading::apply_reading(verifier, sentence, cited, check));
    }

    pub fn check(&mut self, sentence: &Sentence, claims: &Claims, cited: &[&CitedText]) -> SentenceCheck {
        let words = content_words(sentence);
        let mut why = Vec::new();
        for quotation in &claims.quotations {
            why.extend(self.check_quotation(quotation, cited));
        }
        let missing = |text: &String| VerdictReason::QuotationNotFound { quotation: text.clone() };
        let quoted = claims.quoted_words.iter();
        why.extend(
            quoted
                .filter(|text| {
                    !cited.iter().any(|cited_text| cited_text.any_text_matches(|index| index.has_words(text)))
                })
                .map(missing),
        );
        let statement = Statement::new(sentence);
        let passages: Vec<&Passage> = cited.iter().map(|cited_text| &cited_text.passage).collect();
        let reckons = statement.reckons();
        let numbers = claims.numbers.iter().filter_map(|number| {
            check_number(number, &words, cited)
                .filter(|_| !statement.follows_from(&number.value, &passages))
                .map(|why| if reckons { soften(why) } else { why })
        });
        why.extend(numbers);
        why.extend(claims.dates.iter().filter_map(|dated| check_date(dated, &words, cited)));
        let opener = claims.opener.iter().filter(|opener| self.names.contains(*opener));
        for name in claims.names.iter().chain(opener) {
            if !cited.iter().any(|cited_text| cited_text.any_text_matches(|index| index.has_name(name)))
                && !statement.finds_name(name, &passages)
            {
                why.push(VerdictReason::NameMissing { name: name.clone() });
            }
        }
        for identifier in &claims.identifiers {
            if !cited.iter().any(|cited_text| cited_text.has_identifier(identifier)) {
                why.push(VerdictReason::IdentifierMissing { identifier: identifier.to_text() });
            }
        }
        let is_quoted = is_quoted(sentence, claims, cited);
        let comparison = statement.compare(&passages);
        if !is_quoted && !cited.is_empty() {
            // What is quoted, and was found, is enough to have in common.
            let has_quotation = why.is_empty() && !claims.quotations.is_empty();
            let mismatches = comparison.mismatches.into_iter();
            let mismatches = mismatches
                .filter(|mismatch| !(has_quotation && matches!(mismatch, Mismatch::WordsMissing(_))));
            why.extend(mismatches.map(reason_for));
        }
        let lines = cited.iter().map(|cited_text| best_lines(cited_text, claims, &words)).collect();
        let code = claims.identifiers.iter().map(|identifier| identifier.to_text().len());
        let quoted: usize = claims.quotations.iter().map(String::len).chain(code).sum();
        let said: usize = sentence.parts.iter().map(part_length).sum();
        let is_in_source_words = 2 * quoted > said || statement.keeps_order(&passages);
        SentenceCheck { why, lines, share: comparison.share, is_quoted, is_in_source_words }
    }

    fn check_quotation(&mut self, quotation: &str, cited: &[&CitedText]) -> Option<VerdictReason> {
        if cited.iter().any(|cited_text| cited_text.index.find_quotation(quotation).is_some()) {
            return None;
        }
        let near_match = (self.near_searches_left > 0)
            .then(|| cited.iter().find_map(|cited_text| find_near_match(quotation, &cited_text.index)))
            .flatten();
        self.near_searches_left = self.near_searches_left.saturating_sub(1);
        let quotation = quotation.to_owned();
        Some(match near_match {
            Some(source) => VerdictReason::QuotationDiffers { quotation, source },
            None => VerdictReason::QuotationNotFound { quotation },
        })
    }
}

fn part_length(part: &SentencePart) -> usize {
    let (SentencePart::Prose(words) | SentencePart::Code(words) | SentencePart::Address(words)) = part;
    words.len()
}

/// A number that a calculation may have given is missing, not contradicted, unless it is the same one in another unit.
fn soften(why: VerdictReason) -> VerdictReason {
    match why {
        VerdictReason::NumberDiffers { number, .. } if !number.contains(' ') => {
            VerdictReason::NumberMissing { number }
        }
        other => other,
    }
}

/// A difference that the comparison found, as a reason for the verdict.
fn reason_for(mismatch: Mismatch) -> VerdictReason {
    match mismatch {
        Mismatch::WordsMissing(_) => VerdictReason::NothingInCommon,
        Mismatch::OtherSubject { written, source } => VerdictReason::OtherSubject { written, source },
        Mismatch::Negation { is_certain } => VerdictReason::NegationDiffers { is_certain },
        Mismatch::Direction { written, source, is_certain } => {
            VerdictReason::DirectionDiffers { written, source, is_certain }
        }
        Mismatch::Overstated(word) => VerdictReason::Overstated { word },
        Mismatch::Outdated => VerdictReason::Outdated,
        Mismatch::RolesSwapped(one, other) => VerdictReason::RolesSwapped { one, other },
        Mismatch::OtherLanguage => VerdictReason::OtherLanguage,
    }
}

fn check_number(number: &Number, words: &[String], cited: &[&CitedText]) -> Option<VerdictReason> {
    let indexes = || cited.iter().flat_map(|cited_text| [&cited_text.index, &cited_text.about]);
    let mut found = indexes().flat_map(|index| index.numbers(&number.value)).peekable();
    let written = number.value.clone();
    if found.peek().is_some() {
        let fits = |at: &wellread_text::NumberOccurrence| {
            let sign = !number.negative || at.negative;
            sign && match (&number.unit, &at.unit) {
                (None, _) | (_, None) => true,
                (Some(one), Some(other)) if one == other => true,
                (Some(one), Some(other))
                    if canonical_unit(one).is_some() && canonical_unit(other).is_some() =>
                {
                    false
                }
                (Some(one), Some(_)) => {
                    at.after.contains(one) || indexes().all(|index| index.counts(one).is_empty())
                }
            }
        };
        if found.any(fits) {
            return None;
        }
        return Some(number_in_other_unit(number, words, &indexes));
    }
    for cited_text in cited {
        let same = number.unit.iter().flat_map(|unit| cited_text.index.counts(unit));
        let near = same
            .take(16)
            .filter(|(_, line)| context_share(&cited_text.index, *line, words) >= SAME_CONTEXT_AND_UNIT)
            .min_by_key(|(value, line)| Reverse(cited_text.index.words_beside(value, *line, words)));
        if let Some((value, _)) = near {
            return Some(VerdictReason::NumberDiffers { number: written, source: value.clone() });
        }
        let (line, _) = best_line(&cited_text.index, words);
        if context_share(&cited_text.index, line, words) >= SAME_CONTEXT
            && let Some(value) = cited_text
                .index
                .numbers_on(line)
                .filter(|value| !words.iter().any(|word| word == value))
                .min()
        {
            return Some(VerdictReason::NumberDiffers { number: written, source: value.to_owned() });
        }
    }
    Some(VerdictReason::NumberMissing { number: written })
}

/// The reason why a number that occurs does not count: another unit stands beside it, or it counts something else.
fn number_in_other_unit<'a, I: Iterator<Item = &'a SourceIndex>>(
    number: &Number,
    words: &[String],
    indexes: &impl Fn() -> I,
) -> VerdictReason {
    let written = number.value.clone();
    let own = number.unit.as_deref().and_then(canonical_unit);
    let mut places =
        indexes().flat_map(|index| index.numbers(&number.value).iter().map(move |at| (index, at)));
    let other = places.find_map(|(index, at)| {
        let unit = at.unit.as_deref().and_then(canonical_unit)?;
        (context_share(index, at.line, words) >= SAME_CONTEXT_AND_UNIT).then_some(unit)
    });
    if let (Some(own), Some(other)) = (own, other) {
        return VerdictReason::NumberDiffers {
            number: format!("{written} {own}"),
            source: format!("{written} {other}"),
        };
    }
    let counted =
        number.unit.as_deref().and_then(|unit| indexes().find_map(|index| index.counts(unit).first()));
    let source = counted.map(|(value, _)| value.clone()).unwrap_or_default();
    VerdictReason::NumberDiffers { number: written, source }
}

/// The share of the words that occur on this line or next to it.
pub(super) fn context_share(index: &SourceIndex, line: usize, words: &[String]) -> f64 {
    let is_near = |word: &&String| {
        let lines = index.lines_with(word);
        let next = lines.partition_point(|&on| (on as usize) + 1 < line);
        lines.get(next).is_some_and(|&on| (on as usize) <= line + 1)
    };
    if words.len() < 2 { 0.0 } else { words.iter().filter(is_near).count() as f64 / words.len() as f64 }
}

/// The line with the most of these words, and how many it has.
fn best_line(index: &SourceIndex, words: &[String]) -> (usize, usize) {
    let mut counts = std::collections::BTreeMap::new();
    for word in words.iter().take(64) {
        for &line in index.lines_with(word).iter().take(64) {
            *counts.entry(line as usize).or_insert(0_usize) += 1;
        }
    }
    counts.into_iter().max_by_key(|&(line, count)| (count, Reverse(line))).unwrap_or((1, 0))
}

/// The lines of a quotation, otherwise the line with the most of these words.
fn best_lines(cited_text: &CitedText, claims: &Claims, words: &[String]) -> (usize, usize) {
    let quoted = claims.quotations.iter().find_map(|quotation| cited_text.index.find_quotation(quotation));
    quoted.unwrap_or_else(|| {
        let (line, _) = best_line(&cited_text.index, words);
        (line, line)
    })
}
