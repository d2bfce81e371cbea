//! Transformer layers in int8, which all models are made of.
//!
//! Texts are laid end to end and never padded. Each call runs on the thread that made it; several may run at once and share
//! the weights.

use pulp::Arch;

use crate::activations::gelu;
use crate::attention::{AttentionBuffers, attend};
use crate::kernels::Kernel;
use crate::linear::RoundedRows;
use crate::shape::{WIDE, WIDTH};
use crate::weights::{Layer, TrunkWeights, WordTable};

/// The layers of one model, with the kernel that they run on.
pub(crate) struct Trunk {
    weights: TrunkWeights,
    words: WordTable,
    kernel: Kernel,
    unit: Arch,
}

/// The tokens of a text. Those from `second_kind` on are of the second kind.
#[derive(Clone, Copy)]
pub(crate) struct Sequence<'a> {
    pub tokens: &'a [u32],
    pub second_kind: usize,
}

impl<'a> Sequence<'a> {
    pub(crate) fn of_one_kind(tokens: &'a [u32]) -> Self {
        Self { tokens, second_kind: tokens.len() }
    }
}

/// The memory of one call.
#[derive(Default)]
pub(crate) struct Buffers {
    hidden: Vec<f32>,
    /// Queries, keys and values side by side, or the wide layer, or what is added to `hidden`.
    wide: Vec<f32>,
    more: Vec<f32>,
    rounded: RoundedRows,
    attention: AttentionBuffers,
}

impl Trunk {
    pub(crate) fn new(weights: TrunkWeights, words: WordTable, kernel: Kernel) -> Self {
        Self { weights, words, kernel, unit: kernel.float_unit() }
    }

    /// What computes in floating point.
    pub(crate) fn unit(&self) -> Arch {
        self.unit
    }

    /// A row of numbers for every token, in order.
    pub(crate) fn run<'b>(&self, sequences: &[Sequence<'_>], room: &'b mut Buffers) -> &'b [f32] {
        self.look_up(sequences, room);
        for layer in &self.weights.layers {
            self.run_layer(layer, sequences, room);
        }
        &room.hidden
    }

    fn look_up(&self, sequences: &[Sequence<'_>], room: &mut Buffers) {
        let count: usize = sequences.iter().map(|sequence| sequence.tokens.len()).sum();
        room.hidden.clear();
        room.hidden.resize(count * WIDTH, 0.0);
        room.more.clear();
        let mut rows = room.hidden.chunks_exact_mut(WIDTH);
        for Sequence { tokens, second_kind } in sequences {
            for (token, row) in tokens.iter().zip(&mut rows) {
                self.words.look_up(*token, row);
            }
            let (turn, end) = (second_kind * WIDTH, tokens.len() * WIDTH);
            let positions = &self.weights.positions;
            room.more.extend_from_slice(&positions[0][..turn.min(end)]);
            if let Some(second) = positions.get(1).and_then(|rows| rows.get(turn..end)) {
                room.more.extend_from_slice(second);
            }
        }
        self.weights.norm.add_and_norm(self.unit, &mut room.hidden, &room.more);
    }

    fn run_layer(&self, layer: &Layer, sequences: &[Sequence<'_>], room: &mut Buffers) {
        let (kernel, unit) = (self.kernel, self.unit);
        let Buffers { hidden, wide, more, rounded, attention } = room;
        rounded.fill(kernel, unit, hidden, WIDTH);
        let three = layer.attention.run(kernel, unit, rounded, wide);
        more.resize(hidden.len(), 0.0);
        let mut first = 0;
        for sequence in sequences {
            let end = first + sequence.tokens.len();
            let own = &three[first * 3 * WIDTH..end * 3 * WIDTH];
            attend(unit, own, &mut more[first * WIDTH..end * WIDTH], attention);
            first = end;
        }
        rounded.fill(kernel, unit, more, WIDTH);
        let joined = layer.joined.run(kernel, unit, rounded, wide);
        layer.joined_norm.add_and_norm(unit, hidden, joined);
        rounded.fill(kernel, unit, hidden, WIDTH);
        let wide = layer.wide.run(kernel, unit, rounded, wide);
        gelu(unit, wide);
        rounded.fill(kernel, unit, wide, WIDE);
        let narrow = layer.narrow.run(kernel, unit, rounded, more);
        layer.narrow_norm.add_and_norm(unit, hidden, narrow);
    }
}
