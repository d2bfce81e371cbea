//! Whether a word is another one, mistyped.

use super::terms::{QueryTerm, TermForm};

/// A shorter word has too many neighbors.
const SHORTEST: usize = 5;
/// From this length on, a word may have two mistakes.
const LONG: usize = 9;

/// Whether one of two different words is probably a misspelling of the other: the same first letter, and one letter
/// missing, added, wrong, or swapped with the next; two such mistakes in a long word. Short words, and words with anything but
/// letters, never are.
pub fn is_misspelling(word: &str, other: &str) -> bool {
    let (word, other): (Vec<char>, Vec<char>) = (word.chars().collect(), other.chars().collect());
    let shorter = word.len().min(other.len());
    if shorter < SHORTEST || word == other || word.first() != other.first() {
        return false;
    }
    if !word.iter().chain(&other).all(|letter| letter.is_alphabetic()) {
        return false;
    }
    let most = if shorter >= LONG { 2 } else { 1 };
    word.len().abs_diff(other.len()) <= most && count_mistakes(&word, &other) <= most
}

impl QueryTerm {
    /// The word of the index that the term stands for, if it can be a misspelling at all: a single word of letters only, and of
    /// enough of them.
    pub fn correctable_word(&self) -> Option<&str> {
        let [TermForm::Word(word)] = &self.forms[..] else { return None };
        let is_correctable = word.chars().count() >= SHORTEST && word.chars().all(char::is_alphabetic);
        is_correctable.then_some(word.as_str())
    }

    /// How far such a word is from another: how many letters have to be added, removed, replaced, or swapped with the next.
    pub fn count_mistakes(&self, other: &str) -> Option<usize> {
        let word: Vec<char> = self.correctable_word()?.chars().collect();
        let other: Vec<char> = other.chars().collect();
        Some(count_mistakes(&word, &other))
    }
}

/// How many letters have to be added, removed, replaced, or swapped with the next.
fn count_mistakes(word: &[char], other: &[char]) -> usize {
    let mut before: Vec<usize> = vec![0; other.len() + 1];
    let mut last: Vec<usize> = (0..=other.len()).collect();
    for (row, letter) in word.iter().enumerate() {
        let mut current = vec![row + 1; other.len() + 1];
        for (column, wanted) in other.iter().enumerate() {
            let replaced = last[column] + usize::from(letter != wanted);
            let mut least = replaced.min(last[column + 1] + 1).min(current[column] + 1);
            let swapped = row > 0 && column > 0 && word[row - 1] == *wanted && *letter == other[column - 1];
            if swapped {
                least = least.min(before[column - 1] + 1);
            }
            current[column + 1] = least;
        }
        before = last;
        last = current;
    }
    last[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_mistake_is_a_misspelling_and_two_are_in_a_long_word() {
        for (word, other) in [
            ("quetzel", "quetzal"),
            ("quetzl", "quetzal"),
            ("quezalt", "quezatl"),
            ("quettzal", "quetzal"),
            ("fermantasion", "fermentation"),
        ] {
            assert!(is_misspelling(word, other) && is_misspelling(other, word), "{word} {other}");
        }
    }

    #[test]
    fn other_words_are_not() {
        for (word, other) in [
            ("quetzal", "quetzal"),
            ("hive", "hives"),
            ("honey", "money"),
            ("espresso", "express"),
            ("batch7", "batch8"),
            ("", "a"),
        ] {
            assert!(!is_misspelling(word, other), "{word} {other}");
        }
    }

    #[test]
    fn only_a_word_of_enough_letters_can_be_corrected() {
        let word = |written: &str| QueryTerm::from_form(TermForm::Word(written.to_owned()));
        assert_eq!(word("quetzel").correctable_word(), Some("quetzel"));
        assert_eq!(word("größe").correctable_word(), Some("größe"));
        for written in ["", "hive", "größ", "2024", "batch7", "well-known", "12.345"] {
            assert_eq!(word(written).correctable_word(), None, "{written}");
            assert_eq!(word(written).count_mistakes("honey"), None, "{written}");
        }
        let phrase = TermForm::Phrase(vec!["quetzel".to_owned(), "birds".to_owned()]);
        assert_eq!(QueryTerm::from_form(phrase).correctable_word(), None);
        assert_eq!(QueryTerm::from_form(TermForm::Prefix("quetzel".to_owned())).correctable_word(), None);
    }

    #[test]
    fn a_name_is_as_far_as_there_are_mistakes() {
        let word = QueryTerm::from_form(TermForm::Word("fermantasion".to_owned()));
        for (name, mistakes) in [
            ("fermantasion", 0),
            ("fermentasion", 1),
            ("fermantsaion", 1),
            ("fermentation", 2),
            ("ferman", 6),
        ] {
            assert_eq!(word.count_mistakes(name), Some(mistakes), "{name}");
        }
    }
}
