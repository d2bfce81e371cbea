//! Two rankings made into one.

use schemars::JsonSchema;
use serde::Serialize;
use wellread_text::ChunkKind;

use crate::ports::StoredPassage;

/// How a passage was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Provenance {
    Bm25,
    Vector,
    Hybrid,
}

/// A passage, and how well it fits.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    pub passage: StoredPassage,
    /// Between 0 and 1.
    pub score: f32,
    pub provenance: Provenance,
}

/// How much the meaning counts beside the words, in notes and in code: much where some of the query's words are there,
/// as they are in many texts; less in a passage that holds all of them; and less in code for a query that spells a name.
const SOME_WORDS: (f32, f32) = (0.75, 0.94);
const ALL_WORDS: (f32, f32) = (0.2, 0.6);
const A_NAME: f32 = 0.3;
/// What holding all of the words is worth by itself.
const COMPLETE: f32 = 0.15;
/// Some of the words say nothing where they fit less well than this, beside the best that was found.
const TELLING: f32 = 0.3;
/// Less alike than this is not alike: what is found by its meaning alone must be nearer.
const UNLIKE: f32 = 0.2;
/// What a passage's words say about its meaning while it has no vector yet.
const GUESS: f32 = 0.9;
/// A note's fields say less than its sentences, but for who asks for just what they say.
const FIELDS: f32 = 0.7;

/// What was found of a passage: how well its words fit, how near its meaning is.
#[derive(Debug, Clone, Copy, Default)]
pub struct Signals {
    pub words: Option<f32>,
    /// Whether every word of the query is in it.
    pub all_words: bool,
    pub cosine: Option<f32>,
}

/// Both rankings made one, best first: a weighted sum of how well the words fit and how near the meaning is. Without
/// `by_meaning` the words alone count.
pub fn fused(
    found: impl IntoIterator<Item = (StoredPassage, Signals)>,
    by_meaning: bool,
    names_something: bool,
) -> Vec<Candidate> {
    let found: Vec<(StoredPassage, Signals)> = found.into_iter().collect();
    let best = |of: fn(&Signals) -> Option<f32>, least: f32| {
        found.iter().filter_map(|(_, signals)| of(signals)).fold(least, f32::max)
    };
    let best_words = best(|signals| signals.words, f32::MIN_POSITIVE);
    let nearest = best(|signals| signals.cosine, UNLIKE + 0.01);
    let nearness = |cosine: f32| ((cosine - UNLIKE) / (nearest - UNLIKE)).clamp(0.0, 1.0);
    let telling = |fit: f32| ((fit - TELLING) / (1.0 - TELLING)).max(0.0);
    let highest = if by_meaning { 1.0 + COMPLETE } else { 1.0 };
    let any_words = found.iter().any(|(_, signals)| signals.words.is_some());
    let candidate = |(passage, signals): (StoredPassage, Signals)| {
        let fit = signals.words.map(|score| score / best_words);
        let near = signals.cosine.map(nearness);
        let weight = if any_words { weight(passage.kind, signals.all_words, names_something) } else { 1.0 };
        let by_words = |fit: f32| match signals.all_words {
            true => (1.0 - weight) * fit + COMPLETE,
            false => (1.0 - weight) * telling(fit),
        };
        let (score, provenance) = match (fit, near) {
            (Some(fit), _) if !by_meaning => (fit, Provenance::Bm25),
            (Some(fit), None) => (weight * fit * GUESS + by_words(fit), Provenance::Bm25),
            (Some(fit), Some(near)) => (weight * near + by_words(fit), Provenance::Hybrid),
            (None, Some(near)) if near > 0.0 => (weight * near, Provenance::Vector),
            _ => return None,
        };
        let only_fields = passage.kind == ChunkKind::Frontmatter && !signals.all_words;
        let score = if only_fields { score * FIELDS } else { score };
        Some(Candidate { passage, score: score / highest, provenance })
    };
    let mut all: Vec<Candidate> = found.into_iter().filter_map(candidate).collect();
    all.sort_by(|one, other| other.score.total_cmp(&one.score).then(one.passage.id.cmp(&other.passage.id)));
    all
}

fn weight(kind: ChunkKind, all_words: bool, names_something: bool) -> f32 {
    let (notes, code) = if all_words { ALL_WORDS } else { SOME_WORDS };
    match kind {
        ChunkKind::Text | ChunkKind::Frontmatter => notes,
        ChunkKind::Definition | ChunkKind::Block if names_something => A_NAME,
        ChunkKind::Definition | ChunkKind::Block => code,
    }
}
