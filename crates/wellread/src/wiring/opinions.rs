//! Who may be asked for a second opinion on sentences that the gate lets pass.

use wellread_core::engine::second_opinion::OpinionSources;

use crate::config::Config;

/// The language model, unless it is switched off. No verifier for this machine can be installed yet; it is opened here once
/// one can.
pub fn open_opinion_sources(config: &Config) -> OpinionSources {
    OpinionSources { asks_model: config.asks_second_opinion(), verifier: None }
}
