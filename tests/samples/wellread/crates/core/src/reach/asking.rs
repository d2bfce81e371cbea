//! Asking the web: the services in the user's order, until one answers.

use std::collections::HashSet;
use std::slice;
use std::sync::Arc;

use super::Reach;
use super::nothing::nothing;
use crate::Result;
use crate::event::Sent;
use crate::ports::{Service, WebAnswer, WebFailure, WebQuery, WebSearch};

/// Hears of what is about to leave, before it does. An error keeps it here, and ends the asking.
pub type Leaving<'a> = &'a (dyn Fn(Sent) -> Result<()> + Send + Sync);

/// What became of a search.
#[derive(Debug, Clone)]
pub struct Searched {
    /// The service that answered, and what it said; or why none did.
    pub outcome: Result<(Service, WebAnswer), WebFailure>,
    /// The services that failed before, in order. Where none answered, all of them.
    pub failed: Vec<(Service, WebFailure)>,
    /// What was sent where, in order.
    pub sent: Vec<Sent>,
}

impl Reach {
    /// Asks the services in turn. That nothing is found is an answer like any other: a second opinion would take the
    /// query to one more service, which the user has put behind this one.
    pub async fn search(&self, query: &WebQuery) -> Searched {
        untold(self.search_told(query, &|_| Ok(())).await)
    }

    /// The same for a run, which writes down what leaves before it does, and may say that it must not.
    pub async fn search_told(&self, query: &WebQuery, leaving: Leaving<'_>) -> Result<Searched> {
        self.ask(&self.services, query, leaving).await
    }

    /// Asks arXiv alone.
    pub async fn papers(&self, query: &WebQuery) -> Searched {
        untold(self.papers_told(query, &|_| Ok(())).await)
    }

    pub async fn papers_told(&self, query: &WebQuery, leaving: Leaving<'_>) -> Result<Searched> {
        self.ask(slice::from_ref(&self.arxiv), query, leaving).await
    }

    async fn ask(
        &self,
        services: &[Arc<dyn WebSearch>],
        query: &WebQuery,
        leaving: Leaving<'_>,
    ) -> Result<Searched> {
        let (mut failed, mut sent) = (Vec::new(), Vec::new());
        for asked in services {
            let service = asked.service();
            // One that is not set up has nowhere to send anything.
            if !service.endpoint.is_empty() {
                let leaves = leaves(&service, query);
                leaving(leaves.clone())?;
                self.sendings.note(leaves.clone());
                sent.push(leaves);
            }
            match asked.search(query).await {
                Ok(answer) => {
                    return Ok(Searched { outcome: Ok((service, each_once(answer))), failed, sent });
                }
                Err(failure) => failed.push((service, failure)),
            }
        }
        let told = failed.iter().map(|(_, failure)| failure).max_by_key(|failure| weight(failure));
        Ok(Searched { outcome: Err(told.cloned().unwrap_or_else(nothing)), failed, sent })
    }
}

/// Where nobody was told, nobody said no.
fn untold(asked: Result<Searched>) -> Searched {
    asked.unwrap_or_else(|_| Searched { outcome: Err(nothing()), failed: Vec::new(), sent: Vec::new() })
}

fn leaves(service: &Service, query: &WebQuery) -> Sent {
    Sent {
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

/// The same page twice is one result: the first.
fn each_once(mut answer: WebAnswer) -> WebAnswer {
    let mut seen = HashSet::new();
    answer.results.retain(|result| seen.insert(same(&result.url)));
    answer
}

/// What two addresses of one page have in common: the scheme, a slash at the end and a fragment do not matter.
fn same(url: &str) -> String {
    let bare = url.split('#').next().unwrap_or(url);
    let bare = bare.strip_prefix("https://").or_else(|| bare.strip_prefix("http://")).unwrap_or(bare);
    bare.trim_end_matches('/').to_owned()
}
