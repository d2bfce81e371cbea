//! The scan with the vector instructions of x86-64.
//!
//! `vpdpbusd` wants one side without sign: rows get 128 added as they are read, and 128 times the sum of the vector is taken
//! off. Without it, both sides are widened to 16 bits. What is left of a row after whole vectors is multiplied one by one.

#![allow(
    unsafe_code,
    reason = "loads of vectors take pointers: each is one array of the vector's size, read whole"
)]

use std::arch::x86_64::*;

use super::dot_product;
use crate::shape::OFFSET;

/// What 128 more in each number of a row add to its product with a vector.
fn offset(vector: &[i8]) -> i32 {
    vector.iter().map(|number| i32::from(*number)).fold(0, i32::wrapping_add).wrapping_mul(OFFSET)
}

#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) fn avx512_vnni(vector: &[i8], rows: &[i8], products: &mut Vec<i32>) {
    let sign = _mm512_set1_epi8(i8::MIN);
    let (parts, rest) = vector.as_chunks::<64>();
    let offset = offset(parts.as_flattened());
    for row in rows.chunks_exact(vector.len()) {
        let (row_parts, row_rest) = row.as_chunks::<64>();
        let mut sum = _mm512_setzero_si512();
        for (part, row) in parts.iter().zip(row_parts) {
            // SAFETY: arrays of 64 bytes are read as vectors of 64 bytes, which need no alignment.
            let (part, row) = unsafe {
                (_mm512_loadu_si512(part.as_ptr().cast()), _mm512_loadu_si512(row.as_ptr().cast()))
            };
            sum = _mm512_dpbusd_epi32(sum, _mm512_xor_si512(row, sign), part);
        }
        let whole = _mm512_reduce_add_epi32(sum).wrapping_sub(offset);
        products.push(whole.wrapping_add(dot_product(rest, row_rest)));
    }
}

#[target_feature(enable = "avx2,avxvnni")]
pub(super) fn avx_vnni(vector: &[i8], rows: &[i8], products: &mut Vec<i32>) {
    let sign = _mm256_set1_epi8(i8::MIN);
    let (parts, rest) = vector.as_chunks::<32>();
    let offset = offset(parts.as_flattened());
    for row in rows.chunks_exact(vector.len()) {
        let (row_parts, row_rest) = row.as_chunks::<32>();
        let mut sum = _mm256_setzero_si256();
        for (part, row) in parts.iter().zip(row_parts) {
            // SAFETY: arrays of 32 bytes are read as vectors of 32 bytes, which need no alignment.
            let (part, row) = unsafe {
                (_mm256_loadu_si256(part.as_ptr().cast()), _mm256_loadu_si256(row.as_ptr().cast()))
            };
            sum = _mm256_dpbusd_avx_epi32(sum, _mm256_xor_si256(row, sign), part);
        }
        let whole = add_lanes(sum).wrapping_sub(offset);
        products.push(whole.wrapping_add(dot_product(rest, row_rest)));
    }
}

#[target_feature(enable = "avx2")]
pub(super) fn avx2(vector: &[i8], rows: &[i8], products: &mut Vec<i32>) {
    let wide: Vec<i16> = vector.iter().map(|number| i16::from(*number)).collect();
    let (parts, _) = wide.as_chunks::<16>();
    let (_, rest) = vector.as_chunks::<16>();
    for row in rows.chunks_exact(vector.len()) {
        let (row_parts, row_rest) = row.as_chunks::<16>();
        let mut sum = _mm256_setzero_si256();
        for (part, row) in parts.iter().zip(row_parts) {
            // SAFETY: an array of 32 bytes is read as a vector of 32 bytes, one of 16 as one of 16; neither needs alignment.
            let (part, row) =
                unsafe { (_mm256_loadu_si256(part.as_ptr().cast()), _mm_loadu_si128(row.as_ptr().cast())) };
            sum = _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_cvtepi8_epi16(row), part));
        }
        products.push(add_lanes(sum).wrapping_add(dot_product(rest, row_rest)));
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn add_lanes(sums: __m256i) -> i32 {
    let four = _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256::<1>(sums));
    let two = _mm_add_epi32(four, _mm_shuffle_epi32::<0b00_00_11_10>(four));
    _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32::<0b00_00_00_01>(two)))
}
