//! Ranks the nodes of a neighborhood by relevance.

use std::collections::{BTreeMap, BTreeSet};

use wellread_text::{Terms, query_terms};

use super::expand::RawNeighborhood;
use super::files::NodeKey;
use super::{Certainty, EdgeKind};

/// The number of iterations.
const ROUNDS: usize = 20;
/// The share of a node's weight that is passed on to its neighbors.
const PASSED: f64 = 0.7;

/// The weights of the nodes by a personalized PageRank that starts at the seeds.
pub(super) fn weights(seeds: &[NodeKey], reached: &RawNeighborhood) -> BTreeMap<NodeKey, f64> {
    let mut near: BTreeMap<NodeKey, Vec<(NodeKey, f64)>> = BTreeMap::new();
    for arc in &reached.arcs {
        let strength = match arc.kind {
            EdgeKind::Calls => 1.0,
            EdgeKind::Implements => 0.8,
            EdgeKind::Contains => 0.4,
            EdgeKind::Imports => 0.3,
        };
        let strength = if arc.certainty == Certainty::Certain { strength } else { strength * 0.6 };
        near.entry(arc.from).or_default().push((arc.to, strength));
        near.entry(arc.to).or_default().push((arc.from, strength));
    }
    let share = 1.0 / seeds.len().max(1) as f64;
    let home: BTreeMap<NodeKey, f64> = seeds.iter().map(|&seed| (seed, share)).collect();
    let mut weights = home.clone();
    for _ in 0..ROUNDS {
        let mut next: BTreeMap<NodeKey, f64> =
            home.iter().map(|(&spot, &weight)| (spot, weight * (1.0 - PASSED))).collect();
        for (spot, weight) in &weights {
            let Some(near) = near.get(spot) else { continue };
            let all: f64 = near.iter().map(|(_, strength)| strength).sum();
            for (other, strength) in near {
                *next.entry(*other).or_default() += PASSED * weight * strength / all;
            }
        }
        weights = next;
    }
    weights
}

/// The share of the question's words that occur in a text, from 0 to 1; 0 without a question.
pub(super) fn overlap(question: &[String], text: &str) -> f64 {
    if question.is_empty() {
        return 0.0;
    }
    let Terms { words, parts } = Terms::from_text(text);
    let known: BTreeSet<&str> = words.split(' ').chain(parts.split(' ')).collect();
    let found = question.iter().filter(|word| known.contains(word.as_str())).count();
    found as f64 / question.len() as f64
}

/// The search terms of a question, sorted, each once.
pub(super) fn words(question: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for term in query_terms(question) {
        let Terms { words: whole, parts } = Terms::from_text(&term.written);
        words.extend(
            whole.split(' ').chain(parts.split(' ')).filter(|word| !word.is_empty()).map(str::to_owned),
        );
    }
    words.sort();
    words.dedup();
    words
}
