//! What search services find.

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Gather, Skipped};
use crate::Result;
use crate::event::Sent;
use crate::evidence::{Found, PagePlace, Provenance, Source};
use crate::id::EvidenceId;
use crate::ports::{Service, WebAnswer, WebFailure, WebQuery, WebResult};
use crate::untrusted::{Origin, Untrusted};

/// What one query came to.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct WebFound {
    /// Who answered in the end; nobody, where all of them failed or none was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<Service>,
    #[serde(flatten)]
    pub answer: WebAnswer,
    /// Who failed before, and how.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<(String, WebFailure)>,
}

impl WebFound {
    /// Whether it was asked for and nobody answered.
    pub fn has_failed(&self) -> bool {
        self.service.is_none()
    }

    /// What a reader is told of the failures.
    pub fn skipped(&self, query: &str) -> Vec<Skipped> {
        let skip = |(name, failure): &(String, WebFailure)| Skipped {
            what: query.to_owned(),
            reason: format!("{name}: {}", failure.message()),
        };
        self.failed.iter().map(skip).collect()
    }
}

impl Gather<'_> {
    /// Whether there is somebody to be asked who may be.
    pub fn has_web(&self) -> bool {
        self.may_ask().next().is_some()
    }

    fn may_ask(&self) -> impl Iterator<Item = &std::sync::Arc<dyn crate::ports::WebSearch>> {
        self.reach.services.iter().filter(|service| !self.stays || service.service().is_local)
    }

    /// Asks the services in turn until one answers. What is about to leave is written down before it does.
    pub async fn web(&self, query: &WebQuery) -> Result<WebFound> {
        let arguments = json!(query);
        let found = self.asked("web_search", &arguments, Origin::Outside, self.searched(query)).await?;
        Ok(found.unwrap_or_else(|message| WebFound {
            failed: vec![("search".to_owned(), WebFailure::Unreachable { message })],
            ..WebFound::default()
        }))
    }

    async fn searched(&self, query: &WebQuery) -> Result<WebFound> {
        let mut found = WebFound::default();
        for search in self.may_ask() {
            let service = search.service();
            if !service.endpoint.is_empty() {
                self.run.sent(Sent {
                    what: "search".to_owned(),
                    to: service.endpoint.clone(),
                    about: query.text.clone(),
                    bytes: query.text.len() as u64,
                    stays: service.is_local,
                })?;
            }
            match search.search(query).await {
                Ok(answer) => {
                    (found.service, found.answer) = (Some(service), answer);
                    break;
                }
                Err(failure) => found.failed.push((service.name, failure)),
            }
        }
        Ok(found)
    }

    /// Puts what a service says of a page into the ledger. What it said is kept, as a page is.
    pub fn snippet(&self, result: &WebResult, reason: &str) -> Result<EvidenceId> {
        self.said(&result.url, Some(result.title.clone()), &result.snippet, result, reason)
    }

    fn said(
        &self,
        url: &str,
        title: Option<String>,
        text: &Untrusted,
        result: &WebResult,
        reason: &str,
    ) -> Result<EvidenceId> {
        let snapshot = self.snapshots.keep(text.look())?;
        let place = PagePlace { url: url.to_owned(), title, snapshot, span: 0..text.size() };
        let source = match &result.paper {
            Some(paper) => Source::Paper { arxiv: paper.id.clone(), place },
            None => Source::Page(place),
        };
        self.run.evidence(Found {
            source,
            text: text.clone(),
            reason: reason.to_owned(),
            provenance: Provenance::Web,
            score: None,
            symbol: None,
        })
    }
}
