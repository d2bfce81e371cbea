//! A fixed list of words with a fast lookup.
//!
//! The lists are part of the source, so the hash need not resist chosen words: only listed words are stored.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

use crate::words::terms::to_plain;
use crate::words::{PRIME, SEED};

/// A fixed set of words.
#[derive(Debug, Default)]
pub(crate) struct WordList(HashSet<String, BuildHasherDefault<Fnv>>);

impl WordList {
    /// Builds the list from words separated by white space, as they are written.
    pub fn new(words: &str) -> Self {
        Self(words.split_whitespace().map(str::to_owned).collect())
    }

    /// Builds the list from words separated by white space, in lower case and without accents.
    pub fn new_plain(words: &str) -> Self {
        Self(words.split_whitespace().map(to_plain).collect())
    }

    /// Whether the word is listed.
    pub fn has(&self, word: &str) -> bool {
        self.0.contains(word)
    }
}

/// The FNV-1a hasher.
#[derive(Debug)]
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(SEED)
    }
}

impl Hasher for Fnv {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(PRIME));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_listed_is_found_and_nothing_else() {
        let words = WordList::new("über  under\nÜber");
        assert!(["über", "under", "Über"].iter().all(|word| words.has(word)));
        assert!(["", "uber", "unde", "underx"].iter().all(|word| !words.has(word)));
        assert!(WordList::new_plain("Über").has("uber"));
    }
}
