//! Searches for names that were mistyped.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use wellread_text::{QueryTerm, is_misspelling};

use super::{PreparedQuery, Searcher};
use crate::Result;
use crate::ports::{PassageFilter, WordMatches};

/// The most names that a mistyped word stands for.
const MOST_NAMES: usize = 3;
/// The most words of a query that are corrected: one with more of them that occur nowhere is not a query with typos.
const MOST_CORRECTED: usize = 8;

/// A position in the query, and the names that stand for the mistyped word there.
type Correction = (usize, Vec<String>);

impl Searcher {
    /// The passages that match the words of the query. A word that occurs nowhere is replaced by names that are spelled almost
    /// like it.
    pub(super) fn match_words(
        &self,
        question: &mut PreparedQuery,
        filter: &PassageFilter,
        limit: usize,
    ) -> Result<WordMatches> {
        let passages = &self.library.passages;
        let found = passages.find_matching(&question.terms, filter, limit)?;
        let mut corrected = Vec::new();
        for (at, names) in self.find_corrections(&question.terms, &found.unknown, filter)? {
            corrected.push(format!("`{}`", question.terms[at].written));
            question.terms[at] = question.terms[at].clone().with_words(names);
        }
        if corrected.is_empty() {
            return Ok(found);
        }
        let notice =
            format!("searched for names spelled like {}, which occurs nowhere", corrected.join(" and "));
        question.notice = Some(match question.notice.take() {
            Some(earlier) => format!("{earlier}; {notice}"),
            None => notice,
        });
        passages.find_matching(&question.terms, filter, limit)
    }

    /// The names in the searched corpora that unknown words may be misspellings of. Listing the names is the expensive part: it
    /// is done once for each first letter, and for no word that can't be one.
    fn find_corrections(
        &self,
        terms: &[QueryTerm],
        unknown: &[usize],
        filter: &PassageFilter,
    ) -> Result<Vec<Correction>> {
        let mut names_by_letter: BTreeMap<char, Vec<String>> = BTreeMap::new();
        let mut corrections = Vec::new();
        let words = unknown.iter().filter_map(|&at| Some((at, terms[at].correctable_word()?)));
        for (at, word) in words.take(MOST_CORRECTED) {
            let Some(first) = word.chars().next() else { continue };
            let names = match names_by_letter.entry(first) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(missing) => missing.insert(self.library.passages.list_names(first, filter)?),
            };
            let nearest = nearest_names(&terms[at], word, names);
            if !nearest.is_empty() {
                corrections.push((at, nearest));
            }
        }
        Ok(corrections)
    }
}

/// Those of the names that the word of a term may be a misspelling of, nearest first.
fn nearest_names(term: &QueryTerm, word: &str, names: &[String]) -> Vec<String> {
    let is_similar = |name: &str| is_misspelling(word, name) || is_ending_mistyped(&term.written, name);
    let mut similar: Vec<&String> = names.iter().filter(|name| is_similar(name)).collect();
    similar.sort_by_cached_key(|name| (term.count_mistakes(name), *name));
    similar.into_iter().take(MOST_NAMES).cloned().collect()
}

/// Whether a name is the stem of a word whose ending is mistyped: `organisatiens`. What is left of the word may be as long as an
/// ending, which is shorter after a short stem.
fn is_ending_mistyped(written: &str, stem: &str) -> bool {
    let longest = match stem.len() {
        0..5 => 0,
        5..7 => 3,
        _ => 6,
    };
    let rest = written.to_lowercase().strip_prefix(stem).map_or(0, str::len);
    (1..=longest).contains(&rest)
}

#[cfg(test)]
mod tests {
    use wellread_text::{QueryTerm, TermForm};

    use super::{is_ending_mistyped, nearest_names};

    #[test]
    fn the_nearest_names_are_taken_whatever_their_place_in_the_alphabet() {
        let written = "fermentation";
        let term = QueryTerm::from_form(TermForm::Word(written.to_owned()));
        let names = ["farmantation", "farmentatien", "farmentetion", "fermenter", "fermentatiom", "fish"];
        let nearest = nearest_names(&term, written, &names.map(str::to_owned));
        assert_eq!(nearest, ["fermentatiom", "farmantation", "farmentatien"]);
    }

    #[test]
    fn a_mistyped_ending_leaves_the_stem() {
        for (written, stem) in
            [("securety", "secur"), ("Organisatiens", "organis"), ("conventiens", "convent")]
        {
            assert!(is_ending_mistyped(written, stem), "{written}");
        }
        for (written, stem) in
            [("queensland", "queen"), ("portable", "port"), ("hive", "honey"), ("secur", "secur")]
        {
            assert!(!is_ending_mistyped(written, stem), "{written}");
        }
    }
}
