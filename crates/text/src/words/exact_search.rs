//! Exact search for many texts in one pass over another text.

use std::collections::BTreeMap;

use aho_corasick::AhoCorasick;

/// How many bytes of a text the automaton looks for; the rest is compared at each hit.
const KEY: usize = 48;

/// At most this many places of one text are reported.
const MOST: usize = 16;

/// How many hits of one text's key are compared before the search for that text ends.
const MOST_TRIES: usize = 100_000;

/// Finds many texts at once, byte for byte.
#[derive(Debug)]
pub struct ExactSearch<'a> {
    texts: Vec<&'a str>,
    /// Where in its text each key begins.
    offsets: Vec<usize>,
    finder: Option<AhoCorasick>,
}

impl<'a> ExactSearch<'a> {
    /// Prepares the search. A text of nothing but white space is never found.
    pub fn new(texts: Vec<&'a str>) -> Self {
        let keys: Vec<(usize, &str)> = texts.iter().map(|text| key(text)).collect();
        let finder = AhoCorasick::new(keys.iter().map(|(_, key)| key)).ok();
        Self { texts, offsets: keys.iter().map(|(offset, _)| *offset).collect(), finder }
    }

    /// The places of each text in `text`, by the number of the text: the first sixteen places of each.
    pub fn find_places(&self, text: &str) -> BTreeMap<usize, Vec<usize>> {
        let mut places: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut tries = vec![0; self.texts.len()];
        for found in self.finder.iter().flat_map(|finder| finder.find_overlapping_iter(text)) {
            let which = found.pattern().as_usize();
            let Some(start) = found.start().checked_sub(self.offsets[which]) else { continue };
            tries[which] += 1;
            let wanted = self.texts[which].as_bytes();
            let enough = tries[which] > MOST_TRIES || places.get(&which).is_some_and(|at| at.len() >= MOST);
            if !enough && !found.is_empty() && text.as_bytes()[start..].starts_with(wanted) {
                places.entry(which).or_default().push(start);
            }
        }
        places
    }
}

/// The longest line of a text, cut to `KEY` bytes, and where it begins: the line least likely to occur by chance.
fn key(text: &str) -> (usize, &str) {
    let mut longest = (0, "");
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let cut = line.trim();
        if cut.len() > longest.1.len() {
            longest = (at + (line.len() - line.trim_start().len()), cut);
        }
        at += line.len();
    }
    let (offset, line) = longest;
    (offset, &line[..line.floor_char_boundary(KEY)])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn all_texts_are_found_in_one_pass() {
        let search = ExactSearch::new(vec!["bee\n  honey\n", "honey", "wax", "honey"]);
        let places = search.find_places("a bee\n  honey\nand honey\n");
        assert_eq!(places, BTreeMap::from([(0, vec![2]), (1, vec![8, 18]), (3, vec![8, 18])]));
        assert!(search.find_places("").is_empty());
        assert!(ExactSearch::new(vec![]).find_places("x").is_empty());
        assert!(ExactSearch::new(vec!["", " \n"]).find_places("x \n y").is_empty());
    }

    #[test]
    fn a_text_that_is_everywhere_is_told_sixteen_times() {
        assert_eq!(
            ExactSearch::new(vec!["aa"]).find_places(&"a".repeat(200))[&0],
            (0..16).collect::<Vec<_>>()
        );
    }

    proptest! {
        #[test]
        fn it_finds_what_a_plain_search_finds(text in "[ab\\n é]{0,60}", wanted in "[ab\\n é]{1,5}") {
            prop_assume!(!wanted.trim().is_empty());
            let plain: Vec<usize> = text
                .char_indices()
                .map(|(at, _)| at)
                .filter(|&at| text[at..].starts_with(&wanted))
                .take(MOST)
                .collect();
            let found = ExactSearch::new(vec![&wanted]).find_places(&text).remove(&0).unwrap_or_default();
            prop_assert_eq!(found, plain);
        }
    }
}
