//! What can be asked beyond this machine: search services in the user's order, arXiv, pages, and who writes down recordings.

mod nothing;

use std::sync::Arc;

use nothing::Nothing;

use crate::ports::{Pages, Speech, WebSearch};

/// As the user set it up. Nothing in it is there by default.
#[derive(Clone)]
pub struct Reach {
    /// Asked in turn, until one answers.
    pub services: Vec<Arc<dyn WebSearch>>,
    pub arxiv: Arc<dyn WebSearch>,
    pub pages: Arc<dyn Pages>,
    pub speech: Arc<dyn Speech>,
}

impl Reach {
    /// Nothing beyond this machine.
    pub fn nothing() -> Self {
        Self {
            services: Vec::new(),
            arxiv: Arc::new(Nothing),
            pages: Arc::new(Nothing),
            speech: Arc::new(Nothing),
        }
    }
}

impl std::fmt::Debug for Reach {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let services: Vec<String> = self.services.iter().map(|service| service.service().name).collect();
        f.debug_struct("Reach").field("services", &services).finish_non_exhaustive()
    }
}
