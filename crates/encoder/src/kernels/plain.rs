//! The product as it is defined, for any processor; the other kernels are tested against it.

use super::block::HALF;
use super::{Block, COLUMNS, PANEL, ROWS, Tile};
use crate::shape::STEP;

pub(super) fn multiply(block: &Block, weights: &[[u8; PANEL]], tile: &mut Tile) {
    *tile = [[0; COLUMNS]; ROWS];
    for (inputs, weights) in block.steps.iter().zip(weights) {
        add_products(tile, inputs, weights);
    }
    for (tile, left) in tile.chunks_exact_mut(HALF).zip(&block.left) {
        for left in left {
            add_products(tile, &left.inputs, &weights[left.step]);
        }
    }
}

fn add_products(tile: &mut [[i32; COLUMNS]], inputs: &[[i8; STEP]], weights: &[u8; PANEL]) {
    let (weights, _) = weights.as_chunks::<STEP>();
    for (sums, inputs) in tile.iter_mut().zip(inputs) {
        for (sum, weights) in sums.iter_mut().zip(weights) {
            let products = weights.iter().zip(inputs);
            *sum += products.map(|(weight, input)| i32::from(*weight) * i32::from(*input)).sum::<i32>();
        }
    }
}
