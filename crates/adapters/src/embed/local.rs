//! A model in a folder on this machine, as an embedder.
//!
//! Each call runs on the thread that made it; several may run at once and share the weights. Finding, fetching and
//! checking the folder is `models.rs`.

use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use wellread_core::ports::{Embedder, EmbeddingModel, EmbeddingPurpose};
use wellread_core::{Error, Result};
use wellread_encoder::WordPiece;

use super::bert::{BertConfig, Encoder, EncoderBuffers, Pooling};
use super::prefixes::Prefixes;

/// Tokens that are worked on at once: enough to keep the processor busy, few enough for some 20 MB of memory.
const BATCH: usize = 1024;

/// Where the model does not say how long its texts were in training.
const USUAL_LENGTH: usize = 256;

pub struct LocalModel {
    model: EmbeddingModel,
    tokenizer: WordPiece,
    encoder: Encoder,
    /// The most tokens that are read of a text.
    length: usize,
    prefixes: Prefixes,
}

#[derive(Deserialize)]
struct SentenceConfig {
    max_seq_length: Option<usize>,
}

#[derive(Deserialize)]
struct PoolingConfig {
    #[serde(default)]
    pooling_mode_cls_token: bool,
    #[serde(default)]
    pooling_mode_mean_tokens: bool,
}

impl LocalModel {
    /// Opens the model in a folder. Its name and the hash of its weights are what the caller knows it by.
    pub fn open(folder: &Path, name: &str, hash: &str) -> Result<Self> {
        let shape: BertConfig = read_required(&folder.join("config.json"))?;
        let sentences: Option<SentenceConfig> = read_optional(&folder.join("sentence_bert_config.json"))?;
        let length = sentences.and_then(|config| config.max_seq_length).unwrap_or(USUAL_LENGTH);
        let length = length.min(shape.max_position_embeddings).min(BATCH);
        if length < 3 {
            return Err(Error::invalid("this model can't be used: it does not take text"));
        }
        let pooling = match read_optional::<PoolingConfig>(&folder.join("1_Pooling/config.json"))? {
            None => Pooling::Mean,
            Some(config) if config.pooling_mode_mean_tokens => Pooling::Mean,
            Some(config) if config.pooling_mode_cls_token => Pooling::First,
            Some(_) => {
                return Err(Error::invalid(
                    "this model can't be used: it pools by neither mean nor first token",
                ));
            }
        };
        let tokenizer = read_tokenizer(&folder.join("tokenizer.json"))?;
        let encoder = Encoder::open(&folder.join("model.safetensors"), shape, pooling)?;
        let dimension = encoder.config().hidden_size;
        let model = EmbeddingModel { name: name.to_owned(), hash: hash.to_owned(), dimension };
        Ok(Self { model, tokenizer, encoder, length, prefixes: Prefixes::for_model(name) })
    }
}

impl Embedder for LocalModel {
    fn model(&self) -> Result<EmbeddingModel> {
        Ok(self.model.clone())
    }

    fn embed(&self, texts: &[&str], purpose: EmbeddingPurpose) -> Result<Vec<Vec<f32>>> {
        let prefix = self.prefixes.for_purpose(purpose);
        let mut room = EncoderBuffers::default();
        let mut vectors = Vec::with_capacity(texts.len());
        let mut batch: Vec<Vec<u32>> = Vec::new();
        let mut filled = 0;
        for text in texts {
            let tokens = if prefix.is_empty() {
                self.tokenizer.encode(text, self.length)
            } else {
                self.tokenizer.encode(&format!("{prefix}{text}"), self.length)
            };
            if filled + tokens.len() > BATCH {
                self.flush(&mut batch, &mut vectors, &mut room)?;
                filled = 0;
            }
            filled += tokens.len();
            batch.push(tokens);
        }
        self.flush(&mut batch, &mut vectors, &mut room)?;
        Ok(vectors)
    }
}

impl LocalModel {
    fn flush(
        &self,
        batch: &mut Vec<Vec<u32>>,
        vectors: &mut Vec<Vec<f32>>,
        room: &mut EncoderBuffers,
    ) -> Result<()> {
        let sequences: Vec<&[u32]> = batch.iter().map(Vec::as_slice).collect();
        vectors.extend(self.encoder.run(&sequences, room)?);
        batch.clear();
        Ok(())
    }
}

fn read_tokenizer(path: &Path) -> Result<WordPiece> {
    let unusable = |why: String| {
        Error::failed(format!("the model's tokenizer is not usable: {why}"))
            .with_path(path.display().to_string())
    };
    let bytes = std::fs::read(path).map_err(|error| unusable(error.to_string()))?;
    WordPiece::parse(&bytes).map_err(unusable)
}

fn read_required<T: DeserializeOwned>(path: &Path) -> Result<T> {
    read_optional(path)?.ok_or_else(|| {
        Error::not_found("a file of the model is missing").with_path(path.display().to_string())
    })
}

fn read_optional<T: DeserializeOwned>(path: &Path) -> Result<Option<T>> {
    let wrong = |why: String| {
        Error::failed(format!("a file of the model can't be read: {why}"))
            .with_path(path.display().to_string())
    };
    match std::fs::read(path) {
        Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(|error| wrong(error.to_string())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(wrong(error.to_string())),
    }
}
