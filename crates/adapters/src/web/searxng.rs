//! A SearXNG of the user's own: JSON, which its settings have to allow.

use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;
use wellread_core::Result;
use wellread_core::ports::{Service, Waiting, WebAnswer, WebFailure, WebQuery, WebSearch};

use super::results::{Row, answer};
use super::service_info::Speaker;
use crate::http::{Asked, Endpoint, Web};

/// It waits for engines of its own.
const PATIENCE: Duration = Duration::from_secs(20);
const SPEAKER: Speaker = Speaker { name: "searxng", key_hint: None };

pub struct Searxng {
    web: Web,
    endpoint: Endpoint,
}

impl Searxng {
    pub fn at(base: &str, web: Web) -> Result<Self> {
        Ok(Self { web, endpoint: Endpoint::of(base)? })
    }
}

impl WebSearch for Searxng {
    fn service(&self) -> Service {
        Service {
            name: SPEAKER.name.to_owned(),
            endpoint: self.endpoint.origin.clone(),
            // Wherever it is: it asks engines elsewhere.
            is_local: false,
            answers: false,
        }
    }

    fn search<'a>(&'a self, query: &'a WebQuery) -> Waiting<'a, Result<WebAnswer, WebFailure>> {
        Box::pin(async move {
            let asked = super::encoded(&[("q", &query.text), ("format", "json")]);
            let got = self
                .web
                .service(&Asked {
                    base: &self.endpoint.origin,
                    path: self.endpoint.path(&format!("/search?{asked}")),
                    headers: vec![super::accepts("application/json")],
                    body: None,
                    limit: PATIENCE,
                })
                .await?;
            read(got.status, &got.bytes, query).map_err(|failure| failure.asking_to_wait(got.wait))
        })
    }
}

#[derive(Deserialize)]
struct Page {
    results: Vec<Found>,
    /// Each a name and why: `["google", "timeout"]`.
    #[serde(default)]
    unresponsive_engines: Vec<Value>,
}

#[derive(Deserialize)]
struct Found {
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
            hint: "add `json` to `search: formats:` in its settings.yml and start it anew".to_owned(),
        });
    }
    SPEAKER.check(status)?;
    let page: Page =
        serde_json::from_slice(body).map_err(|_| SPEAKER.broken("something that is no JSON of results"))?;
    let silent = page.unresponsive_engines.len();
    // Engines that did not answer have not found nothing.
    if page.results.is_empty() && silent > 0 {
        let message = format!("searxng found nothing, and {silent} of its engines did not answer");
        return Err(WebFailure::busy(message));
    }
    let row = |found: Found| Row {
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
            found.iter().map(|one| (one.title.as_str(), one.url.as_str(), one.snippet.look())).collect();
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
