//! The product with the dot product instruction of 64-bit ARM.

#![allow(
    unsafe_code,
    reason = "loads and stores of vectors take pointers, and the instruction has no stable function: it is named as it is"
)]

use std::arch::aarch64::*;
use std::arch::asm;

use pulp::bytemuck::cast;

use super::{Block, PANEL, ROWS, Tile};
use crate::shape::OFFSET;

/// The instruction takes weights with their sign, so the 128 are taken off when they are loaded, and added to the sums.
#[target_feature(enable = "neon,dotprod")]
pub(super) fn neon_dot(block: &Block, weights: &[[u8; PANEL]], tile: &mut Tile) {
    let mut offsets = [0; ROWS];
    let mut sums = [[vdupq_n_s32(0); 4]; ROWS];
    for (inputs, weights) in block.steps.iter().zip(weights) {
        let (parts, _) = weights.as_chunks::<16>();
        let weights = [load(&parts[0]), load(&parts[1]), load(&parts[2]), load(&parts[3])];
        for ((inputs, sums), offset) in inputs.iter().zip(&mut sums).zip(&mut offsets) {
            *offset += inputs.iter().map(|input| i32::from(*input) * OFFSET).sum::<i32>();
            let inputs = vreinterpretq_s8_s32(vdupq_n_s32(cast(*inputs)));
            for (sum, weights) in sums.iter_mut().zip(weights) {
                *sum = dot(*sum, weights, inputs);
            }
        }
    }
    for ((row, sums), offset) in tile.iter_mut().zip(sums).zip(offsets) {
        let (parts, _) = row.as_chunks_mut::<4>();
        for (part, sum) in parts.iter_mut().zip(sums) {
            // SAFETY: a vector of 16 bytes is written over four numbers of four bytes.
            unsafe { vst1q_s32(part.as_mut_ptr(), vaddq_s32(sum, vdupq_n_s32(offset))) }
        }
    }
}

/// Sixteen weights with their sign.
#[target_feature(enable = "neon")]
#[inline]
fn load(bytes: &[u8; 16]) -> int8x16_t {
    // SAFETY: an array of 16 bytes is read as one vector of 16 bytes.
    vreinterpretq_s8_u8(veorq_u8(unsafe { vld1q_u8(bytes.as_ptr()) }, vdupq_n_u8(0x80)))
}

#[target_feature(enable = "neon,dotprod")]
#[inline]
pub(super) fn dot(mut sum: int32x4_t, weights: int8x16_t, inputs: int8x16_t) -> int32x4_t {
    // SAFETY: one instruction on three registers, which touches no memory and no flags.
    unsafe {
        asm!(
            "sdot {sum:v}.4s, {weights:v}.16b, {inputs:v}.16b",
            sum = inout(vreg) sum,
            weights = in(vreg) weights,
            inputs = in(vreg) inputs,
            options(pure, nomem, nostack, preserves_flags)
        );
    }
    sum
}
