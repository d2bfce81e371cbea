//! From texts to vectors: three transformer layers in int8, the mean over all tokens, length one.

use crate::activations::normalize;
use crate::kernels::Kernel;
use crate::shape::{LONGEST, WIDTH};
use crate::trunk::{Buffers, Sequence, Trunk};
use crate::weights::EncoderWeights;
use crate::wordpiece::WordPiece;

/// Tokens that are worked on at once: enough to keep the processor busy, few enough to stay in its cache.
const BATCH: usize = 2 * LONGEST;

/// The model that is part of the program.
pub struct Encoder {
    tokenizer: WordPiece,
    trunk: Trunk,
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
        let EncoderWeights { trunk, words, vocabulary } = EncoderWeights::open();
        Ok(Self { tokenizer: WordPiece::built_in(vocabulary)?, trunk: Trunk::new(trunk, words, kernel) })
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
        let whole: Vec<Sequence<'_>> = sequences.iter().map(|tokens| Sequence::of_one_kind(tokens)).collect();
        let mut rest = self.trunk.run(&whole, room);
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
}
