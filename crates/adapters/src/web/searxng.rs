//! A SearXNG instance of the user: JSON, which its settings have to allow.

use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;
use wellread_core::Result;
use wellread_core::ports::{BoxFuture, ServiceIdentity, WebAnswer, WebFailure, WebQuery, WebSearchService};

use super::engine::{Engine, EngineAddress};
use super::results::{ResultRow, answer};
use crate::http::{Endpoint, ServiceRequest, Web};

pub const ENGINE: Engine = Engine {
    name: "searxng",
    label: "your SearXNG",
    address: EngineAddress::UserSet { missing: "the address of SearXNG is not set" },
    key_variables: &[],
    open: |settings, web| Ok(Arc::new(Searxng::new(settings.base_url, web)?)),
};

/// Longer than for other services, since it waits for engines of its own.
const PATIENCE: Duration = Duration::from_secs(20);

pub struct Searxng {
    web: Web,
    endpoint: Endpoint,
}

impl Searxng {
    pub fn new(base: &str, web: Web) -> Result<Self> {
        Ok(Self { web, endpoint: Endpoint::parse(base)? })
    }
}

impl WebSearchService for Searxng {
    fn identity(&self) -> ServiceIdentity {
        ENGINE.identity(&self.endpoint)
    }

    fn search<'a>(&'a self, query: &'a WebQuery) -> BoxFuture<'a, Result<WebAnswer, WebFailure>> {
        Box::pin(async move {
            let parameters = super::encode_query(&[("q", &query.text), ("format", "json")]);
            let response = self
                .web
                .call_service(&ServiceRequest {
                    base: &self.endpoint.origin,
                    path: self.endpoint.path(&format!("/search?{parameters}")),
                    headers: vec![super::accept_header("application/json")],
                    body: None,
                    limit: PATIENCE,
                })
                .await?;
            read(response.status, &response.bytes, query).map_err(|failure| failure.with_wait(response.wait))
        })
    }
}

#[derive(Deserialize)]
struct Page {
    results: Vec<SearxngResult>,
    /// Pairs of name and reason: `["google", "timeout"]`.
    #[serde(default)]
    unresponsive_engines: Vec<Value>,
}

#[derive(Deserialize)]
struct SearxngResult {
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    url: Option<String>,
    #[serde(default)]
    content: Option<String>,
}

fn read(status: u16, body: &[u8], query: &WebQuery) -> Result<WebAnswer, WebFailure> {
    if status == 403 {
        return Err(WebFailure::NotSetUp {
            message: "searxng does not give its results as JSON (status 403)".to_owned(),
            hint: "add `json` to `search: formats:` in its settings.yml and restart it".to_owned(),
        });
    }
    ENGINE.check_status(status)?;
    let page: Page = serde_json::from_slice(body)
        .map_err(|_| ENGINE.broken_failure("something that is not JSON results"))?;
    let silent = page.unresponsive_engines.len();
    // An engine that did not answer has not reported an empty result.
    if page.results.is_empty() && silent > 0 {
        let message = format!("searxng found nothing, and {silent} of its engines did not answer");
        return Err(WebFailure::busy(message));
    }
    let row = |found: SearxngResult| ResultRow {
        title: found.title.unwrap_or_default(),
        url: found.url.unwrap_or_default(),
        snippet: found.content.unwrap_or_default(),
    };
    Ok(answer(page.results.into_iter().map(row), query))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn said(status: u16, body: &str) -> Result<WebAnswer, WebFailure> {
        let query = WebQuery { text: "q".to_owned(), limit: 10, offset: 0, answer: false };
        read(status, body.as_bytes(), &query)
    }

    #[test]
    fn results_are_read() {
        let body = json!({
            "query": "q", "number_of_results": 0,
            "results": [
                {"title": "One", "url": "https://a.example/", "content": "Words &amp; <b>more</b>", "engine": "x", "score": 1.0},
                {"title": "A picture", "url": null, "content": "x"},
                {"title": "Two", "url": "http://b.example/", "content": null, "publishedDate": null},
            ],
            "answers": [], "corrections": [], "infoboxes": [], "suggestions": [], "unresponsive_engines": [["y", "timeout"]],
        });
        let found = said(200, &body.to_string()).unwrap().results;
        let shown: Vec<(&str, &str, &str)> =
            found.iter().map(|one| (one.title.as_str(), one.url.as_str(), one.snippet.expose())).collect();
        assert_eq!(shown, [("One", "https://a.example/", "Words & more"), ("Two", "http://b.example/", "")]);
    }

    #[test]
    fn none_engines_that_are_silent_json_that_is_off_and_garbage_are_told_apart() {
        assert_eq!(said(200, r#"{"results":[]}"#).unwrap(), WebAnswer::default());
        let silent = said(200, r#"{"results":[],"unresponsive_engines":[["x","timeout"]]}"#);
        assert!(matches!(silent, Err(WebFailure::Busy { .. })));
        let Err(WebFailure::NotSetUp { hint, .. }) = said(403, "<html>Forbidden") else { panic!() };
        assert!(hint.contains("`json`") && hint.contains("settings.yml"), "{hint}");
        assert!(matches!(said(429, "Too Many Requests"), Err(WebFailure::Busy { .. })));
        for body in ["", "<html>", "{}", r#"{"results":{}}"#] {
            assert!(matches!(said(200, body), Err(WebFailure::Broken { .. })), "{body}");
        }
    }
}
