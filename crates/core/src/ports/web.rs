//! The web: services that search it, and pages that are fetched.
//!
//! Everything that comes from there is [`Untrusted`]. A page is fetched only by its [`FetchableUrl`], which no text that a model
//! wrote can become.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::BoxFuture;
use crate::domain::display::render_duration;
use crate::domain::untrusted::Untrusted;

/// One service that searches. Where its key is missing, there is an implementation that answers with the hint.
pub trait WebSearchService: Send + Sync {
    /// The service's name and address.
    fn identity(&self) -> ServiceIdentity;

    /// Asks once. Nothing found is an answer without results.
    fn search<'a>(&'a self, query: &'a WebQuery) -> BoxFuture<'a, Result<WebAnswer, WebFailure>>;
}

/// Which service it is, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServiceIdentity {
    /// As the settings name it: `brave`, `arxiv`.
    pub name: String,
    /// Scheme, host and port. Empty where nothing is ever sent.
    pub endpoint: String,
    /// Whether what it is asked stays on this machine.
    pub is_local: bool,
    /// Whether it answers questions by itself.
    pub answers: bool,
}

/// A query to a search service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WebQuery {
    /// The query.
    pub text: String,
    /// How many results at the most, and how many to pass over.
    pub limit: usize,
    /// How many results to skip.
    #[serde(default)]
    pub offset: usize,
    /// Whether an answer of the service's own is wanted, where it gives one.
    #[serde(default)]
    pub answer: bool,
}

/// What a search service answered.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct WebAnswer {
    /// What the service answers by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Untrusted>,
    /// The results, best first.
    pub results: Vec<WebResult>,
    /// How many there are in all, where the service says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
}

/// A result of a web search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WebResult {
    /// On one line and not long; somebody else's words all the same.
    pub title: String,
    /// Absolute, http or https, normalized.
    pub url: String,
    /// Plain text.
    pub snippet: Untrusted,
    /// The paper, if the result is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paper: Option<Paper>,
}

/// What arXiv knows of a paper besides. Its abstract is the result's snippet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Paper {
    /// With the version: `2301.00001v2`.
    pub id: String,
    /// The authors.
    pub authors: Vec<String>,
    /// As arXiv writes it: `2023-01-01T00:00:00Z`.
    pub published: String,
    /// The address of the PDF.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pdf_url: Option<String>,
}

/// Why the web gave nothing. Never holds a key. The message is for the log and for people who look closer.
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
    /// The service does not take the key.
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
    /// Too many requests, or an overloaded service; and for how many seconds it asks to be left alone, where it says so.
    Busy {
        /// What the service said.
        message: String,
        /// How many seconds it asks to wait.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        wait_s: Option<u64>,
    },
    /// Nobody answers there, not in time, or not to the end; or the server itself has failed.
    Unreachable {
        /// The error.
        message: String,
    },
    /// Our own guard does not let it through.
    Refused {
        /// Why the address is refused.
        message: String,
    },
    /// It is too large.
    TooLarge {
        /// How large it is.
        message: String,
    },
    /// An answer that is none: a status that says so, a kind that can't be read.
    Broken {
        /// What is wrong with the answer.
        message: String,
    },
}

impl WebFailure {
    /// Busy, for nobody knows how long.
    pub fn busy(message: impl Into<String>) -> Self {
        Self::Busy { message: message.into(), wait_s: None }
    }

    /// Adds how long a busy service asks to wait.
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

    /// For how many seconds whoever was asked wants to be left alone.
    pub fn wait_seconds(&self) -> Option<u64> {
        match self {
            Self::Busy { wait_s, .. } => *wait_s,
            _ => None,
        }
    }

    /// Whether the same may come to something another time: nobody answered, or somebody was busy.
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

/// Fetches pages, through the guard.
pub trait PageFetcher: Send + Sync {
    /// Fetches a page.
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

    /// An address that the user typed. A test keeps this out of what speaks to models.
    pub fn from_user(url: &str) -> Self {
        Self(url.trim().to_owned())
    }

    /// The address as text.
    pub fn url(&self) -> &str {
        &self.0
    }
}

/// The limits of fetching a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageLimits {
    /// For all of it, redirects included.
    pub time: Duration,
    /// How much of it may come, in bytes, where that is less than the settings allow.
    pub bytes: u64,
    /// How much of the text is kept, in characters.
    pub chars: usize,
}

/// What is readable of a page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FetchedPage {
    /// Where it was in the end.
    pub url: String,
    /// The title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The author.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// As the page says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// The name of the site.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site: Option<String>,
    /// The language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The main content as markdown. This is what is kept, and what evidence points into.
    pub text: Untrusted,
    /// Whether there was more of it.
    pub cut: bool,
}
