//! What a stored text refers to: runs by their ids, pages by their hashes.

use std::collections::HashSet;

const HASH_DIGITS: usize = 64;

/// Tables with text that may refer to a run or a page, and the column of that text.
pub const REFERRING: [(&str, &str); 6] = [
    ("events", "event"),
    ("sessions", "state"),
    ("agendas", "state"),
    ("findings", "state"),
    ("happenings", "event"),
    ("answers", "answer"),
];

/// Whether a text has one of the ids as a word.
pub fn mentions_any(text: &str, ids: &HashSet<&str>) -> bool {
    text.split(|letter: char| !letter.is_ascii_alphanumeric()).any(|word| ids.contains(word))
}

/// Adds every run of hexadecimal digits that has the length of a hash.
pub fn collect_hashes(text: &[u8], found: &mut HashSet<String>) {
    for digits in text.split(|byte| !byte.is_ascii_hexdigit()).filter(|digits| digits.len() == HASH_DIGITS) {
        if let Ok(digits) = std::str::from_utf8(digits) {
            found.insert(digits.to_ascii_lowercase());
        }
    }
}
