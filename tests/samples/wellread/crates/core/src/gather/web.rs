//! What search services find.

use serde::{Deserialize, Serialize};
use serde_json::json;
use wellread_text::{Allowed, inert};

use super::{Gather, Skipped};
use crate::Result;
use crate::evidence::{Found, PagePlace, Provenance, Source};
use crate::id::EvidenceId;
use crate::ports::{Service, WebAnswer, WebFailure, WebQuery, WebResult};
use crate::reach::{Reach, Searched};
use crate::untrusted::Origin;

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

    fn failed_by(name: &str, message: String) -> Self {
        let failed = vec![(name.to_owned(), WebFailure::Broken { message })];
        Self { failed, ..Self::default() }
    }

    /// Whether it may come to something another time.
    pub fn may_pass(&self) -> bool {
        self.has_failed() && self.failed.iter().any(|(_, failure)| failure.may_pass())
    }

    /// For how many seconds to leave them alone: the longest that one of them asks for.
    pub fn wait_s(&self) -> Option<u64> {
        self.failed.iter().filter_map(|(_, failure)| failure.wait_s()).max()
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
    /// The names of those who may be asked.
    pub fn may_ask(&self) -> Vec<String> {
        let services = self.reach.services.iter().filter(|_| !self.reach.offline);
        let services = services.map(|service| service.service());
        services.filter(|service| self.may_hear(service)).map(|service| service.name).collect()
    }

    /// Words that stay on this machine go to no service elsewhere.
    fn may_hear(&self, service: &Service) -> bool {
        !self.stays || service.is_local
    }

    /// Asks the services in turn until one answers. What is about to leave is written down before it does.
    pub async fn web(&self, query: &WebQuery) -> Result<WebFound> {
        let arguments = json!(query);
        let searched = self.searched(query);
        let found =
            self.asked("web_search", &arguments, Origin::Outside, searched, WebFound::may_pass).await?;
        Ok(found.unwrap_or_else(|missed| WebFound::failed_by("search", missed.reason)))
    }

    /// Asks arXiv alone.
    pub async fn papers(&self, query: &WebQuery) -> Result<WebFound> {
        let found = async {
            let mut reach = self.reach.for_call();
            if !self.may_hear(&reach.arxiv.service()) {
                reach = Reach::nothing();
            }
            Ok(found(reach.papers_told(query, &|sent| self.run.sent(sent)).await?))
        };
        let found =
            self.asked("arxiv_search", &json!(query), Origin::Outside, found, WebFound::may_pass).await?;
        Ok(found.unwrap_or_else(|missed| WebFound::failed_by("arxiv", missed.reason)))
    }

    async fn searched(&self, query: &WebQuery) -> Result<WebFound> {
        let mut reach = self.reach.for_call();
        reach.services.retain(|service| self.may_hear(&service.service()));
        Ok(found(reach.search_told(query, &|sent| self.run.sent(sent)).await?))
    }

    /// Keeps what a service says of a page, as a page is kept.
    pub fn kept(&self, result: &WebResult) -> Result<PagePlace> {
        let snapshot = self.snapshots.keep(result.snippet.look())?;
        let title = Some(result.title.clone()).filter(|title| !title.trim().is_empty());
        Ok(PagePlace { url: result.url.clone(), title, snapshot, span: 0..result.snippet.size() })
    }

    /// Puts what a service says of a page into the ledger.
    pub fn snippet(&self, result: &WebResult, reason: &str) -> Result<EvidenceId> {
        let place = self.kept(result)?;
        let source = match &result.paper {
            Some(paper) => Source::Paper { arxiv: paper.id.clone(), place },
            None => Source::Page(place),
        };
        self.run.evidence(Found {
            source,
            text: result.snippet.clone(),
            reason: reason.to_owned(),
            provenance: Provenance::Web,
            score: None,
            symbol: None,
        })
    }
}

fn found(searched: Searched) -> WebFound {
    let Searched { outcome, failed, .. } = searched;
    let failed = failed.into_iter().map(|(service, failure)| (service.name, failure)).collect();
    match outcome {
        Ok((service, answer)) => WebFound { service: Some(service), answer, failed },
        Err(_) => WebFound { failed, ..WebFound::default() },
    }
}

/// Shorter answers count as none, in characters.
const SHORTEST_ANSWER: usize = 20;

impl Gather<'_> {
    /// What a service answered by itself, kept as what it said, and as it may be shown: words alone.
    pub fn ready(&self, found: &WebFound) -> Result<Option<(EvidenceId, String)>> {
        let (Some(answer), Some(service)) = (&found.answer.answer, &found.service) else { return Ok(None) };
        let no = |_: &str| false;
        let plain = inert(answer.look().trim(), &Allowed { urls: &no, notes: &no }).text;
        let plain = plain.split_whitespace().collect::<Vec<_>>().join(" ");
        if plain.chars().count() < SHORTEST_ANSWER {
            return Ok(None);
        }
        let snapshot = self.snapshots.keep(answer.look())?;
        let url = found.answer.results.first().map_or(&service.endpoint, |result| &result.url).clone();
        let title = Some(format!("what {} answers", service.name));
        let place = PagePlace { url, title, snapshot, span: 0..answer.size() };
        let id = self.run.evidence(Found {
            source: Source::Page(place),
            text: answer.clone(),
            reason: "the service answered by itself".to_owned(),
            provenance: Provenance::Web,
            score: None,
            symbol: None,
        })?;
        self.run.show(vec![id.clone()])?;
        Ok(Some((id, plain)))
    }
}
