//! What can be asked beyond this machine: search services in the user's order, arXiv, pages, and who writes down recordings.

mod failure;
mod no_services;
mod sent_log;
mod web_search;

use std::sync::Arc;

use no_services::Nothing;
pub use no_services::Silent;
pub use sent_log::Sendings;
pub use web_search::{Leaving, Searched};

use crate::ports::{Pages, Speech, WebSearch};

/// As the user set it up. Nothing in it is there by default.
#[derive(Clone)]
pub struct Reach {
    /// Asked in turn, until one answers.
    pub services: Vec<Arc<dyn WebSearch>>,
    pub arxiv: Arc<dyn WebSearch>,
    pub pages: Arc<dyn Pages>,
    pub speech: Arc<dyn Speech>,
    /// What tools have sent, for the run that called them.
    pub sendings: Sendings,
    /// Whether the user said that nothing leaves: then recipes do without, whatever is chosen.
    pub offline: bool,
}

impl Reach {
    /// Nothing beyond this machine.
    pub fn nothing() -> Self {
        Self {
            services: Vec::new(),
            arxiv: Arc::new(Nothing),
            pages: Arc::new(Nothing),
            speech: Arc::new(Nothing),
            sendings: Sendings::default(),
            offline: false,
        }
    }

    /// The same for one call: what is sent in it is noted apart.
    #[must_use]
    pub fn for_call(&self) -> Self {
        Self { sendings: Sendings::default(), ..self.clone() }
    }
}

impl std::fmt::Debug for Reach {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let services: Vec<String> = self.services.iter().map(|service| service.service().name).collect();
        f.debug_struct("Reach").field("services", &services).finish_non_exhaustive()
    }
}
