//! What notes mean as a whole, and which mean nearly the same.
//!
//! A note's vector is the mean of its passages'. All pairs are compared by the signs of their numbers first, a bit each; only
//! what is near by these is compared exactly.

use std::collections::HashMap;

use wellread_text::ChunkKind;

use super::reading::Notes;
use crate::Result;
use crate::corpus::CorpusName;
use crate::ports::{EmbeddingModel, Vectors};

/// The cosine from which on two notes say nearly the same. The most alike of different notes on one subject, in two vaults of
/// sixty notes each, lie at 0.85; a copy with an edited sentence lies above 0.97.
const ALIKE: f32 = 0.95;
/// The share of signs that may differ: at a cosine of 0.95 it is one in ten, give or take.
const SIGNS_APART: f32 = 0.19;
/// Each note's vector, of length one, by its place; none where no passage of it has one.
pub(super) fn means(
    vectors: &dyn Vectors,
    model: &EmbeddingModel,
    notes: &Notes,
) -> Result<Vec<Option<Vec<f32>>>> {
    let places: HashMap<&str, usize> =
        notes.all.iter().enumerate().map(|(at, note)| (note.path.as_str(), at)).collect();
    let mut means: Vec<Option<Vec<f32>>> = vec![None; notes.all.len()];
    vectors.each(model, &CorpusName::Vault, &mut |path, kind, vector| {
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
pub(super) fn near(means: &[Option<Vec<f32>>], among: &[usize]) -> Vec<(usize, usize, f32)> {
    let known: Vec<(usize, &[f32])> =
        among.iter().filter_map(|&at| Some((at, means.get(at)?.as_deref()?))).collect();
    let signs: Vec<Vec<u64>> = known.iter().map(|(_, mean)| signs(mean)).collect();
    // The first 64 of each lie side by side: nearly all pairs are told apart by these.
    let firsts: Vec<u64> = signs.iter().map(|signs| signs.first().copied().unwrap_or_default()).collect();
    let bits = known.first().map_or(0, |(_, mean)| mean.len()) as f32;
    let most = (bits * SIGNS_APART).ceil() as u32;
    // Fewer bits scatter more.
    let first_bits = bits.min(64.0);
    let most_first = (first_bits * SIGNS_APART + 2.5 * (first_bits * 0.1).sqrt()).ceil() as u32;
    let mut found = Vec::new();
    for (at, &(one, left)) in known.iter().enumerate() {
        for (other, first) in firsts.iter().enumerate().skip(at + 1) {
            if (firsts[at] ^ first).count_ones() > most_first || apart(&signs[at], &signs[other]) > most {
                continue;
            }
            let (other, right) = known[other];
            let cosine: f32 = left.iter().zip(right).map(|(a, b)| a * b).sum();
            if cosine >= ALIKE {
                found.push((one, other, cosine));
            }
        }
    }
    found
}

fn apart(one: &[u64], other: &[u64]) -> u32 {
    one.iter().zip(other).map(|(a, b)| (a ^ b).count_ones()).sum()
}

fn signs(vector: &[f32]) -> Vec<u64> {
    let word = |part: &[f32]| {
        part.iter().enumerate().fold(0, |word, (bit, value)| word | u64::from(*value > 0.0) << bit)
    };
    vector.chunks(64).map(word).collect()
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
        let expected: Vec<(usize, usize)> =
            pairs.filter(|&(one, other)| exact(one, other).is_some_and(|cosine| cosine >= ALIKE)).collect();
        let found: Vec<(usize, usize)> =
            near(&means, &all).iter().map(|(one, other, _)| (*one, *other)).collect();
        assert!(expected.len() > 50, "{}", expected.len());
        assert_eq!(found, expected);
    }
}
