//! Two rankings made into one.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::ports::{PassageId, Scored};

/// How a passage was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Provenance {
    Bm25,
    Vector,
    Hybrid,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    pub id: PassageId,
    /// Between 0 and 1.
    pub score: f32,
    pub provenance: Provenance,
}

/// How much the meaning counts beside the words.
const MEANING: f32 = 0.7;
/// Less alike than this is not alike: what is found by its meaning alone must be nearer.
const UNLIKE: f32 = 0.2;
/// What a passage's words say about its meaning while it has no vector yet.
const GUESS: f32 = 0.9;

/// The ranking by words alone, its scores made to lie between 0 and 1.
pub fn by_words(words: &[Scored]) -> Vec<Candidate> {
    let best = best_of(words);
    let candidate =
        |found: &Scored| Candidate { id: found.id, score: found.score / best, provenance: Provenance::Bm25 };
    words.iter().map(candidate).collect()
}

/// Both rankings: a weighted sum of how well the words fit and how near the meaning is. `cosines` are those of
/// `words`.
pub fn fused(words: &[Scored], cosines: &[Option<f32>], near: &[Scored]) -> Vec<Candidate> {
    let best = best_of(words);
    let highest = near.first().map_or(1.0, |found| found.score).max(UNLIKE + 0.01);
    let nearness = |cosine: f32| ((cosine - UNLIKE) / (highest - UNLIKE)).clamp(0.0, 1.0);
    let mut found: HashMap<PassageId, Candidate> = HashMap::new();
    for (scored, cosine) in words.iter().zip(cosines) {
        let fit = scored.score / best;
        let meaning = cosine.map_or(fit * GUESS, nearness);
        let score = MEANING * meaning + (1.0 - MEANING) * fit;
        let provenance = if cosine.is_some() { Provenance::Hybrid } else { Provenance::Bm25 };
        found.insert(scored.id, Candidate { id: scored.id, score, provenance });
    }
    let weight = if words.is_empty() { 1.0 } else { MEANING };
    for scored in near.iter().filter(|scored| scored.score > UNLIKE) {
        found.entry(scored.id).or_insert_with(|| Candidate {
            id: scored.id,
            score: weight * nearness(scored.score),
            provenance: Provenance::Vector,
        });
    }
    let mut all: Vec<Candidate> = found.into_values().collect();
    all.sort_by(|one, other| other.score.total_cmp(&one.score).then(one.id.cmp(&other.id)));
    all
}

fn best_of(words: &[Scored]) -> f32 {
    words.iter().map(|found| found.score).fold(f32::MIN_POSITIVE, f32::max)
}
