//! The words by which a text is found, for the index and for queries.
//!
//! Words are in lower case and without accents, and English words are reduced to their stems. `parseRequest`,
//! `well-known` and `1.0.21` are found whole and by their parts. A run of a script without spaces is cut into pairs
//! of letters.

mod plain;
mod query;
mod stem;
mod units;

pub use query::{QueryTerm, TermForm, name_key, query_phrases, query_terms};
pub(crate) use query::{is_common, is_common_stem, stem_word};

use plain::push_plain;
pub(crate) use plain::to_plain;
use stem::push_stem;
use units::CONNECTORS;
pub(crate) use units::{TextUnit, camel_parts, units};

/// No word is longer; longer runs are data that nobody searches for.
const LONGEST: usize = 64;

/// The index terms of a text in two columns, each separated by single spaces.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Terms {
    /// The words in the order of the text, so that phrases can be found.
    pub words: String,
    /// Compounds as a whole, and the parts of words such as `parseRequest`.
    pub parts: String,
}

impl Terms {
    /// The terms of a text.
    pub fn from_text(text: &str) -> Self {
        let mut terms = Self::default();
        terms.add(text);
        terms
    }

    /// Adds the terms of another text.
    pub fn add(&mut self, text: &str) {
        self.words.reserve(text.len());
        units(text, |unit| match unit {
            TextUnit::Unspaced(run) => push_pairs(&mut self.words, run),
            TextUnit::Spaced(unit) => self.add_spaced(unit),
        });
    }

    fn add_spaced(&mut self, unit: &str) {
        if unit.len() > LONGEST {
            return;
        }
        if !unit.contains(CONNECTORS) {
            return self.add_simple(unit);
        }
        space(&mut self.parts);
        push_plain(&mut self.parts, unit);
        if is_number(unit) {
            push(&mut self.words, unit);
            unit.split(CONNECTORS).for_each(|part| push(&mut self.parts, part));
        } else {
            unit.split(CONNECTORS).for_each(|part| self.add_simple(part));
        }
    }

    fn add_simple(&mut self, word: &str) {
        push_word(&mut self.words, word);
        for part in camel_parts(word) {
            push_word(&mut self.parts, part);
        }
    }
}

/// Whether the unit consists of digits and connectors: a version, a date, a number.
fn is_number(unit: &str) -> bool {
    unit.bytes().all(|byte| byte.is_ascii_digit() || CONNECTORS.contains(&char::from(byte)))
}

fn space(column: &mut String) {
    if !column.is_empty() {
        column.push(' ');
    }
}

fn push(column: &mut String, word: &str) {
    space(column);
    column.push_str(word);
}

/// Adds a word in its normal form.
fn push_word(column: &mut String, word: &str) {
    space(column);
    if word.is_ascii() {
        return push_stem(column, word.as_bytes());
    }
    let plain = to_plain(word);
    if plain.is_ascii() { push_stem(column, plain.as_bytes()) } else { column.push_str(&plain) }
}

/// Adds the overlapping pairs of letters of a run; a single letter is added as it is.
fn push_pairs(column: &mut String, run: &str) {
    let letters: Vec<char> = to_plain(run).chars().collect();
    if let [alone] = letters[..] {
        space(column);
        column.push(alone);
    }
    for pair in letters.windows(2) {
        space(column);
        column.extend(pair);
    }
}

#[cfg(test)]
mod tests;
