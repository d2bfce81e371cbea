//! Fuses two rankings into one.

use wellread_text::ChunkKind;

use crate::domain::evidence::Provenance;
use crate::ports::StoredPassage;

/// A passage with its score.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedPassage {
    pub passage: StoredPassage,
    /// Between 0 and 1.
    pub score: f32,
    pub provenance: Provenance,
}

/// The weights of the two signals. Nearness has the same weight in notes and in code, so that both fit into one list.
struct SignalWeights {
    nearness: f32,
    words: f32,
    /// The bonus for containing every word of the query.
    complete: f32,
}

/// Some words of a query occur in many texts, and in code they mean next to nothing.
const SOME_WORDS_OF_A_NOTE: SignalWeights = SignalWeights { nearness: 0.75, words: 0.25, complete: 0.0 };
const SOME_WORDS_OF_CODE: SignalWeights = SignalWeights { nearness: 0.75, words: 0.05, complete: 0.0 };
/// A passage with all words is ranked mainly by its words.
const ALL_WORDS_OF_A_NOTE: SignalWeights = SignalWeights { nearness: 0.2, words: 0.8, complete: 0.15 };
const ALL_WORDS_OF_CODE: SignalWeights = SignalWeights { nearness: 0.48, words: 0.32, complete: 0.12 };
/// Code is also ranked mainly by its words if the query contains an identifier.
const A_NAME_IN_CODE: SignalWeights = SignalWeights { nearness: 0.3, words: 0.7, complete: 0.15 };
/// The highest sum that a passage can get.
const MAX_SUM: f32 = 1.15;
/// A partial match by words is ignored if it fits worse than this relative to the best match.
const MIN_WORD_FIT: f32 = 0.3;
/// A lower cosine is as good as none.
const MIN_COSINE: f32 = 0.2;
/// The nearness that is estimated from a passage's words while it has no vector.
const NEARNESS_FROM_WORDS: f32 = 0.9;
/// A note's frontmatter counts less than its sentences, unless the query asks for just what it says.
const FIELDS_FACTOR: f32 = 0.7;

/// The signals of a passage: how well its words fit, and how near its meaning is.
#[derive(Debug, Clone, Copy, Default)]
pub struct PassageSignals {
    pub words: Option<f32>,
    /// Whether it contains every word of the query.
    pub all_words: bool,
    pub cosine: Option<f32>,
}

/// Fuses both rankings, best first, by a weighted sum of word fit and nearness. A passage without a word of the query needs
/// at least the cosine `related_from`. If that is `None`, only the words count.
pub fn fuse_rankings(
    found: impl IntoIterator<Item = (StoredPassage, PassageSignals)>,
    related_from: Option<f32>,
    names_something: bool,
) -> Vec<RankedPassage> {
    let found: Vec<(StoredPassage, PassageSignals)> = found.into_iter().collect();
    let best = |of: fn(&PassageSignals) -> Option<f32>, least: f32| {
        found.iter().filter_map(|(_, signals)| of(signals)).fold(least, f32::max)
    };
    let best_words = best(|signals| signals.words, f32::MIN_POSITIVE);
    let nearest = best(|signals| signals.cosine, MIN_COSINE + 0.01);
    let nearness = |cosine: f32| ((cosine - MIN_COSINE) / (nearest - MIN_COSINE)).clamp(0.0, 1.0);
    let telling = |fit: f32| ((fit - MIN_WORD_FIT) / (1.0 - MIN_WORD_FIT)).max(0.0);
    let any_words = found.iter().any(|(_, signals)| signals.words.is_some());
    let candidate = |(passage, signals): (StoredPassage, PassageSignals)| {
        let fit = signals.words.map(|score| score / best_words);
        let near = signals.cosine.map(nearness);
        let related = signals.cosine.zip(related_from).is_some_and(|(cosine, least)| cosine >= least);
        let worth = choose_weights(passage.kind, signals.all_words, names_something);
        let by_words = |fit: f32| match signals.all_words {
            true => worth.words * fit + worth.complete,
            false => worth.words * telling(fit),
        };
        let (score, provenance) = match (fit, near) {
            (Some(fit), _) if related_from.is_none() => (fit * MAX_SUM, Provenance::Bm25),
            (Some(fit), None) => {
                (worth.nearness * fit * NEARNESS_FROM_WORDS + by_words(fit), Provenance::Bm25)
            }
            (Some(fit), Some(near)) => (worth.nearness * near + by_words(fit), Provenance::Hybrid),
            (None, Some(near)) if related && near > 0.0 && any_words => {
                (worth.nearness * near, Provenance::Vector)
            }
            (None, Some(near)) if related && near > 0.0 => (near * MAX_SUM, Provenance::Vector),
            _ => return None,
        };
        let only_fields = passage.kind == ChunkKind::Frontmatter && !signals.all_words;
        let score = if only_fields { score * FIELDS_FACTOR } else { score };
        Some(RankedPassage { passage, score: score / MAX_SUM, provenance })
    };
    let mut all: Vec<RankedPassage> = found.into_iter().filter_map(candidate).collect();
    // Ties go to the first in the vault: ids depend on the order in which files happened to be indexed.
    let place = |passage: &StoredPassage| (passage.corpus.clone(), passage.path.clone(), passage.span.start);
    all.sort_by(|one, other| {
        other.score.total_cmp(&one.score).then_with(|| place(&one.passage).cmp(&place(&other.passage)))
    });
    all
}

fn choose_weights(kind: ChunkKind, all_words: bool, names_something: bool) -> &'static SignalWeights {
    let is_note = matches!(kind, ChunkKind::Text | ChunkKind::Frontmatter);
    match (is_note, all_words) {
        (false, _) if names_something => &A_NAME_IN_CODE,
        (true, false) => &SOME_WORDS_OF_A_NOTE,
        (true, true) => &ALL_WORDS_OF_A_NOTE,
        (false, false) => &SOME_WORDS_OF_CODE,
        (false, true) => &ALL_WORDS_OF_CODE,
    }
}
