//! Embedders for tests: predictable vectors, and the path of the real model, which is too large for the repository.

use std::path::{Path, PathBuf};

use wellread_core::Result;
use wellread_core::domain::corpus::Hash;
use wellread_core::ports::{Embedder, EmbeddingModel, EmbeddingPurpose};

/// Counts words into as many boxes as a vector has numbers. No model: it knows nothing of meaning.
#[derive(Debug, Clone, Copy)]
pub struct WordCountEmbedder;

const BOXES: usize = 64;

impl Embedder for WordCountEmbedder {
    fn model(&self) -> Result<EmbeddingModel> {
        Ok(EmbeddingModel { name: "words".to_owned(), hash: "1".to_owned(), dimension: BOXES })
    }

    fn embed(&self, texts: &[&str], _: EmbeddingPurpose) -> Result<Vec<Vec<f32>>> {
        Ok(texts.iter().map(|text| word_vector(text)).collect())
    }
}

fn word_vector(text: &str) -> Vec<f32> {
    let mut counts = vec![0.0; BOXES];
    for word in
        text.to_lowercase().split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty())
    {
        counts[usize::from(Hash::compute(word.as_bytes()).as_bytes()[0]) % BOXES] += 1.0;
    }
    let length = counts.iter().map(|count: &f32| count * count).sum::<f32>().sqrt();
    counts.iter().map(|count| if length > 0.0 { count / length } else { 0.0 }).collect()
}

/// The folder of all-MiniLM-L6-v2. It is there once `./check` has run.
pub fn model_folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.tools/models/all-MiniLM-L6-v2");
    assert!(folder.join("model.safetensors").is_file(), "run ./check once: it fetches the embedding model");
    folder
}
