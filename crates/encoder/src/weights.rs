//! The models' weights as they lie in the program, and their vocabulary.
//!
//! `build.rs` has written them in the order in which they are read here. Nothing is copied: a page of them comes into memory
//! when it is first used.

use pulp::bytemuck::{self, AnyBitPattern};

use crate::activations::Norm;
use crate::linear::Linear;
use crate::shape::{
    ALIGNMENT, ENCODER_LAYERS, FREE, GROUP, LONGEST, PIECES, READER_INPUTS, READER_LAYERS, SLOTS,
    VERIFIER_INPUTS, VERIFIER_LAYERS, VERIFIER_OUTPUTS, WIDE, WIDTH, first_slot,
};

#[cfg(target_endian = "big")]
compile_error!("the weights are stored for little-endian machines: build without the feature `weights`");

static VOCABULARY: &str = include_str!("../model/vocab.txt");

#[repr(C, align(64))]
struct Aligned<T: ?Sized>(T);

static ENCODER: &Aligned<[u8]> = &Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/encoder.bin")));
static VERIFIER: &Aligned<[u8]> = &Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/verifier.bin")));
static READER: &Aligned<[u8]> = &Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/reader.bin")));

/// The encoder's own weights, and the words that all models share.
pub(crate) struct EncoderWeights {
    pub trunk: TrunkWeights,
    pub words: WordTable,
    pub vocabulary: Vocabulary,
}

pub(crate) struct VerifierWeights {
    pub trunk: TrunkWeights,
    /// How much a token makes the sentence wrong.
    pub token: &'static [f32],
    pub token_bias: &'static [f32],
    pub head: &'static [f32],
    pub head_bias: &'static [f32],
}

pub(crate) struct ReaderWeights {
    pub trunk: TrunkWeights,
    pub head: &'static [f32],
    pub head_bias: &'static [f32],
}

/// What all models are made of.
pub(crate) struct TrunkWeights {
    /// For each kind of token, a row for each position.
    pub positions: Vec<&'static [f32]>,
    pub norm: Norm,
    pub layers: Vec<Layer>,
}

/// The pieces that have a vector.
#[derive(Clone, Copy)]
pub(crate) struct Vocabulary {
    /// Where each piece ends in the text; the next begins behind a line break.
    ends: &'static [u32],
    slots: &'static [u16],
}

pub(crate) struct Layer {
    /// Queries, keys and values side by side.
    pub attention: Linear,
    pub joined: Linear,
    pub joined_norm: Norm,
    pub wide: Linear,
    pub narrow: Linear,
    pub narrow_norm: Norm,
}

/// Four bits for each number, and a scale in half precision for each group of them.
pub(crate) struct WordTable {
    scales: &'static [u16],
    values: &'static [u8],
}

impl EncoderWeights {
    pub(crate) fn open() -> Self {
        let mut parts = Parts { rest: &ENCODER.0 };
        Self::read(&mut parts)
    }

    fn read(parts: &mut Parts) -> Self {
        let trunk = TrunkWeights::read(parts, 1, ENCODER_LAYERS);
        let words =
            WordTable { scales: parts.take(PIECES * WIDTH / GROUP), values: parts.take(PIECES * WIDTH / 2) };
        let vocabulary = Vocabulary { ends: parts.take(PIECES), slots: parts.take(SLOTS) };
        Self { trunk, words, vocabulary }
    }
}

impl VerifierWeights {
    pub(crate) fn open() -> Self {
        let mut parts = Parts { rest: &VERIFIER.0 };
        Self::read(&mut parts)
    }

    fn read(parts: &mut Parts) -> Self {
        Self {
            trunk: TrunkWeights::read(parts, 2, VERIFIER_LAYERS),
            token: parts.take(WIDTH),
            token_bias: parts.take(1),
            head: parts.take(VERIFIER_OUTPUTS * VERIFIER_INPUTS),
            head_bias: parts.take(VERIFIER_OUTPUTS),
        }
    }
}

impl ReaderWeights {
    pub(crate) fn open() -> Self {
        let mut parts = Parts { rest: &READER.0 };
        Self::read(&mut parts)
    }

    fn read(parts: &mut Parts) -> Self {
        Self {
            trunk: TrunkWeights::read(parts, 2, READER_LAYERS),
            head: parts.take(READER_INPUTS),
            head_bias: parts.take(1),
        }
    }
}

impl TrunkWeights {
    fn read(parts: &mut Parts, kinds: usize, layers: usize) -> Self {
        Self {
            positions: (0..kinds).map(|_| parts.take(LONGEST * WIDTH)).collect(),
            norm: parts.norm(),
            layers: (0..layers).map(|_| Layer::open(parts)).collect(),
        }
    }
}

impl WordTable {
    /// Writes the vector of a piece into `row`. A number that the vocabulary does not have leaves it as it is.
    pub(crate) fn look_up(&self, piece: u32, row: &mut [f32]) {
        let piece = piece as usize;
        let groups = WIDTH / GROUP;
        let Some(scales) = self.scales.get(piece * groups..(piece + 1) * groups) else { return };
        let values = &self.values[piece * WIDTH / 2..][..WIDTH / 2];
        let places = row.chunks_exact_mut(GROUP).zip(values.chunks_exact(GROUP / 2));
        for ((places, values), scale) in places.zip(scales) {
            let scale = from_half(*scale);
            let (places, _) = places.as_chunks_mut::<2>();
            for (place, value) in places.iter_mut().zip(values) {
                *place = [value & 15, value >> 4].map(|number| (f32::from(number) - 8.0) * scale);
            }
        }
    }
}

impl Vocabulary {
    /// The number of a piece.
    pub(crate) fn number(&self, piece: &str) -> Option<u32> {
        let places = (first_slot(piece)..).map(|slot| self.slots[slot % SLOTS]);
        let mut numbers = places.take(SLOTS).take_while(|number| *number != FREE);
        numbers.find(|number| self.piece(*number) == piece).map(u32::from)
    }

    fn piece(&self, number: u16) -> &'static str {
        let number = usize::from(number);
        let start = if number == 0 { 0 } else { self.ends[number - 1] as usize + 1 };
        VOCABULARY.get(start..self.ends[number] as usize).unwrap_or_default()
    }
}

impl Layer {
    fn open(parts: &mut Parts) -> Self {
        Self {
            attention: parts.linear(WIDTH, 3 * WIDTH),
            joined: parts.linear(WIDTH, WIDTH),
            joined_norm: parts.norm(),
            wide: parts.linear(WIDTH, WIDE),
            narrow: parts.linear(WIDE, WIDTH),
            narrow_norm: parts.norm(),
        }
    }
}

/// What has not been read yet.
struct Parts {
    rest: &'static [u8],
}

impl Parts {
    fn take<T: AnyBitPattern>(&mut self, count: usize) -> &'static [T] {
        let size = count * size_of::<T>();
        let (part, rest) = self.rest.split_at(size.next_multiple_of(ALIGNMENT));
        self.rest = rest;
        bytemuck::cast_slice(&part[..size])
    }

    fn linear(&mut self, from: usize, to: usize) -> Linear {
        Linear { weights: self.take(from * to), scales: self.take(to), biases: self.take(to) }
    }

    fn norm(&mut self) -> Norm {
        Norm { gain: self.take(WIDTH).into(), bias: self.take(WIDTH).into(), epsilon: 1e-12 }
    }
}

/// A number in half precision. Scales are never infinite.
fn from_half(bits: u16) -> f32 {
    let bits = u32::from(bits);
    let size = f32::from_bits((bits & 0x7fff) << 13) * f32::from_bits((254 - 15) << 23);
    if bits & 0x8000 == 0 { size } else { -size }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_over() {
        let mut parts = Parts { rest: &ENCODER.0 };
        EncoderWeights::read(&mut parts);
        assert!(parts.rest.is_empty());
        let mut parts = Parts { rest: &VERIFIER.0 };
        VerifierWeights::read(&mut parts);
        assert!(parts.rest.is_empty());
        let mut parts = Parts { rest: &READER.0 };
        ReaderWeights::read(&mut parts);
        assert!(parts.rest.is_empty());
        for file in [&ENCODER.0, &VERIFIER.0, &READER.0] {
            assert_eq!(file.as_ptr() as usize % ALIGNMENT, 0);
        }
    }

    #[test]
    fn every_piece_of_the_vocabulary_has_its_number() {
        let vocabulary = EncoderWeights::open().vocabulary;
        assert_eq!(VOCABULARY.lines().count(), PIECES);
        for (number, piece) in (0..).zip(VOCABULARY.lines()) {
            assert_eq!(vocabulary.number(piece), Some(number), "{piece}");
        }
        assert_eq!(vocabulary.number("wellread"), None);
        assert_eq!(vocabulary.number(""), None);
    }

    #[test]
    fn numbers_in_half_precision_are_read() {
        let known =
            [(0x3c00, 1.0), (0xc000, -2.0), (0x3555, 0.333_251_95), (0x0001, 5.960_464_5e-8), (0, 0.0)];
        for (bits, value) in known {
            assert_eq!(from_half(bits), value);
        }
    }
}
