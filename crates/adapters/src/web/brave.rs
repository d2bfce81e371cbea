//! Brave's search service: JSON, with a key.

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{HeaderName, HeaderValue};
use serde::Deserialize;
use wellread_core::Result;
use wellread_core::ports::{BoxFuture, ServiceIdentity, WebAnswer, WebFailure, WebQuery, WebSearchService};

use super::engine::{Engine, EngineAddress};
use super::results::{ResultRow, answer};
use crate::http::{Endpoint, ServiceRequest, Web};

pub const ENGINE: Engine = Engine {
    name: "brave",
    label: "Brave",
    address: EngineAddress::Public("https://api.search.brave.com"),
    key_variables: &["BRAVE_API_KEY"],
    open: |settings, web| Ok(Arc::new(Brave::new(settings.base_url, settings.key, web)?)),
};

const PATIENCE: Duration = Duration::from_secs(15);
/// The most results per request.
const MOST: usize = 20;
/// The last page that it has.
const LAST_PAGE: usize = 9;
const TOKEN: HeaderName = HeaderName::from_static("x-subscription-token");

pub struct Brave {
    web: Web,
    endpoint: Endpoint,
    key: HeaderValue,
}

impl Brave {
    pub fn new(base: &str, key: &str, web: Web) -> Result<Self> {
        Ok(Self { web, endpoint: Endpoint::parse(base)?, key: super::secret_header(key)? })
    }
}

impl WebSearchService for Brave {
    fn identity(&self) -> ServiceIdentity {
        ENGINE.identity(&self.endpoint)
    }

    fn search<'a>(&'a self, query: &'a WebQuery) -> BoxFuture<'a, Result<WebAnswer, WebFailure>> {
        Box::pin(async move {
            let page = (query.offset / MOST).min(LAST_PAGE);
            let within = WebQuery { offset: query.offset - page * MOST, ..query.clone() };
            let count = (within.offset + query.limit).clamp(1, MOST).to_string();
            // The page size is the count that is requested: later pages need the full count to start at the same offsets.
            let count = if page == 0 { count } else { MOST.to_string() };
            let page = page.to_string();
            let parameters = super::encode_query(&[
                ("q", &query.text),
                ("count", &count),
                ("offset", &page),
                ("text_decorations", "false"),
            ]);
            let response = self
                .web
                .call_service(&ServiceRequest {
                    base: &self.endpoint.origin,
                    path: self.endpoint.path(&format!("/res/v1/web/search?{parameters}")),
                    headers: vec![super::accept_header("application/json"), (TOKEN, self.key.clone())],
                    body: None,
                    limit: PATIENCE,
                })
                .await?;
            read(response.status, &response.bytes, &within)
                .map_err(|failure| failure.with_wait(response.wait))
        })
    }
}

#[derive(Deserialize)]
struct Page {
    #[serde(default)]
    web: Option<Pages>,
    #[serde(default, rename = "type")]
    kind: Option<String>,
}

#[derive(Deserialize)]
struct Pages {
    #[serde(default)]
    results: Vec<BraveResult>,
}

#[derive(Deserialize)]
struct BraveResult {
    #[serde(default)]
    title: String,
    #[serde(default)]
    url: String,
    #[serde(default)]
    description: Option<String>,
}

#[derive(Deserialize)]
struct Refusal {
    error: Reason,
}

#[derive(Deserialize)]
struct Reason {
    #[serde(default)]
    code: String,
}

fn read(status: u16, body: &[u8], query: &WebQuery) -> Result<WebAnswer, WebFailure> {
    // A wrong key is reported with a status that otherwise means a malformed request.
    let refusal: Option<Refusal> = serde_json::from_slice(body).ok();
    if status == 422 && refusal.is_some_and(|refusal| refusal.error.code.contains("TOKEN")) {
        ENGINE.check_status(401)?;
    }
    ENGINE.check_status(status)?;
    let page: Page = serde_json::from_slice(body)
        .map_err(|_| ENGINE.broken_failure("something that is not JSON results"))?;
    // Without results, the `web` part is left out.
    if page.web.is_none() && page.kind.is_none() {
        return Err(ENGINE.broken_failure("JSON without results"));
    }
    let row = |found: BraveResult| ResultRow {
        title: found.title,
        url: found.url,
        snippet: found.description.unwrap_or_default(),
    };
    Ok(answer(page.web.into_iter().flat_map(|web| web.results).map(row), query))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn said(status: u16, body: &str) -> Result<WebAnswer, WebFailure> {
        let query = WebQuery { text: "q".to_owned(), limit: 2, offset: 0, answer: false };
        read(status, body.as_bytes(), &query)
    }

    #[test]
    fn results_are_read_made_plain_and_counted() {
        let found = |title: &str, url: &str| json!({"title": title, "url": url, "description": "Its <strong>own</strong> words &amp; more", "age": 3});
        let rows = [
            found("One &quot;x&quot;", "https://a.example"),
            found("No", "data:,x"),
            found("Two", "https://b.example/#x"),
            found("Three", "https://c.example"),
        ];
        let body =
            json!({"type": "search", "web": {"type": "search", "results": rows}, "mixed": {}}).to_string();
        let results = said(200, &body).unwrap().results;
        let shown: Vec<(&str, &str)> =
            results.iter().map(|one| (one.title.as_str(), one.url.as_str())).collect();
        assert_eq!(shown, [("One \"x\"", "https://a.example/"), ("Two", "https://b.example/")]);
        assert_eq!(results[0].snippet.expose(), "Its own words & more");
    }

    #[test]
    fn none_a_wrong_key_and_garbage_are_told_apart() {
        let none = json!({"type": "search", "query": {"original": "q"}}).to_string();
        assert_eq!(said(200, &none).unwrap(), WebAnswer::default());
        assert_eq!(said(200, r#"{"web":{"results":[]}}"#).unwrap(), WebAnswer::default());
        let wrong =
            json!({"type": "ErrorResponse", "error": {"code": "SUBSCRIPTION_TOKEN_INVALID", "detail": "x"}})
                .to_string();
        for (status, body) in [(422, wrong.as_str()), (401, ""), (403, "x")] {
            let Err(WebFailure::Key { hint, .. }) = said(status, body) else { panic!("{status}") };
            assert!(hint.contains("BRAVE_API_KEY"), "{hint}");
        }
        for (status, body) in
            [(200, ""), (200, "<html>"), (200, "[]"), (200, "{}"), (200, r#"{"web":3}"#), (422, "{}")]
        {
            assert!(matches!(said(status, body), Err(WebFailure::Broken { .. })), "{status} {body}");
        }
        assert!(matches!(said(429, "{}"), Err(WebFailure::Busy { .. })));
    }
}
