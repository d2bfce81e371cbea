//! The sentences of passages that answer a query best.

mod candidate;

use std::collections::{BTreeMap, BTreeSet};

pub(super) use candidate::{SentenceCandidate, candidates, is_mostly_links, points_elsewhere};
use wellread_text::{SourceIndex, significant_words};

use super::passage::{Passage, Quote};

/// How similar two sentences may be for both to be quoted.
const MAX_SIMILARITY: f32 = 0.6;

/// The best sentences for a query, best first: at most `most`, and at most `per_source` of one source. No two of them
/// say the same. Passages are given in the order in which they were found.
pub fn find_quotes(query: &str, passages: &[Passage<'_>], most: usize, per_source: usize) -> Vec<Quote> {
    let query_words = significant_words(query);
    let candidates = candidates(passages);
    let weights = weights(&query_words, &candidates);
    let mut ranked: Vec<(f32, &SentenceCandidate<'_>)> = candidates
        .iter()
        .filter_map(|candidate| Some((candidate.score(&query_words, &weights)?, candidate)))
        .collect();
    ranked.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.order().cmp(&other.1.order())));

    let mut chosen: Vec<(&SentenceCandidate<'_>, Quote)> = Vec::new();
    let mut indexes: BTreeMap<usize, SourceIndex> = BTreeMap::new();
    for (score, candidate) in ranked {
        if chosen.len() == most {
            break;
        }
        let of_source = chosen.iter().filter(|(other, _)| other.of.source == candidate.of.source).count();
        if of_source >= per_source
            || chosen.iter().any(|(other, _)| sentence_similarity(other, candidate) >= MAX_SIMILARITY)
        {
            continue;
        }
        let held = indexes
            .entry(candidate.passage)
            .or_insert_with(|| SourceIndex::new(candidate.of.text, candidate.of.is_prose));
        if let Some(quoted) = candidate.quote(held) {
            let quote = candidate.of.quote(candidate.passage, &candidate.span, quoted, score);
            chosen.push((candidate, quote));
        }
    }
    chosen.into_iter().map(|(_, quote)| quote).collect()
}

/// The weight of each word of the query: higher, the fewer sentences have it.
fn weights(query_words: &[String], candidates: &[SentenceCandidate<'_>]) -> Vec<f32> {
    let all = candidates.len() as f32;
    let weight = |stem: &String| {
        let with = candidates.iter().filter(|candidate| candidate.stems.contains(stem)).count() as f32;
        (1.0 + (all - with + 0.5) / (with + 0.5)).ln() + 0.3
    };
    query_words.iter().map(weight).collect()
}

/// The share of the words of two sentences that both have.
pub(super) fn sentence_similarity(one: &SentenceCandidate<'_>, other: &SentenceCandidate<'_>) -> f32 {
    let set = |candidate: &SentenceCandidate<'_>| candidate.stems.iter().cloned().collect::<BTreeSet<_>>();
    let (one, other) = (set(one), set(other));
    let shared = one.intersection(&other).count() as f32;
    shared / (one.union(&other).count() as f32).max(1.0)
}
