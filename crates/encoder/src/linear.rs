//! A linear layer in int8: inputs are rounded token by token, weights were rounded in training.

use pulp::{Arch, Simd, WithSimd};

use crate::activations::multiply_add;
use crate::kernels::{Block, COLUMNS, Kernel, MOST_PANELS, ROWS, Tile};
use crate::shape::{OFFSET, STEP, WIDE};

/// Weights as `shape.rs` describes them, with a scale and a bias for each output.
pub(crate) struct Linear {
    pub weights: &'static [u8],
    pub scales: &'static [f32],
    pub biases: &'static [f32],
}

/// Rows rounded to whole numbers from -127 to 127, each with its own scale.
#[derive(Default)]
pub(crate) struct RoundedRows {
    /// Never fewer than before. The last in use is filled up with what was there, whose sums nobody reads.
    blocks: Vec<Block>,
    scales: Vec<f32>,
    sums: Vec<i32>,
    depth: usize,
}

impl RoundedRows {
    /// Rounds rows of `depth` numbers.
    pub(crate) fn fill(&mut self, kernel: Kernel, unit: Arch, rows: &[f32], depth: usize) {
        let count = rows.len() / depth;
        self.depth = depth;
        self.scales.resize(count, 0.0);
        self.sums.resize(count, 0);
        self.blocks.resize_with(self.blocks.len().max(count.div_ceil(ROWS)), Block::default);
        for block in self.blocks_in_use() {
            block.steps.resize(depth / STEP, [[0; STEP]; ROWS]);
        }
        unit.dispatch(Round { rows, rounded: self });
        for block in self.blocks_in_use() {
            kernel.arrange(block);
        }
    }

    fn blocks_in_use(&mut self) -> &mut [Block] {
        let count = self.scales.len().div_ceil(ROWS);
        &mut self.blocks[..count]
    }
}

struct Round<'a> {
    rows: &'a [f32],
    rounded: &'a mut RoundedRows,
}

impl WithSimd for Round<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let depth = self.rounded.depth;
        let mut values = [0; WIDE];
        for (at, row) in self.rows.chunks_exact(depth).enumerate() {
            let values = &mut values[..depth];
            (self.rounded.scales[at], self.rounded.sums[at]) = round_row::<S>(row, values);
            let block = &mut self.rounded.blocks[at / ROWS];
            for (step, values) in block.steps.iter_mut().zip(values.as_chunks::<STEP>().0) {
                step[at % ROWS] = *values;
            }
        }
    }
}

/// The scale of a row, and the sum of its rounded numbers.
#[inline(always)]
fn round_row<S: Simd>(row: &[f32], places: &mut [i8]) -> (f32, i32) {
    const LANES: usize = 64;
    /// Adding this leaves the nearest whole number in the low bits.
    const TO_WHOLE: f32 = 12_582_912.0;
    let mut highest = [0_f32; LANES];
    for chunk in row.as_chunks::<LANES>().0 {
        for (highest, value) in highest.iter_mut().zip(chunk) {
            let size = value.abs();
            *highest = if size > *highest { size } else { *highest };
        }
    }
    let scale = highest.into_iter().fold(1e-8, f32::max) / 127.0;
    let factor = 1.0 / scale;
    let mut sums = [0_i32; LANES];
    for (chunk, places) in row.as_chunks::<LANES>().0.iter().zip(places.as_chunks_mut::<LANES>().0) {
        for ((value, place), sum) in chunk.iter().zip(places).zip(&mut sums) {
            let bits = multiply_add::<S>(*value, factor, TO_WHOLE).to_bits().cast_signed();
            *place = bits as i8;
            *sum = sum.wrapping_add(bits.wrapping_sub(TO_WHOLE.to_bits().cast_signed()));
        }
    }
    (scale, sums.iter().sum())
}

impl Linear {
    pub(crate) fn outputs(&self) -> usize {
        self.biases.len()
    }

    /// Rows of outputs for rows of inputs, at the beginning of `room`, which grows where it has to.
    pub(crate) fn run<'o>(
        &self,
        kernel: Kernel,
        unit: Arch,
        inputs: &RoundedRows,
        room: &'o mut Vec<f32>,
    ) -> &'o mut [f32] {
        let outputs = self.outputs();
        let depth = inputs.depth;
        let size = inputs.scales.len() * outputs;
        room.resize(room.len().max(size), 0.0);
        let out = &mut room[..size];
        let blocks = &inputs.blocks[..inputs.scales.len().div_ceil(ROWS)];
        let mut tiles = [[[0; COLUMNS]; ROWS]; MOST_PANELS];
        let tiles = &mut tiles[..kernel.panels()];
        let together = tiles.len() * COLUMNS;
        for (at, weights) in self.weights.chunks_exact(together * depth).enumerate() {
            let column = at * together;
            for (at, block) in blocks.iter().enumerate() {
                kernel.multiply(block, weights, tiles);
                unit.dispatch(Scale { layer: self, inputs, tiles, out, first: at * ROWS, column });
            }
        }
        out
    }
}

/// Brings the sums of tiles to their scale and puts them in their place.
struct Scale<'a> {
    layer: &'a Linear,
    inputs: &'a RoundedRows,
    tiles: &'a [Tile],
    out: &'a mut [f32],
    first: usize,
    column: usize,
}

impl WithSimd for Scale<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let outputs = self.layer.outputs();
        for (tile, column) in self.tiles.iter().zip((self.column..).step_by(COLUMNS)) {
            let part = |values: &'static [f32]| values[column..].first_chunk::<COLUMNS>();
            let (Some(scales), Some(biases)) = (part(self.layer.scales), part(self.layer.biases)) else {
                return;
            };
            for (row, sums) in (self.first..self.inputs.scales.len()).zip(tile) {
                let (scale, offset) = (self.inputs.scales[row], self.inputs.sums[row] * OFFSET);
                let place = self.out[row * outputs + column..].first_chunk_mut::<COLUMNS>();
                let Some(place) = place else { return };
                // Put down as a whole, since the compiler does not see that the places are not those of the scales.
                let mut values = [0.0; COLUMNS];
                for at in 0..COLUMNS {
                    let sum = sums[at].wrapping_sub(offset) as f32;
                    values[at] = multiply_add::<S>(sum, scale * scales[at], biases[at]);
                }
                *place = values;
            }
        }
    }
}

/// The deepest layer sums this many products of at most 255 · 128, which a sum of 32 bits holds.
const _: () = assert!(WIDE * 255 * 128 < i32::MAX as usize);
