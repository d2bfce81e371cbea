//! Checks one sentence against the texts that it cites.

use std::cmp::Reverse;
use std::collections::HashSet;

use wellread_text::{
    Claims, Identifier, Mismatch, Number, Passage, Sentence, SourceIndex, Statement, WrittenDate,
    canonical_unit, content_words,
};

use super::near_match::find_near_match;
use super::quoted::is_quoted;
use super::reading;
use crate::domain::id::EvidenceId;
use crate::domain::verdict::{CitedQuote, Verdict, VerdictReason};
use crate::ports::Verifier;

/// A text that a sentence cites.
pub(super) struct CitedText {
    pub id: Option<EvidenceId>,
    pub path: String,
    /// The line of the file that the text begins on.
    pub start_line: usize,
    pub text: String,
    pub index: SourceIndex,
    /// Its path, title, address and other metadata.
    pub about: SourceIndex,
    pub passage: Passage,
}

/// The longest quote of evidence in a report, in characters.
const MAX_QUOTE_CHARS: usize = 400;

impl CitedText {
    /// Lines of the text, counted from 1, as a quote.
    pub fn quote_lines(&self, (first, last): (usize, usize)) -> CitedQuote {
        let lines = self.text.split('\n').skip(first - 1).take(last + 1 - first);
        let mut quote = lines.collect::<Vec<_>>().join("\n").trim().to_owned();
        if let Some((cut, _)) = quote.char_indices().nth(MAX_QUOTE_CHARS) {
            quote.truncate(cut);
            quote.push('…');
        }
        let place = self.start_line - 1;
        CitedQuote {
            id: self.id.clone(),
            path: self.path.clone(),
            start_line: place + first,
            end_line: place + last,
            quote,
        }
    }

    /// The whole lines around these, counted from 1, as far as `most` bytes go, under the name of the file, which often says
    /// what it is about.
    pub fn excerpt(&self, (first, last): (usize, usize), most: usize) -> String {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        let title = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        if self.text.len() <= most {
            return format!("{title}\n{}", self.text);
        }
        let lines: Vec<&str> = self.text.split('\n').collect();
        let end = last.clamp(1, lines.len());
        let (mut above, mut below) = (first.clamp(1, end) - 1, end);
        let mut room = most.saturating_sub(lines[above..below].iter().map(|line| line.len() + 1).sum());
        loop {
            let size = |at: Option<usize>| at.and_then(|at| lines.get(at)).map(|line| line.len() + 1);
            let before = size(above.checked_sub(1)).filter(|size| *size <= room);
            room -= before.unwrap_or(0);
            above -= usize::from(before.is_some());
            let after = size(Some(below)).filter(|size| *size <= room);
            room -= after.unwrap_or(0);
            below += usize::from(after.is_some());
            if before.is_none() && after.is_none() {
                break;
            }
        }
        format!("{title}\n{}", lines[above..below].join("\n"))
    }

    /// Whether the text itself or its metadata matches.
    fn any_text_matches(&self, holds: impl Fn(&SourceIndex) -> bool) -> bool {
        holds(&self.index) || holds(&self.about)
    }

    fn has_identifier(&self, identifier: &Identifier) -> bool {
        match identifier {
            Identifier::Code(code) => self.any_text_matches(|index| index.has_code(code)),
            Identifier::Address(address) => {
                let bare = address.trim_end_matches('/');
                self.any_text_matches(|index| index.has_code(bare)) || self.path.trim_end_matches('/') == bare
            }
            Identifier::Path { path, lines } => {
                let own = self.path == *path || self.path.ends_with(&format!("/{path}"));
                let last = self.start_line + self.index.line_count() - 1;
                let fits = lines.is_none_or(|(from, to)| self.start_line <= from && from <= to && to <= last);
                own && fits
                    || self.any_text_matches(|index| index.has_code(&identifier.to_text()))
                    || lines.is_none() && self.any_text_matches(|index| index.has_code(path))
            }
        }
    }
}

/// The result of checking one sentence.
pub(super) struct SentenceCheck {
    pub why: Vec<VerdictReason>,
    /// For each cited text, the lines, from 1, that support the sentence best.
    pub lines: Vec<(usize, usize)>,
    /// The share of the sentence's content words that occur in the cited texts.
    pub share: f64,
    /// Whether the sentence stands word for word in one of the cited texts.
    pub is_quoted: bool,
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
const SAME_CONTEXT_AND_DATE: f64 = 0.6;
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
        let numbers = claims.numbers.iter().filter_map(|number| {
            check_number(number, &words, cited)
                .filter(|_| !statement.follows_from(&number.value, &passages))
                .map(|why| if statement.reckons() { soften(why) } else { why })
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
        SentenceCheck { why, lines, share: comparison.share, is_quoted }
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

fn check_date(dated: &WrittenDate, words: &[String], cited: &[&CitedText]) -> Option<VerdictReason> {
    let date = dated.written.clone();
    let covers = |index: &SourceIndex| {
        index.dates().iter().any(|(date, _)| dated.readings.iter().any(|reading| date.covers(reading)))
    };
    if cited.iter().any(|cited_text| cited_text.any_text_matches(covers)) {
        return None;
    }
    for cited_text in cited {
        let other = cited_text
            .index
            .dates()
            .iter()
            .take(64)
            .find(|(_, line)| context_share(&cited_text.index, *line, words) >= SAME_CONTEXT_AND_DATE);
        if let Some((other, _)) = other {
            let parts = [other.year.map(u32::from), Some(other.month.into()), other.day.map(u32::from)];
            let parts: Vec<String> = parts.into_iter().flatten().map(|part| format!("{part:02}")).collect();
            return Some(VerdictReason::DateDiffers { date, source: parts.join("-") });
        }
    }
    Some(VerdictReason::DateMissing { date })
}

/// The share of the words that occur on this line or next to it.
fn context_share(index: &SourceIndex, line: usize, words: &[String]) -> f64 {
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
