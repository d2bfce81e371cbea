//! Whether a word is another one, mistyped.

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
}
