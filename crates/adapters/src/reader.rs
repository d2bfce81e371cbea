//! The reader that is part of the program: finds the piece of a text that answers a question.

use wellread_core::ports::AnswerReader;
use wellread_core::{Error, Result};

/// Each call runs on the thread that made it; several may run at once and share the weights.
pub struct BuiltInReader {
    model: wellread_encoder::Reader,
}

impl BuiltInReader {
    pub fn open() -> Result<Self> {
        let model = wellread_encoder::Reader::open()
            .map_err(|error| Error::failed(format!("the built-in reader can't be used: {error}")))?;
        Ok(Self { model })
    }
}

impl AnswerReader for BuiltInReader {
    fn read(&self, question: &str, context: &str, pieces: &[String]) -> Vec<f32> {
        let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
        self.model.read(question, context, &pieces)
    }
}
