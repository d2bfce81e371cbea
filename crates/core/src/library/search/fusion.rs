//! Fuses two rankings into one.
//!
//! Both signals are absolute: how much of the best possible match by words a passage reaches, and how near it is in
//! meaning. So passages of different corpora can be compared, and a better hit elsewhere changes no score. What else is found
//! matters in two ways only: text that several candidates share counts less, and where no candidate has a word of the query,
//! the score is the nearness in meaning itself.

use std::collections::HashMap;

use wellread_text::ChunkKind;

use super::NearnessLines;
use crate::domain::evidence::Provenance;
use crate::ports::{StoredPassage, TextHash};

/// A passage with its score.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedPassage {
    pub passage: StoredPassage,
    /// Between 0 and 1.
    pub score: f32,
    pub provenance: Provenance,
    pub signals: PassageSignals,
}

/// What the score of a passage is computed from.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PassageSignals {
    /// How well its words fit: the share of the best match that is possible for the query. `None` if it contains no word.
    pub words: Option<f32>,
    /// Whether it contains every word of the query.
    pub all_words: bool,
    /// Whether it is in a note that the query names.
    pub named: bool,
    /// How near it is in meaning; `None` if it has no vector.
    pub cosine: Option<f32>,
}

/// How much the words of a passage count beside its nearness, between 0 and 1. Learned from link texts, headings, titles and
/// comments of projects (`training/fusion.py`).
struct WordShare {
    /// In a passage that contains every word of the query.
    complete: f32,
    /// In a passage that contains some.
    partial: f32,
}

const OF_A_NOTE: WordShare = WordShare { complete: 0.8, partial: 0.3 };
const OF_CODE: WordShare = WordShare { complete: 0.55, partial: 0.5 };
/// Code is ranked mainly by its words if the query contains an identifier.
const OF_CODE_WITH_A_NAME: WordShare = WordShare { complete: 0.7, partial: 0.7 };
/// The bonus for containing every word of the query, and that of a note which the query names.
const COMPLETE: f32 = 0.05;
const NAMED: f32 = 0.5;
/// The highest sum that a passage can get.
const MAX_SUM: f32 = 1.0 + COMPLETE + NAMED;
/// From so far below the cosine of a related passage to so far above it, nearness grows from 0 to 1.
const BELOW_RELATED: f32 = 0.18;
const ABOVE_RELATED: f32 = 0.32;
/// A note's frontmatter counts less than its sentences; a little less if it contains every word of the query.
const FIELDS_FACTOR: f32 = 0.7;
const COMPLETE_FIELDS_FACTOR: f32 = 0.9;
/// Text that so many candidates share is a footer, a license or a template.
const MANY_COPIES: usize = 4;
const COPIES_FACTOR: f32 = 0.6;

/// What two rankings are fused by.
#[derive(Debug, Clone, Copy)]
pub struct FusionRules {
    /// Where nearness begins to count. If it is `None`, only the words count.
    pub nearness: Option<NearnessLines>,
    /// Whether the query names an identifier.
    pub names_something: bool,
    /// Whether passages are kept that have no word of the query and are not near enough either.
    pub keeps_unrelated: bool,
}

/// Fuses both rankings, best first, by a weighted sum of word fit and nearness.
pub fn fuse_rankings(
    found: impl IntoIterator<Item = (StoredPassage, PassageSignals)>,
    rules: FusionRules,
) -> Vec<RankedPassage> {
    let found: Vec<(StoredPassage, PassageSignals)> = found.into_iter().collect();
    let mut copies: HashMap<TextHash, usize> = HashMap::new();
    for (passage, _) in &found {
        *copies.entry(passage.text).or_default() += 1;
    }
    let by_meaning_alone = found.iter().all(|(_, signals)| signals.words.is_none());
    let candidate = |(passage, signals): (StoredPassage, PassageSignals)| {
        let (score, provenance) = score_passage(passage.kind, &signals, rules)?;
        // Nothing to be weighed against.
        let score = if by_meaning_alone { signals.cosine.unwrap_or_default().min(1.0) } else { score };
        let is_boilerplate = copies.get(&passage.text).is_some_and(|copies| *copies >= MANY_COPIES);
        let score = if is_boilerplate { score * COPIES_FACTOR } else { score };
        Some(RankedPassage { passage, score, provenance, signals })
    };
    let mut all: Vec<RankedPassage> = found.into_iter().filter_map(candidate).collect();
    // Ties go to the first in the vault: ids depend on the order in which files happened to be indexed.
    let place = |passage: &StoredPassage| (passage.corpus.clone(), passage.path.clone(), passage.span.start);
    let cosine = |ranked: &RankedPassage| ranked.signals.cosine.unwrap_or_default();
    all.sort_by(|one, other| {
        let by_score = other.score.total_cmp(&one.score);
        let by_nearness = || cosine(other).total_cmp(&cosine(one));
        by_score.then_with(by_nearness).then_with(|| place(&one.passage).cmp(&place(&other.passage)))
    });
    all
}

/// The score of a passage, between 0 and 1; `None` if it was not found.
fn score_passage(
    kind: ChunkKind,
    signals: &PassageSignals,
    FusionRules { nearness: lines, names_something, keeps_unrelated }: FusionRules,
) -> Option<(f32, Provenance)> {
    let nearness = |(cosine, lines): (f32, NearnessLines)| {
        ((cosine - lines.among_many + BELOW_RELATED) / (BELOW_RELATED + ABOVE_RELATED)).clamp(0.0, 1.0)
    };
    let near = signals.cosine.zip(lines).map(nearness);
    let is_related = signals.cosine.zip(lines).is_some_and(|(cosine, lines)| cosine >= lines.least);
    let share = choose_share(kind, signals.all_words, names_something);
    let flag = |is_set: bool, bonus: f32| if is_set { bonus } else { 0.0 };
    let bonus = flag(signals.named, NAMED) + flag(signals.all_words, COMPLETE);
    let (sum, provenance) = match (signals.words, near) {
        (Some(fit), Some(near)) => (share * fit + (1.0 - share) * near + bonus, Provenance::Hybrid),
        // Without a vector, a passage is as near as its words fit.
        (Some(fit), None) => (fit + bonus, Provenance::Bm25),
        (None, Some(near)) if is_related || keeps_unrelated => ((1.0 - share) * near, Provenance::Vector),
        (None, _) => return None,
    };
    let factor = match (kind, signals.all_words) {
        (ChunkKind::Frontmatter, true) => COMPLETE_FIELDS_FACTOR,
        (ChunkKind::Frontmatter, false) => FIELDS_FACTOR,
        _ => 1.0,
    };
    Some((sum * factor / MAX_SUM, provenance))
}

fn choose_share(kind: ChunkKind, all_words: bool, names_something: bool) -> f32 {
    let share = match kind {
        ChunkKind::Text | ChunkKind::Frontmatter => OF_A_NOTE,
        ChunkKind::Definition | ChunkKind::Block if names_something => OF_CODE_WITH_A_NAME,
        ChunkKind::Definition | ChunkKind::Block => OF_CODE,
    };
    if all_words { share.complete } else { share.partial }
}
