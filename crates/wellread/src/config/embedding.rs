//! How texts become vectors, as the settings say it.

use std::path::PathBuf;

use wellread_core::Result;

use super::key::settings;
use super::secret::WrittenSecret;
use super::{Config, Secret, non_empty};
use crate::platform;

const PROVIDERS: &[&str] = &["builtin", "openai", "none"];

settings! {
    PROVIDER: OneOf(PROVIDERS) = "embedding.provider",
        "who makes the vectors: builtin, openai (any compatible endpoint) or none";
    BASE_URL: Text = "embedding.base_url", "the endpoint, up to and including /v1";
    NAME: Text = "embedding.name", "the embedding model: wellread-encoder-l3 is part of the program, others are installed";
    PATH: Folder = "embedding.path", "where the model is kept";
    API_KEY: Secret = "embedding.api_key", "the endpoint's key, or env:NAME or file:PATH";
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmbeddingProvider {
    /// The model that runs in this process.
    Builtin,
    /// Any endpoint that speaks as OpenAI's does.
    OpenAi,
    /// No vectors: search goes by words alone.
    None,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbeddingSettings {
    pub provider: EmbeddingProvider,
    pub base_url: Option<String>,
    pub name: String,
    /// A folder or file to take the model from.
    pub path: Option<PathBuf>,
    /// As written; [`EmbeddingSettings::key`] looks it up.
    pub api_key: WrittenSecret,
}

impl EmbeddingSettings {
    pub fn key(&self) -> Result<Option<Secret>> {
        self.api_key.reveal(API_KEY.path())
    }
}

impl Config {
    pub fn embedding(&self) -> Result<EmbeddingSettings> {
        Ok(EmbeddingSettings {
            provider: match self.get(&PROVIDER) {
                "openai" => EmbeddingProvider::OpenAi,
                "none" => EmbeddingProvider::None,
                _ => EmbeddingProvider::Builtin,
            },
            base_url: non_empty(self.get(&BASE_URL)).map(str::to_owned),
            name: self.get(&NAME).to_owned(),
            path: non_empty(self.get(&PATH)).map(platform::expand_home).transpose()?,
            api_key: self.get(&API_KEY),
        })
    }
}
