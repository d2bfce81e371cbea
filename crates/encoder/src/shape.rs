//! The models' shapes, and how their weights lie in the files that the build makes of them.
//!
//! Shared by `build.rs`, which writes those files, and by the code that reads them.

/// Numbers in a token's vector, and in a text's.
pub const WIDTH: usize = 384;
/// Numbers in the wide layer.
pub const WIDE: usize = 4 * WIDTH;
/// Layers of the encoder.
pub const ENCODER_LAYERS: usize = 3;
/// Layers of the verifier.
pub const VERIFIER_LAYERS: usize = 6;
/// What the verifier's last layer reads: the first token, the mean of the sentence, and its worst token.
pub const VERIFIER_INPUTS: usize = 2 * WIDTH + 1;
/// Layers of the reader.
pub const READER_LAYERS: usize = 6;
/// What the reader's last layer reads: the first token, and the mean of the piece.
pub const READER_INPUTS: usize = 2 * WIDTH;
/// What the verifier tells apart: borne out, contradicted, not said.
pub const VERIFIER_OUTPUTS: usize = 3;
/// Pieces in the vocabulary.
pub const PIECES: usize = 30_522;
/// Columns of the word table that share a scale.
pub const GROUP: usize = 32;
/// The most tokens that are read of a text.
pub const LONGEST: usize = 256;

/// Outputs that lie side by side in packed weights.
pub const LANES: usize = 16;
/// Inputs that are multiplied and summed in one step.
pub const STEP: usize = 4;
/// What is added to a weight, so that it has no sign.
pub const OFFSET: i32 = 128;
/// Every part of the file begins at a multiple of this.
pub const ALIGNMENT: usize = 64;

/// Places in the table that finds a piece of the vocabulary by its hash: more than twice as many as there are pieces.
pub const SLOTS: usize = 1 << 16;
/// A place that is free.
pub const FREE: u16 = u16::MAX;

/// The place where the search for a piece begins.
pub fn first_slot(piece: &str) -> usize {
    let (words, rest) = piece.as_bytes().as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let mut hash = piece.len() as u64;
    for word in words.iter().chain([&last]) {
        hash = (hash ^ u64::from_le_bytes(*word)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    }
    hash as usize % SLOTS
}
