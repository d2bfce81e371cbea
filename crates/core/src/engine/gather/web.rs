//! Web searches through the run, and their results as evidence.

use serde::{Deserialize, Serialize};
use serde_json::json;
use wellread_text::{AllowedLinks, make_inert};

use super::{Gatherer, SkippedSource};
use crate::Result;
use crate::domain::evidence::{NewEvidence, PagePlace, Provenance, Source};
use crate::domain::id::EvidenceId;
use crate::domain::untrusted::Origin;
use crate::engine::outside::{OutsideServices, WebSearchOutcome};
use crate::ports::{ServiceIdentity, WebAnswer, WebFailure, WebQuery, WebResult};

/// The results of one query.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct WebSearchResults {
    /// The service that answered; `None` if all failed or none was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<ServiceIdentity>,
    /// What the service answered.
    #[serde(flatten)]
    pub answer: WebAnswer,
    /// The services that failed before it, each with its failure.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<(String, WebFailure)>,
}

impl WebSearchResults {
    /// Whether no service answered.
    pub fn has_failed(&self) -> bool {
        self.service.is_none()
    }

    fn from_failure(name: &str, message: String) -> Self {
        let failed = vec![(name.to_owned(), WebFailure::Broken { message })];
        Self { failed, ..Self::default() }
    }

    /// Whether the search failed for a transient reason.
    pub fn may_pass(&self) -> bool {
        self.has_failed() && self.failed.iter().any(|(_, failure)| failure.is_transient())
    }

    /// The longest wait, in seconds, that a failed service asked for.
    pub fn wait_s(&self) -> Option<u64> {
        self.failed.iter().filter_map(|(_, failure)| failure.wait_seconds()).max()
    }

    /// The failures, as entries for the list of skipped sources.
    pub fn to_skipped(&self, query: &str) -> Vec<SkippedSource> {
        let skip = |(name, failure): &(String, WebFailure)| SkippedSource {
            what: query.to_owned(),
            reason: format!("{name}: {}", failure.message()),
        };
        self.failed.iter().map(skip).collect()
    }
}

impl Gatherer<'_> {
    /// The names of the services that may be asked; none while offline.
    pub fn allowed_services(&self) -> Vec<String> {
        let services = self.reach.services.iter().filter(|_| !self.reach.offline);
        let services = services.map(|service| service.identity());
        services.filter(|service| self.is_allowed(service)).map(|service| service.name).collect()
    }

    /// Queries that must stay on this machine go to local services only.
    fn is_allowed(&self, service: &ServiceIdentity) -> bool {
        !self.stays || service.is_local
    }

    /// Asks the services in turn until one answers. Each request is logged before it is sent.
    pub async fn search_web(&self, query: &WebQuery) -> Result<WebSearchResults> {
        let arguments = json!(query);
        let searched = self.search_services(query);
        let found = self
            .ask_via_run("web_search", &arguments, Origin::Outside, searched, WebSearchResults::may_pass)
            .await?;
        Ok(found.unwrap_or_else(|missed| WebSearchResults::from_failure("search", missed.reason)))
    }

    /// Asks arXiv alone.
    pub async fn search_papers(&self, query: &WebQuery) -> Result<WebSearchResults> {
        let found = async {
            let mut reach = self.reach.for_call();
            if !self.is_allowed(&reach.arxiv.identity()) {
                reach = OutsideServices::none();
            }
            Ok(to_results(reach.search_papers_with_hook(query, &|sent| self.run.record_sent(sent)).await?))
        };
        let found = self
            .ask_via_run("arxiv_search", &json!(query), Origin::Outside, found, WebSearchResults::may_pass)
            .await?;
        Ok(found.unwrap_or_else(|missed| WebSearchResults::from_failure("arxiv", missed.reason)))
    }

    async fn search_services(&self, query: &WebQuery) -> Result<WebSearchResults> {
        let mut reach = self.reach.for_call();
        reach.services.retain(|service| self.is_allowed(&service.identity()));
        Ok(to_results(reach.search_with_hook(query, &|sent| self.run.record_sent(sent)).await?))
    }

    /// Stores a result's snippet as a snapshot.
    pub fn store_snippet(&self, result: &WebResult) -> Result<PagePlace> {
        let snapshot = self.snapshots.keep(result.snippet.expose())?;
        let title = Some(result.title.clone()).filter(|title| !title.trim().is_empty());
        Ok(PagePlace { url: result.url.clone(), title, snapshot, span: 0..result.snippet.size() })
    }

    /// Adds a result's snippet to the ledger.
    pub fn add_snippet_evidence(&self, result: &WebResult, reason: &str) -> Result<EvidenceId> {
        let place = self.store_snippet(result)?;
        let source = match &result.paper {
            Some(paper) => Source::Paper { arxiv: paper.id.clone(), place },
            None => Source::Page(place),
        };
        self.run.add_evidence(NewEvidence {
            source,
            text: result.snippet.clone(),
            reason: reason.to_owned(),
            provenance: Provenance::Web,
            score: None,
            symbol: None,
        })
    }
}

fn to_results(searched: WebSearchOutcome) -> WebSearchResults {
    let WebSearchOutcome { outcome, failed, .. } = searched;
    let failed = failed.into_iter().map(|(service, failure)| (service.name, failure)).collect();
    match outcome {
        Ok((service, answer)) => WebSearchResults { service: Some(service), answer, failed },
        Err(_) => WebSearchResults { failed, ..WebSearchResults::default() },
    }
}

/// Answers with fewer characters count as none.
const SHORTEST_ANSWER: usize = 20;

impl WebSearchResults {
    /// The service's own answer as plain text without links. `None` if there is none or it is too short.
    pub fn own_answer(&self) -> Option<String> {
        let no = |_: &str| false;
        let answer = self.answer.answer.as_ref()?.expose();
        let plain = make_inert(answer.trim(), &AllowedLinks { urls: &no, notes: &no }).text;
        let plain = plain.split_whitespace().collect::<Vec<_>>().join(" ");
        (plain.chars().count() >= SHORTEST_ANSWER).then_some(plain)
    }
}
