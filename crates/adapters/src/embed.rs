//! Embedding vectors: from a model that runs on this machine, or from an endpoint.
//!
//! Implements `ports::Embedder` three times: for the model that is part of the program (the crate `encoder`), for one that
//! was installed, and for an endpoint. What is embedded, stored and compared is decided elsewhere; where no model is
//! set up there is no embedder, and no vector is ever made up.

mod bert;
#[cfg(feature = "built-in-model")]
mod built_in;
mod endpoint;
mod install;
mod local;
mod models;
mod prefixes;
mod product;
mod weights;

#[cfg(feature = "built-in-model")]
pub use built_in::BuiltInModel;
pub use endpoint::EmbeddingEndpoint;
pub use install::{InstallProgress, ModelSource};
pub use local::LocalModel;
pub use models::{BUILT_IN_MODEL, DEFAULT_MODEL, InstalledModel, ModelStore};
