//! Which small models on this machine check sentences beside the gate's rules, and find answers.

use std::sync::Arc;

use wellread_core::engine::second_opinion::OpinionSources;
use wellread_core::ports::{AnswerReader, Verifier};

use crate::config::Config;

/// The verifier that is part of the program, and the language model, unless they are switched off.
pub fn open_opinion_sources(config: &Config) -> OpinionSources {
    let verifier = if config.uses_verifier() { open_verifier() } else { None };
    OpinionSources { asks_model: config.asks_second_opinion(), verifier }
}

#[cfg(feature = "built-in-model")]
fn open_verifier() -> Option<Arc<dyn Verifier>> {
    let opened = wellread_adapters::verifier::BuiltInVerifier::open();
    opened.ok().map(|verifier| Arc::new(verifier) as Arc<dyn Verifier>)
}

#[cfg(not(feature = "built-in-model"))]
fn open_verifier() -> Option<Arc<dyn Verifier>> {
    None
}

/// The reader that is part of the program.
#[cfg(feature = "built-in-model")]
pub fn open_answer_reader() -> Option<Arc<dyn AnswerReader>> {
    let opened = wellread_adapters::reader::BuiltInReader::open();
    opened.ok().map(|reader| Arc::new(reader) as Arc<dyn AnswerReader>)
}

/// A program without the built-in models has none.
#[cfg(not(feature = "built-in-model"))]
pub fn open_answer_reader() -> Option<Arc<dyn AnswerReader>> {
    None
}
