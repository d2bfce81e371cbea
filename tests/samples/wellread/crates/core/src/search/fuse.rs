//! Two rankings made into one.

use wellread_text::ChunkKind;

use crate::evidence::Provenance;
use crate::ports::StoredPassage;

/// A passage, and how well it fits.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    pub passage: StoredPassage,
    /// Between 0 and 1.
    pub score: f32,
    pub provenance: Provenance,
}

/// What the two signals are worth. Nearness alone counts alike in notes and in code, so that the two can stand in one list.
struct Worth {
    nearness: f32,
    words: f32,
    /// What holding every word of the query is worth by itself.
    complete: f32,
}

/// Some of the query's words are in many texts, and in code they say next to nothing.
const SOME_WORDS_OF_A_NOTE: Worth = Worth { nearness: 0.75, words: 0.25, complete: 0.0 };
const SOME_WORDS_OF_CODE: Worth = Worth { nearness: 0.75, words: 0.05, complete: 0.0 };
/// A passage that holds all of them is led by its words.
const ALL_WORDS_OF_A_NOTE: Worth = Worth { nearness: 0.2, words: 0.8, complete: 0.15 };
const ALL_WORDS_OF_CODE: Worth = Worth { nearness: 0.48, words: 0.32, complete: 0.12 };
/// So is code for a query that spells a name.
const A_NAME_IN_CODE: Worth = Worth { nearness: 0.3, words: 0.7, complete: 0.15 };
/// The most that a passage can get.
const HIGHEST: f32 = 1.15;
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
    let any_words = found.iter().any(|(_, signals)| signals.words.is_some());
    let candidate = |(passage, signals): (StoredPassage, Signals)| {
        let fit = signals.words.map(|score| score / best_words);
        let near = signals.cosine.map(nearness);
        let worth = worth(passage.kind, signals.all_words, names_something);
        let by_words = |fit: f32| match signals.all_words {
            true => worth.words * fit + worth.complete,
            false => worth.words * telling(fit),
        };
        let (score, provenance) = match (fit, near) {
            (Some(fit), _) if !by_meaning => (fit * HIGHEST, Provenance::Bm25),
            (Some(fit), None) => (worth.nearness * fit * GUESS + by_words(fit), Provenance::Bm25),
            (Some(fit), Some(near)) => (worth.nearness * near + by_words(fit), Provenance::Hybrid),
            (None, Some(near)) if near > 0.0 && any_words => (worth.nearness * near, Provenance::Vector),
            (None, Some(near)) if near > 0.0 => (near * HIGHEST, Provenance::Vector),
            _ => return None,
        };
        let only_fields = passage.kind == ChunkKind::Frontmatter && !signals.all_words;
        let score = if only_fields { score * FIELDS } else { score };
        Some(Candidate { passage, score: score / HIGHEST, provenance })
    };
    let mut all: Vec<Candidate> = found.into_iter().filter_map(candidate).collect();
    // Of equals the first in the vault: ids depend on the order in which files happened to be indexed.
    let place = |passage: &StoredPassage| (passage.corpus.clone(), passage.path.clone(), passage.span.start);
    all.sort_by(|one, other| {
        other.score.total_cmp(&one.score).then_with(|| place(&one.passage).cmp(&place(&other.passage)))
    });
    all
}

fn worth(kind: ChunkKind, all_words: bool, names_something: bool) -> &'static Worth {
    let is_note = matches!(kind, ChunkKind::Text | ChunkKind::Frontmatter);
    match (is_note, all_words) {
        (false, _) if names_something => &A_NAME_IN_CODE,
        (true, false) => &SOME_WORDS_OF_A_NOTE,
        (true, true) => &ALL_WORDS_OF_A_NOTE,
        (false, false) => &SOME_WORDS_OF_CODE,
        (false, true) => &ALL_WORDS_OF_CODE,
    }
}
