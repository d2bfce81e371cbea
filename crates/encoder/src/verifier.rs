//! Whether a passage bears out a sentence: six transformer layers in int8 over both, one after the other.
//!
//! The words are the encoder's; everything else is the verifier's own. A passage that is too long is read in windows that
//! overlap, up to twelve of them, and the one that bears the sentence out best counts.

use crate::activations::softmax;
use crate::kernels::Kernel;
use crate::shape::{LONGEST, VERIFIER_INPUTS, VERIFIER_OUTPUTS, WIDTH};
use crate::trunk::{Buffers, Sequence, Trunk};
use crate::weights::{EncoderWeights, VerifierWeights};
use crate::wordpiece::WordPiece;

/// The most tokens that are read of a sentence, with the marks of beginning and end.
const LONGEST_SENTENCE: usize = 81;
/// The most windows that are read of a passage.
const MOST_WINDOWS: usize = 12;

/// The model that is part of the program.
pub struct Verifier {
    tokenizer: WordPiece,
    trunk: Trunk,
    token: &'static [f32],
    token_bias: f32,
    head: &'static [f32],
    head_bias: &'static [f32],
}

/// How a passage relates to a sentence: three shares that add up to one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reading {
    /// The passage bears the sentence out.
    pub supported: f32,
    /// The passage says otherwise.
    pub contradicted: f32,
    /// The passage does not say it.
    pub not_said: f32,
}

impl Verifier {
    /// The SHA-256 of `verifier.int8.safetensors`.
    pub const HASH: &str = "13c3cb5b1366b0c030e4b907b104139a4011602808144fbdf4f197ce476f6b09";

    /// The model, on the fastest kernel that this processor has.
    pub fn open() -> Result<Self, String> {
        Self::with_kernel(Kernel::best())
    }

    /// The same on a kernel of the caller's choice, to test and to measure.
    pub fn with_kernel(kernel: Kernel) -> Result<Self, String> {
        let EncoderWeights { words, vocabulary, .. } = EncoderWeights::open();
        let VerifierWeights { trunk, token, token_bias, head, head_bias } = VerifierWeights::open();
        Ok(Self {
            tokenizer: WordPiece::built_in(vocabulary)?,
            trunk: Trunk::new(trunk, words, kernel),
            token,
            token_bias: token_bias[0],
            head,
            head_bias,
        })
    }

    /// Reads a sentence beside a passage.
    pub fn read(&self, sentence: &str, passage: &str) -> Reading {
        let sentence = self.tokenizer.encode(sentence, LONGEST_SENTENCE);
        let room = LONGEST - 1 - sentence.len();
        let step = room / 2;
        let passage = self.tokenizer.encode(passage, room + (MOST_WINDOWS - 1) * step + 2);
        let (text, end) = (&passage[1..passage.len() - 1], passage[passage.len() - 1]);
        let mut buffers = Buffers::default();
        let mut best: Option<Reading> = None;
        for start in (0..text.len().max(1)).step_by(step) {
            let window = &text[start..text.len().min(start + room)];
            let tokens: Vec<u32> = sentence.iter().chain(window).copied().chain([end]).collect();
            let reading = self.read_window(&tokens, sentence.len(), &mut buffers);
            if best.is_none_or(|best| reading.supported > best.supported) {
                best = Some(reading);
            }
            if start + room >= text.len() {
                break;
            }
        }
        best.unwrap_or(Reading { supported: 0.0, contradicted: 0.0, not_said: 1.0 })
    }

    fn read_window(&self, tokens: &[u32], sentence: usize, buffers: &mut Buffers) -> Reading {
        let rows = self.trunk.run(&[Sequence { tokens, second_kind: sentence }], buffers);
        let own = || rows.chunks_exact(WIDTH).take(sentence);
        let mut inputs = Vec::with_capacity(VERIFIER_INPUTS);
        inputs.extend_from_slice(&rows[..WIDTH]);
        inputs.resize(2 * WIDTH, 0.0);
        for row in own() {
            inputs[WIDTH..].iter_mut().zip(row).for_each(|(sum, value)| *sum += *value / sentence as f32);
        }
        let worst = own().map(|row| self.token_bias + dot(self.token, row)).fold(f32::MIN, f32::max);
        inputs.push(worst);
        let outputs = self.head.chunks_exact(VERIFIER_INPUTS).zip(self.head_bias);
        let mut shares: Vec<f32> = outputs.map(|(weights, bias)| bias + dot(weights, &inputs)).collect();
        softmax(self.trunk.unit(), &mut shares, VERIFIER_OUTPUTS, 1.0);
        Reading { supported: shares[0], contradicted: shares[1], not_said: shares[2] }
    }
}

/// The sum of the products of two rows.
pub(crate) fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
