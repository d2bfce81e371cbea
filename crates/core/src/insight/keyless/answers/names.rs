//! Whom a question names, and which notes are about somebody else.
//!
//! What a note about Morag says of "her" work is no answer to a question about Tam, though it has every other word of it.

use std::collections::{BTreeMap, BTreeSet};

use super::unit::{AnswerUnit, stems};
use super::words::has_stem;
use crate::insight::keyless::passage::Passage;
use crate::insight::keyless::question::{AskedQuestion, is_german};

/// The most words of a name.
const LONGEST_NAME: usize = 3;
/// Folders of notes about people.
pub(in crate::insight::keyless) const PEOPLE: [&str; 9] =
    ["people", "persons", "contacts", "friends", "personen", "leute", "kontakte", "personnes", "contactos"];
/// Words by which a text speaks of a person.
const PERSONAL: [&str; 8] = ["he", "she", "his", "her", "er", "seine", "ihre", "elle"];
/// Words before the name of a place, or before what belongs to a name.
const BEFORE_PLACES: [&str; 16] = [
    "in", "at", "from", "to", "near", "of", "for", "nach", "aus", "von", "bei", "de", "du", "en", "à", "the",
];

/// The names in a question, and the notes that are about a person.
pub(super) struct Names<'a> {
    /// The stems of the question's terms that are names.
    asked: BTreeSet<String>,
    /// The stems of the names of notes, by their sources.
    notes: BTreeMap<&'a str, Vec<String>>,
}

impl<'a> Names<'a> {
    /// Reads the names of a question as it was written, beside the passages that were found for it.
    pub fn read(question: &str, asked: &AskedQuestion, passages: &[Passage<'a>]) -> Self {
        let common: BTreeSet<&str> = passages.iter().flat_map(|passage| small_words(passage.text)).collect();
        let speaks_of_person =
            |passage: &&Passage<'a>| small_words(passage.text).any(|word| PERSONAL.contains(&word));
        let personal: BTreeSet<&str> =
            passages.iter().filter(speaks_of_person).map(|passage| passage.source).collect();
        let is_person = |passage: &&Passage<'_>| {
            let folders = passage.folder().to_lowercase();
            let is_listed = folders.split('/').any(|folder| PEOPLE.contains(&folder));
            is_listed || personal.contains(passage.source) && is_name(passage.title(), &common)
        };
        let notes: BTreeMap<&str, Vec<String>> = passages
            .iter()
            .filter(|passage| passage.is_prose)
            .filter(is_person)
            .map(|passage| (passage.source, stems(passage.title())))
            .collect();
        let written: BTreeSet<String> = large_words(question).flat_map(stems).collect();
        let is_name = |stem: &&String| {
            has_stem(written.iter(), stem) || notes.values().any(|name| has_stem(name.iter(), stem))
        };
        let asked = asked.terms.iter().map(|term| &term.stem).filter(is_name).cloned().collect();
        Self { asked, notes }
    }

    /// Whether the unit's note is about another than the question names, and the unit and what stands above it name none of those.
    pub fn are_others(&self, unit: &AnswerUnit<'_>, question: &AskedQuestion) -> bool {
        let Some(own) = self.notes.get(unit.of.source) else { return false };
        let is_asked = |name: &String| has_stem(self.asked.iter(), name);
        let mut asked = question.terms.iter().filter(|term| self.asked.contains(&term.stem)).peekable();
        asked.peek().is_some() && !own.iter().any(is_asked) && asked.all(|term| unit.holds(term) == 0.0)
    }
}

/// Whether a title consists of words that are written large wherever they stand.
fn is_name(title: &str, common: &BTreeSet<&str>) -> bool {
    let words: Vec<&str> = title.split_whitespace().collect();
    let is_proper = |word: &&str| {
        let mut letters = word.chars();
        letters.next().is_some_and(char::is_uppercase)
            && letters.all(|letter| letter.is_lowercase() || ".'’-".contains(letter))
            && !common.contains(word.to_lowercase().as_str())
            && wellread_text::significant_words(word).len() == 1
    };
    (1..=LONGEST_NAME).contains(&words.len()) && words.iter().all(is_proper)
}

/// The words of a text that are written small.
pub(in crate::insight::keyless) fn small_words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| word.starts_with(char::is_lowercase))
}

/// The words of a question that are written large, besides its first and the names of places. In German all nouns are.
fn large_words(question: &str) -> impl Iterator<Item = &str> {
    let words = question.split(|letter: char| !(letter.is_alphanumeric() || letter == '-'));
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let is_name = |pair: &&[&str]| {
        pair[1].starts_with(char::is_uppercase) && !BEFORE_PLACES.contains(&pair[0].to_lowercase().as_str())
    };
    let names: Vec<&str> = words.windows(2).filter(is_name).map(|pair| pair[1]).collect();
    names.into_iter().filter(|_| !is_german(question))
}
