//! Services outside this machine: search services in the user's order, arXiv, web pages, and transcription.

mod failure;
mod no_services;
mod sent_log;
mod web_search;

use std::sync::Arc;

use no_services::NoServices;
pub use no_services::NoSpeech;
pub use sent_log::SentLog;
pub use web_search::{SendHook, WebSearchOutcome};

use crate::ports::{PageFetcher, Speech, WebSearchService};

/// The outside services that the user set up; none is set up by default.
#[derive(Clone)]
pub struct OutsideServices {
    /// Asked in turn, until one answers.
    pub services: Vec<Arc<dyn WebSearchService>>,
    /// The search of arXiv.
    pub arxiv: Arc<dyn WebSearchService>,
    /// Fetches pages.
    pub pages: Arc<dyn PageFetcher>,
    /// Transcribes recordings.
    pub speech: Arc<dyn Speech>,
    /// What tools have sent, for the run that called them.
    pub sendings: SentLog,
    /// Whether the user works offline: then recipes use none of these services.
    pub offline: bool,
}

impl OutsideServices {
    /// No outside services: every request fails.
    pub fn none() -> Self {
        Self {
            services: Vec::new(),
            arxiv: Arc::new(NoServices),
            pages: Arc::new(NoServices),
            speech: Arc::new(NoServices),
            sendings: SentLog::default(),
            offline: false,
        }
    }

    /// A copy for one call, whose requests are logged separately.
    #[must_use]
    pub fn for_call(&self) -> Self {
        Self { sendings: SentLog::default(), ..self.clone() }
    }
}

impl std::fmt::Debug for OutsideServices {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let services: Vec<String> = self.services.iter().map(|service| service.identity().name).collect();
        f.debug_struct("OutsideServices").field("services", &services).finish_non_exhaustive()
    }
}
