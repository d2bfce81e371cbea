//! Language models behind an endpoint: two wire formats, written by hand, lenient where servers deviate from them.
//!
//! What is tried again and how long is waited for is decided here. What an answer means is not: whether it is JSON of
//! some shape, or a call of a tool that exists, is looked at by those who asked.

mod answer_reader;
mod anthropic;
mod events;
mod model_list;
mod no_model;
mod openai;
mod refusal;
mod remote;
mod reply_builder;
mod retry_policy;

#[cfg(fuzzing)]
pub use events::EventParser;
pub use model_list::list_local_models;
pub use no_model::NoModel;
pub use remote::RemoteModel;
pub use retry_policy::RetryPolicy;

use crate::http::ClientIdentity;

/// How a service is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelWireFormat {
    /// `/chat/completions`, as OpenAI has it and many others do.
    OpenAi,
    /// `/v1/messages`, as Anthropic has it.
    Anthropic,
}

/// A model and where it is. The key is sent there, and shown nowhere.
#[derive(Clone)]
pub struct ModelService {
    pub wire: ModelWireFormat,
    /// Up to and with `/v1`; Anthropic's may be without.
    pub base_url: String,
    pub model: String,
    pub key: Option<String>,
    /// What to do where the key is missing or wrong: it names the variable.
    pub key_hint: String,
    pub identity: ClientIdentity,
    /// For a million tokens read and written, in US dollars.
    pub price: Option<(f64, f64)>,
}

impl std::fmt::Debug for ModelService {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Service")
            .field("wire", &self.wire)
            .field("base_url", &self.base_url)
            .field("model", &self.model)
            .field("key", &if self.key.is_some() { "set" } else { "none" })
            .finish()
    }
}

/// Scheme, host and port of an address; nothing where it is no address.
pub fn origin(base_url: &str) -> Option<String> {
    let url = reqwest::Url::parse(base_url).ok()?;
    url.has_host().then(|| url.origin().ascii_serialization())
}
