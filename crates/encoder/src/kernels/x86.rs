//! The product with the vector instructions of x86-64.
//!
//! The sums stay in registers while inputs and weights are read once from front to back. No closures here: one in a
//! function for certain instructions is not inlined into a function that has none.

#![allow(
    unsafe_code,
    reason = "loads and stores of vectors take pointers: each is one array of the vector's size, read or written whole"
)]

use std::arch::x86_64::*;

use pulp::bytemuck::{cast, cast_mut, cast_ref};

use super::block::{HALF, LeftOut};
use super::{Block, COLUMNS, Inputs, MOST_PANELS, PANEL, ROWS, Tile};
use crate::shape::STEP;

#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) fn avx512_vnni(block: &Block, weights: &[[u8; PANEL]], mut tiles: [&mut Tile; MOST_PANELS]) {
    let depth = block.steps.len();
    let mut panels = weights.chunks_exact(depth);
    let (Some(a), Some(b), Some(c), Some(d)) = (panels.next(), panels.next(), panels.next(), panels.next())
    else {
        return;
    };
    let mut sums = [[_mm512_setzero_si512(); MOST_PANELS]; ROWS];
    for ((((inputs, a), b), c), d) in block.steps.iter().zip(a).zip(b).zip(c).zip(d) {
        let weights = [load_512(a), load_512(b), load_512(c), load_512(d)];
        for (inputs, sums) in inputs.iter().zip(&mut sums) {
            let inputs = _mm512_set1_epi32(cast(*inputs));
            for (sum, weights) in sums.iter_mut().zip(weights) {
                *sum = _mm512_dpbusd_epi32(*sum, weights, inputs);
            }
        }
    }
    for (row, sums) in sums.into_iter().enumerate() {
        for (tile, sum) in tiles.iter_mut().zip(sums) {
            // SAFETY: a vector of 64 bytes is written over an array of 16 numbers of four bytes.
            unsafe { _mm512_storeu_si512(tile[row].as_mut_ptr().cast(), sum) }
        }
    }
}

#[target_feature(enable = "avx2,avxvnni")]
pub(super) fn avx_vnni(block: &Block, weights: &[[u8; PANEL]], tile: &mut Tile) {
    let mut sums = [[_mm256_setzero_si256(); 2]; ROWS];
    for (inputs, weights) in block.steps.iter().zip(weights) {
        let weights = load_panel(weights);
        for (inputs, sums) in inputs.iter().zip(&mut sums) {
            let inputs = _mm256_set1_epi32(cast(*inputs));
            for (sum, weights) in sums.iter_mut().zip(weights) {
                *sum = _mm256_dpbusd_avx_epi32(*sum, weights, inputs);
            }
        }
    }
    store_sums(tile, &sums);
}

/// Without an instruction for four products at once, `maddubs` takes the fewest instructions, but adds two products in 16
/// bits. The products of two steps are added there before they are widened, which saves every fourth instruction after it;
/// [`leave_out`] has made sure that they fit.
#[target_feature(enable = "avx2")]
pub(super) fn avx2(block: &Block, weights: &[[u8; PANEL]], tile: &mut Tile) {
    let (twos, _) = weights.as_chunks::<2>();
    for (half, left) in block.left.iter().enumerate() {
        let mut sums = [[_mm256_setzero_si256(); 2]; HALF];
        for (inputs, weights) in block.steps.as_chunks::<2>().0.iter().zip(twos) {
            let weights = [load_panel(&weights[0]), load_panel(&weights[1])];
            for (row, sums) in sums.iter_mut().enumerate() {
                let row = half * HALF + row;
                let inputs =
                    [_mm256_set1_epi32(cast(inputs[0][row])), _mm256_set1_epi32(cast(inputs[1][row]))];
                for (part, sum) in sums.iter_mut().enumerate() {
                    let one = _mm256_maddubs_epi16(weights[0][part], inputs[0]);
                    let two = _mm256_maddubs_epi16(weights[1][part], inputs[1]);
                    *sum = _mm256_add_epi32(*sum, widen(_mm256_add_epi16(one, two)));
                }
            }
        }
        for LeftOut { step, inputs } in left {
            let Some(weights) = weights.get(*step) else { continue };
            let weights = load_panel(weights);
            for (inputs, sums) in inputs.iter().zip(&mut sums) {
                let inputs = _mm256_set1_epi32(cast(*inputs));
                for (sum, weights) in sums.iter_mut().zip(weights) {
                    *sum = _mm256_add_epi32(*sum, widen(_mm256_maddubs_epi16(weights, inputs)));
                }
            }
        }
        store_sums(&mut tile[half * HALF..], &sums);
    }
}

/// The sums of two neighbors.
#[target_feature(enable = "avx2")]
#[inline]
fn widen(sums: __m256i) -> __m256i {
    _mm256_madd_epi16(sums, _mm256_set1_epi16(1))
}

/// Leaves out of a block what [`avx2`] can't add in 16 bits, which few steps have: first one of two neighbors in a step, then
/// both in the second of two steps.
#[target_feature(enable = "avx2")]
pub(super) fn leave_out(block: &mut Block) {
    for step in (0..block.steps.len()).step_by(2) {
        let Some([one, two]) = block.steps.get_mut(step..).and_then(<[Inputs]>::first_chunk_mut) else {
            return;
        };
        let (first, second) = (load_inputs(one), load_inputs(two));
        let large = too_large(first, second);
        if _mm256_testz_si256(large, large) == 1 {
            continue;
        }
        let none = _mm256_setzero_si256();
        let one_of_two = _mm256_set1_epi16(0xff);
        let from_first = _mm256_and_si256(first, _mm256_and_si256(too_large(first, none), one_of_two));
        let from_second = _mm256_and_si256(second, _mm256_and_si256(too_large(second, none), one_of_two));
        let (first, second) = (_mm256_sub_epi8(first, from_first), _mm256_sub_epi8(second, from_second));
        let rest = _mm256_and_si256(second, too_large(first, second));
        store_inputs(one, first);
        store_inputs(two, _mm256_sub_epi8(second, rest));
        for (step, inputs) in [(step, from_first), (step + 1, from_second), (step + 1, rest)] {
            let mut taken = [[0; STEP]; ROWS];
            store_inputs(&mut taken, inputs);
            block.keep(step, &taken);
        }
    }
}

/// The pairs of neighbors whose positive or negative inputs add up to more than fits over two steps, for weights of up to
/// 255.
#[target_feature(enable = "avx2")]
#[inline]
fn too_large(first: __m256i, second: __m256i) -> __m256i {
    let (none, each) = (_mm256_setzero_si256(), _mm256_set1_epi8(1));
    let above = _mm256_add_epi16(
        _mm256_maddubs_epi16(each, _mm256_max_epi8(first, none)),
        _mm256_maddubs_epi16(each, _mm256_max_epi8(second, none)),
    );
    let below = _mm256_add_epi16(
        _mm256_maddubs_epi16(each, _mm256_min_epi8(first, none)),
        _mm256_maddubs_epi16(each, _mm256_min_epi8(second, none)),
    );
    let size = _mm256_max_epi16(above, _mm256_abs_epi16(below));
    _mm256_cmpgt_epi16(size, _mm256_set1_epi16(128))
}

#[target_feature(enable = "avx512f")]
#[inline]
fn load_512(bytes: &[u8; 64]) -> __m512i {
    // SAFETY: an array of 64 bytes is read as one vector of 64 bytes, which needs no alignment.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}

#[target_feature(enable = "avx2")]
#[inline]
fn load_256(bytes: &[u8; 32]) -> __m256i {
    // SAFETY: an array of 32 bytes is read as one vector of 32 bytes, which needs no alignment.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}

/// The weights of a panel in a step. A vector holds eight outputs by four inputs.
#[target_feature(enable = "avx2")]
#[inline]
fn load_panel(weights: &[u8; PANEL]) -> [__m256i; 2] {
    let (parts, _) = weights.as_chunks::<32>();
    [load_256(&parts[0]), load_256(&parts[1])]
}

#[target_feature(enable = "avx2")]
#[inline]
fn store_sums(tile: &mut [[i32; COLUMNS]], sums: &[[__m256i; 2]]) {
    for (row, sums) in tile.iter_mut().zip(sums) {
        for (part, sum) in row.as_chunks_mut::<8>().0.iter_mut().zip(sums) {
            // SAFETY: a vector of 32 bytes is written over eight numbers of four bytes.
            unsafe { _mm256_storeu_si256(part.as_mut_ptr().cast(), *sum) }
        }
    }
}

/// The 24 inputs of a step, and zeros.
#[target_feature(enable = "avx2")]
#[inline]
fn load_inputs(inputs: &Inputs) -> __m256i {
    let bytes: &[i8; ROWS * STEP] = cast_ref(inputs);
    let (first, _) = bytes.as_chunks::<16>();
    let (eights, _) = bytes.as_chunks::<8>();
    // SAFETY: an array of 16 bytes is read as one vector of 16 bytes, which needs no alignment.
    let first = unsafe { _mm_loadu_si128(first[0].as_ptr().cast()) };
    _mm256_set_m128i(_mm_cvtsi64_si128(cast(eights[2])), first)
}

#[target_feature(enable = "avx2")]
#[inline]
fn store_inputs(inputs: &mut Inputs, all: __m256i) {
    let bytes: &mut [i8; ROWS * STEP] = cast_mut(inputs);
    if let Some(first) = bytes.first_chunk_mut::<16>() {
        // SAFETY: a vector of 16 bytes is written over an array of 16 bytes.
        unsafe { _mm_storeu_si128(first.as_mut_ptr().cast(), _mm256_castsi256_si128(all)) }
    }
    if let Some(last) = bytes.last_chunk_mut::<8>() {
        *last = cast(_mm_cvtsi128_si64(_mm256_extracti128_si256::<1>(all)));
    }
}
