//! A search engine as one row, from which its settings, its key variables, its error messages and its label are
//! derived.

use std::future::ready;
use std::sync::Arc;

use wellread_core::Result;
use wellread_core::ports::{BoxFuture, ServiceIdentity, WebAnswer, WebFailure, WebQuery, WebSearchService};

use super::ENGINES;
use crate::http::{Endpoint, Web};

/// A search engine, declared in its file.
#[derive(Debug)]
pub struct Engine {
    /// As settings, messages and logs name it: `brave`.
    pub name: &'static str,
    /// As a sentence names it: `Brave`.
    pub label: &'static str,
    pub address: EngineAddress,
    /// The environment variables that may hold its key, besides that of its setting. Empty if it needs no key.
    pub key_variables: &'static [&'static str],
    pub open: fn(EngineSettings<'_>, Web) -> Result<Arc<dyn WebSearchService>>,
}

/// The address of an engine.
#[derive(Debug, Clone, Copy)]
pub enum EngineAddress {
    /// A public address, unless the user sets another one.
    Public(&'static str),
    /// An address that the user has to set, and the message if they did not.
    UserSet { missing: &'static str },
}

/// The settings that an engine is opened with.
#[derive(Clone, Copy)]
pub struct EngineSettings<'a> {
    pub base_url: &'a str,
    /// Empty if the engine needs none.
    pub key: &'a str,
}

impl Engine {
    pub fn find(name: &str) -> Option<&'static Self> {
        ENGINES.iter().find(|engine| engine.name == name)
    }

    /// The name of one of its settings.
    pub fn setting(&self, name: &str) -> String {
        format!("search.{}.{name}", self.name)
    }

    pub fn needs_key(&self) -> bool {
        !self.key_variables.is_empty()
    }

    /// What to do if its key is missing or wrong; `None` if it needs no key.
    pub fn key_hint(&self) -> Option<String> {
        let variable = self.key_variables.first()?;
        Some(format!("set {variable} or `{}`", self.setting("api_key")))
    }

    /// The identity of an engine, which never counts as local: it passes queries on to others.
    pub(super) fn identity(&self, endpoint: &Endpoint) -> ServiceIdentity {
        ServiceIdentity {
            name: self.name.to_owned(),
            endpoint: endpoint.origin.clone(),
            is_local: false,
            answers: false,
        }
    }

    /// Turns a status other than success into a failure. The message never repeats what was sent.
    pub(super) fn check_status(&self, status: u16) -> Result<(), WebFailure> {
        let message = format!("{} answered with status {status}", self.name);
        Err(match (status, self.key_hint()) {
            (200..=299, _) => return Ok(()),
            (401 | 403, Some(hint)) => {
                WebFailure::Key { message: format!("{} rejected the key (status {status})", self.name), hint }
            }
            (401 | 403, None) => WebFailure::Blocked { message },
            (402 | 432 | 433, _) => WebFailure::busy(format!(
                "the quota of the key for {} is used up (status {status})",
                self.name
            )),
            (429, _) => WebFailure::busy(format!("{} has reached its rate limit (status 429)", self.name)),
            (503 | 529, _) => WebFailure::busy(message),
            (408 | 500..=599, _) => WebFailure::Unreachable { message },
            _ => WebFailure::Broken { message },
        })
    }

    pub(super) fn broken_failure(&self, why: &str) -> WebFailure {
        WebFailure::Broken { message: format!("{} answered with {why}", self.name) }
    }
}

/// A service that can't be asked: it answers with a fixed failure, and nothing is sent.
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::{brave, duckduckgo};
    use super::*;
    use crate::http::{ClientIdentity, WebSettings};

    #[test]
    fn every_engine_opens_under_a_name_of_its_own() {
        let names: BTreeSet<&str> = ENGINES.iter().map(|engine| engine.name).collect();
        assert_eq!(names.len(), ENGINES.len());
        let web = Web::new(WebSettings {
            allow: Vec::new(),
            identity: ClientIdentity::default(),
            wire_bytes: 1,
            decoded_bytes: 1,
            cache: None,
            offline: true,
        });
        let web = web.unwrap();
        for engine in ENGINES {
            let base_url = match engine.address {
                EngineAddress::Public(base_url) => base_url,
                EngineAddress::UserSet { .. } => "https://search.example",
            };
            let opened = (engine.open)(EngineSettings { base_url, key: "sk-1" }, web.clone()).unwrap();
            let identity = opened.identity();
            assert_eq!((identity.name.as_str(), identity.endpoint.as_str()), (engine.name, base_url));
            assert!(!identity.is_local);
            let wrong = EngineSettings { base_url: "nowhere", key: "sk-1" };
            assert!((engine.open)(wrong, web.clone()).is_err(), "{}", engine.name);
        }
    }

    #[test]
    fn each_status_has_its_failure() {
        let (keyed, open) = (brave::ENGINE, duckduckgo::ENGINE);
        let kind = |failure: Result<(), WebFailure>| match failure {
            Ok(()) => "fine",
            Err(WebFailure::Key { hint, .. }) if hint.contains("BRAVE_API_KEY") => "key",
            Err(WebFailure::Blocked { .. }) => "blocked",
            Err(WebFailure::Busy { .. }) => "busy",
            Err(WebFailure::Unreachable { .. }) => "unreachable",
            Err(WebFailure::Broken { .. }) => "broken",
            Err(_) => "else",
        };
        for (status, of_keyed, of_open) in [
            (200, "fine", "fine"),
            (204, "fine", "fine"),
            (301, "broken", "broken"),
            (400, "broken", "broken"),
            (401, "key", "blocked"),
            (403, "key", "blocked"),
            (404, "broken", "broken"),
            (429, "busy", "busy"),
            (432, "busy", "busy"),
            (500, "unreachable", "unreachable"),
            (503, "busy", "busy"),
            (504, "unreachable", "unreachable"),
        ] {
            assert_eq!(kind(keyed.check_status(status)), of_keyed, "{status}");
            assert_eq!(kind(open.check_status(status)), of_open, "{status}");
        }
    }
}
