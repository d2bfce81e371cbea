//! Which models check sentences beside the gate's rules.

use std::sync::Arc;

use wellread_core::engine::second_opinion::OpinionSources;
use wellread_core::ports::Verifier;

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
