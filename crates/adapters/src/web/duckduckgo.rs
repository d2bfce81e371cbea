//! DuckDuckGo's result page without scripts. It needs no key, and shows a puzzle to suspected robots.

use std::sync::Arc;
use std::time::Duration;

use reqwest::Url;
use wellread_core::Result;
use wellread_core::ports::{BoxFuture, ServiceIdentity, WebAnswer, WebFailure, WebQuery, WebSearchService};

use super::engine::{Engine, EngineAddress};
use super::markup::{HtmlPiece, parse_pieces};
use super::results::{ResultRow, answer};
use crate::http::{Endpoint, ServiceRequest, Web};

pub const ENGINE: Engine = Engine {
    name: "duckduckgo",
    label: "DuckDuckGo",
    address: EngineAddress::Public("https://html.duckduckgo.com"),
    key_variables: &[],
    open: |settings, web| Ok(Arc::new(DuckDuckGo::new(settings.base_url, web)?)),
};

const PATIENCE: Duration = Duration::from_secs(15);
/// The most rows that are read; a page has about thirty.
const MOST_ROWS: usize = 100;
/// The longest title or snippet in bytes, and in pieces: an element that is never closed would contain the rest of the
/// page.
const LONGEST_INSIDE: usize = 8 * 1024;
const MOST_PIECES: usize = 1_000;

pub struct DuckDuckGo {
    web: Web,
    endpoint: Endpoint,
}

impl DuckDuckGo {
    pub fn new(base: &str, web: Web) -> Result<Self> {
        Ok(Self { web, endpoint: Endpoint::parse(base)? })
    }
}

impl WebSearchService for DuckDuckGo {
    fn identity(&self) -> ServiceIdentity {
        ENGINE.identity(&self.endpoint)
    }

    fn search<'a>(&'a self, query: &'a WebQuery) -> BoxFuture<'a, Result<WebAnswer, WebFailure>> {
        Box::pin(async move {
            let parameters = super::encode_query(&[("q", &query.text)]);
            let response = self
                .web
                .call_service(&ServiceRequest {
                    base: &self.endpoint.origin,
                    path: self.endpoint.path(&format!("/html/?{parameters}")),
                    headers: vec![super::accept_header("text/html")],
                    body: None,
                    limit: PATIENCE,
                })
                .await?;
            read(response.status, &response.bytes, query).map_err(|failure| failure.with_wait(response.wait))
        })
    }
}

/// Reads a page: results, no results, or that we are taken for a robot.
fn read(status: u16, body: &[u8], query: &WebQuery) -> Result<WebAnswer, WebFailure> {
    let page = parse_pieces(&String::from_utf8_lossy(body))
        .ok_or_else(|| ENGINE.broken_failure("an endless page"))?;
    // The puzzle has come with the statuses 202 and 200.
    if status == 202 || page.iter().any(is_puzzle) {
        let message =
            "duckduckgo takes this program for a robot and shows a puzzle instead of results".to_owned();
        return Err(WebFailure::Blocked { message });
    }
    ENGINE.check_status(status)?;
    let rows = rows(&page);
    if rows.is_empty() && !page.iter().any(marks_results) {
        return Err(ENGINE.broken_failure("a page without results"));
    }
    Ok(answer(rows, query))
}

fn is_puzzle(piece: &HtmlPiece) -> bool {
    let names = |name: &str| piece.attribute(name).unwrap_or_default();
    names("class").split_ascii_whitespace().any(|class| class.starts_with("anomaly-modal"))
        || names("id") == "challenge-form"
        || names("action").contains("/anomaly.js")
}

fn marks_results(piece: &HtmlPiece) -> bool {
    piece.has_class("no-results")
        || piece.has_class("serp__results")
        || piece.attribute("id") == Some("links")
}

/// The rows of a page without the advertisements.
fn rows(page: &[HtmlPiece]) -> Vec<ResultRow> {
    let mut rows: Vec<ResultRow> = Vec::new();
    let mut is_ad = false;
    let mut at = 0;
    while let Some(piece) = page.get(at) {
        at += 1;
        if piece.has_class("result") {
            is_ad = piece.has_class("result--ad");
        }
        let (is_title, is_snippet) = (piece.has_class("result__a"), piece.has_class("result__snippet"));
        if is_ad || !(is_title || is_snippet) {
            continue;
        }
        let HtmlPiece::Open { name, .. } = piece else { continue };
        let words = || inner_html(&page[at..], name);
        if is_title {
            if rows.len() == MOST_ROWS {
                break;
            }
            // The snippet after an advertisement's title belongs to it, too.
            is_ad = piece.attribute("href").is_none_or(|link| target(link).is_none());
            if let Some(url) = piece.attribute("href").and_then(target) {
                rows.push(ResultRow { title: words(), url, snippet: String::new() });
            }
        } else if let Some(row) = rows.last_mut().filter(|row| row.snippet.is_empty()) {
            row.snippet = words();
        }
    }
    rows
}

/// The text inside the element that has just begun, escaped as HTML: it is stripped later with that of all services.
fn inner_html(after: &[HtmlPiece], name: &str) -> String {
    let mut words = String::new();
    let mut left = LONGEST_INSIDE;
    for piece in after.iter().take(MOST_PIECES) {
        match piece {
            HtmlPiece::Text(text) => {
                let kept = &text[..text.floor_char_boundary(left)];
                words.push_str(&escape(kept));
                left -= kept.len();
                if kept.len() < text.len() {
                    break;
                }
            }
            HtmlPiece::Close(closed) if closed == name => break,
            // An element does not contain one of the same name here: it was never closed.
            HtmlPiece::Open { name: opened, .. } if opened == name => break,
            HtmlPiece::Open { .. } | HtmlPiece::Close(_) => {}
        }
    }
    words
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// The target of a link on the page; `None` for an advertisement.
fn target(link: &str) -> Option<String> {
    let page = Url::parse("https://html.duckduckgo.com/html/").ok()?;
    let url = page.join(link).ok()?;
    let is_ours = |url: &Url| {
        url.host_str().is_some_and(|host| host == "duckduckgo.com" || host.ends_with(".duckduckgo.com"))
    };
    let leads = match url.path() {
        "/l/" if is_ours(&url) => {
            let (_, target) = url.query_pairs().find(|(name, _)| name == "uddg")?;
            Url::parse(&target).ok()?
        }
        _ => url,
    };
    let is_ad = is_ours(&leads) && leads.path().starts_with("/y.js");
    (!is_ad).then(|| leads.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(class: &str, link: &str, title: &str, snippet: &str) -> String {
        format!(
            "<div class=\"result results_links {class}\"><div class=\"links_main result__body\">\
             <h2 class=\"result__title\"><a rel=\"nofollow\" class=\"result__a\" href=\"{link}\">{title}</a></h2>\
             <a class=\"result__url\" href=\"{link}\">shown.example</a>\
             <a class=\"result__snippet\" href=\"{link}\">{snippet}</a></div></div>"
        )
    }

    fn page(rows: &str) -> String {
        format!(
            "<!DOCTYPE html><html><head><title>q at DuckDuckGo</title></head><body><form id=\"search_form\"></form>\
             <div class=\"serp__results\"><div id=\"links\" class=\"results\">{rows}</div></div></body></html>"
        )
    }

    fn said(status: u16, body: &str) -> Result<WebAnswer, WebFailure> {
        let query = WebQuery { text: "q".to_owned(), limit: 10, offset: 0, answer: false };
        read(status, body.as_bytes(), &query)
    }

    #[test]
    fn results_are_found_with_their_links_decoded_and_advertisements_left_out() {
        let body = page(
            &[
                row("result--ad", "https://duckduckgo.com/y.js?ad_domain=x.example&amp;u3=1", "Buy", "now"),
                row(
                    "web-result",
                    "//duckduckgo.com/l/?uddg=https%3A%2F%2Fa.example%2Fp%3Fq%3D1%26r%3D%25C3%25BC&amp;rut=ab",
                    "Tom &amp; <b>Jerry</b>",
                    "A <b>cat</b> &lt;chases&gt; a mouse &#x27;n&#x27; more.",
                ),
                row("web-result", "//duckduckgo.com/l/?uddg=https%3A%2F%2Fduckduckgo.com%2Fy.js%3Fad", "Ad", "ad words"),
                row("web-result", "https://b.example/direct", "Direct", ""),
                row("web-result", "//duckduckgo.com/l/?uddg=javascript%3Aalert(1)", "Evil", "evil words"),
            ]
            .concat(),
        );
        let found = said(200, &body).unwrap().results;
        let shown: Vec<(&str, &str, &str)> =
            found.iter().map(|one| (one.title.as_str(), one.url.as_str(), one.snippet.expose())).collect();
        assert_eq!(
            shown,
            [
                ("Tom & Jerry", "https://a.example/p?q=1&r=%C3%BC", "A cat <chases> a mouse 'n' more."),
                ("Direct", "https://b.example/direct", ""),
            ]
        );
    }

    #[test]
    fn nothing_found_a_puzzle_and_a_page_of_something_else_are_told_apart() {
        let none = page(
            "<div class=\"result results_links result--no-result\"><div class=\"no-results\">No results.</div></div>",
        );
        assert_eq!(said(200, &none).unwrap(), WebAnswer::default());
        assert_eq!(said(200, &page("")).unwrap(), WebAnswer::default());
        let puzzle = "<html><body><form id=\"challenge-form\" action=\"//duckduckgo.com/anomaly.js?sv=html\" method=\"POST\">\
                      <div class=\"anomaly-modal__mask\"><div class=\"anomaly-modal__title\">Select all squares</div></div></form>";
        for (status, body) in [(202, puzzle), (200, puzzle), (202, ""), (202, &page("")[..]), (403, "no")] {
            assert!(matches!(said(status, body), Err(WebFailure::Blocked { .. })), "{status} {body}");
        }
        for body in ["", "not a page", "<html><body><h1>Welcome to the hotel network</h1>", "\u{0}\u{1}"] {
            assert!(matches!(said(200, body), Err(WebFailure::Broken { .. })), "{body}");
        }
        assert!(matches!(said(429, ""), Err(WebFailure::Busy { .. })));
        assert!(matches!(said(502, &page("")), Err(WebFailure::Unreachable { .. })));
    }

    #[test]
    fn rows_that_never_end_are_not_the_rest_of_the_page_each() {
        let unclosed = "<b class=result__a href=https://a.example/>T<i class=result__snippet>S".repeat(500);
        let body = page(&(unclosed + &"ü".repeat(20_000)));
        let read = rows(&parse_pieces(&body).unwrap());
        assert_eq!(read.len(), MOST_ROWS);
        let last = page(&format!("<b class=result__a href=https://a.example/>{}", "ü".repeat(20_000)));
        let read = rows(&parse_pieces(&last).unwrap());
        assert_eq!(read[0].title.len(), LONGEST_INSIDE);
        let tags = "<p>".repeat(MOST_PIECES) + "far";
        let read =
            rows(&parse_pieces(&format!("<b class=result__a href=https://a.example/>near{tags}")).unwrap());
        assert_eq!(read[0].title, "near");
    }

    #[test]
    fn a_tag_without_end_is_no_page_of_results() {
        let row = row("web-result", "https://a.example/", "One", "Two");
        let body = page(&format!("{row}<p {}>", "a=\">\" ".repeat(20_000)));
        assert!(matches!(said(200, &body), Err(WebFailure::Broken { .. })));
    }

    #[test]
    fn a_page_that_is_cut_off_or_hostile_gives_what_it_holds() {
        let whole = page(&row("web-result", "https://a.example/", "One", "Two"));
        for cut in 0..whole.len() {
            if let Ok(found) = said(200, &whole[..cut]) {
                assert!(found.results.len() <= 1);
            }
        }
        let nested =
            row("web-result", "https://a.example/", "<a class=result__a href=https://b.example/>In", "x");
        let found = said(200, &page(&nested)).unwrap();
        assert!(found.results.iter().all(|one| one.title.len() < 300), "{found:?}");
        let hostile =
            "<script>document.write('x')</script><img src=x onerror=y>Ti\u{0}t\u{1b}le\n\nIgnore &lt;b&gt;";
        let found = said(200, &page(&row("web-result", "https://a.example/", hostile, hostile))).unwrap();
        assert_eq!(found.results[0].title, "Title Ignore <b>");
    }
}
