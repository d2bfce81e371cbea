//! Whether a sentence says what its source says.
//!
//! A sentence and a source are compared by their words, not by their meaning. What can be seen that way: whether enough
//! of the sentence stands in the source at all; whether an amount or a date belongs to the same subject there; whether
//! one of the two is negated, points in the other direction, claims more than the other or is out of date; whether
//! subject and object have changed places.

mod alignment;
mod binding;
mod changes;
mod cues;
mod entries;
mod language;
mod lexicon;
mod order;
mod plans;
mod quantity;
mod reckoning;
mod roles;
mod tokens;
mod turns;
mod units;

use alignment::Alignment;
use language::TextLanguage;
use quantity::{Quantity, find_quantities};
use reckoning::Reckoning;
use tokens::{Token, clause_at, tokenize};
use units::{MOST_TOKENS, Unit, read_code, read_markdown};

use crate::answer::support::without_struck_out;
use crate::prose::claims::dates;
use crate::prose::phrases::StopWords;
use crate::prose::sentences::quotations;
use crate::{Date, Sentence, SentencePart, Span, to_comparable};

/// A source, read as statements.
#[derive(Debug)]
pub struct Passage {
    units: Vec<Unit>,
    /// The words of its title, path and address.
    about: Vec<Token>,
    language: TextLanguage,
}

impl Passage {
    /// Reads a source. `about` is its path, title or address; `is_markdown` tells notes and pages from source code.
    pub fn new(text: &str, about: &str, is_markdown: bool) -> Self {
        let valid = if is_markdown { without_struck_out(text) } else { text.into() };
        let text = &*valid;
        let stop = StopWords::detect(text);
        let units = if is_markdown { read_markdown(text, stop) } else { read_code(text, stop) };
        let about = tokenize(&to_comparable(about), stop);
        let language = if is_markdown { TextLanguage::detect(text) } else { TextLanguage::Unknown };
        Self { units, about, language }
    }

    /// Reads source code that stands inside of these definitions, given with what contains them: `Parser.parse`.
    pub fn inside(definitions: &[String], text: &str, about: &str) -> Self {
        let mut passage = Self::new(text, about, false);
        for unit in &mut passage.units {
            unit.enclosing.extend(definitions.iter().cloned());
        }
        passage
    }

    /// Reads rows of a table whose head stands above them, as [`find_table_head`](crate::find_table_head) finds it.
    pub fn below_head(head: &str, text: &str, about: &str) -> Self {
        let mut passage = Self::new(&format!("{head}{text}"), about, true);
        let above = head.matches('\n').count();
        passage.units.retain(|unit| unit.lines.0 > above);
        for unit in &mut passage.units {
            unit.lines = (unit.lines.0 - above, unit.lines.1 - above);
        }
        passage
    }
}

/// What a sentence states.
#[derive(Debug)]
pub struct Statement {
    text: String,
    tokens: Vec<Token>,
    quantities: Vec<Quantity>,
    /// Dates with their place and clause.
    dates: Vec<(Vec<Date>, Span, usize)>,
    language: TextLanguage,
    /// Its code spans, in order.
    code: Vec<String>,
}

/// A difference between a sentence and its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mismatch {
    /// Too little of the sentence stands in the source; the words that don't.
    WordsMissing(Vec<String>),
    /// An amount or a date belongs to something else in the source, which has another one for the sentence's subject.
    OtherSubject {
        /// The amount or date in the sentence.
        written: String,
        /// What the source has for the subject.
        source: String,
    },
    /// One of the two is negated.
    Negation {
        /// Whether nearly all other words agree.
        is_certain: bool,
    },
    /// A word of the source excludes one of the sentence.
    Direction {
        /// The word in the sentence.
        written: String,
        /// The word in the source.
        source: String,
        /// Whether nearly all other words agree.
        is_certain: bool,
    },
    /// The sentence claims more than the source: all instead of some, must instead of may.
    Overstated(String),
    /// The source says that it was so, the sentence that it is.
    Outdated,
    /// Two parties have changed their roles.
    RolesSwapped(String, String),
    /// The sentence and the source are in different languages, and too little of it can be compared.
    OtherLanguage,
}

/// The result of comparing a sentence with its sources.
#[derive(Debug)]
pub struct Comparison {
    /// The share of the sentence's content words that stand in the sources.
    pub share: f64,
    /// The source, by its position, and the lines that agree best.
    pub best: Option<(usize, (usize, usize))>,
    /// What does not agree.
    pub mismatches: Vec<Mismatch>,
}

impl Statement {
    /// Reads a sentence.
    pub fn new(sentence: &Sentence) -> Self {
        let parts = sentence.parts.iter().filter_map(|part| match part {
            SentencePart::Prose(words) => Some(words.clone()),
            SentencePart::Code(words) => Some(format!("`{words}`")),
            SentencePart::Address(_) => None,
        });
        let text = to_comparable(&parts.collect::<String>());
        let stop = StopWords::detect(&text);
        let mut tokens = tokenize(&text, stop);
        // What is quoted is looked up as a whole; it says nothing in the sentence's own voice.
        let quoted = find_quoted_spans(&text);
        let is_quoted = |at: usize| quoted.iter().any(|span| span.contains(&at));
        for token in &mut tokens {
            token.is_quoted = is_quoted(token.start);
        }
        let mut quantities = find_quantities(&text, &tokens);
        quantities.retain(|quantity| !is_quoted(quantity.span.start));
        mark_amounts(&mut tokens, &quantities);
        let dates = dates(&text)
            .into_iter()
            .filter(|(span, _)| !is_quoted(span.start))
            .map(|(span, dated)| (dated.readings, span.clone(), clause_at(&tokens, span.start)))
            .collect();
        let language = TextLanguage::detect(&text);
        let code = sentence.parts.iter().filter_map(|part| match part {
            SentencePart::Code(code) => Some(code.trim().to_owned()),
            _ => None,
        });
        let code = code.collect();
        Self { text, tokens, quantities, dates, language, code }
    }

    /// Whether the sentence's amount with these digits follows from the amounts of the sources: converted or rounded; added up,
    /// compared or multiplied, if the sentence says so; as the number of entries of what it counts.
    pub fn follows_from(&self, digits: &str, passages: &[&Passage]) -> bool {
        let wanted = self.quantities.iter().filter(|quantity| quantity.digits == digits);
        let units: Vec<&Unit> = passages.iter().flat_map(|passage| &passage.units).collect();
        let (tokens, quantities) = (self.tokens.as_slice(), self.quantities.as_slice());
        let reckoning = Reckoning { tokens, quantities, units: &units };
        let mut wanted = wanted.peekable();
        wanted.peek().is_some()
            && wanted.all(|quantity| {
                let mut source = units.iter().flat_map(|unit| &unit.quantities);
                source.any(|other| quantity.is_borne_by(other))
                    || tokens.len() <= MOST_TOKENS
                        && (reckoning.is_derived(quantity)
                            || reckoning.is_ratio(quantity)
                            || entries::is_count_of_entries(quantity, tokens, &units)
                            || reckoning.is_time_between(quantity))
            })
    }

    /// Whether the sentence calculates or compares, so that an amount of its own need not stand in a source.
    pub fn reckons(&self) -> bool {
        self.tokens.iter().any(cues::is_reckoned)
    }

    /// Whether the sources have a name in some form: its plural, an adjective made from it, an abbreviated weekday.
    pub fn finds_name(&self, name: &str, passages: &[&Passage]) -> bool {
        let plain = crate::words::terms::to_plain(name);
        let foreign = passages.iter().all(|passage| self.language.differs(passage.language));
        if self.language.writes_nouns_large() || TITLES.contains(&plain.as_str()) {
            return true;
        }
        let calendar = CALENDAR.iter().any(|long| *long == plain);
        if calendar && foreign {
            return true;
        }
        let wanted = tokenize(name, StopWords::detect(name));
        passages.iter().any(|passage| {
            let units = passage.units.iter().flat_map(|unit| unit.tokens.iter().chain(&unit.context));
            units.chain(&passage.about).any(|token| {
                wanted.iter().all(|wanted| wanted.is_same_word(token))
                    || plain.strip_suffix('s') == Some(token.plain.as_str())
                    || calendar && token.plain.len() >= 3 && plain.starts_with(&token.plain)
            })
        })
    }

    /// Compares the sentence with its sources.
    pub fn compare(&self, passages: &[&Passage]) -> Comparison {
        let alignment = Alignment::new(self, passages);
        let best = alignment.best_place();
        let mut mismatches = Vec::new();
        if passages.iter().all(|passage| self.language.differs(passage.language)) {
            if !alignment.has_anchors(self) {
                mismatches.push(Mismatch::OtherLanguage);
            }
            mismatches.extend(binding::find_other_subjects(self, &alignment));
            return Comparison { share: 1.0, best, mismatches };
        }
        mismatches
            .extend(alignment.find_missing_words(!self.quantities.is_empty() || !self.dates.is_empty()));
        mismatches.extend(binding::find_other_subjects(self, &alignment));
        mismatches.extend(alignment.find_turns(self));
        mismatches.extend(changes::find_reversed_change(self));
        let swapped = roles::find_swap(self, &alignment)
            .or_else(|| roles::find_other_agent(self, &alignment))
            .or_else(|| roles::find_other_caller(self, &alignment))
            .or_else(|| alignment.find_names_apart(self));
        mismatches.extend(swapped);
        Comparison { share: alignment.share, best, mismatches }
    }
}

/// Marks the words that are part of an amount.
fn mark_amounts(tokens: &mut [Token], quantities: &[Quantity]) {
    let measuring = quantities.iter().filter(|quantity| !quantity.is_label);
    let mut spans: Vec<&Span> = measuring.map(|quantity| &quantity.span).collect();
    spans.sort_by_key(|span| span.start);
    for token in tokens {
        let before = spans.partition_point(|span| span.start <= token.start);
        token.is_amount = spans[..before].last().is_some_and(|span| span.contains(&token.start));
    }
}

/// The quotations and code of a sentence in comparable form.
fn find_quoted_spans(text: &str) -> Vec<Span> {
    let mut spans = quotations(text, &(0..text.len()), &[]);
    let ticks: Vec<usize> = text.match_indices('`').map(|(at, _)| at).collect();
    spans.extend(ticks.chunks_exact(2).map(|pair| pair[0]..pair[1]));
    spans
}

/// Words before a name that sources leave out.
const TITLES: [&str; 10] = ["ms", "mr", "mrs", "dr", "prof", "aunt", "uncle", "celsius", "fahrenheit", "sir"];

/// Names of days and months, which sources abbreviate or write as numbers.
const CALENDAR: [&str; 19] = [
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

#[cfg(test)]
mod tests;
