//! A service that can't be asked: it answers with what to do about that, and nothing is ever sent.

use std::future::ready;

use wellread_core::ports::{Service, Waiting, WebAnswer, WebFailure, WebQuery, WebSearch};

pub struct Missing {
    pub name: String,
    pub failure: WebFailure,
}

impl WebSearch for Missing {
    fn service(&self) -> Service {
        Service { name: self.name.clone(), endpoint: String::new(), is_local: true, answers: false }
    }

    fn search<'a>(&'a self, _: &'a WebQuery) -> Waiting<'a, Result<WebAnswer, WebFailure>> {
        Box::pin(ready(Err(self.failure.clone())))
    }
}
