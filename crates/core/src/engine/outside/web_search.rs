//! Asking the web: the services in the user's order, until one answers.

use std::collections::HashSet;
use std::slice;
use std::sync::Arc;

use super::OutsideServices;
use super::no_services::not_set_up;
use crate::Result;
use crate::ports::event::SentRequest;
use crate::ports::{ServiceIdentity, WebAnswer, WebFailure, WebQuery, WebSearchService};

/// Hears of what is about to leave, before it does. An error keeps it here, and ends the asking.
pub type SendHook<'a> = &'a (dyn Fn(SentRequest) -> Result<()> + Send + Sync);

/// What became of a search.
#[derive(Debug, Clone)]
pub struct WebSearchOutcome {
    /// The service that answered, and what it said; or why none did.
    pub outcome: Result<(ServiceIdentity, WebAnswer), WebFailure>,
    /// The services that failed before, in order. Where none answered, all of them.
    pub failed: Vec<(ServiceIdentity, WebFailure)>,
    /// What was sent where, in order.
    pub sent: Vec<SentRequest>,
}

impl OutsideServices {
    /// Asks the services in turn. That nothing is found is an answer like any other: a second opinion would take the
    /// query to one more service, which the user has put behind this one.
    pub async fn search(&self, query: &WebQuery) -> WebSearchOutcome {
        outcome_or_not_set_up(self.search_with_hook(query, &|_| Ok(())).await)
    }

    /// Searches the web for a run; the hook logs each request before it is sent, and may refuse it.
    pub async fn search_with_hook(
        &self,
        query: &WebQuery,
        leaving: SendHook<'_>,
    ) -> Result<WebSearchOutcome> {
        self.ask_services(&self.services, query, leaving).await
    }

    /// Asks arXiv alone.
    pub async fn search_papers(&self, query: &WebQuery) -> WebSearchOutcome {
        outcome_or_not_set_up(self.search_papers_with_hook(query, &|_| Ok(())).await)
    }

    /// Searches arXiv; the hook is called before anything is sent.
    pub async fn search_papers_with_hook(
        &self,
        query: &WebQuery,
        leaving: SendHook<'_>,
    ) -> Result<WebSearchOutcome> {
        self.ask_services(slice::from_ref(&self.arxiv), query, leaving).await
    }

    async fn ask_services(
        &self,
        services: &[Arc<dyn WebSearchService>],
        query: &WebQuery,
        leaving: SendHook<'_>,
    ) -> Result<WebSearchOutcome> {
        let (mut failed, mut sent) = (Vec::new(), Vec::new());
        for asked in services {
            let service = asked.identity();
            // One that is not set up has nowhere to send anything.
            if !service.endpoint.is_empty() {
                let leaves = describe_query(&service, query);
                leaving(leaves.clone())?;
                self.sendings.record(leaves.clone());
                sent.push(leaves);
            }
            match asked.search(query).await {
                Ok(answer) => {
                    return Ok(WebSearchOutcome {
                        outcome: Ok((service, dedup_results(answer))),
                        failed,
                        sent,
                    });
                }
                Err(failure) => failed.push((service, failure)),
            }
        }
        let told = failed.iter().map(|(_, failure)| failure).max_by_key(|failure| weight(failure));
        Ok(WebSearchOutcome { outcome: Err(told.cloned().unwrap_or_else(not_set_up)), failed, sent })
    }
}

/// Where nobody was told, nobody said no.
fn outcome_or_not_set_up(asked: Result<WebSearchOutcome>) -> WebSearchOutcome {
    asked.unwrap_or_else(|_| WebSearchOutcome {
        outcome: Err(not_set_up()),
        failed: Vec::new(),
        sent: Vec::new(),
    })
}

fn describe_query(service: &ServiceIdentity, query: &WebQuery) -> SentRequest {
    SentRequest {
        what: "search".to_owned(),
        to: service.endpoint.clone(),
        about: query.text.clone(),
        bytes: query.text.len() as u64,
        stays: service.is_local,
    }
}

/// Of several failures the one is told that the user can do most about; of equals, the last.
fn weight(failure: &WebFailure) -> u8 {
    match failure {
        WebFailure::Key { .. } => 2,
        WebFailure::NotSetUp { .. } => 1,
        _ => 0,
    }
}

/// Removes repeated pages; the first one stays.
fn dedup_results(mut answer: WebAnswer) -> WebAnswer {
    let mut seen = HashSet::new();
    answer.results.retain(|result| seen.insert(page_key(&result.url)));
    answer
}

/// What two addresses of one page have in common: the scheme, a slash at the end and a fragment do not matter.
fn page_key(url: &str) -> String {
    let bare = url.split('#').next().unwrap_or(url);
    let bare = bare.strip_prefix("https://").or_else(|| bare.strip_prefix("http://")).unwrap_or(bare);
    bare.trim_end_matches('/').to_owned()
}
