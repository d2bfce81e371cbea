//! What can be asked beyond this machine: search services in the user's order, arXiv, pages, and who writes down recordings.

mod asking;
mod failure;
mod nothing;
mod sendings;

use std::sync::Arc;

pub use asking::{Leaving, Searched};
use nothing::Nothing;
pub use nothing::Silent;
pub use sendings::Sendings;

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
