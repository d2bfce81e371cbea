//! From texts to vectors: three transformer layers in int8, the mean over all tokens, length one.
//!
//! Texts are laid end to end and never padded. Each call runs on the thread that made it; several may run at once and share
//! the weights.

use pulp::Arch;

use crate::activations::{gelu, normalize};
use crate::attention::{AttentionBuffers, attend};
use crate::kernels::Kernel;
use crate::linear::RoundedRows;
use crate::shape::{LONGEST, WIDE, WIDTH};
use crate::weights::{Layer, Weights};
use crate::wordpiece::WordPiece;

/// Tokens that are worked on at once: enough to keep the processor busy, few enough to stay in its cache.
const BATCH: usize = 2 * LONGEST;

/// The model that is part of the program.
pub struct Encoder {
    tokenizer: WordPiece,
    weights: Weights,
    kernel: Kernel,
    unit: Arch,
}

/// The memory of one call.
#[derive(Default)]
struct Buffers {
    hidden: Vec<f32>,
    /// Queries, keys and values side by side, or the wide layer, or what is added to `hidden`.
    wide: Vec<f32>,
    more: Vec<f32>,
    rounded: RoundedRows,
    attention: AttentionBuffers,
}

impl Encoder {
    /// The SHA-256 of `model.int8.safetensors`.
    pub const HASH: &str = "b7d2ca86119e73f9f002abfef7bde523f5683c9b0c689c6ee52b6ac77ee18051";
    /// The length of its vectors.
    pub const DIMENSION: usize = WIDTH;

    /// The model, on the fastest kernel that this processor has.
    pub fn open() -> Result<Self, String> {
        Self::with_kernel(Kernel::best())
    }

    /// The same on a kernel of the caller's choice, to test and to measure.
    pub fn with_kernel(kernel: Kernel) -> Result<Self, String> {
        let weights = Weights::open();
        let tokenizer = WordPiece::built_in(weights.vocabulary)?;
        Ok(Self { tokenizer, weights, kernel, unit: kernel.float_unit() })
    }

    /// A vector of length one for each text. Of a long text the first 256 tokens are read.
    pub fn embed(&self, texts: &[&str]) -> Vec<Vec<f32>> {
        let tokens: Vec<Vec<u32>> = texts.iter().map(|text| self.tokenizer.encode(text, LONGEST)).collect();
        self.embed_tokens(&tokens)
    }

    /// The same for texts that are tokens already: at least one each, and no more than 256 are read.
    pub fn embed_tokens(&self, texts: &[Vec<u32>]) -> Vec<Vec<f32>> {
        let mut room = Buffers::default();
        let mut vectors = Vec::with_capacity(texts.len());
        let mut batch: Vec<&[u32]> = Vec::new();
        let mut filled = 0;
        for text in texts {
            let text = &text[..text.len().min(LONGEST)];
            if filled + text.len() > BATCH {
                self.run(&batch, &mut room, &mut vectors);
                batch.clear();
                filled = 0;
            }
            filled += text.len();
            batch.push(text);
        }
        self.run(&batch, &mut room, &mut vectors);
        vectors
    }

    fn run(&self, sequences: &[&[u32]], room: &mut Buffers, vectors: &mut Vec<Vec<f32>>) {
        self.look_up(sequences, room);
        for layer in &self.weights.layers {
            self.run_layer(layer, sequences, room);
        }
        let mut rest = room.hidden.as_slice();
        for sequence in sequences {
            let (own, others) = rest.split_at(sequence.len() * WIDTH);
            rest = others;
            let mut vector = vec![0.0; WIDTH];
            for row in own.chunks_exact(WIDTH) {
                vector.iter_mut().zip(row).for_each(|(sum, value)| *sum += *value);
            }
            normalize(&mut vector);
            vectors.push(vector);
        }
    }

    fn look_up(&self, sequences: &[&[u32]], room: &mut Buffers) {
        let count: usize = sequences.iter().map(|sequence| sequence.len()).sum();
        room.hidden.clear();
        room.hidden.resize(count * WIDTH, 0.0);
        room.more.clear();
        let mut rows = room.hidden.chunks_exact_mut(WIDTH);
        for sequence in sequences {
            for (token, row) in sequence.iter().zip(&mut rows) {
                self.weights.look_up(*token, row);
            }
            room.more.extend_from_slice(&self.weights.positions[..sequence.len() * WIDTH]);
        }
        self.weights.norm.add_and_norm(self.unit, &mut room.hidden, &room.more);
    }

    fn run_layer(&self, layer: &Layer, sequences: &[&[u32]], room: &mut Buffers) {
        let (kernel, unit) = (self.kernel, self.unit);
        let Buffers { hidden, wide, more, rounded, attention } = room;
        rounded.fill(unit, hidden, WIDTH);
        let three = layer.attention.run(kernel, unit, rounded, wide);
        more.resize(hidden.len(), 0.0);
        let mut first = 0;
        for sequence in sequences {
            let end = first + sequence.len();
            let own = &three[first * 3 * WIDTH..end * 3 * WIDTH];
            attend(unit, own, &mut more[first * WIDTH..end * WIDTH], attention);
            first = end;
        }
        rounded.fill(unit, more, WIDTH);
        let joined = layer.joined.run(kernel, unit, rounded, wide);
        layer.joined_norm.add_and_norm(unit, hidden, joined);
        rounded.fill(unit, hidden, WIDTH);
        let wide = layer.wide.run(kernel, unit, rounded, wide);
        gelu(unit, wide);
        rounded.fill(unit, wide, WIDE);
        let narrow = layer.narrow.run(kernel, unit, rounded, more);
        layer.narrow_norm.add_and_norm(unit, hidden, narrow);
    }
}
