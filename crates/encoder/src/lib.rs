//! The sentence encoder that is part of the program: texts in, vectors out, nothing to install.
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
mod shape;
#[cfg(feature = "weights")]
mod weights;
mod wordpiece;
mod words;

pub use activations::{Norm, gelu, normalize, softmax};
#[cfg(feature = "weights")]
pub use encoder::Encoder;
pub use kernels::Kernel;
pub use wordpiece::WordPiece;
