//! Which passages contain the forms of a query: the lists of their words, read in one go, and what follows from them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use wellread_core::ports::PassageId;
use wellread_text::TermForm;

use super::damaged_error;
use super::word_list::{CountedPlace, WordPlace, split_words, unpack, unpack_counts};
use crate::index_format::CORPUS_SHIFT;
use crate::index_format::ranking::{Occurrence, field_weights};
use crate::postgres::failure::PgFailure;
use crate::postgres::session::Session;
use crate::postgres::value::{RowColumns as _, values};

/// The shelf of a corpus's public files, or of its private ones.
pub fn shelf(corpus: i64, is_private: bool) -> i64 {
    2 * corpus + i64::from(is_private)
}

/// A form as words that follow each other; the last one may be the beginning of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    words: Vec<String>,
    is_prefix: bool,
}

impl Pattern {
    pub fn new(form: &TermForm) -> Self {
        let (text, is_prefix) = match form {
            TermForm::Word(word) => (word.clone(), false),
            TermForm::Phrase(words) => (words.join(" "), false),
            TermForm::Prefix(start) => (start.clone(), true),
        };
        // As an expression of FTS5 is quoted.
        Self { words: split_words(&text.replace('"', "")).collect(), is_prefix }
    }

    /// The words that are looked up as they are, and the beginning of one.
    fn parts(&self) -> (&[String], Option<&String>) {
        match self.words.split_last() {
            Some((last, rest)) if self.is_prefix => (rest, Some(last)),
            _ => (&self.words, None),
        }
    }
}

impl CountedPlace {
    pub fn occurrence(&self) -> Occurrence {
        let mut frequency = 0.0;
        // One by one in the order of the fields, as FTS5 adds them: the last bits of a sum depend on it.
        for (weight, count) in field_weights().into_iter().zip(self.counts) {
            (0..count).for_each(|_| frequency += weight);
        }
        Occurrence { passage: self.passage, frequency, length: self.length }
    }

    /// Whether it is in the title, in a heading or in the text.
    pub fn is_whole_word(&self) -> bool {
        let [title, heading, _, text, _] = self.counts;
        title + heading + text > 0
    }
}

/// The lists of words, by their shelf.
#[derive(Default)]
pub struct WordLists {
    words: HashMap<(i64, String), Vec<u8>>,
    /// By the beginning that the words have in common.
    beginning: HashMap<(i64, String), Vec<Vec<u8>>>,
}

impl WordLists {
    /// Reads what these forms need on these shelves.
    pub fn read(session: &Session, shelves: &[i64], patterns: &[Pattern]) -> Result<Self, PgFailure> {
        let mut lists = Self::default();
        let words: BTreeSet<String> =
            patterns.iter().flat_map(|pattern| pattern.parts().0).cloned().collect();
        if !words.is_empty() && !shelves.is_empty() {
            let sql = "SELECT shelf, term, string_agg(list, ''::bytea) FROM wellread.index_words \
                       WHERE space = $1 AND shelf = ANY($2) AND term = ANY($3) GROUP BY shelf, term";
            let words: Vec<String> = words.into_iter().collect();
            for row in session.query(sql, values![shelves.to_vec(), words])? {
                lists.words.insert((row.number(0)?, row.text(1)?), row.bytes(2)?);
            }
        }
        let beginnings: BTreeSet<&String> = patterns.iter().filter_map(|pattern| pattern.parts().1).collect();
        for start in beginnings {
            let sql = "SELECT shelf, string_agg(list, ''::bytea) FROM wellread.index_words \
                       WHERE space = $1 AND shelf = ANY($2) AND term >= $3 AND term < $4 GROUP BY shelf, term";
            let end = format!("{start}{}", char::MAX);
            for row in session.query(sql, values![shelves.to_vec(), start.as_str(), end])? {
                lists.beginning.entry((row.number(0)?, start.clone())).or_default().push(row.bytes(1)?);
            }
        }
        Ok(lists)
    }

    /// The passages on a shelf that contain a form, in the order of their ids.
    pub fn find(&self, shelf: i64, pattern: &Pattern) -> Result<Vec<CountedPlace>, PgFailure> {
        let (words, start) = pattern.parts();
        let base = (shelf >> 1) << CORPUS_SHIFT;
        let damaged = || damaged_error("the list of a word");
        let of_word = |word: &String| self.words.get(&(shelf, word.clone()));
        if let ([word], None) = (words, start) {
            let counted = of_word(word).map(|bytes| unpack_counts(bytes, base).ok_or_else(damaged));
            return Ok(counted.transpose()?.unwrap_or_default());
        }
        let read = |bytes: &Vec<u8>| unpack(bytes, base).ok_or_else(damaged);
        let mut lists = Vec::new();
        for word in words {
            lists.push(of_word(word).map(read).transpose()?.unwrap_or_default());
        }
        if let Some(start) = start {
            let all = self.beginning.get(&(shelf, start.clone()));
            lists.push(merge(all.into_iter().flatten().map(read).collect::<Result<Vec<_>, _>>()?));
        }
        let mut lists = lists.into_iter();
        let mut places = lists.next().unwrap_or_default();
        for (distance, next) in (1..).zip(lists) {
            places = follow(places, &next, distance);
        }
        Ok(places.iter().map(WordPlace::count).collect())
    }
}

/// The places of several words as if they were one.
fn merge(lists: Vec<Vec<WordPlace>>) -> Vec<WordPlace> {
    let mut merged: BTreeMap<PassageId, WordPlace> = BTreeMap::new();
    for place in lists.into_iter().flatten() {
        match merged.entry(place.passage) {
            std::collections::btree_map::Entry::Vacant(free) => drop(free.insert(place)),
            std::collections::btree_map::Entry::Occupied(mut known) => {
                for (all, more) in known.get_mut().positions.iter_mut().zip(place.positions) {
                    all.extend(more);
                    all.sort_unstable();
                }
            }
        }
    }
    merged.into_values().collect()
}

/// The places at which the next word of a phrase follows, so far from the first.
fn follow(places: Vec<WordPlace>, next: &[WordPlace], distance: u32) -> Vec<WordPlace> {
    let mut kept = Vec::new();
    for mut place in places {
        let Ok(at) = next.binary_search_by_key(&place.passage, |other| other.passage) else { continue };
        let Some(other) = next.get(at) else { continue };
        for (begins, follows) in place.positions.iter_mut().zip(&other.positions) {
            begins.retain(|begin| follows.binary_search(&(begin + distance)).is_ok());
        }
        if place.positions.iter().any(|positions| !positions.is_empty()) {
            kept.push(place);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_is_its_words_and_the_last_may_be_a_beginning() {
        let words = |form: TermForm| Pattern::new(&form).words;
        assert_eq!(words(TermForm::Word("C++ \"x\"".to_owned())), ["c", "x"]);
        assert_eq!(words(TermForm::Phrase(vec!["Queen".to_owned(), "bee".to_owned()])), ["queen", "bee"]);
        let beginning = Pattern::new(&TermForm::Prefix("well kno".to_owned()));
        assert_eq!(beginning.parts(), ([String::from("well")].as_slice(), Some(&"kno".to_owned())));
        assert!(words(TermForm::Word("+".to_owned())).is_empty());
    }

    #[test]
    fn a_phrase_is_where_its_words_follow_each_other() {
        let place = |passage: i64, positions: Vec<u32>| {
            let mut place = WordPlace { passage, ..WordPlace::default() };
            place.positions[3] = positions;
            place
        };
        let found = follow(vec![place(1, vec![0, 4]), place(2, vec![0])], &[place(1, vec![1, 9])], 1);
        assert_eq!(found, [place(1, vec![0])]);
        assert_eq!(merge(vec![vec![place(1, vec![4])], vec![place(1, vec![2])]]), [place(1, vec![2, 4])]);
    }
}
