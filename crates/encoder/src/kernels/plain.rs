//! The product as it is defined, for any processor; the other kernels are tested against it.

use super::{COLUMNS, Inputs, PANEL, ROWS, Tile};
use crate::shape::STEP;

pub(super) fn multiply(inputs: &[Inputs], weights: &[[u8; PANEL]], tile: &mut Tile) {
    *tile = [[0; COLUMNS]; ROWS];
    for (inputs, weights) in inputs.iter().zip(weights) {
        let (weights, _) = weights.as_chunks::<STEP>();
        for (sums, inputs) in tile.iter_mut().zip(inputs) {
            for (sum, weights) in sums.iter_mut().zip(weights) {
                let products = weights.iter().zip(inputs);
                *sum += products.map(|(weight, input)| i32::from(*weight) * i32::from(*input)).sum::<i32>();
            }
        }
    }
}
