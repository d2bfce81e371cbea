//! arXiv's search of papers: an Atom feed, requested no more often than arXiv allows.

mod feed;
mod pace;
mod query;

use std::sync::Arc;
use std::time::Duration;

use wellread_core::Result;
use wellread_core::ports::{BoxFuture, ServiceIdentity, WebAnswer, WebFailure, WebQuery, WebSearchService};

use self::feed::Feed;
use self::pace::Pace;
use self::query::ArxivQuery;
use super::engine::{Engine, EngineAddress};
use crate::http::{Endpoint, ServiceRequest, Web};

pub const ENGINE: Engine = Engine {
    name: "arxiv",
    label: "arXiv",
    address: EngineAddress::Public("https://export.arxiv.org"),
    key_variables: &[],
    open: |settings, web| Ok(Arc::new(Arxiv::new(settings.base_url, web)?)),
};

const PATIENCE: Duration = Duration::from_secs(20);
/// The largest page that is requested.
const MOST: usize = 100;
/// Shared by the whole process, since arXiv limits requests per machine.
static PACE: Pace = Pace::every(Duration::from_secs(3));

pub struct Arxiv {
    web: Web,
    endpoint: Endpoint,
}

impl Arxiv {
    pub fn new(base: &str, web: Web) -> Result<Self> {
        Ok(Self { web, endpoint: Endpoint::parse(base)? })
    }

    async fn fetch_feed(&self, query: &WebQuery) -> Result<Feed, WebFailure> {
        // A local mirror has no rate limit.
        if !self.endpoint.is_local {
            PACE.wait().await;
        }
        let response = self
            .web
            .call_service(&ServiceRequest {
                base: &self.endpoint.origin,
                path: self.endpoint.path(&format!("/api/query?{}", query_string(query))),
                headers: vec![super::accept_header("application/atom+xml")],
                body: None,
                limit: PATIENCE,
            })
            .await?;
        read(response.status, &response.bytes).map_err(|failure| failure.with_wait(response.wait))
    }
}

impl WebSearchService for Arxiv {
    fn identity(&self) -> ServiceIdentity {
        ENGINE.identity(&self.endpoint)
    }

    fn search<'a>(&'a self, query: &'a WebQuery) -> BoxFuture<'a, Result<WebAnswer, WebFailure>> {
        Box::pin(async move {
            let mut feed = self.fetch_feed(query).await?;
            // arXiv occasionally returns an empty page although there are results.
            if feed.is_wrongly_empty(query) {
                feed = self.fetch_feed(query).await?;
            }
            if feed.is_wrongly_empty(query) {
                return Err(ENGINE.broken_failure("an empty page of a list that is longer"));
            }
            Ok(WebAnswer { total: feed.total, ..feed.into_answer(query.limit) })
        })
    }
}

fn query_string(query: &WebQuery) -> String {
    let (start, most) = (query.offset.to_string(), query.limit.clamp(1, MOST).to_string());
    let parameter = match ArxivQuery::parse(&query.text) {
        ArxivQuery::Paper(id) => ("id_list", id),
        ArxivQuery::Words(words) => ("search_query", words),
    };
    super::encode_query(&[
        (parameter.0, &parameter.1),
        ("sortBy", "relevance"),
        ("sortOrder", "descending"),
        ("start", &start),
        ("max_results", &most),
    ])
}

/// The feed, or the error it reports: arXiv answers a wrong request with a feed that has an entry about it.
fn read(status: u16, body: &[u8]) -> Result<Feed, WebFailure> {
    let feed = Feed::read(body);
    if let Ok(Feed { error: Some(error), .. }) = &feed {
        return Err(WebFailure::Broken { message: format!("arxiv says: {error}") });
    }
    ENGINE.check_status(status)?;
    feed.map_err(|why| ENGINE.broken_failure(why))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(text: &str, limit: usize, offset: usize) -> WebQuery {
        WebQuery { text: text.to_owned(), limit, offset, answer: false }
    }

    #[test]
    fn words_pages_and_papers_are_asked_for() {
        assert_eq!(
            query_string(&query("the age of hives", 5, 10)),
            "search_query=all%3Aage%20AND%20all%3Ahives&sortBy=relevance&sortOrder=descending&start=10&max_results=5"
        );
        assert!(query_string(&query("2301.00001v2", 500, 0)).starts_with("id_list=2301.00001v2&"));
        assert!(query_string(&query("x", 500, 0)).ends_with("max_results=100"));
    }

    #[test]
    fn what_arxiv_says_is_wrong_is_an_error_whatever_the_status() {
        let feed = "<feed xmlns=\"http://www.w3.org/2005/Atom\"><entry><id>https://arxiv.org/api/errors#wrong</id>\
                    <title>Error</title><summary>incorrect id\n format for x</summary></entry></feed>";
        for status in [200, 400] {
            let Err(WebFailure::Broken { message }) = read(status, feed.as_bytes()) else {
                panic!("{status}")
            };
            assert_eq!(message, "arxiv says: incorrect id format for x");
        }
        for (status, body) in
            [(200, "Rate exceeded."), (200, ""), (200, "<html><body>x</body></html>"), (400, "")]
        {
            assert!(
                matches!(read(status, body.as_bytes()), Err(WebFailure::Broken { .. })),
                "{status} {body}"
            );
        }
        assert!(matches!(read(429, b"Rate exceeded."), Err(WebFailure::Busy { .. })));
        assert!(matches!(read(503, b""), Err(WebFailure::Busy { .. })));
    }

    #[test]
    fn an_empty_page_of_a_longer_list_is_noticed() {
        let feed = |total: u64| {
            let body = format!(
                "<feed><opensearch:totalResults xmlns:opensearch=\"o\">{total}</opensearch:totalResults></feed>"
            );
            read(200, body.as_bytes()).unwrap()
        };
        assert!(feed(30).is_wrongly_empty(&query("x", 5, 10)));
        assert!(!feed(30).is_wrongly_empty(&query("x", 5, 30)));
        assert!(!feed(0).is_wrongly_empty(&query("x", 5, 0)));
        assert!(!feed(30).is_wrongly_empty(&query("x", 0, 0)));
    }
}
