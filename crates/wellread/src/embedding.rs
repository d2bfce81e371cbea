//! The embedder that the settings ask for, made when it is first used.

use std::sync::Arc;

use wellread_core::ports::{Embedder, EmbeddingModel, Purpose};
use wellread_core::{Error, Kind, Result};

use crate::config::Config;

pub fn embedder(_: &Config) -> Arc<dyn Embedder> {
    Arc::new(NoModel)
}

struct NoModel;

impl Embedder for NoModel {
    fn model(&self) -> Result<EmbeddingModel> {
        Err(Error::new(Kind::Unavailable, "no embedding model is installed")
            .hint("`wellread model install` installs one"))
    }

    fn embed(&self, _: &[&str], _: Purpose) -> Result<Vec<Vec<f32>>> {
        self.model().map(|_| Vec::new())
    }
}
