//! The sentences of passages that answer a query best.

mod candidate;

use std::collections::{BTreeMap, BTreeSet};

use candidate::{Candidate, candidates};
use wellread_text::{Held, telling_words};

use super::passage::{Passage, Quote};

/// How alike two sentences may be for both to be quoted.
const ALIKE: f32 = 0.6;

/// The best sentences for a query, best first: at most so many, and of one source at most `per_source`. No two of them
/// say the same. Passages come in the order in which they were found.
pub fn sentences_for(query: &str, passages: &[Passage<'_>], most: usize, per_source: usize) -> Vec<Quote> {
    let asked = telling_words(query);
    let candidates = candidates(passages);
    let weights = weights(&asked, &candidates);
    let mut ranked: Vec<(f32, &Candidate<'_>)> = candidates
        .iter()
        .filter_map(|candidate| Some((candidate.score(&asked, &weights)?, candidate)))
        .collect();
    ranked.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.order().cmp(&other.1.order())));

    let mut chosen: Vec<(&Candidate<'_>, Quote)> = Vec::new();
    let mut helds: BTreeMap<usize, Held> = BTreeMap::new();
    for (score, candidate) in ranked {
        if chosen.len() == most {
            break;
        }
        let of_source = chosen.iter().filter(|(other, _)| other.of.source == candidate.of.source).count();
        if of_source >= per_source || chosen.iter().any(|(other, _)| alike(other, candidate) >= ALIKE) {
            continue;
        }
        let held = helds
            .entry(candidate.passage)
            .or_insert_with(|| Held::of(candidate.of.text, candidate.of.is_prose));
        if let Some(quoted) = candidate.quoted(held) {
            let quote = candidate.of.quote(candidate.passage, &candidate.span, quoted, score);
            chosen.push((candidate, quote));
        }
    }
    chosen.into_iter().map(|(_, quote)| quote).collect()
}

/// What each word of the query counts: more, the fewer sentences have it.
fn weights(asked: &[String], candidates: &[Candidate<'_>]) -> Vec<f32> {
    let all = candidates.len() as f32;
    let weight = |stem: &String| {
        let with = candidates.iter().filter(|candidate| candidate.stems.contains(stem)).count() as f32;
        (1.0 + (all - with + 0.5) / (with + 0.5)).ln() + 0.3
    };
    asked.iter().map(weight).collect()
}

fn alike(one: &Candidate<'_>, other: &Candidate<'_>) -> f32 {
    let set = |candidate: &Candidate<'_>| candidate.stems.iter().cloned().collect::<BTreeSet<_>>();
    let (one, other) = (set(one), set(other));
    let shared = one.intersection(&other).count() as f32;
    shared / (one.union(&other).count() as f32).max(1.0)
}
