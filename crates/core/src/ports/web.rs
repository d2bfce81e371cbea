//! The web: search services, and pages.
//!
//! Everything that comes from there is [`Untrusted`]. A page is fetched only by its [`FetchableUrl`], which can't be
//! made from text that a model wrote.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::BoxFuture;
use crate::domain::decision::UserDecision;
use crate::domain::display::render_duration;
use crate::domain::untrusted::Untrusted;

/// A search service. If its key is missing, an implementation answers with a hint.
pub trait WebSearchService: Send + Sync {
    /// The service's name and address.
    fn identity(&self) -> ServiceIdentity;

    /// Sends one query. An answer without results means that nothing was found.
    fn search<'a>(&'a self, query: &'a WebQuery) -> BoxFuture<'a, Result<WebAnswer, WebFailure>>;
}

/// The name of a service, and where it runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServiceIdentity {
    /// The name in the settings: `brave`, `arxiv`.
    pub name: String,
    /// Scheme, host and port; empty if nothing is ever sent.
    pub endpoint: String,
    /// Whether queries stay on this machine.
    pub is_local: bool,
    /// Whether the service can write an answer of its own besides the results.
    pub answers: bool,
}

/// A query to a search service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WebQuery {
    /// The query.
    pub text: String,
    /// The maximum number of results.
    pub limit: usize,
    /// How many results to skip.
    #[serde(default)]
    pub offset: usize,
    /// Whether the service's own answer is wanted, if it can write one.
    #[serde(default)]
    pub answer: bool,
}

/// What a search service answered.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct WebAnswer {
    /// The service's own answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Untrusted>,
    /// The results, best first.
    pub results: Vec<WebResult>,
    /// The total number of results, if the service reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
}

/// A result of a web search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WebResult {
    /// The title, on one line and shortened. Untrusted, like the snippet.
    pub title: String,
    /// The address: absolute, `http` or `https`, normalized.
    pub url: String,
    /// An excerpt as plain text; the abstract of a paper.
    pub snippet: Untrusted,
    /// The paper, if the result is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paper: Option<Paper>,
}

/// What arXiv reports about a paper. Its abstract is the result's snippet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Paper {
    /// The id with its version: `2301.00001v2`.
    pub id: String,
    /// The authors.
    pub authors: Vec<String>,
    /// The time as arXiv writes it: `2023-01-01T00:00:00Z`.
    pub published: String,
    /// The address of the PDF.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pdf_url: Option<String>,
}

/// Why a search or a fetch failed. Never contains a key. The message is for the log and for people who look closer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "failure", rename_all = "snake_case")]
pub enum WebFailure {
    /// No service is chosen, or the key is missing; the hint says what to set.
    NotSetUp {
        /// What is missing.
        message: String,
        /// What to do about it.
        hint: String,
    },
    /// The service rejects the key.
    Key {
        /// What is wrong with the key.
        message: String,
        /// What to do about it.
        hint: String,
    },
    /// The service takes us for a robot.
    Blocked {
        /// What the service said.
        message: String,
    },
    /// Too many requests, or an overloaded service.
    Busy {
        /// What the service said.
        message: String,
        /// How many seconds the service asks to wait, if it says so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        wait_s: Option<u64>,
    },
    /// The server could not be reached, did not answer completely or in time, or failed itself.
    Unreachable {
        /// The error.
        message: String,
    },
    /// Our own guard refuses the address.
    Refused {
        /// Why the address is refused.
        message: String,
    },
    /// The response is too large.
    TooLarge {
        /// What is too large, and the limit.
        message: String,
    },
    /// The response can't be used: an error status, or a content type that can't be read.
    Broken {
        /// What is wrong with the answer.
        message: String,
    },
}

impl WebFailure {
    /// A busy service that does not say how long to wait.
    pub fn busy(message: impl Into<String>) -> Self {
        Self::Busy { message: message.into(), wait_s: None }
    }

    /// Adds how long a busy service asks to wait. Other failures stay as they are.
    #[must_use]
    pub fn with_wait(self, wait: Option<Duration>) -> Self {
        let seconds = wait.map_or(0, |wait| wait.as_secs().saturating_add((wait.subsec_nanos() > 0).into()));
        match self {
            Self::Busy { message, .. } if seconds > 0 => Self::Busy {
                message: format!(
                    "{message}; it asks to wait {}",
                    render_duration(Duration::from_secs(seconds))
                ),
                wait_s: Some(seconds),
            },
            other => other,
        }
    }

    /// How many seconds the service asks to wait, if it says so.
    pub fn wait_seconds(&self) -> Option<u64> {
        match self {
            Self::Busy { wait_s, .. } => *wait_s,
            _ => None,
        }
    }

    /// Whether a later attempt may succeed: the service was busy or unreachable.
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Busy { .. } | Self::Unreachable { .. })
    }

    /// The message for people.
    pub fn message(&self) -> &str {
        match self {
            Self::NotSetUp { message, .. }
            | Self::Key { message, .. }
            | Self::Blocked { message }
            | Self::Busy { message, .. }
            | Self::Unreachable { message }
            | Self::Refused { message }
            | Self::TooLarge { message }
            | Self::Broken { message } => message,
        }
    }
}

/// Fetches pages; a guard refuses addresses that must not be reached.
pub trait PageFetcher: Send + Sync {
    /// Fetches a page and extracts its main content.
    fn fetch<'a>(
        &'a self,
        page: &'a FetchableUrl,
        limits: PageLimits,
    ) -> BoxFuture<'a, Result<FetchedPage, WebFailure>>;
}

/// The address of a page that may be fetched: one that a search returned, or that the user gave.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FetchableUrl(String);

impl FetchableUrl {
    /// The address of a search result.
    pub fn from_result(result: &WebResult) -> Self {
        Self(result.url.clone())
    }

    /// An address that the user gave: the decision is the proof that no model did.
    pub fn from_user(url: &str, _by: UserDecision) -> Self {
        Self(url.trim().to_owned())
    }

    /// The address as text.
    pub fn url(&self) -> &str {
        &self.0
    }
}

/// The limits for fetching one page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageLimits {
    /// The time limit, redirects included.
    pub time: Duration,
    /// The maximum size in bytes; the settings may allow less.
    pub bytes: u64,
    /// The maximum length of the extracted text in characters.
    pub chars: usize,
}

/// The readable content of a page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FetchedPage {
    /// The final address, after redirects.
    pub url: String,
    /// The title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The author.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// The date, as the page writes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// The name of the site.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site: Option<String>,
    /// The language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The main content as Markdown. This is what is stored, and what evidence points into.
    pub text: Untrusted,
    /// Whether the text was cut at the limit.
    pub cut: bool,
}
