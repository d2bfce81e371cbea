//! The models that are part of the program, with nothing to install: an encoder, from texts to vectors, a verifier, which
//! reads a sentence beside a passage, and a reader, which reads a question beside the pieces of one.
//!
//! The weights with their card and license are in `model/`, how they were made is in `training/`. The tokenizer and the
//! activations also serve models that are installed.

mod activations;
#[cfg(feature = "weights")]
mod attention;
#[cfg(feature = "weights")]
mod encoder;
mod kernels;
#[cfg(feature = "weights")]
mod linear;
#[cfg(feature = "weights")]
mod reader;
#[cfg_attr(not(feature = "weights"), allow(dead_code, reason = "most of it is about the weights"))]
mod shape;
#[cfg(feature = "weights")]
mod trunk;
#[cfg(feature = "weights")]
mod verifier;
#[cfg(feature = "weights")]
mod weights;
mod wordpiece;
mod words;

pub use activations::{Norm, gelu, normalize, softmax};
#[cfg(feature = "weights")]
pub use encoder::Encoder;
pub use kernels::Kernel;
#[cfg(feature = "weights")]
pub use reader::Reader;
#[cfg(feature = "weights")]
pub use verifier::{Reading, Verifier};
pub use wordpiece::WordPiece;
