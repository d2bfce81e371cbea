//! Products of matrices, the nine tenths of an encoder's work, on whatever vector unit the processor has.
//!
//! No matrix library: the right side is packed once, when the weights are loaded, and every row of the result is
//! summed in one fixed order, so a text's vector does not depend on which texts it shared a batch with. One thread;
//! the callers bring theirs.

use pulp::{Arch, Simd, WithSimd};

/// Columns in a panel: two vectors of the widest unit, four of the usual one.
const WIDTH: usize = 32;

/// The right side of a product: columns in panels of [`WIDTH`], each laid out in the order in which it is read.
#[derive(Default)]
pub(super) struct PackedMatrix {
    panels: Vec<f32>,
    depth: usize,
    columns: usize,
}

impl PackedMatrix {
    /// Makes room for a matrix of this shape, of which every number has to be set. Columns that fill up the last panel
    /// may hold anything: what comes of them is left out of the result.
    pub(super) fn reshape(&mut self, depth: usize, columns: usize) {
        self.depth = depth;
        self.columns = columns;
        self.panels.resize(columns.div_ceil(WIDTH) * WIDTH * depth, 0.0);
    }

    /// Sets the columns from `first` on, the start of a panel, to `values`, which holds them one after the other.
    pub(super) fn set_columns(&mut self, first: usize, values: &[f32]) {
        let depth = self.depth;
        let panels = self.panels[first * depth..].chunks_exact_mut(WIDTH * depth);
        for (panel, columns) in panels.zip(values.chunks(WIDTH * depth)) {
            // A few rows at a time, so that what is written stays near.
            for (at, rows) in panel.chunks_mut(WIDTH * WIDTH).enumerate() {
                let (rows, _) = rows.as_chunks_mut::<WIDTH>();
                for (lane, column) in columns.chunks_exact(depth).enumerate() {
                    for (row, value) in rows.iter_mut().zip(&column[at * WIDTH..]) {
                        row[lane] = *value;
                    }
                }
            }
        }
    }

    pub(super) fn set_column(&mut self, column: usize, values: &[f32]) {
        let start = column / WIDTH * WIDTH * self.depth + column % WIDTH;
        let places = self.panels[start..].iter_mut().step_by(WIDTH);
        for (place, value) in places.zip(values) {
            *place = *value;
        }
    }

    pub(super) fn set_row(&mut self, row: usize, values: &[f32]) {
        for (panel, part) in self.panels.chunks_exact_mut(WIDTH * self.depth).zip(values.chunks(WIDTH)) {
            panel[row * WIDTH..][..part.len()].copy_from_slice(part);
        }
    }

    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    pub(super) fn columns(&self) -> usize {
        self.columns
    }
}

/// Rows of a matrix that need not lie next to each other.
#[derive(Clone, Copy)]
pub(super) struct MatrixRows<'a> {
    pub values: &'a [f32],
    /// How far it is from one row to the next.
    pub stride: usize,
    pub count: usize,
}

/// Room for the left side in the order in which it is read. Kept between products, so that it is made once.
#[derive(Default)]
pub(super) struct Blocks(Vec<f32>);

/// `out = left · right + bias`, where an empty bias is none. The rows of `out` are `stride` apart.
pub(super) fn multiply(
    left: MatrixRows,
    right: &PackedMatrix,
    bias: &[f32],
    out: &mut [f32],
    stride: usize,
    room: &mut Blocks,
) {
    Arch::new().dispatch(Product { left, right, bias, out, stride, room });
}

struct Product<'a> {
    left: MatrixRows<'a>,
    right: &'a PackedMatrix,
    bias: &'a [f32],
    out: &'a mut [f32],
    stride: usize,
    room: &'a mut Blocks,
}

impl WithSimd for Product<'_> {
    type Output = ();

    /// The tile is chosen so that its sums fill the registers of the unit and no more.
    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        match S::F32_LANES {
            16 => self.run::<S, 12, 2>(simd),
            8 => self.run::<S, 3, 4>(simd),
            4 => self.run::<S, 3, 8>(simd),
            2 => self.run::<S, 1, 16>(simd),
            _ => self.run::<S, 1, 32>(simd),
        }
    }
}

impl Product<'_> {
    #[inline(always)]
    fn run<S: Simd, const M: usize, const N: usize>(self, simd: S) {
        let Self { left, right, bias, out, stride, room } = self;
        let depth = right.depth;
        interleave::<M>(left, depth, &mut room.0);
        for (index, panel) in right.panels.chunks_exact(WIDTH * depth).enumerate() {
            let from = index * WIDTH;
            let width = WIDTH.min(right.columns - from);
            let mut start = [0.0; WIDTH];
            if !bias.is_empty() {
                start[..width].copy_from_slice(&bias[from..from + width]);
            }
            let (panel, _) = S::as_simd_f32s(panel);
            let (panel, _) = panel.as_chunks::<N>();
            let (start, _) = S::as_simd_f32s(&start);
            for (block, rows) in room.0.chunks_exact(M * depth).zip((0..left.count).step_by(M)) {
                let (block, _) = block.as_chunks::<M>();
                let sums = tile::<S, M, N>(simd, block, panel, start);
                for (row, sums) in (rows..left.count).zip(&sums) {
                    let place = &mut out[row * stride + from..][..width];
                    if let Some(place) = place.first_chunk_mut::<WIDTH>() {
                        S::as_mut_simd_f32s(place).0.copy_from_slice(sums);
                    } else {
                        place.copy_from_slice(&pulp::bytemuck::cast_slice(sums)[..width]);
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn tile<S: Simd, const M: usize, const N: usize>(
    simd: S,
    block: &[[f32; M]],
    panel: &[[S::f32s; N]],
    start: &[S::f32s],
) -> [[S::f32s; N]; M] {
    let mut sums = [[simd.splat_f32s(0.0); N]; M];
    for row in &mut sums {
        row.copy_from_slice(&start[..N]);
    }
    for (values, columns) in block.iter().zip(panel) {
        for (row, value) in sums.iter_mut().zip(values) {
            let value = simd.splat_f32s(*value);
            for (sum, column) in row.iter_mut().zip(columns) {
                *sum = simd.mul_add_e_f32s(value, *column, *sum);
            }
        }
    }
    sums
}

/// Lays `M` rows at a time side by side. Where the last block lacks rows, it holds what was there, and no row of the result.
#[inline(always)]
fn interleave<const M: usize>(left: MatrixRows, depth: usize, room: &mut Vec<f32>) {
    room.resize(left.count.div_ceil(M) * M * depth, 0.0);
    for (index, block) in room.chunks_exact_mut(M * depth).enumerate() {
        let (block, _) = block.as_chunks_mut::<M>();
        for (lane, row) in (index * M..left.count.min(index * M + M)).enumerate() {
            let row = &left.values[row * left.stride..][..depth];
            for (place, value) in block.iter_mut().zip(row) {
                place[lane] = *value;
            }
        }
    }
}
