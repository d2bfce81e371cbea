//! Finds the names of notes in running text, all names in one pass.
//!
//! Names match whole words in any case; among names that begin alike, the longest counts. How to treat a name that is
//! also an everyday word is for the caller to decide.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::LazyLock;

use crate::edit::autolink::is_whole_word;
use crate::prose::phrases::StopWords;
use crate::words::SEED;
use crate::words::shingles::mix_hash;
use crate::words::terms::to_plain;
use crate::words::word_list::WordList;
use crate::{Span, Words};

/// The names to find, each by its number.
#[derive(Debug, Default)]
pub struct NameFinder {
    /// Entries by the hash of their first words; an entry is stored under the hash of all its words.
    by_beginning: HashMap<u64, Vec<NameEntry>, BuildHasherDefault<IdentityHasher>>,
}

#[derive(Debug)]
struct NameEntry {
    number: usize,
    /// The text between its words.
    gaps: Vec<String>,
}

impl NameFinder {
    /// Takes the names in the order of their numbers. A name without a word is never found.
    pub fn new<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let mut finder = Self::default();
        for (number, name) in names.into_iter().enumerate() {
            let words = Words::from_text(name);
            let gaps = words.spans.windows(2).map(|two| name[two[0].end..two[1].start].to_owned()).collect();
            let mut beginning = SEED;
            for word in &words.hashes {
                beginning = mix_hash(beginning, *word);
                finder.by_beginning.entry(beginning).or_default();
            }
            if let Some(ends) = finder.by_beginning.get_mut(&beginning) {
                ends.push(NameEntry { number, gaps });
            }
        }
        finder
    }

    /// Calls `found` with the number and span of each name outside of `closed`, which is sorted and disjoint. Several
    /// names with the same words are all found.
    pub fn find_names(&self, text: &str, words: &Words, closed: &[Span], mut found: impl FnMut(usize, Span)) {
        let mut at = 0;
        let mut ends: Vec<(usize, &[NameEntry])> = Vec::new();
        while at < words.len() {
            let mut beginning = SEED;
            for (length, word) in words.hashes[at..].iter().enumerate() {
                beginning = mix_hash(beginning, *word);
                let Some(names) = self.by_beginning.get(&beginning) else { break };
                ends.push((length + 1, names));
            }
            let mut taken = 1;
            while let Some((length, names)) = ends.pop() {
                let spans = &words.spans[at..at + length];
                let span = spans[0].start..spans[length - 1].end;
                let fits = |name: &&NameEntry| name.fits(text, spans);
                let mut fitting = names.iter().filter(fits).peekable();
                if fitting.peek().is_some() && is_outside(closed, &span) && is_whole_word(text, &span) {
                    fitting.for_each(|name| found(name.number, span.clone()));
                    taken = length;
                    ends.clear();
                }
            }
            at += taken;
        }
    }
}

impl NameEntry {
    /// Whether the text between the words is that of the name, or only white space.
    fn fits(&self, text: &str, spans: &[Span]) -> bool {
        spans.windows(2).zip(&self.gaps).all(|(two, gap)| {
            let between = &text[two[0].end..two[1].start];
            between == gap || !between.is_empty() && between.trim().is_empty() && !between.contains("\n\n")
        })
    }
}

fn is_outside(closed: &[Span], span: &Span) -> bool {
    let next = closed.partition_point(|other| other.end <= span.start);
    closed.get(next).is_none_or(|other| other.start >= span.end)
}

/// Whether a word is an everyday word, whose occurrence says nothing about a note with that name.
pub fn is_everyday_word(word: &str) -> bool {
    static WORDS: LazyLock<WordList> = LazyLock::new(|| WordList::new(include_str!("mentions/everyday.txt")));
    let word = to_plain(word);
    let singular = word.strip_suffix('s').unwrap_or(&word);
    WORDS.has(&word) || WORDS.has(singular) || StopWords::is_stop_word(&word)
}

/// A hasher for numbers that are hashes already.
#[derive(Debug, Default)]
struct IdentityHasher(u64);

impl Hasher for IdentityHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = self.0.rotate_left(8) ^ u64::from(*byte));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Note;

    fn spotted(names: &[&str], text: &str) -> Vec<(usize, String)> {
        let mut found = Vec::new();
        let closed = Note::parse(text).unlinkable_spans(text);
        let finder = NameFinder::new(names.iter().copied());
        finder.find_names(text, &Words::from_text(text), &closed, |name, span| {
            found.push((name, text[span].to_owned()))
        });
        found
    }

    #[test]
    fn whole_words_are_found_whatever_their_case_and_the_longest_name_counts() {
        let names = ["Varroa", "Varroa mite", "Node.js"];
        let text = "The varroa\nMITE and Varroa's kin; varroas and Node.js, not lib/Varroa.";
        let found = spotted(&names, text);
        assert_eq!(
            found,
            [(1, "varroa\nMITE".to_owned()), (0, "Varroa".to_owned()), (2, "Node.js".to_owned())]
        );
    }

    #[test]
    fn nothing_is_found_in_links_code_tags_addresses_and_frontmatter() {
        let text = "---\nx: Varroa\n---\n[[Varroa]] `Varroa` #Varroa https://x.example/Varroa [Varroa](a.md)\n\n```\nVarroa\n```\n";
        assert_eq!(spotted(&["Varroa"], text), []);
    }

    #[test]
    fn words_of_a_name_that_stand_apart_are_not_the_name() {
        assert_eq!(spotted(&["Linden hive"], "Linden. Hive.\n\nLinden\n\nhive, linden-hive"), []);
        assert_eq!(spotted(&["Linden, hive"], "linden, hive").len(), 1);
    }

    #[test]
    fn two_notes_of_one_name_are_both_found() {
        assert_eq!(spotted(&["Hive", "hive"], "The hive.").len(), 2);
    }

    #[test]
    fn words_of_every_day_are_known() {
        for word in ["Reading", "Ideas", "the", "Über"] {
            assert!(is_everyday_word(word), "{word}");
        }
        for word in ["Varroa", "Kubernetes", "Quartz"] {
            assert!(!is_everyday_word(word), "{word}");
        }
    }
}
