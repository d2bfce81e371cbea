//! The embedder that the settings ask for: opened when it is first used, and put away when it rests.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

pub use wellread_adapters::embed::{
    BUILT_IN_MODEL, DEFAULT_MODEL, InstallProgress, InstalledModel, ModelSource,
};
use wellread_adapters::embed::{EmbeddingEndpoint, ModelStore};
use wellread_core::ports::{Embedder, EmbeddingModel, EmbeddingPurpose};
use wellread_core::{Error, ErrorKind, Result};

use crate::config::{Config, EmbeddingProvider, EmbeddingSettings, Secret};

/// A model takes as much memory as everything else together; nobody pays for one that is not used.
const RESTS_AFTER: Duration = Duration::from_secs(300);

/// An embedder that is there when it is needed. Where there is none, it answers with what to do about that.
pub struct ConfiguredEmbedder {
    config: Config,
    offline: bool,
    open: Mutex<Option<(Arc<dyn Embedder>, Instant)>>,
}

impl ConfiguredEmbedder {
    pub fn new(config: &Config, offline: bool) -> Self {
        Self { config: config.clone(), offline, open: Mutex::default() }
    }

    /// Puts the model away where it has not been used for a while.
    pub fn unload_if_idle(&self) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.as_ref().is_some_and(|(_, used)| used.elapsed() > RESTS_AFTER) {
            *open = None;
        }
    }

    /// Whether the model is the one that is part of the program: there at once, and quick enough for a search to wait.
    pub fn is_built_in(&self) -> bool {
        let settings = self.config.embedding();
        settings.is_ok_and(|set| set.provider == EmbeddingProvider::Builtin && names_built_in(&set))
    }

    fn get_or_open(&self) -> Result<Arc<dyn Embedder>> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((embedder, used)) = open.as_mut() {
            *used = Instant::now();
            return Ok(embedder.clone());
        }
        let embedder = self.open()?;
        *open = Some((embedder.clone(), Instant::now()));
        Ok(embedder)
    }

    fn open(&self) -> Result<Arc<dyn Embedder>> {
        let settings = self.config.embedding()?;
        match settings.provider {
            EmbeddingProvider::None => Err(Error::new(ErrorKind::Unavailable, "embeddings are switched off")
                .hint("`wellread config set embedding.provider builtin` switches them on")),
            EmbeddingProvider::Builtin if names_built_in(&settings) => open_built_in(),
            EmbeddingProvider::Builtin => {
                Ok(Arc::new(model_store(&self.config)?.open(&local_name(&settings))?))
            }
            EmbeddingProvider::OpenAi => {
                let base = settings.base_url.as_deref().ok_or_else(|| {
                    Error::invalid("no endpoint is named for embeddings").hint(
                        "`wellread config set embedding.base_url URL` sets one, up to and including /v1",
                    )
                })?;
                if self.offline {
                    return Err(Error::new(
                        ErrorKind::Unavailable,
                        "the embedding endpoint is not asked: --offline",
                    ));
                }
                let key = settings.key()?;
                let (key, identity) = (key.as_ref().map(Secret::expose_secret), self.config.identity()?);
                Ok(Arc::new(EmbeddingEndpoint::new(base, &settings.name, key, &identity)?))
            }
        }
    }
}

impl Embedder for ConfiguredEmbedder {
    fn model(&self) -> Result<EmbeddingModel> {
        let settings = self.config.embedding()?;
        // A model on this machine can be told by its files; to open it takes longer than most of what is asked. The one that
        // is part of the program is opened at once.
        if settings.provider == EmbeddingProvider::Builtin && !names_built_in(&settings) {
            return model_store(&self.config)?.identity(&local_name(&settings));
        }
        self.get_or_open()?.model()
    }

    fn is_local(&self) -> bool {
        let elsewhere = self.config.embedding().is_ok_and(|set| set.provider == EmbeddingProvider::OpenAi);
        !elsewhere || self.get_or_open().is_ok_and(|embedder| embedder.is_local())
    }

    fn related_from(&self) -> f32 {
        self.get_or_open().map_or(0.0, |embedder| embedder.related_from())
    }

    fn has_standard_scale(&self) -> bool {
        self.get_or_open().is_ok_and(|embedder| embedder.has_standard_scale())
    }

    fn embed(&self, texts: &[&str], purpose: EmbeddingPurpose) -> Result<Vec<Vec<f32>>> {
        self.get_or_open()?.embed(texts, purpose)
    }
}

fn names_built_in(settings: &EmbeddingSettings) -> bool {
    settings.path.is_none() && settings.name == BUILT_IN_MODEL
}

#[cfg(feature = "built-in-model")]
fn open_built_in() -> Result<Arc<dyn Embedder>> {
    Ok(Arc::new(wellread_adapters::embed::BuiltInModel::open()?))
}

#[cfg(not(feature = "built-in-model"))]
fn open_built_in() -> Result<Arc<dyn Embedder>> {
    Err(Error::not_found("this build has no embedding model in it").hint(format!(
        "`wellread model install` and `wellread config set embedding.name {DEFAULT_MODEL}` add one"
    )))
}

/// What a model on this machine is opened by: its folder, where one is set, or else its name.
fn local_name(settings: &EmbeddingSettings) -> String {
    match &settings.path {
        Some(path) => format!("{}/", path.display()),
        None => settings.name.clone(),
    }
}

/// Where the models are: beside the vaults' folders, since all vaults share them.
pub fn model_store(config: &Config) -> Result<ModelStore> {
    let folder: PathBuf = config.shared_data_folder()?.join("models");
    Ok(ModelStore::new(folder))
}
