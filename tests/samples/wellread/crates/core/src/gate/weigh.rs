//! One sentence against the texts that are to bear it.

use std::collections::HashSet;

use wellread_text::{Claims, Dated, Held, Identifier, Number, Sentence, content_words, unit};

use super::near::nearly;
use super::{Cited, Why};
use crate::id::EvidenceId;

/// A text that a sentence rests on.
pub(super) struct Witness {
    pub id: Option<EvidenceId>,
    pub path: String,
    /// Where the text begins in its file.
    pub start_line: usize,
    pub text: String,
    pub held: Held,
    /// What names it: path, title, address.
    pub about: Held,
}

/// No quotation of evidence is longer than this when it is shown.
const LONGEST_QUOTE: usize = 400;

impl Witness {
    /// These lines of it, counted from 1, as a citation.
    pub fn cited(&self, (first, last): (usize, usize)) -> Cited {
        let lines = self.text.split('\n').skip(first - 1).take(last + 1 - first);
        let mut quote = lines.collect::<Vec<_>>().join("\n").trim().to_owned();
        if let Some((cut, _)) = quote.char_indices().nth(LONGEST_QUOTE) {
            quote.truncate(cut);
            quote.push('…');
        }
        let place = self.start_line - 1;
        Cited {
            id: self.id.clone(),
            path: self.path.clone(),
            start_line: place + first,
            end_line: place + last,
            quote,
        }
    }

    /// Either of its texts.
    fn any(&self, holds: impl Fn(&Held) -> bool) -> bool {
        holds(&self.held) || holds(&self.about)
    }

    fn has_identifier(&self, identifier: &Identifier) -> bool {
        match identifier {
            Identifier::Code(code) => self.any(|held| held.has_code(code)),
            Identifier::Address(address) => {
                let bare = address.trim_end_matches('/');
                self.any(|held| held.has_code(bare)) || self.path.trim_end_matches('/') == bare
            }
            Identifier::Path { path, lines } => {
                let own = self.path == *path || self.path.ends_with(&format!("/{path}"));
                let last = self.start_line + self.held.lines() - 1;
                let fits = lines.is_none_or(|(from, to)| self.start_line <= from && from <= to && to <= last);
                own && fits
                    || self.any(|held| held.has_code(&identifier.written()))
                    || lines.is_none() && self.any(|held| held.has_code(path))
            }
        }
    }
}

/// What was found of a sentence.
pub(super) struct Weighed {
    pub why: Vec<Why>,
    /// For each witness the lines, from 1, that bear it best.
    pub lines: Vec<(usize, usize)>,
    /// Which part of the words that carry it stand in what it cites.
    pub share: f64,
}

/// Weighs the sentences of one text.
pub(super) struct Scales {
    /// Words that are names somewhere in the text.
    names: HashSet<String>,
    /// How many quotations may still be looked for with a few characters changed: that costs more than all else.
    near: usize,
}

/// How much of a sentence has to stand around another number, for that number to contradict it: less where both count
/// the same.
const SAME_CONTEXT: f64 = 0.6;
const SAME_CONTEXT_AND_UNIT: f64 = 0.4;
/// How much of a sentence in which nothing can be looked up has to be in what it cites.
const SOMETHING: f64 = 1.0 / 3.0;
const MOST_NEAR: usize = 200;

impl Scales {
    pub fn new(names: HashSet<String>) -> Self {
        Self { names, near: MOST_NEAR }
    }

    pub fn weigh(&mut self, sentence: &Sentence, claims: &Claims, cited: &[&Witness]) -> Weighed {
        let words = content_words(sentence);
        let mut why = Vec::new();
        for quotation in &claims.quotations {
            why.extend(self.quotation(quotation, cited));
        }
        let missing = |text: &String| Why::QuotationNotFound { quotation: text.clone() };
        let quoted = claims.quoted_words.iter();
        why.extend(
            quoted
                .filter(|text| !cited.iter().any(|witness| witness.any(|held| held.has_words(text))))
                .map(missing),
        );
        why.extend(claims.numbers.iter().filter_map(|number| wrong_number(number, &words, cited)));
        why.extend(claims.dates.iter().filter_map(|dated| wrong_date(dated, &words, cited)));
        let opener = claims.opener.iter().filter(|opener| self.names.contains(*opener));
        for name in claims.names.iter().chain(opener) {
            if !cited.iter().any(|witness| witness.any(|held| held.has_name(name))) {
                why.push(Why::NameMissing { name: name.clone() });
            }
        }
        for identifier in &claims.identifiers {
            if !cited.iter().any(|witness| witness.has_identifier(identifier)) {
                why.push(Why::IdentifierMissing { identifier: identifier.written() });
            }
        }
        let found = words
            .iter()
            .filter(|word| cited.iter().any(|witness| witness.any(|held| !held.lines_with(word).is_empty())));
        let share = if words.is_empty() { 1.0 } else { found.count() as f64 / words.len() as f64 };
        if why.is_empty() && claims.is_empty() && share < SOMETHING {
            why.push(Why::NothingInCommon);
        }
        let lines = cited.iter().map(|witness| best_lines(witness, claims, &words)).collect();
        Weighed { why, lines, share }
    }

    fn quotation(&mut self, quotation: &str, cited: &[&Witness]) -> Option<Why> {
        if cited.iter().any(|witness| witness.held.quotation(quotation).is_some()) {
            return None;
        }
        let near = (self.near > 0)
            .then(|| cited.iter().find_map(|witness| nearly(quotation, &witness.held)))
            .flatten();
        self.near = self.near.saturating_sub(1);
        let quotation = quotation.to_owned();
        Some(match near {
            Some(source) => Why::QuotationDiffers { quotation, source },
            None => Why::QuotationNotFound { quotation },
        })
    }
}

fn wrong_number(number: &Number, words: &[String], cited: &[&Witness]) -> Option<Why> {
    let helds = || cited.iter().flat_map(|witness| [&witness.held, &witness.about]);
    let mut found = helds().flat_map(|held| held.numbers(&number.value)).peekable();
    let written = number.value.clone();
    if found.peek().is_some() {
        let fits = |at: &wellread_text::NumberAt| {
            let sign = !number.negative || at.negative;
            sign && match (&number.unit, &at.unit) {
                (None, _) | (_, None) => true,
                (Some(one), Some(other)) if one == other => true,
                (Some(one), Some(other)) if unit(one).is_some() && unit(other).is_some() => false,
                (Some(one), Some(_)) => {
                    at.after.contains(one) || helds().all(|held| held.counts(one).is_empty())
                }
            }
        };
        if found.any(fits) {
            return None;
        }
        let source =
            number.unit.as_deref().and_then(|unit| helds().find_map(|held| held.counts(unit).first()));
        let source = source.map(|(value, _)| value.clone()).unwrap_or_default();
        return Some(Why::NumberDiffers { number: written, source });
    }
    for witness in cited {
        let same = number.unit.iter().flat_map(|unit| witness.held.counts(unit));
        if let Some((value, _)) =
            same.take(16).find(|(_, line)| context(&witness.held, *line, words) >= SAME_CONTEXT_AND_UNIT)
        {
            return Some(Why::NumberDiffers { number: written, source: value.clone() });
        }
        let (line, _) = best_line(&witness.held, words);
        if context(&witness.held, line, words) >= SAME_CONTEXT
            && let Some(value) =
                witness.held.numbers_on(line).filter(|value| !words.iter().any(|word| word == value)).min()
        {
            return Some(Why::NumberDiffers { number: written, source: value.to_owned() });
        }
    }
    Some(Why::NumberMissing { number: written })
}

fn wrong_date(dated: &Dated, words: &[String], cited: &[&Witness]) -> Option<Why> {
    let date = dated.written.clone();
    let told = |held: &Held| {
        held.dates().iter().any(|(date, _)| dated.readings.iter().any(|reading| date.tells(reading)))
    };
    if cited.iter().any(|witness| witness.any(told)) {
        return None;
    }
    for witness in cited {
        let other = witness
            .held
            .dates()
            .iter()
            .take(64)
            .find(|(_, line)| context(&witness.held, *line, words) >= SAME_CONTEXT_AND_UNIT);
        if let Some((other, _)) = other {
            let parts = [other.year.map(u32::from), Some(other.month.into()), other.day.map(u32::from)];
            let parts: Vec<String> = parts.into_iter().flatten().map(|part| format!("{part:02}")).collect();
            return Some(Why::DateDiffers { date, source: parts.join("-") });
        }
    }
    Some(Why::DateMissing { date })
}

/// Which part of the words stand on this line or next to it.
fn context(held: &Held, line: usize, words: &[String]) -> f64 {
    let near = |word: &&String| {
        let lines = held.lines_with(word);
        let next = lines.partition_point(|&on| (on as usize) + 1 < line);
        lines.get(next).is_some_and(|&on| (on as usize) <= line + 1)
    };
    if words.len() < 2 { 0.0 } else { words.iter().filter(near).count() as f64 / words.len() as f64 }
}

/// The line with most of the words, and how many it has.
fn best_line(held: &Held, words: &[String]) -> (usize, usize) {
    let mut counts = std::collections::BTreeMap::new();
    for word in words.iter().take(64) {
        for &line in held.lines_with(word).iter().take(64) {
            *counts.entry(line as usize).or_insert(0_usize) += 1;
        }
    }
    counts.into_iter().max_by_key(|&(line, count)| (count, std::cmp::Reverse(line))).unwrap_or((1, 0))
}

/// The lines of a quotation, else the line with most of the words.
fn best_lines(witness: &Witness, claims: &Claims, words: &[String]) -> (usize, usize) {
    let quoted = claims.quotations.iter().find_map(|quotation| witness.held.quotation(quotation));
    quoted.unwrap_or_else(|| {
        let (line, _) = best_line(&witness.held, words);
        (line, line)
    })
}
