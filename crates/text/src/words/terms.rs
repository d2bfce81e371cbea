//! The words by which a text is found, for the index and for a query alike.
//!
//! A word is lower case, without accents, and English words are cut to their stems. `parseRequest`, `well-known` and
//! `1.0.21` are found whole and by their parts. A script that is written without spaces is cut into pairs of letters.

mod plain;
mod query;
mod stem;
mod units;

pub use query::{QueryTerm, TermForm, query_terms};
pub(crate) use query::{is_common, is_common_stem, stem_word};

use plain::push_plain;
pub(crate) use plain::to_plain;
use stem::push_stem;
use units::{CONNECTORS, camel_parts};
pub(crate) use units::{TextUnit, units};

/// Longer than any word; what is longer is data, and nobody types it.
const LONGEST: usize = 64;

/// A text's words in two columns, each with one space between its words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Terms {
    /// The words in the order of the text, so that phrases can be found.
    pub words: String,
    /// Joined words as a whole, and the parts of words that are written as one.
    pub parts: String,
}

impl Terms {
    pub fn from_text(text: &str) -> Self {
        let mut terms = Self::default();
        terms.add(text);
        terms
    }

    /// Adds the words of a further text.
    pub fn add(&mut self, text: &str) {
        self.words.reserve(text.len());
        units(text, |unit| match unit {
            TextUnit::Dense(run) => push_pairs(&mut self.words, run),
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

/// Digits with connectors between them: a version, a date, a number.
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

/// Adds a word in the form in which words are compared.
fn push_word(column: &mut String, word: &str) {
    space(column);
    if word.is_ascii() {
        return push_stem(column, word.as_bytes());
    }
    let plain = to_plain(word);
    if plain.is_ascii() { push_stem(column, plain.as_bytes()) } else { column.push_str(&plain) }
}

/// Adds the overlapping pairs of letters of a run; a letter alone stands for itself.
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
