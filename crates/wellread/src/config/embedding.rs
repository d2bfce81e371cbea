//! How texts become vectors, as the settings say it.

use std::path::PathBuf;

use wellread_core::Result;

use super::secret::WrittenSecret;
use super::{Config, Secret};
use crate::platform;

pub const PROVIDERS: &[&str] = &["builtin", "openai", "none"];

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
        self.api_key.reveal("embedding.api_key")
    }
}

impl Config {
    pub fn embedding(&self) -> Result<EmbeddingSettings> {
        let some = |path| Some(self.text(path)).filter(|text| !text.is_empty());
        Ok(EmbeddingSettings {
            provider: match self.text("embedding.provider") {
                "openai" => EmbeddingProvider::OpenAi,
                "none" => EmbeddingProvider::None,
                _ => EmbeddingProvider::Builtin,
            },
            base_url: some("embedding.base_url").map(str::to_owned),
            name: self.text("embedding.name").to_owned(),
            path: some("embedding.path").map(platform::expand_home).transpose()?,
            api_key: self.written_secret("embedding.api_key"),
        })
    }
}
