//! A service that can't be asked: it answers with what to do about that, and nothing is ever sent.

use std::future::ready;

use wellread_core::ports::{BoxFuture, ServiceIdentity, WebAnswer, WebFailure, WebQuery, WebSearchService};

pub struct UnavailableSearch {
    pub name: String,
    pub failure: WebFailure,
}

impl WebSearchService for UnavailableSearch {
    fn identity(&self) -> ServiceIdentity {
        ServiceIdentity { name: self.name.clone(), endpoint: String::new(), is_local: true, answers: false }
    }

    fn search<'a>(&'a self, _: &'a WebQuery) -> BoxFuture<'a, Result<WebAnswer, WebFailure>> {
        Box::pin(ready(Err(self.failure.clone())))
    }
}
