//! Gathers sources for a recipe: passages from the library, search results and web pages, always through the run.
//!
//! What fails is left out and counted; it is never the end of a run. What the log holds is not asked for again, and a run
//! that is run again sees what it saw then. No model is asked here.

mod library;
mod likeness;
mod page;
mod web;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub use library::LibraryPassage;
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

/// Why something that was asked for was not to be had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GatherFailure {
    /// What failed.
    pub reason: String,
    /// Whether it may be another time.
    pub may_pass: bool,
    /// For how many seconds whoever was asked wants to be left alone.
    pub wait_s: Option<u64>,
}

/// How an answer is marked before which there is something to wait for.
const WAIT_S: &str = "wait_s";

/// Where a recipe gathers, and how far it may reach.
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
    /// Whether notes that must not leave this machine may be drawn on.
    pub private: bool,
    /// Whether the words that are searched for must stay on this machine.
    pub stays: bool,
}

impl Gatherer<'_> {
    /// Asks for something by way of the run: what the log holds is the answer, a failure included.
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
