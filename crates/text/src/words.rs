//! Words: comparing and finding texts by them.
//!
//! [`Words`] reads the words of a text once, each as a hash and a span, for everything that compares texts word by
//! word ([`Shingles`](crate::Shingles), [`Sketch`](crate::Sketch)). [`Terms`](crate::Terms) and
//! [`query_terms`](crate::query_terms) make the words of the full-text index and of its queries;
//! [`is_misspelling`](crate::is_misspelling) compares words that were mistyped;
//! [`ExactSearch`](crate::ExactSearch) and [`FuzzySearch`](crate::FuzzySearch) find passages again. `scripts` says
//! which scripts have no spaces between words.

pub(crate) mod exact_search;
pub(crate) mod fuzzy_search;
pub(crate) mod hashing;
pub(crate) mod misspelling;
pub(crate) mod scripts;
pub(crate) mod shingles;
pub(crate) mod sketch;
pub(crate) mod terms;
pub(crate) mod word_list;

use crate::Span;
use crate::words::hashing::{FNV_SEED, fnv_step};
use crate::words::terms::{TextUnit, to_plain, units};

/// The words of a text as hashes, with their spans.
///
/// Case and accents are ignored. Each letter of a script without spaces counts as a word. Hashes are the same on
/// every machine and in every version, so they may be stored.
#[derive(Debug, Clone, Default)]
pub struct Words {
    pub(crate) hashes: Vec<u64>,
    /// The bytes of each word.
    pub(crate) spans: Vec<Span>,
}

impl Words {
    /// Reads the words of a text.
    pub fn from_text(text: &str) -> Self {
        Self::from_part(text, 0..text.len())
    }

    /// Reads the words of a part of a text. Their spans are those of the whole text.
    pub fn from_part(text: &str, part: Span) -> Self {
        let mut words = Self::default();
        words.read(text, part);
        words
    }

    /// Reads the words of a part of a text into this value, reusing its memory.
    pub fn read(&mut self, text: &str, part: Span) {
        self.hashes.clear();
        self.spans.clear();
        let (start, part) = (part.start, &text[part]);
        let at = |inner: &str| start + (inner.as_ptr() as usize - part.as_ptr() as usize);
        units(part, |unit| match unit {
            TextUnit::Spaced(spaced) => {
                self.spans.push(at(spaced)..at(spaced) + spaced.len());
                self.hashes.push(hash_word(spaced));
            }
            TextUnit::Unspaced(run) => {
                for (offset, letter) in run.char_indices() {
                    let letter = &run[offset..offset + letter.len_utf8()];
                    self.spans.push(at(letter)..at(letter) + letter.len());
                    self.hashes.push(hash_word(letter));
                }
            }
        });
    }

    /// The number of words.
    pub fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Whether there are no words.
    pub fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }
}

fn hash_word(word: &str) -> u64 {
    let fnv =
        |bytes: &[u8]| bytes.iter().fold(FNV_SEED, |hash, byte| fnv_step(hash, byte.to_ascii_lowercase()));
    if word.is_ascii() { fnv(word.as_bytes()) } else { fnv(to_plain(word).as_bytes()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_the_same_whatever_its_case_and_accents_and_stands_where_it_stands() {
        let text = "Café, the CAFE: 蜜蜂!";
        let words = Words::from_text(text);
        let written: Vec<&str> = words.spans.iter().map(|span| &text[span.clone()]).collect();
        assert_eq!(written, ["Café", "the", "CAFE", "蜜", "蜂"]);
        assert_eq!(words.hashes[0], words.hashes[2]);
        assert_ne!(words.hashes[0], words.hashes[1]);
        assert_eq!(Words::from_part(text, 7..10).spans.first(), Some(&(7..10)));
    }
}
