//! What is there where nothing is set up: each answers with what to do about it.

use std::future::ready;

use crate::ports::{
    Fetchable, FetchedPage, PageLimits, Pages, Recording, Service, Speech, Waiting, WebAnswer, WebFailure,
    WebQuery, WebSearch,
};
use crate::untrusted::Untrusted;
use crate::{Error, Kind, Result};

pub struct Nothing;

const HINT: &str =
    "choose a service with `wellread config set search.services duckduckgo`, or give `--web` for one call";

pub fn nothing() -> WebFailure {
    WebFailure::NotSetUp { message: "no search service is chosen".to_owned(), hint: HINT.to_owned() }
}

impl WebSearch for Nothing {
    fn service(&self) -> Service {
        Service { name: "none".to_owned(), endpoint: String::new(), is_local: true, answers: false }
    }

    fn search<'a>(&'a self, _: &'a WebQuery) -> Waiting<'a, Result<WebAnswer, WebFailure>> {
        Box::pin(ready(Err(nothing())))
    }
}

impl Pages for Nothing {
    fn fetch<'a>(&'a self, _: &'a Fetchable, _: PageLimits) -> Waiting<'a, Result<FetchedPage, WebFailure>> {
        Box::pin(ready(Err(nothing())))
    }
}

impl Speech for Nothing {
    fn endpoint(&self) -> (String, bool) {
        (String::new(), true)
    }

    fn transcribe<'a>(&'a self, _: &'a Recording) -> Waiting<'a, Result<Untrusted>> {
        let error = Error::new(Kind::NotSetUp, "nothing is set up that writes down recordings")
            .hint("set `speech.base_url` (any OpenAI-compatible endpoint), or FIREWORKS_API_KEY");
        Box::pin(ready(Err(error)))
    }
}

/// Nobody writes down recordings, and why.
pub struct Silent(Error);

impl Silent {
    pub fn because(error: Error) -> Self {
        Self(error)
    }
}

impl Speech for Silent {
    fn endpoint(&self) -> (String, bool) {
        (String::new(), true)
    }

    fn transcribe<'a>(&'a self, _: &'a Recording) -> Waiting<'a, Result<Untrusted>> {
        Box::pin(ready(Err(self.0.clone())))
    }
}
