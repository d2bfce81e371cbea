//! Web search: asks the services in the user's order, until one answers.

use std::collections::HashSet;
use std::slice;
use std::sync::Arc;

use super::OutsideServices;
use super::no_services::not_set_up;
use crate::Result;
use crate::ports::event::SentRequest;
use crate::ports::{ServiceIdentity, WebAnswer, WebFailure, WebQuery, WebSearchService};

/// Called with each request before it is sent. An error prevents the request and ends the search.
pub type SendHook<'a> = &'a (dyn Fn(SentRequest) -> Result<()> + Send + Sync);

/// The outcome of a search.
#[derive(Debug, Clone)]
pub struct WebSearchOutcome {
    /// The service that answered, and what it said; or why none did.
    pub outcome: Result<(ServiceIdentity, WebAnswer), WebFailure>,
    /// The services that failed before it, in order; all of them if none answered.
    pub failed: Vec<(ServiceIdentity, WebFailure)>,
    /// What was sent where, in order.
    pub sent: Vec<SentRequest>,
}

impl OutsideServices {
    /// Asks the services in turn. An empty result is an answer: asking on would disclose the query to one more service,
    /// which the user ranked behind this one.
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
            // A service that is not set up sends nothing.
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
        let worst = failed.iter().map(|(_, failure)| failure).max_by_key(|failure| weight(failure));
        Ok(WebSearchOutcome { outcome: Err(worst.cloned().unwrap_or_else(not_set_up)), failed, sent })
    }
}

/// Unwraps a search whose hook never refuses, so that it can't fail.
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

/// How much the user can do about a failure: the heaviest is reported; of equals, the last.
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

/// The key under which two addresses are one page: scheme, trailing slash and fragment do not matter.
fn page_key(url: &str) -> String {
    let bare = url.split('#').next().unwrap_or(url);
    let bare = bare.strip_prefix("https://").or_else(|| bare.strip_prefix("http://")).unwrap_or(bare);
    bare.trim_end_matches('/').to_owned()
}
