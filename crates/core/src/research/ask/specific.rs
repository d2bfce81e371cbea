//! Decides whether a question can be looked up, or needs a question back first.

use wellread_text::fold;

/// English and French question words, as they begin a question.
const QUESTION_WORDS: [&str; 18] = [
    "what", "how", "why", "when", "where", "who", "which", "que", "quel", "quelle", "quels", "quelles", "qu",
    "comment", "pourquoi", "quand", "où", "qui",
];
/// From this many words on, a question is specific enough.
const ENOUGH: usize = 3;

/// Whether a question has at least three words, or begins with a question word.
pub fn is_specific(question: &str) -> bool {
    let question = question.replace('’', "'");
    let words: Vec<&str> =
        question.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).collect();
    let Some(first) = words.first() else { return false };
    let first = first.split('\'').next().unwrap_or_default();
    let first = first.trim_matches(|letter: char| !letter.is_alphanumeric());
    // Compared in lower case as well as folded, for `où`.
    let first = first.to_lowercase();
    words.len() >= ENOUGH || QUESTION_WORDS.iter().any(|word| first == *word || fold(&first) == fold(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_words_without_a_question_word_are_asked_back() {
        for broad in [
            "",
            "   ",
            "?!",
            "bees",
            "Bees?",
            "honey bees",
            "« abeilles »",
            "tell me",
            "ou bien",
            "whatever",
            "… …",
        ] {
            assert!(!is_specific(broad), "{broad}");
        }
        for specific in [
            "what?",
            "Why",
            "HOW!",
            "who's there",
            "Où ?",
            "où",
            "qu’est-ce",
            "Qu'est-ce que",
            "Quelle heure",
            "QUELS",
            "comment",
            "pourquoi pas",
            "three words here",
            "bees honey wax",
            "¿what",
            "which:",
        ] {
            assert!(is_specific(specific), "{specific}");
        }
    }
}
