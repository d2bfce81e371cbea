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

use super::{COLUMNS, Inputs, PANEL, ROWS, Tile};
use crate::shape::STEP;

/// Steps that AVX2 works on at a time.
const SPAN: usize = 32;

#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) fn avx512_vnni(inputs: &[Inputs], weights: &[[u8; PANEL]], tile: &mut Tile) {
    let mut sums = [[_mm512_setzero_si512(); 4]; ROWS];
    for (inputs, weights) in inputs.iter().zip(weights) {
        let (parts, _) = weights.as_chunks::<64>();
        let weights = [load_512(&parts[0]), load_512(&parts[1]), load_512(&parts[2]), load_512(&parts[3])];
        for (inputs, sums) in inputs.iter().zip(&mut sums) {
            let inputs = _mm512_set1_epi32(cast(*inputs));
            for (sum, weights) in sums.iter_mut().zip(weights) {
                *sum = _mm512_dpbusd_epi32(*sum, weights, inputs);
            }
        }
    }
    for (row, sums) in tile.iter_mut().zip(sums) {
        let (parts, _) = row.as_chunks_mut::<16>();
        for (part, sum) in parts.iter_mut().zip(sums) {
            // SAFETY: a vector of 64 bytes is written over an array of 16 numbers of four bytes.
            unsafe { _mm512_storeu_si512(part.as_mut_ptr().cast(), sum) }
        }
    }
}

#[target_feature(enable = "avx2,avxvnni")]
pub(super) fn avx_vnni(inputs: &[Inputs], weights: &[[u8; PANEL]], tile: &mut Tile) {
    for column in (0..COLUMNS).step_by(16) {
        let mut sums = [[_mm256_setzero_si256(); 2]; ROWS];
        for (inputs, weights) in inputs.iter().zip(weights) {
            let (parts, _) = weights.as_chunks::<32>();
            let weights = [load_256(&parts[column / 8]), load_256(&parts[column / 8 + 1])];
            for (inputs, sums) in inputs.iter().zip(&mut sums) {
                let inputs = _mm256_set1_epi32(cast(*inputs));
                for (sum, weights) in sums.iter_mut().zip(weights) {
                    *sum = _mm256_dpbusd_avx_epi32(*sum, weights, inputs);
                }
            }
        }
        for (row, sums) in tile.iter_mut().zip(sums) {
            let (parts, _) = row.as_chunks_mut::<8>();
            store_256(&mut parts[column / 8], sums[0]);
            store_256(&mut parts[column / 8 + 1], sums[1]);
        }
    }
}

/// Without an instruction for four products at once, `maddubs` takes the fewest instructions, but adds two products in 16
/// bits. Weights are at most 255, so they fit wherever the two inputs add up to at most 128 in size. Where they do not, the
/// second one is left out, and multiplied in a step of its own.
#[target_feature(enable = "avx2")]
pub(super) fn avx2(inputs: &[Inputs], weights: &[[u8; PANEL]], tile: &mut Tile) {
    *tile = [[0; COLUMNS]; ROWS];
    let mut safe = [[[0; STEP]; ROWS]; SPAN];
    let mut left = [[[0; STEP]; ROWS]; SPAN];
    let mut places = [0_u8; SPAN];
    for (inputs, weights) in inputs.chunks(SPAN).zip(weights.chunks(SPAN)) {
        let mut count = 0;
        for (at, (inputs, safe)) in inputs.iter().zip(&mut safe).enumerate() {
            *safe = *inputs;
            if leave_out(safe, &mut left[count]) {
                places[count] = at as u8;
                count += 1;
            }
        }
        for column in (0..COLUMNS).step_by(16) {
            let mut sums = [[_mm256_setzero_si256(); 2]; ROWS];
            for (inputs, weights) in safe.iter().zip(weights) {
                add_products(&mut sums, inputs, weights, column);
            }
            for (inputs, at) in left[..count].iter().zip(places) {
                if let Some(weights) = weights.get(usize::from(at)) {
                    add_products(&mut sums, inputs, weights, column);
                }
            }
            for (row, sums) in tile.iter_mut().zip(sums) {
                let (parts, _) = row.as_chunks_mut::<8>();
                add_256(&mut parts[column / 8], sums[0]);
                add_256(&mut parts[column / 8 + 1], sums[1]);
            }
        }
    }
}

/// Takes the second of two inputs out of a step where both are too large together; false if there is no such pair, and then
/// `left` is as before.
#[target_feature(enable = "avx2")]
#[inline]
fn leave_out(safe: &mut Inputs, left: &mut Inputs) -> bool {
    let all = load_inputs(safe);
    let size = _mm256_abs_epi16(_mm256_maddubs_epi16(_mm256_set1_epi8(1), all));
    let large = _mm256_cmpgt_epi16(size, _mm256_set1_epi16(128));
    if _mm256_testz_si256(large, large) == 1 {
        return false;
    }
    let second = _mm256_slli_epi16::<8>(large);
    store_inputs(safe, _mm256_andnot_si256(second, all));
    store_inputs(left, _mm256_and_si256(second, all));
    true
}

/// Adds the products of 16 outputs in one step. A vector holds eight outputs by four inputs.
#[target_feature(enable = "avx2")]
#[inline]
fn add_products(sums: &mut [[__m256i; 2]; ROWS], inputs: &Inputs, weights: &[u8; PANEL], column: usize) {
    let (parts, _) = weights.as_chunks::<32>();
    let weights = [load_256(&parts[column / 8]), load_256(&parts[column / 8 + 1])];
    for (inputs, sums) in inputs.iter().zip(sums) {
        let inputs = _mm256_set1_epi32(cast(*inputs));
        for (sum, weights) in sums.iter_mut().zip(weights) {
            let pairs = _mm256_maddubs_epi16(weights, inputs);
            *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
        }
    }
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

#[target_feature(enable = "avx2")]
#[inline]
fn store_256(numbers: &mut [i32; 8], sums: __m256i) {
    // SAFETY: a vector of 32 bytes is written over eight numbers of four bytes.
    unsafe { _mm256_storeu_si256(numbers.as_mut_ptr().cast(), sums) }
}

#[target_feature(enable = "avx2")]
#[inline]
fn add_256(numbers: &mut [i32; 8], sums: __m256i) {
    // SAFETY: eight numbers of four bytes are read as one vector of 32 bytes, which needs no alignment.
    let before = unsafe { _mm256_loadu_si256(numbers.as_ptr().cast()) };
    store_256(numbers, _mm256_add_epi32(before, sums));
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
