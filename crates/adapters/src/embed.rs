//! Embedding vectors: from a model that runs on this machine, or from an endpoint.
//!
//! Implements `ports::Embedder` twice. What is embedded, stored and compared is decided elsewhere; where no model is
//! set up there is no embedder, and no vector is ever made up.

mod activations;
mod bert;
mod endpoint;
mod install;
mod local;
mod models;
mod prefixes;
mod product;
mod weights;
mod wordpiece;
mod words;

pub use endpoint::EmbeddingEndpoint;
pub use install::{InstallProgress, ModelSource};
pub use local::LocalModel;
pub use models::{DEFAULT_MODEL, InstalledModel, ModelStore};
#[cfg(fuzzing)]
pub use wordpiece::WordPiece;
