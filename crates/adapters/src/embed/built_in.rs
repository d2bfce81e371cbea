//! The model that is part of the program, as an embedder.

use wellread_core::ports::{Embedder, EmbeddingModel, EmbeddingPurpose};
use wellread_core::{Error, Result};
use wellread_encoder::Encoder;

use super::models::BUILT_IN_MODEL;

/// Measured on two vaults of many notes: queries that mean nothing, or nothing there, come to 0.36 at most; paraphrases of what is
/// there to 0.42 at least.
const RELATED_FROM: f32 = 0.38;

/// Each call runs on the thread that made it; several may run at once and share the weights.
pub struct BuiltInModel {
    encoder: Encoder,
}

impl BuiltInModel {
    pub fn open() -> Result<Self> {
        let encoder = Encoder::open()
            .map_err(|error| Error::failed(format!("the built-in model can't be used: {error}")))?;
        Ok(Self { encoder })
    }

    /// Which model it is, without opening it.
    pub fn identity() -> EmbeddingModel {
        EmbeddingModel {
            name: BUILT_IN_MODEL.to_owned(),
            hash: Encoder::HASH[..16].to_owned(),
            dimension: Encoder::DIMENSION,
        }
    }
}

impl Embedder for BuiltInModel {
    fn model(&self) -> Result<EmbeddingModel> {
        Ok(Self::identity())
    }

    fn related_from(&self) -> f32 {
        RELATED_FROM
    }

    fn has_standard_scale(&self) -> bool {
        true
    }

    fn embed(&self, texts: &[&str], _: EmbeddingPurpose) -> Result<Vec<Vec<f32>>> {
        Ok(self.encoder.embed(texts))
    }
}
