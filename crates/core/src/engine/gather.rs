//! Gathers sources for a recipe: passages from the library, search results and web pages, always through the run.
//!
//! A failed request is skipped and reported; it never ends a run. What the log already holds is not requested again, so
//! a replay sees what the original run saw. No model is asked here.

mod library;
mod likeness;
mod page;
mod web;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub use library::{LibraryPassage, SearchReach};
pub use likeness::{Likeness, PageComparer, PageEmbedding};
pub use page::PageText;
pub use web::WebSearchResults;

use crate::domain::untrusted::Origin;
use crate::engine::outside::OutsideServices;
use crate::engine::run::{MAY_PASS, Run, ToolReply, envelope};
use crate::library::search::Searcher;
use crate::library::vault::Vault;
use crate::ports::Snapshots;
use crate::{Error, Result};

/// Something that was left out, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SkippedSource {
    /// A query, or the address of a page.
    pub what: String,
    /// Why it was skipped.
    pub reason: String,
}

/// Why a request failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GatherFailure {
    /// The error message.
    pub reason: String,
    /// Whether the failure is transient, so that a later attempt may succeed.
    pub may_pass: bool,
    /// How many seconds the service asked to wait before the next request.
    pub wait_s: Option<u64>,
}

/// The envelope field and error detail that holds `GatherFailure::wait_s`.
const WAIT_S: &str = "wait_s";

/// The sources that a recipe gathers from, and its privacy limits.
#[derive(Clone, Copy)]
pub struct Gatherer<'a> {
    /// The run that everything is logged in.
    pub run: &'a Run,
    /// The search over the library.
    pub search: &'a Searcher,
    /// The vault.
    pub vault: &'a Vault,
    /// The search services and pages.
    pub reach: &'a OutsideServices,
    /// Stores the text of pages.
    pub snapshots: &'a dyn Snapshots,
    /// Whether private notes, which must not leave this machine, may be used.
    pub private: bool,
    /// Whether queries must stay on this machine: then no remote service or embedding model gets them.
    pub stays: bool,
}

impl Gatherer<'_> {
    /// Makes a request through the run: an answer that the log already holds is returned as it is, failures included.
    /// `passes` tells whether an answer is a transient failure.
    async fn ask_via_run<T: Serialize + serde::de::DeserializeOwned>(
        &self,
        what: &str,
        arguments: &Value,
        origin: Origin,
        call: impl Future<Output = Result<T>>,
        passes: impl FnOnce(&T) -> bool,
    ) -> Result<std::result::Result<T, GatherFailure>> {
        let call = async {
            let answer = match self.run.exhausted_limit(None) {
                Some(limit) => Err(Error::failed(limit.to_string())),
                None => call.await,
            };
            let fields = answer.and_then(|answer| {
                let found = serde_json::to_value(&answer)
                    .map_err(|error| Error::failed(format!("the run's log can't store this: {error}")))?;
                let mut fields = json!({ "found": found });
                if passes(&answer) {
                    fields[MAY_PASS] = json!(true);
                }
                Ok(fields)
            });
            ToolReply { envelope: envelope(fields), origin, private: self.private }
        };
        let mut answered = self.run.call_tool(what, arguments, false, call, |_| None).await?;
        if answered.envelope["success"] != true {
            let envelope = &answered.envelope;
            let reason = envelope["error"].as_str().unwrap_or("it failed").to_owned();
            let may_pass = envelope[MAY_PASS] == true;
            return Ok(Err(GatherFailure { reason, may_pass, wait_s: envelope[WAIT_S].as_u64() }));
        }
        let found = serde_json::from_value(answered.envelope["found"].take());
        found.map(Ok).map_err(|error| {
            Error::failed(format!("the log of the run {} can't be read: {error}", self.run.id()))
        })
    }
}
