//! arXiv's search of papers: an Atom feed, asked for no oftener than arXiv wishes.

mod feed;
mod pace;
mod query;

use std::time::Duration;

use wellread_core::Result;
use wellread_core::ports::{Service, Waiting, WebAnswer, WebFailure, WebQuery, WebSearch};

use self::feed::Feed;
use self::pace::Pace;
use self::query::Wanted;
use super::service_info::Speaker;
use crate::http::{Asked, Endpoint, Web};

const PATIENCE: Duration = Duration::from_secs(20);
/// As many as are asked for at once.
const MOST: usize = 100;
const SPEAKER: Speaker = Speaker { name: "arxiv", key_hint: None };
/// One for the whole process: it is the machine that arXiv sees.
static PACE: Pace = Pace::every(Duration::from_secs(3));

pub struct Arxiv {
    web: Web,
    endpoint: Endpoint,
}

impl Arxiv {
    pub const BASE: &'static str = "https://export.arxiv.org";

    pub fn at(base: &str, web: Web) -> Result<Self> {
        Ok(Self { web, endpoint: Endpoint::of(base)? })
    }

    async fn ask(&self, query: &WebQuery) -> Result<Feed, WebFailure> {
        // Somebody's own copy may be asked as often as they like.
        if !self.endpoint.is_local {
            PACE.wait().await;
        }
        let got = self
            .web
            .service(&Asked {
                base: &self.endpoint.origin,
                path: self.endpoint.path(&format!("/api/query?{}", asked(query))),
                headers: vec![super::accepts("application/atom+xml")],
                body: None,
                limit: PATIENCE,
            })
            .await?;
        read(got.status, &got.bytes).map_err(|failure| failure.asking_to_wait(got.wait))
    }
}

impl WebSearch for Arxiv {
    fn service(&self) -> Service {
        Service {
            name: SPEAKER.name.to_owned(),
            endpoint: self.endpoint.origin.clone(),
            is_local: false,
            answers: false,
        }
    }

    fn search<'a>(&'a self, query: &'a WebQuery) -> Waiting<'a, Result<WebAnswer, WebFailure>> {
        Box::pin(async move {
            let mut feed = self.ask(query).await?;
            // Now and then arXiv gives an empty page of a list that is longer.
            if feed.lacks(query) {
                feed = self.ask(query).await?;
            }
            if feed.lacks(query) {
                return Err(SPEAKER.broken("an empty page of a list that is longer"));
            }
            Ok(WebAnswer { total: feed.total, ..feed.answer(query.limit) })
        })
    }
}

fn asked(query: &WebQuery) -> String {
    let (start, most) = (query.offset.to_string(), query.limit.clamp(1, MOST).to_string());
    let wanted = match Wanted::of(&query.text) {
        Wanted::Paper(id) => ("id_list", id),
        Wanted::Words(words) => ("search_query", words),
    };
    super::encoded(&[
        (wanted.0, &wanted.1),
        ("sortBy", "relevance"),
        ("sortOrder", "descending"),
        ("start", &start),
        ("max_results", &most),
    ])
}

/// The feed, or what it says is wrong: a wrong request comes as a feed with an entry about it.
fn read(status: u16, body: &[u8]) -> Result<Feed, WebFailure> {
    let feed = Feed::read(body);
    if let Ok(Feed { error: Some(error), .. }) = &feed {
        return Err(WebFailure::Broken { message: format!("arxiv says: {error}") });
    }
    SPEAKER.check(status)?;
    feed.map_err(|why| SPEAKER.broken(why))
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
            asked(&query("the age of hives", 5, 10)),
            "search_query=all%3Aage%20AND%20all%3Ahives&sortBy=relevance&sortOrder=descending&start=10&max_results=5"
        );
        assert!(asked(&query("2301.00001v2", 500, 0)).starts_with("id_list=2301.00001v2&"));
        assert!(asked(&query("x", 500, 0)).ends_with("max_results=100"));
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
        assert!(feed(30).lacks(&query("x", 5, 10)));
        assert!(!feed(30).lacks(&query("x", 5, 30)));
        assert!(!feed(0).lacks(&query("x", 5, 0)));
        assert!(!feed(30).lacks(&query("x", 0, 0)));
    }
}
