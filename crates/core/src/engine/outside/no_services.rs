//! Stand-ins for services that are not set up: each answers with an error that says how to set it up.

use std::future::ready;

use crate::domain::untrusted::Untrusted;
use crate::ports::{
    BoxFuture, FetchableUrl, FetchedPage, PageFetcher, PageLimits, Recording, ServiceIdentity, Speech,
    WebAnswer, WebFailure, WebQuery, WebSearchService,
};
use crate::{Error, ErrorKind, Result};

pub struct NoServices;

const HINT: &str =
    "choose a service with `wellread config set search.services duckduckgo`, or give `--web` for one call";

pub fn not_set_up() -> WebFailure {
    WebFailure::NotSetUp { message: "no search service is chosen".to_owned(), hint: HINT.to_owned() }
}

impl WebSearchService for NoServices {
    fn identity(&self) -> ServiceIdentity {
        ServiceIdentity { name: "none".to_owned(), endpoint: String::new(), is_local: true, answers: false }
    }

    fn search<'a>(&'a self, _: &'a WebQuery) -> BoxFuture<'a, Result<WebAnswer, WebFailure>> {
        Box::pin(ready(Err(not_set_up())))
    }
}

impl PageFetcher for NoServices {
    fn fetch<'a>(
        &'a self,
        _: &'a FetchableUrl,
        _: PageLimits,
    ) -> BoxFuture<'a, Result<FetchedPage, WebFailure>> {
        Box::pin(ready(Err(not_set_up())))
    }
}

impl Speech for NoServices {
    fn endpoint(&self) -> (String, bool) {
        (String::new(), true)
    }

    fn transcribe<'a>(&'a self, _: &'a Recording) -> BoxFuture<'a, Result<Untrusted>> {
        let error = Error::new(ErrorKind::NotSetUp, "no speech-to-text service is set up")
            .hint("set `speech.command` (a program on this machine, such as whisper.cpp's), `speech.base_url` (any OpenAI-compatible endpoint), or FIREWORKS_API_KEY");
        Box::pin(ready(Err(error)))
    }
}

/// A speech service that is not available, with the reason.
pub struct NoSpeech(Error);

impl NoSpeech {
    /// Answers every request with this error.
    pub fn new(error: Error) -> Self {
        Self(error)
    }
}

impl Speech for NoSpeech {
    fn endpoint(&self) -> (String, bool) {
        (String::new(), true)
    }

    fn transcribe<'a>(&'a self, _: &'a Recording) -> BoxFuture<'a, Result<Untrusted>> {
        Box::pin(ready(Err(self.0.clone())))
    }
}
