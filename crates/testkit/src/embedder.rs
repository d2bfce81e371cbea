//! Vectors that can be told beforehand: a text is near to another that has the same words.

use wellread_core::Result;
use wellread_core::domain::corpus::Hash;
use wellread_core::ports::{Embedder, EmbeddingModel, Purpose};

/// Counts words into as many boxes as a vector has numbers. No model: it knows nothing of meaning.
#[derive(Debug, Clone, Copy)]
pub struct WordVectors;

const BOXES: usize = 64;

impl Embedder for WordVectors {
    fn model(&self) -> Result<EmbeddingModel> {
        Ok(EmbeddingModel { name: "words".to_owned(), hash: "1".to_owned(), dimension: BOXES })
    }

    fn embed(&self, texts: &[&str], _: Purpose) -> Result<Vec<Vec<f32>>> {
        Ok(texts.iter().map(|text| vector(text)).collect())
    }
}

fn vector(text: &str) -> Vec<f32> {
    let mut counts = vec![0.0; BOXES];
    for word in
        text.to_lowercase().split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty())
    {
        counts[usize::from(Hash::of(word.as_bytes()).as_bytes()[0]) % BOXES] += 1.0;
    }
    let length = counts.iter().map(|count: &f32| count * count).sum::<f32>().sqrt();
    counts.iter().map(|count| if length > 0.0 { count / length } else { 0.0 }).collect()
}
