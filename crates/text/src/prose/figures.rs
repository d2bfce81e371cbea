//! The numbers and dates of a sentence, each with the words that say what it measures, so that differing figures can
//! be compared.
//!
//! Only the sentence itself is read. Whether two figures measure the same thing is for the caller to decide.

mod qualifiers;
mod words;

use std::collections::BTreeSet;

use words::{
    ClauseWord, is_bound, is_contrast, is_general, is_hypothesis, is_label, is_loose, is_pronoun, words,
};

use crate::prose::claims::{dates, numbers};
use crate::prose::phrases::StopWords;
use crate::{Date, Number, Sentence, SentencePart, Span, canonical_unit, to_comparable};

/// A number or date with its context.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// The value.
    pub amount: Amount,
    /// The figure as written, its unit included.
    pub written: String,
    /// The content words of the clause before the figure.
    pub before: Vec<FigureWord>,
    /// The content words of the clause after the figure.
    pub after: Vec<FigureWord>,
    /// Words that make two figures incomparable if they differ: years, days, batch numbers, letters of plans,
    /// seasons, routes from one place to another, `first`, `empty`, `most`.
    pub qualifiers: BTreeSet<String>,
    /// Whether it is approximate (`about`, `roughly`): a value nearby does not contradict it.
    pub is_loose: bool,
}

/// A content word near a figure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FigureWord {
    /// The stem of the word.
    pub stem: String,
    /// The stem of the next word, if only spaces are between: the noun of an adjective.
    pub next: Option<String>,
    /// Whether the word is part of a name.
    pub is_name: bool,
}

/// The value of a figure.
#[derive(Debug, Clone, PartialEq)]
pub enum Amount {
    /// A number or a range.
    Number {
        /// The lower end of a range; otherwise the number.
        from: f64,
        /// The upper end of a range; otherwise the number.
        to: f64,
        /// The number of decimal places as written.
        decimals: usize,
        /// The unit or the stem of what is counted.
        unit: Option<String>,
        /// Whether the unit is a unit of measurement.
        is_measure: bool,
    },
    /// A day with its year.
    Day(Date),
    /// The year of an event that happens once: `founded in 1998`.
    Year(u16),
}

/// Extracts the comparable figures of a sentence. There are none in questions, hypotheses and sentences about a
/// pronoun.
pub fn extract_figures(sentence: &Sentence) -> Vec<Figure> {
    let prose: Vec<&str> = sentence
        .parts
        .iter()
        .filter_map(|part| match part {
            SentencePart::Prose(words) | SentencePart::Code(words) => Some(words.as_str()),
            SentencePart::Address(_) => None,
        })
        .collect();
    let text = to_comparable(&prose.concat());
    if text.len() > 600 || text.ends_with('?') || !text.contains(|letter: char| letter.is_alphabetic()) {
        return Vec::new();
    }
    let days = dates(&text);
    let counts: Vec<(Span, Number)> = numbers(&text)
        .into_iter()
        .filter(|(span, _)| !days.iter().any(|(day, _)| day.start < span.end && span.start < day.end))
        .collect();
    if days.is_empty() && counts.is_empty() {
        return Vec::new();
    }
    let stop = StopWords::detect(&text);
    let scene = FigureScanner { words: words(&text, stop), days: &days, counts: &counts, text: &text };
    if scene.words.first().is_some_and(|word| is_pronoun(&word.plain))
        || scene.words.iter().any(|word| is_hypothesis(&word.plain))
    {
        return Vec::new();
    }
    scene.figures()
}

struct FigureScanner<'a> {
    text: &'a str,
    words: Vec<ClauseWord<'a>>,
    days: &'a [(Span, crate::WrittenDate)],
    counts: &'a [(Span, Number)],
}

impl FigureScanner<'_> {
    fn figures(&self) -> Vec<Figure> {
        let mut found = Vec::new();
        let mut at = 0;
        while at < self.counts.len() {
            let (span, number) = &self.counts[at];
            // `14 to 15 days`, `18-20 kg`
            let until =
                self.counts.get(at + 1).filter(|(next, _)| is_range(&self.text[span.end..next.start]));
            let (last, end) = until.map_or((number, span.end), |(next, number)| (number, next.end));
            at += if until.is_some() { 2 } else { 1 };
            found.extend(self.build_number_figure(&(span.start..end), number, last));
        }
        for (span, dated) in self.days {
            // A date with two readings or without its day is not compared.
            if let [date] = dated.readings[..]
                && date.day.is_some()
            {
                found.push(self.figure(span, span.end, Amount::Day(date)));
            }
        }
        found
    }

    fn build_number_figure(&self, span: &Span, from: &Number, to: &Number) -> Option<Figure> {
        let before = self.word_before(span.start);
        let measure = to.unit.as_deref().and_then(canonical_unit);
        let value = |number: &Number| {
            number.value.parse::<f64>().ok().map(|value| if number.negative { -value } else { value })
        };
        let (low, high) = (value(from)?, value(to)?);
        if measure.is_none() && is_year(from) && to.value == from.value {
            let happens_once = self.words.iter().any(|word| words::happens_once(&word.stem));
            let is_dated =
                before.is_some_and(|word| ["in", "since", "im", "seit", "en"].contains(&word.plain.as_str()));
            return (happens_once && is_dated).then(|| self.figure(span, span.end, Amount::Year(low as u16)));
        }
        // `batch 7`, `Figure 3`, `hive 2`: a name, not an amount.
        if measure.is_none() && before.is_some_and(|word| is_label(word)) {
            return None;
        }
        let behind = self.words.iter().find(|word| {
            word.start >= span.end && self.text[span.end..word.start].trim_matches([' ', '-']).is_empty()
        });
        let counted =
            to.unit.clone().filter(|_| measure.is_some() || behind.is_some_and(|word| !word.is_stop));
        if counted.is_none() {
            // A bare number is an amount only if the text equates something with it.
            let is_equated = before.is_some_and(|word| words::equates(&word.plain))
                || self.text[..span.start].trim_end().ends_with(['=', ':']);
            (is_equated && (low.fract() != 0.0 || low > 1.0)).then_some(())?;
        }
        let end = match (&counted, behind) {
            // The currency sign precedes the number.
            _ if self.text[..span.start].trim_end().ends_with(MONEY) => span.end,
            (Some(_), Some(word)) => word.end,
            (Some(_), None) => span.end + sign(&self.text[span.end..]),
            (None, _) => span.end,
        };
        let decimals = to.value.split_once('.').map_or(0, |(_, digits)| digits.len());
        let amount = Amount::Number {
            from: low.min(high),
            to: low.max(high),
            decimals,
            unit: counted,
            is_measure: measure.is_some(),
        };
        let bounded = self
            .words
            .iter()
            .rev()
            .filter(|word| word.end <= span.start)
            .take(3)
            .any(|word| is_bound(&word.plain));
        (!bounded).then(|| self.figure(span, end, amount))
    }

    /// The start of a figure, its currency sign included.
    fn begin(&self, span: &Span) -> usize {
        let before = self.text[..span.start].trim_end();
        before.strip_suffix(MONEY).map_or(span.start, str::len)
    }

    fn word_before(&self, at: usize) -> Option<&ClauseWord<'_>> {
        let word = self.words.iter().rev().find(|word| word.end <= at)?;
        self.text[word.end..at].trim_matches([' ', '$', '€', '£', '~', '-']).is_empty().then_some(word)
    }

    /// The clause around a position: from one punctuation mark to the next.
    fn clause(&self, at: &Span) -> Span {
        let is_mark = |(offset, letter): &(usize, char)| {
            ";:()!|".contains(*letter)
                || *letter == ',' && !self.text[offset + 1..].starts_with(|next: char| next.is_ascii_digit())
                || *letter == '-'
                    && self.text[..*offset].ends_with(' ')
                    && self.text[offset + 1..].starts_with(' ')
        };
        let inside = |offset: usize| self.days.iter().any(|(span, _)| span.contains(&offset));
        let marks: Vec<usize> = self
            .text
            .char_indices()
            .filter(|mark| is_mark(mark) && !inside(mark.0))
            .map(|mark| mark.0)
            .collect();
        let start = marks.iter().rev().find(|&&mark| mark < at.start).map_or(0, |mark| mark + 1);
        let end = marks.iter().find(|&&mark| mark >= at.end).copied().unwrap_or(self.text.len());
        start..end
    }

    fn figure(&self, span: &Span, end: usize, amount: Amount) -> Figure {
        let clause = self.clause(&(span.start..end));
        let mut figure = Figure {
            amount,
            written: self.text[self.begin(span)..end.max(span.end)].trim().to_owned(),
            before: Vec::new(),
            after: Vec::new(),
            qualifiers: BTreeSet::new(),
            is_loose: false,
        };
        for (at, word) in self.words.iter().enumerate() {
            let own = word.start < end && span.start < word.end;
            if own || self.is_figure(word) {
                continue;
            }
            let near = word.end <= span.start && span.start - word.end < 24;
            figure.is_loose |= near && is_loose(&word.plain);
            // Text before the clause gives its context; text after it does not.
            let in_clause = clause.contains(&word.start);
            let is_apart = is_contrast(&word.plain) || qualifiers::is_letter(self.text, &self.words, at);
            if is_apart && word.start < clause.end {
                figure.qualifiers.insert(word.stem.clone());
            } else if in_clause && !word.is_stop && !is_general(&word.stem) {
                let next =
                    self.words.get(at + 1).filter(|next| self.text[word.end..next.start].trim().is_empty());
                let figure_word = FigureWord {
                    stem: word.stem.clone(),
                    next: next.map(|next| next.stem.clone()),
                    is_name: word.is_name,
                };
                if word.start < span.start {
                    figure.before.push(figure_word);
                } else {
                    figure.after.push(figure_word);
                }
            } else if word.is_name && word.start < clause.start {
                figure.qualifiers.insert(word.stem.clone());
            }
        }
        let clause_words = self.words.partition_point(|word| word.start < clause.end);
        figure.qualifiers.extend(qualifiers::find_route(&self.words[..clause_words]));
        let others = self
            .counts
            .iter()
            .filter(|(other, _)| other.start < clause.end && (other.end <= span.start || other.start >= end));
        let bare = |number: &Number| number.unit.as_deref().and_then(canonical_unit).is_none();
        figure
            .qualifiers
            .extend(others.filter(|(_, number)| bare(number)).map(|(_, number)| number.value.clone()));
        let days = self.days.iter().filter(|(day, _)| day.start < clause.end && day != span);
        figure.qualifiers.extend(days.map(|(_, dated)| format!("{:?}", dated.readings)));
        figure
    }

    fn is_figure(&self, word: &ClauseWord<'_>) -> bool {
        let in_span = |span: &Span| span.start < word.end && word.start < span.end;
        self.days.iter().any(|(span, _)| in_span(span)) || self.counts.iter().any(|(span, _)| in_span(span))
    }
}

const MONEY: [char; 3] = ['$', '€', '£'];

/// The length of the sign after a number, with the space before it: ` %`, ` °C`.
fn sign(behind: &str) -> usize {
    let rest = behind.trim_start_matches([' ', '%', '€', '$', '£', '°']);
    let length = behind.len() - rest.len();
    let letters = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
    if behind[..length].ends_with('°') { length + letters } else { length }
}

fn is_range(between: &str) -> bool {
    ["-", "to", "bis", "or", "and", "à", "oder", "ou"].contains(&between.trim())
}

/// Whether the number has four digits that can be a year and counts nothing.
fn is_year(number: &Number) -> bool {
    number.value.len() == 4
        && !number.spelled
        && number.value.parse::<u16>().is_ok_and(|year| (1000..2200).contains(&year))
}

#[cfg(test)]
mod tests;
