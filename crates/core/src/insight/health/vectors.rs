//! The meaning of whole notes, and which mean nearly the same.
//!
//! A note's vector is the mean of its passages' vectors. All pairs are compared by the signs of their components first,
//! one bit each; only pairs that are near by these are compared exactly.

use std::collections::HashMap;

use wellread_text::ChunkKind;

use super::notes::Notes;
use crate::Result;
use crate::domain::corpus::CorpusName;
use crate::ports::{EmbeddingModel, Vectors};

/// The cosine from which two notes count as nearly the same. The most similar of different notes on one subject, in two
/// vaults of sixty notes each, are at 0.85; a copy with one edited sentence is above 0.97.
const MIN_COSINE: f32 = 0.95;
/// The share of signs that differ at that cosine: the angle divided by half a turn.
const DIFFERING_SIGNS: f32 = 0.101;
/// The allowed excess in standard deviations: about one pair in ten million would be missed.
const DEVIATIONS: f32 = 5.2;

/// The normalized vector of each note, by index; none if no passage of it has one.
pub(super) fn note_vectors(
    vectors: &dyn Vectors,
    model: &EmbeddingModel,
    notes: &Notes,
) -> Result<Vec<Option<Vec<f32>>>> {
    let places: HashMap<&str, usize> =
        notes.all.iter().enumerate().map(|(at, note)| (note.path.as_str(), at)).collect();
    let mut means: Vec<Option<Vec<f32>>> = vec![None; notes.all.len()];
    vectors.for_each_vector(model, &CorpusName::Vault, &mut |path, kind, vector| {
        let Some(&at) = places.get(path.as_str()).filter(|_| kind == ChunkKind::Text) else { return };
        let sum = means[at].get_or_insert_with(|| vec![0.0; vector.len()]);
        sum.iter_mut().zip(vector).for_each(|(sum, value)| *sum += value);
    })?;
    for mean in means.iter_mut().flatten() {
        let length = mean.iter().map(|value| value * value).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
        mean.iter_mut().for_each(|value| *value /= length);
    }
    Ok(means)
}

/// The pairs that mean nearly the same, with their cosine.
pub(super) fn find_near_pairs(means: &[Option<Vec<f32>>], among: &[usize]) -> Vec<(usize, usize, f32)> {
    let known: Vec<(usize, &[f32])> =
        among.iter().filter_map(|&at| Some((at, means.get(at)?.as_deref()?))).collect();
    let signs = Signs::from_vectors(&known);
    let mut found = Vec::new();
    for (at, &(one, left)) in known.iter().enumerate() {
        signs.each_near(at, |other| {
            let (other, right) = known[other];
            let cosine: f32 = left.iter().zip(right).map(|(a, b)| a * b).sum();
            if cosine >= MIN_COSINE {
                found.push((one, other, cosine));
            }
        });
    }
    found
}

/// The signs of many vectors, 64 to a word.
struct Signs {
    /// The first word of each vector, side by side: nearly all pairs are ruled out by these.
    firsts: Vec<u64>,
    /// The other words, one vector after the other.
    rest: Vec<u64>,
    /// How many signs may differ in the first word, in the first two, and so on.
    most: Vec<u32>,
}

impl Signs {
    fn from_vectors(vectors: &[(usize, &[f32])]) -> Self {
        let bits = vectors.first().map_or(0, |(_, vector)| vector.len());
        let most = |word: usize| {
            let bits = (word * 64).min(bits) as f32;
            (bits * DIFFERING_SIGNS + DEVIATIONS * (bits * DIFFERING_SIGNS * (1.0 - DIFFERING_SIGNS)).sqrt())
                .ceil() as u32
        };
        let mut signs = Self {
            firsts: Vec::with_capacity(vectors.len()),
            rest: Vec::new(),
            most: (1..=bits.div_ceil(64).max(1)).map(most).collect(),
        };
        for (_, vector) in vectors {
            let mut words = vector.chunks(64).map(pack_signs);
            signs.firsts.push(words.next().unwrap_or_default());
            signs.rest.extend(words);
        }
        signs
    }

    /// Calls `found` with each later vector that has nearly the same signs.
    fn each_near(&self, at: usize, mut found: impl FnMut(usize)) {
        let (one, most) = (self.firsts[at], self.most[0]);
        for (other, first) in self.firsts.iter().enumerate().skip(at + 1) {
            let differing = (one ^ first).count_ones();
            if differing <= most && self.is_near(at, other, differing) {
                found(other);
            }
        }
    }

    /// Whether the words after the first are near, too.
    fn is_near(&self, one: usize, other: usize, mut differing: u32) -> bool {
        let words = self.most.len() - 1;
        let rest = |at: usize| &self.rest[at * words..(at + 1) * words];
        rest(one).iter().zip(rest(other)).zip(&self.most[1..]).all(|((one, other), most)| {
            differing += (one ^ other).count_ones();
            differing <= *most
        })
    }
}

/// The signs of at most 64 numbers.
fn pack_signs(part: &[f32]) -> u64 {
    part.iter().enumerate().fold(0, |word, (bit, value)| word | u64::from(*value > 0.0) << bit)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A vector of length one near an axis of its own, bent by `off` in a way of its own.
    fn vector(axis: u64, off: f32, way: u64) -> Vec<f32> {
        let drawn = |seed: u64, at: u64| {
            let mut state =
                (seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (at + 1).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            state ^= state >> 31;
            state = state.wrapping_mul(0x94d0_49bb_1331_11eb);
            (state >> 40) as f32 / (1 << 24) as f32 - 0.5
        };
        let mut made: Vec<f32> = (0..384).map(|at| drawn(axis, at) + off * drawn(way + 1000, at)).collect();
        let length = made.iter().map(|value| value * value).sum::<f32>().sqrt();
        made.iter_mut().for_each(|value| *value /= length);
        made
    }

    #[test]
    fn the_first_look_loses_nothing_that_comparing_all_exactly_finds() {
        let means: Vec<Option<Vec<f32>>> = (0..240)
            .map(|at| (at % 11 != 5).then(|| vector(at % 40, 0.1 + (at % 7) as f32 * 0.05, at)))
            .collect();
        let all: Vec<usize> = (0..means.len()).collect();
        let exact = |one: usize, other: usize| -> Option<f32> {
            let (left, right) = (means[one].as_ref()?, means[other].as_ref()?);
            Some(left.iter().zip(right).map(|(a, b)| a * b).sum())
        };
        let pairs = all.iter().flat_map(|&one| (one + 1..all.len()).map(move |other| (one, other)));
        let expected: Vec<(usize, usize)> = pairs
            .filter(|&(one, other)| exact(one, other).is_some_and(|cosine| cosine >= MIN_COSINE))
            .collect();
        let found: Vec<(usize, usize)> =
            find_near_pairs(&means, &all).iter().map(|(one, other, _)| (*one, *other)).collect();
        assert!(expected.len() > 50, "{}", expected.len());
        assert_eq!(found, expected);
    }
}
