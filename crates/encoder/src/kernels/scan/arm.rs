//! The scan with the dot product instruction of 64-bit ARM, which takes signs on both sides.

#![allow(
    unsafe_code,
    reason = "loads of vectors take pointers: each is one array of the vector's size, read whole"
)]

use std::arch::aarch64::*;

use super::super::arm::dot;
use super::dot_product;

#[target_feature(enable = "neon,dotprod")]
pub(super) fn neon_dot(vector: &[i8], rows: &[i8], products: &mut Vec<i32>) {
    let (parts, rest) = vector.as_chunks::<16>();
    for row in rows.chunks_exact(vector.len()) {
        let (row_parts, row_rest) = row.as_chunks::<16>();
        let mut sum = vdupq_n_s32(0);
        for (part, row) in parts.iter().zip(row_parts) {
            // SAFETY: arrays of 16 bytes are read as vectors of 16 bytes.
            let (part, row) = unsafe { (vld1q_s8(part.as_ptr()), vld1q_s8(row.as_ptr())) };
            sum = dot(sum, part, row);
        }
        products.push(vaddvq_s32(sum).wrapping_add(dot_product(rest, row_rest)));
    }
}
