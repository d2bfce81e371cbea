//! Recognizes names in running text: capitalized words that do not begin a sentence.

use super::{name_key, word_runs};
use crate::words::scripts::is_unspaced;
use crate::words::terms::is_common;

/// Words that often begin a sentence, in addition to the common words of queries.
const OPENERS: [&str; 111] = [
    "according",
    "additionally",
    "after",
    "again",
    "all",
    "almost",
    "along",
    "also",
    "although",
    "among",
    "another",
    "because",
    "before",
    "below",
    "besides",
    "between",
    "beyond",
    "both",
    "briefly",
    "compared",
    "consequently",
    "contrary",
    "current",
    "despite",
    "during",
    "each",
    "earlier",
    "either",
    "even",
    "every",
    "few",
    "finally",
    "first",
    "furthermore",
    "given",
    "he",
    "hence",
    "her",
    "here",
    "his",
    "however",
    "in",
    "indeed",
    "instead",
    "it",
    "last",
    "late",
    "later",
    "like",
    "likewise",
    "many",
    "meanwhile",
    "moreover",
    "most",
    "much",
    "near",
    "neither",
    "new",
    "next",
    "no",
    "nonetheless",
    "nor",
    "note",
    "nothing",
    "now",
    "old",
    "once",
    "one",
    "only",
    "other",
    "others",
    "otherwise",
    "our",
    "over",
    "overall",
    "per",
    "rather",
    "second",
    "several",
    "she",
    "should",
    "similarly",
    "since",
    "some",
    "sometimes",
    "still",
    "such",
    "summary",
    "though",
    "through",
    "throughout",
    "thus",
    "together",
    "too",
    "two",
    "under",
    "unlike",
    "until",
    "upon",
    "use",
    "using",
    "via",
    "whereas",
    "whether",
    "while",
    "within",
    "without",
    "would",
    "yes",
    "yet",
    "your",
];

/// Capitalized words that are never names.
const PLAIN: [&str; 6] = ["i", "ok", "a", "an", "the", "no"];

/// The words of the names of a text in comparable form, and its first word if that may be a name.
pub(super) fn names(text: &str) -> (Vec<String>, Option<String>) {
    let all: Vec<(usize, &str)> = word_runs(text).collect();
    let (mut names, mut opener) = (Vec::new(), None);
    let mut end = 0;
    for (index, &(start, run)) in all.iter().enumerate() {
        let begins = index == 0 || text[end..start].contains(['.', '!', '?', ':', ';', '|', '(', '"']);
        end = start + run.len();
        if run.contains(is_unspaced)
            || !run.starts_with(char::is_uppercase) && !is_mixed(run)
            || PLAIN.contains(&run.to_lowercase().as_str())
        {
            continue;
        }
        let inner = run.chars().skip(1).any(|letter| letter.is_uppercase() || letter.is_ascii_digit())
            || is_mixed(run);
        if begins && !inner {
            let next = all.get(index + 1).filter(|(next, _)| {
                text[end..*next].trim_matches(['-', '\'']) == " " || &text[end..*next] == "-"
            });
            let named = next.is_some_and(|(_, next)| {
                next.starts_with(char::is_uppercase) && !PLAIN.contains(&next.to_lowercase().as_str())
            });
            if is_ordinary(run) {
                continue;
            }
            if !named {
                opener = opener.or_else(|| Some(name_key(run)));
                continue;
            }
        }
        names.push(name_key(run));
    }
    (names, opener)
}

/// Whether the run mixes letters and digits: `x86`, `3fa81b2`.
fn is_mixed(run: &str) -> bool {
    run.contains(|letter: char| letter.is_ascii_digit()) && run.contains(char::is_alphabetic)
}

fn is_ordinary(run: &str) -> bool {
    let lower = run.to_lowercase();
    is_common(&lower)
        || OPENERS.contains(&lower.as_str())
        || lower.len() > 5 && ["ly", "ing", "ed"].iter().any(|ending| lower.ends_with(ending))
}
