//! Finds passages that resemble the text, by searching for its words.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::frames::StackTraces;
use super::places::definition_named;
use super::signals::{SignalKind, SignalsByFile};
use super::weights;
use crate::Result;
use crate::code::codebase::Codebase;
use crate::library::search::{Hit, Relevance, SearchMode, SearchRequest, Searcher};
use crate::ports::PassageFilter;

/// The most words of a query; more do not improve it.
const MOST_WORDS: usize = 80;
const HITS: usize = 30;
/// The number of hits within a scope, which may exclude most of them.
const HITS_WITHIN: usize = 300;
/// Hits below this share of the best score are ignored: they have only a word or two in common.
const LEAST: f32 = 0.2;
/// The same for weak hits.
const LEAST_OF_WEAK: f32 = 0.5;
const OF_A_FILE: usize = 3;

/// Adds signals for passages that match the words of the text. Returns the notice of the search, if there is one.
pub fn add_word_signals(
    search: &Searcher,
    codebase: &Codebase,
    traces: &StackTraces,
    text: &str,
    signals: &mut SignalsByFile,
) -> Result<Option<String>> {
    let query = query_words(traces.prose(text));
    if query.is_empty() {
        return Ok(None);
    }
    let (hits, notice) = search_codebase(search, codebase, &query, SearchMode::Hybrid)?;
    let best = hits.iter().map(|hit| hit.score).fold(0.0, f32::max);
    let sums = sum_by_file(&hits);
    let most = sums.values().copied().fold(f32::MIN_POSITIVE, f32::max);
    let least = |hit: &Hit| if hit.relevance == Relevance::Weak { LEAST_OF_WEAK } else { LEAST };
    for hit in hits.iter().filter(|hit| hit.score > best * least(hit)) {
        let sum = sums.get(hit.place.path.as_str()).copied().unwrap_or_default();
        // Of one file, the definition that matches best counts most.
        let own = 0.9 + 0.1 * hit.score / best;
        let weight = weights::WORDS * sum / most * own * test_weight(hit);
        let within = match hit.symbol() {
            Some(name) => definition_named(codebase, &hit.place.path, &name, hit.place.lines)?,
            None => None,
        };
        let (first, last) = hit.place.lines;
        signals.add(
            &hit.place.path,
            (SignalKind::Words, weight),
            format!("its words match, lines {first} to {last}"),
            within,
        );
    }
    Ok(notice)
}

/// The score of each file: the sum of its best passages, each of another definition.
fn sum_by_file(hits: &[Hit]) -> BTreeMap<&str, f32> {
    let mut seen = BTreeSet::new();
    let mut sums: BTreeMap<&str, f32> = BTreeMap::new();
    for hit in hits {
        let path = hit.place.path.as_str();
        let symbol = hit.symbol().unwrap_or_else(|| hit.place.lines.0.to_string());
        if seen.insert((path, symbol)) {
            *sums.entry(path).or_default() += hit.score * test_weight(hit);
        }
    }
    sums
}

/// The factor for a hit in a test module within the tested file; 1 for other hits.
pub fn test_weight(hit: &Hit) -> f32 {
    let is_test = hit.context.first().is_some_and(|outer| matches!(outer.as_str(), "tests" | "test"));
    if is_test { weights::OF_A_TEST } else { 1.0 }
}

/// The passages of the codebase within its scope, best first, and the notice of the search.
pub fn search_codebase(
    search: &Searcher,
    codebase: &Codebase,
    query: &str,
    mode: SearchMode,
) -> Result<(Vec<Hit>, Option<String>)> {
    let limit = if codebase.scope.is_all() { HITS } else { HITS_WITHIN };
    let filter = PassageFilter { corpora: Some(vec![codebase.corpus.clone()]), ..PassageFilter::default() };
    let request = SearchRequest { query: query.to_owned(), mode, filter, limit, per_file: OF_A_FILE };
    let answer = search.find(&request)?;
    let mut hits = answer.hits;
    hits.retain(|hit| codebase.scope.contains(&hit.place.path));
    hits.truncate(HITS);
    Ok((hits, answer.notice))
}

/// The words of the text without noise: numbers, hashes, addresses, dates, and commit trailers.
fn query_words<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    let mut seen = HashSet::new();
    let mut words = Vec::new();
    for line in lines.filter(|line| !is_trailer(line)) {
        for word in line.split_whitespace() {
            // A quotation mark would start a phrase.
            let word = word
                .trim_matches(|letter: char| !letter.is_alphanumeric() && letter != '_')
                .replace('"', " ");
            if is_noise(&word) || !seen.insert(word.to_lowercase()) {
                continue;
            }
            words.push(word);
            if words.len() == MOST_WORDS {
                return words.join(" ");
            }
        }
    }
    words.join(" ")
}

fn is_trailer(line: &str) -> bool {
    let line = line.trim_start();
    [
        "Signed-off-by:",
        "Co-authored-by:",
        "Reviewed-by:",
        "Author:",
        "Date:",
        "commit ",
        "index ",
        "diff --git",
    ]
    .iter()
    .any(|begin| line.starts_with(begin))
}

fn is_noise(word: &str) -> bool {
    let has_letter = word.chars().any(char::is_alphabetic);
    let is_hash = word.len() >= 7
        && word.bytes().any(|byte| byte.is_ascii_digit())
        && word.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    let is_moment = word.len() >= 8 && word.bytes().filter(u8::is_ascii_digit).count() * 2 > word.len();
    !has_letter
        || is_hash
        || is_moment
        || word.starts_with("0x")
        || word.contains("://")
        || word.contains('@')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_tell_nothing_are_left_out() {
        let text = "commit 3639b75aa\nThe export skips a frame (since 2026-03-01T09:30) 42 0xdeadbeef #12\n\
                    Signed-off-by: A <a@b.example>\nsee https://x.example/1 or deadbeef1 \"quoted words\" the";
        assert_eq!(query_words(text.lines()), "The export skips a frame since see or quoted words");
    }
}
