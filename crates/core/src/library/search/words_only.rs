//! A search that sends no word to another machine.

use std::sync::Arc;

use super::Searcher;
use crate::ports::{Embedder, EmbeddingModel, EmbeddingPurpose};
use crate::{Error, Result};

/// Stands in for an embedding model on another machine, which must not be asked.
struct WithheldEmbedder;

impl WithheldEmbedder {
    fn refuse<T>() -> Result<T> {
        Err(Error::refused(
            "the embedding model is on another machine, and this client may not send words there",
        ))
    }
}

impl Embedder for WithheldEmbedder {
    fn model(&self) -> Result<EmbeddingModel> {
        Self::refuse()
    }

    fn embed(&self, _: &[&str], _: EmbeddingPurpose) -> Result<Vec<Vec<f32>>> {
        Self::refuse()
    }
}

impl Searcher {
    /// A copy that searches by words alone where the embedding model is on another machine.
    #[must_use]
    pub fn without_sending(&self) -> Self {
        if self.embedder.is_local() {
            return self.clone();
        }
        Self { embedder: Arc::new(WithheldEmbedder), ..self.clone() }
    }
}
