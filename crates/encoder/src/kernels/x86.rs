//! The product with the vector instructions of x86-64.
//!
//! The sums stay in registers while inputs and weights are read once from front to back. No closures here: one in a
//! function for certain instructions is not inlined into a function that has none.

#![allow(
    unsafe_code,
    reason = "loads and stores of vectors take pointers: each is one array of the vector's size, read or written whole"
)]

use std::arch::x86_64::*;

use pulp::bytemuck::cast;

use super::{COLUMNS, Inputs, PANEL, ROWS, Tile};
use crate::shape::STEP;

/// Steps whose inputs are widened at a time.
const SPAN: usize = 96;

type WideInputs = [[i16; STEP]; ROWS];

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

/// Without an instruction for four products at once, both sides are widened to 16 bits, where no sum of two products can
/// overflow: the shorter way by `maddubs` stops at 32,767.
#[target_feature(enable = "avx2")]
pub(super) fn avx2(inputs: &[Inputs], weights: &[[u8; PANEL]], tile: &mut Tile) {
    *tile = [[0; COLUMNS]; ROWS];
    let mut wide = [[[0; STEP]; ROWS]; SPAN];
    for (inputs, weights) in inputs.chunks(SPAN).zip(weights.chunks(SPAN)) {
        let wide = &mut wide[..inputs.len()];
        let places = wide.as_flattened_mut().as_flattened_mut().iter_mut();
        for (place, input) in places.zip(inputs.as_flattened().as_flattened()) {
            *place = i16::from(*input);
        }
        for column in (0..COLUMNS).step_by(8) {
            avx2_part(wide, weights, column, tile);
        }
    }
}

/// Adds the products of eight outputs. A vector holds four outputs by four inputs.
#[target_feature(enable = "avx2")]
fn avx2_part(inputs: &[WideInputs], weights: &[[u8; PANEL]], column: usize, tile: &mut Tile) {
    let mut sums = [[_mm256_setzero_si256(); 2]; ROWS];
    for (inputs, weights) in inputs.iter().zip(weights) {
        let (parts, _) = weights.as_chunks::<16>();
        let weights = [widen(&parts[column / 4]), widen(&parts[column / 4 + 1])];
        for (inputs, sums) in inputs.iter().zip(&mut sums) {
            let inputs = _mm256_set1_epi64x(cast(*inputs));
            for (sum, weights) in sums.iter_mut().zip(weights) {
                *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(weights, inputs));
            }
        }
    }
    for (row, sums) in tile.iter_mut().zip(sums) {
        let (parts, _) = row.as_chunks_mut::<8>();
        let part = &mut parts[column / 8];
        // Neighbors belong together; adding them leaves the middle two pairs of lanes exchanged.
        let sums = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_hadd_epi32(sums[0], sums[1]));
        // SAFETY: eight numbers of four bytes are read as one vector of 32 bytes, which needs no alignment.
        let before = unsafe { _mm256_loadu_si256(part.as_ptr().cast()) };
        store_256(part, _mm256_add_epi32(before, sums));
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

/// Sixteen bytes without sign as numbers of 16 bits.
#[target_feature(enable = "avx2")]
#[inline]
fn widen(bytes: &[u8; 16]) -> __m256i {
    // SAFETY: an array of 16 bytes is read as one vector of 16 bytes, which needs no alignment.
    _mm256_cvtepu8_epi16(unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) })
}

#[target_feature(enable = "avx2")]
#[inline]
fn store_256(numbers: &mut [i32; 8], sums: __m256i) {
    // SAFETY: a vector of 32 bytes is written over eight numbers of four bytes.
    unsafe { _mm256_storeu_si256(numbers.as_mut_ptr().cast(), sums) }
}
