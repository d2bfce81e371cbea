//! Tavily's search service: JSON both ways, with a key. It can answer questions itself.

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use serde::Deserialize;
use serde_json::{Value, json};
use wellread_core::Result;
use wellread_core::domain::untrusted::Untrusted;
use wellread_core::ports::{BoxFuture, ServiceIdentity, WebAnswer, WebFailure, WebQuery, WebSearchService};

use super::engine::{Engine, EngineAddress};
use super::results::{ResultRow, answer, single_line};
use crate::http::{Endpoint, ServiceRequest, Web};

pub const ENGINE: Engine = Engine {
    name: "tavily",
    label: "Tavily",
    address: EngineAddress::Public("https://api.tavily.com"),
    key_variables: &["TAVILY_API_KEY"],
    open: |settings, web| Ok(Arc::new(Tavily::new(settings.base_url, settings.key, web)?)),
};

/// Longer than for a search, since it may write an answer.
const PATIENCE: Duration = Duration::from_secs(20);
/// The most results per request.
const MOST: usize = 20;
/// How many results an answer is based on.
const FOR_AN_ANSWER: usize = 3;
const LONGEST_ANSWER: usize = 8_000;

pub struct Tavily {
    web: Web,
    endpoint: Endpoint,
    key: HeaderValue,
}

impl Tavily {
    pub fn new(base: &str, key: &str, web: Web) -> Result<Self> {
        Ok(Self {
            web,
            endpoint: Endpoint::parse(base)?,
            key: super::secret_header(&format!("Bearer {key}"))?,
        })
    }
}

impl WebSearchService for Tavily {
    fn identity(&self) -> ServiceIdentity {
        ServiceIdentity { answers: true, ..ENGINE.identity(&self.endpoint) }
    }

    fn search<'a>(&'a self, query: &'a WebQuery) -> BoxFuture<'a, Result<WebAnswer, WebFailure>> {
        Box::pin(async move {
            let json = HeaderValue::from_static("application/json");
            let response = self
                .web
                .call_service(&ServiceRequest {
                    base: &self.endpoint.origin,
                    path: self.endpoint.path("/search"),
                    headers: vec![
                        super::accept_header("application/json"),
                        (CONTENT_TYPE, json),
                        (AUTHORIZATION, self.key.clone()),
                    ],
                    body: Some(request(query).to_string().into_bytes()),
                    limit: PATIENCE,
                })
                .await?;
            read(response.status, &response.bytes, query).map_err(|failure| failure.with_wait(response.wait))
        })
    }
}

fn request(query: &WebQuery) -> Value {
    let mut request = json!({ "query": query.text, "search_depth": "basic" });
    if query.answer {
        request["include_answer"] = json!("advanced");
        request["max_results"] = json!(FOR_AN_ANSWER);
    } else {
        request["max_results"] = json!((query.offset + query.limit).clamp(1, MOST));
    }
    request
}

#[derive(Deserialize)]
struct Page {
    #[serde(default)]
    answer: Option<String>,
    results: Vec<TavilyResult>,
}

#[derive(Deserialize)]
struct TavilyResult {
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    url: String,
    #[serde(default)]
    content: Option<String>,
}

fn read(status: u16, body: &[u8], query: &WebQuery) -> Result<WebAnswer, WebFailure> {
    ENGINE.check_status(status)?;
    let page: Page = serde_json::from_slice(body)
        .map_err(|_| ENGINE.broken_failure("something that is not JSON results"))?;
    let row = |found: TavilyResult| ResultRow {
        title: found.title.unwrap_or_default(),
        url: found.url,
        snippet: found.content.unwrap_or_default(),
    };
    let own_answer = page
        .answer
        .map(|text| single_line(&text, LONGEST_ANSWER))
        .filter(|text| query.answer && !text.is_empty());
    let found = answer(page.results.into_iter().map(row), query);
    Ok(WebAnswer { answer: own_answer.map(Untrusted::from_outside), ..found })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(answer: bool) -> WebQuery {
        WebQuery { text: "how old are hives?".to_owned(), limit: 5, offset: 0, answer }
    }

    #[test]
    fn an_answer_of_its_own_is_asked_for_in_its_own_words() {
        assert_eq!(
            request(&query(true)),
            json!({"query": "how old are hives?", "search_depth": "basic", "include_answer": "advanced", "max_results": 3})
        );
        assert_eq!(
            request(&query(false)),
            json!({"query": "how old are hives?", "search_depth": "basic", "max_results": 5})
        );
        assert_eq!(request(&WebQuery { limit: 500, ..query(false) })["max_results"], 20);
    }

    #[test]
    fn results_and_the_answer_are_read() {
        let body = json!({
            "query": "q", "answer": " Very\nold. ", "images": [], "response_time": "1.2",
            "results": [
                {"title": "One", "url": "https://a.example/x", "content": "Old hives &amp; bees", "score": 0.9, "raw_content": null},
                {"title": null, "url": "https://b.example/", "content": null},
                {"url": "about:blank"},
            ],
        });
        let found = read(200, body.to_string().as_bytes(), &query(true)).unwrap();
        assert_eq!(found.answer.as_ref().map(Untrusted::expose), Some("Very old."));
        let shown: Vec<(&str, &str)> =
            found.results.iter().map(|one| (one.title.as_str(), one.url.as_str())).collect();
        assert_eq!(shown, [("One", "https://a.example/x"), ("b.example", "https://b.example/")]);
        // Nobody asked for it.
        assert_eq!(read(200, body.to_string().as_bytes(), &query(false)).unwrap().answer, None);
    }

    #[test]
    fn none_a_wrong_key_a_used_up_plan_and_garbage_are_told_apart() {
        let said = |status, body: &str| read(status, body.as_bytes(), &query(true));
        assert_eq!(said(200, r#"{"answer":null,"results":[]}"#).unwrap(), WebAnswer::default());
        let Err(WebFailure::Key { hint, .. }) = said(401, r#"{"detail":{"error":"Unauthorized"}}"#) else {
            panic!()
        };
        assert!(hint.contains("TAVILY_API_KEY"), "{hint}");
        assert!(matches!(said(432, "{}"), Err(WebFailure::Busy { .. })));
        assert!(matches!(said(500, "{}"), Err(WebFailure::Unreachable { .. })));
        for body in ["", "{}", "null", "<html>", r#"{"results":"none"}"#] {
            assert!(matches!(said(200, body), Err(WebFailure::Broken { .. })), "{body}");
        }
    }
}
