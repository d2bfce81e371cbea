//! Attention within one sequence, in floating point.
//!
//! The lanes of a vector are queries: scores, their softmax and the sum of values need no step across lanes. Keys are
//! interleaved, queries transposed, one head at a time, so that everything which is read often lies close together.

use pulp::{Arch, Simd, WithSimd};

use crate::activations::exponential;
use crate::shape::WIDTH;

const HEADS: usize = 12;
const HEAD_WIDTH: usize = WIDTH / HEADS;

/// Queries, keys and values of a token side by side.
const ROW: usize = 3 * WIDTH;

/// The memory of one call.
#[derive(Default)]
pub(crate) struct AttentionBuffers {
    keys: Vec<f32>,
    values: Vec<f32>,
    queries: Vec<f32>,
    scores: Vec<f32>,
}

/// From the queries, keys and values of a sequence to what each token gathers, a row of [`WIDTH`] numbers.
pub(crate) fn attend(unit: Arch, sequence: &[f32], out: &mut [f32], room: &mut AttentionBuffers) {
    unit.dispatch(Attend { sequence, out, room });
}

struct Attend<'a> {
    sequence: &'a [f32],
    out: &'a mut [f32],
    room: &'a mut AttentionBuffers,
}

impl WithSimd for Attend<'_> {
    type Output = ();

    /// The tiles are chosen so that their sums fill the registers of the unit and no more.
    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        match S::F32_LANES {
            16 => self.run::<S, 2, 12, 8>(simd),
            8 => self.run::<S, 2, 6, 4>(simd),
            4 => self.run::<S, 2, 8, 8>(simd),
            _ => self.run::<S, 2, 2, 2>(simd),
        }
    }
}

impl Attend<'_> {
    /// `Q` vectors of queries at a time; for their scores `K` keys, for their sums `V` columns of the values.
    #[inline(always)]
    fn run<S: Simd, const Q: usize, const K: usize, const V: usize>(self, simd: S) {
        let Self { sequence, out, room } = self;
        let count = sequence.len() / ROW;
        if count == 0 {
            return;
        }
        let block = Q * S::F32_LANES;
        for head in 0..HEADS {
            let column = head * HEAD_WIDTH;
            interleave_keys::<K>(sequence, column + WIDTH, &mut room.keys);
            split_values::<V>(sequence, column + 2 * WIDTH, &mut room.values);
            for first in (0..count).step_by(block) {
                let filled = block.min(count - first);
                transpose_queries(&sequence[first * ROW..], column, filled, block, &mut room.queries);
                score::<S, Q, K>(simd, room, count);
                let shares = soften::<S>(&mut room.scores[..count * block], block);
                let mut gathered = [[0.0; 32]; HEAD_WIDTH];
                gather::<S, Q, V>(simd, room, count, &mut gathered);
                for lane in 0..filled {
                    let place = &mut out[(first + lane) * WIDTH + column..][..HEAD_WIDTH];
                    for (place, sums) in place.iter_mut().zip(&gathered) {
                        *place = sums[lane] * shares[lane];
                    }
                }
            }
        }
    }
}

/// `K` keys side by side, number by number. Where the last block lacks keys it holds zeros, whose scores nobody reads.
#[inline(always)]
fn interleave_keys<const K: usize>(sequence: &[f32], column: usize, keys: &mut Vec<f32>) {
    let count = sequence.len() / ROW;
    keys.resize(count.div_ceil(K) * K * HEAD_WIDTH, 0.0);
    for (at, block) in keys.chunks_exact_mut(K * HEAD_WIDTH).enumerate() {
        let (block, _) = block.as_chunks_mut::<K>();
        for lane in 0..K {
            let row = sequence
                .get((at * K + lane) * ROW + column..)
                .and_then(|row| row.first_chunk::<HEAD_WIDTH>());
            for (place, value) in block.iter_mut().zip(row.unwrap_or(&[0.0; HEAD_WIDTH])) {
                place[lane] = *value;
            }
        }
    }
}

/// `V` columns of all values, then the next, so that what is read in one go lies together.
#[inline(always)]
fn split_values<const V: usize>(sequence: &[f32], column: usize, values: &mut Vec<f32>) {
    let count = sequence.len() / ROW;
    values.resize(count * HEAD_WIDTH, 0.0);
    for (at, part) in values.chunks_exact_mut(count * V).enumerate() {
        let (places, _) = part.as_chunks_mut::<V>();
        for (place, row) in places.iter_mut().zip(sequence.chunks_exact(ROW)) {
            place.copy_from_slice(&row[column + at * V..][..V]);
        }
    }
}

/// A query in each lane, scaled as its scores are to be.
#[inline(always)]
fn transpose_queries(rows: &[f32], column: usize, filled: usize, block: usize, queries: &mut Vec<f32>) {
    let scale = 1.0 / (HEAD_WIDTH as f32).sqrt();
    queries.clear();
    queries.resize(HEAD_WIDTH * block, 0.0);
    for (lane, row) in rows.chunks_exact(ROW).take(filled).enumerate() {
        let places = queries.chunks_exact_mut(block);
        for (place, value) in places.zip(&row[column..][..HEAD_WIDTH]) {
            place[lane] = *value * scale;
        }
    }
}

/// The scores of all keys, a row of lanes for each.
#[inline(always)]
fn score<S: Simd, const Q: usize, const K: usize>(simd: S, room: &mut AttentionBuffers, count: usize) {
    let block = Q * S::F32_LANES;
    room.scores.resize(count.next_multiple_of(K) * block, 0.0);
    let (queries, _) = S::as_simd_f32s(&room.queries);
    let (queries, _) = queries.as_chunks::<Q>();
    let (scores, _) = S::as_mut_simd_f32s(&mut room.scores);
    let (keys, _) = room.keys.as_chunks::<K>();
    for (scores, keys) in scores.chunks_exact_mut(Q * K).zip(keys.chunks_exact(HEAD_WIDTH)) {
        let mut sums = [[simd.splat_f32s(0.0); Q]; K];
        for (keys, queries) in keys.iter().zip(queries) {
            for (sums, key) in sums.iter_mut().zip(keys) {
                let key = simd.splat_f32s(*key);
                for (sum, query) in sums.iter_mut().zip(queries) {
                    *sum = simd.mul_add_e_f32s(key, *query, *sum);
                }
            }
        }
        scores.copy_from_slice(sums.as_flattened());
    }
}

/// Turns scores into shares before their division by their sum; returns what to multiply with instead.
#[inline(always)]
fn soften<S: Simd>(scores: &mut [f32], block: usize) -> [f32; 32] {
    let mut highest = [f32::NEG_INFINITY; 32];
    for row in scores.chunks_exact(block) {
        for (highest, score) in highest[..block].iter_mut().zip(row) {
            *highest = if *score > *highest { *score } else { *highest };
        }
    }
    let mut sums = [0.0; 32];
    for row in scores.chunks_exact_mut(block) {
        for ((score, highest), sum) in row.iter_mut().zip(&highest[..block]).zip(&mut sums[..block]) {
            *score = exponential::<S>(*score - *highest);
            *sum += *score;
        }
    }
    sums.map(|sum| 1.0 / sum)
}

/// The sum of all values by their shares, column by column, a query in each lane.
#[inline(always)]
fn gather<S: Simd, const Q: usize, const V: usize>(
    simd: S,
    room: &AttentionBuffers,
    count: usize,
    out: &mut [[f32; 32]; HEAD_WIDTH],
) {
    let (shares, _) = S::as_simd_f32s(&room.scores);
    let (shares, _) = shares.as_chunks::<Q>();
    for (values, out) in room.values.chunks_exact(count * V).zip(out.chunks_exact_mut(V)) {
        let (values, _) = values.as_chunks::<V>();
        let mut sums = [[simd.splat_f32s(0.0); Q]; V];
        for (shares, values) in shares.iter().zip(values) {
            for (sums, value) in sums.iter_mut().zip(values) {
                let value = simd.splat_f32s(*value);
                for (sum, share) in sums.iter_mut().zip(shares) {
                    *sum = simd.mul_add_e_f32s(value, *share, *sum);
                }
            }
        }
        for (place, sums) in out.iter_mut().zip(&sums) {
            let (places, _) = S::as_mut_simd_f32s(place);
            places[..Q].copy_from_slice(sums);
        }
    }
}
