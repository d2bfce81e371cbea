//! A block of rows as a kernel takes its inputs, and what is left out of it where a kernel would saturate.

use super::{Inputs, ROWS};
use crate::shape::STEP;

/// Rows that share what was left out of them.
pub(super) const HALF: usize = ROWS / 2;

/// The inputs of [`ROWS`] rows, step by step.
#[derive(Default)]
pub struct Block {
    /// An even number of them.
    pub steps: Vec<Inputs>,
    /// For each half of the rows, what was left out of `steps` and has to be multiplied and added, too.
    pub(super) left: [Vec<LeftOut>; ROWS / HALF],
}

/// Inputs that were left out of a step; the others are zero.
pub(super) struct LeftOut {
    pub step: usize,
    pub inputs: [[i8; STEP]; HALF],
}

impl Block {
    /// Keeps what was taken out of a step, if it is anything.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "AVX2 alone leaves anything out"))]
    pub(super) fn keep(&mut self, step: usize, taken: &Inputs) {
        for (left, inputs) in self.left.iter_mut().zip(taken.as_chunks::<HALF>().0) {
            if *inputs != [[0; STEP]; HALF] {
                left.push(LeftOut { step, inputs: *inputs });
            }
        }
    }
}
