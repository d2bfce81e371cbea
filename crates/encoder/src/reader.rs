//! Which piece of a passage answers a question: six transformer layers in int8 over the question and the passage.
//!
//! The words are the encoder's; everything else is the reader's own. A passage that is too long is read in windows that
//! overlap by half of their pieces, and each piece counts as it was read best.

use std::ops::Range;

use crate::kernels::Kernel;
use crate::shape::{LONGEST, WIDTH};
use crate::trunk::{Buffers, Sequence, Trunk};
use crate::verifier::dot;
use crate::weights::{EncoderWeights, ReaderWeights};
use crate::wordpiece::WordPiece;

/// The most tokens that are read of a question, of the names above a passage, and of a piece.
const LONGEST_QUESTION: usize = 96;
const LONGEST_CONTEXT: usize = 32;
const LONGEST_PIECE: usize = 120;
/// A piece is read if so many of its tokens have room.
const LEAST_ROOM: usize = 24;
/// What a piece is given that was not read.
const NOT_READ: f32 = -20.0;

/// The model that is part of the program.
pub struct Reader {
    tokenizer: WordPiece,
    trunk: Trunk,
    head: &'static [f32],
    head_bias: f32,
}

/// A window: its tokens, and for each piece in it the range of its tokens.
struct Window {
    tokens: Vec<u32>,
    pieces: Vec<Range<usize>>,
}

impl Reader {
    /// The SHA-256 of `reader.int8.safetensors`.
    pub const HASH: &str = "cf84bb9df37832090facb8fdcab42e267e3d8ad38a50cf4e71e7a64aa1dd713a";

    /// The model, on the fastest kernel that this processor has.
    pub fn open() -> Result<Self, String> {
        Self::with_kernel(Kernel::best())
    }

    /// The same on a kernel of the caller's choice, to test and to measure.
    pub fn with_kernel(kernel: Kernel) -> Result<Self, String> {
        let EncoderWeights { words, vocabulary, .. } = EncoderWeights::open();
        let ReaderWeights { trunk, head, head_bias } = ReaderWeights::open();
        Ok(Self {
            tokenizer: WordPiece::built_in(vocabulary)?,
            trunk: Trunk::new(trunk, words, kernel),
            head,
            head_bias: head_bias[0],
        })
    }

    /// How well each piece of a passage answers a question: above zero, it rather does than not. The context is the name of
    /// the note and of the section.
    pub fn read(&self, question: &str, context: &str, pieces: &[&str]) -> Vec<f32> {
        let (begin, question, end) = self.tokens(question, LONGEST_QUESTION);
        let (_, context, _) = self.tokens(context, LONGEST_CONTEXT);
        let pieces: Vec<Vec<u32>> = pieces.iter().map(|piece| self.tokens(piece, LONGEST_PIECE).1).collect();
        let mut head = vec![begin];
        head.extend(question);
        head.push(end);
        let second_kind = head.len();
        head.extend(context);
        let mut readings = vec![NOT_READ; pieces.len()];
        let mut buffers = Buffers::default();
        let mut first = 0;
        while first < pieces.len() {
            let mut window = fill_window(&head, &pieces[first..]);
            window.tokens.push(end);
            let logits = self.read_window(&window, second_kind, &mut buffers);
            for (reading, logit) in readings[first..].iter_mut().zip(logits) {
                *reading = reading.max(logit);
            }
            if first + window.pieces.len().max(1) >= pieces.len() {
                break;
            }
            first += (window.pieces.len() / 2).max(1);
        }
        readings
    }

    /// The mark that begins a text, the tokens of this one, and the mark that ends it.
    fn tokens(&self, text: &str, most: usize) -> (u32, Vec<u32>, u32) {
        let tokens = self.tokenizer.encode(text, most + 2);
        (tokens[0], tokens[1..tokens.len() - 1].to_vec(), tokens[tokens.len() - 1])
    }

    fn read_window(&self, window: &Window, second_kind: usize, buffers: &mut Buffers) -> Vec<f32> {
        let rows = self.trunk.run(&[Sequence { tokens: &window.tokens, second_kind }], buffers);
        let (first_weights, mean_weights) = self.head.split_at(WIDTH);
        let first = self.head_bias + dot(first_weights, &rows[..WIDTH]);
        let logit = |piece: &Range<usize>| {
            let own = rows[piece.start * WIDTH..piece.end * WIDTH].chunks_exact(WIDTH);
            first + own.map(|row| dot(mean_weights, row)).sum::<f32>() / piece.len().max(1) as f32
        };
        window.pieces.iter().map(logit).collect()
    }
}

/// The head and as many pieces as have room behind it, with one token left for the mark that ends them.
fn fill_window(head: &[u32], pieces: &[Vec<u32>]) -> Window {
    let mut tokens = head.to_vec();
    let mut places = Vec::new();
    for piece in pieces {
        if tokens.len() + piece.len().min(LEAST_ROOM) > LONGEST - 1 {
            break;
        }
        let start = tokens.len();
        let end = (start + piece.len()).min(LONGEST - 1);
        tokens.extend(&piece[..end - start]);
        places.push(start..end);
    }
    Window { tokens, pieces: places }
}
