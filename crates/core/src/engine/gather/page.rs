//! Fetched pages: stored whole as a snapshot, cited by spans of it.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use serde_json::json;
use wellread_text::{Note, Span, chunk_note, extract_phrases, query_terms, significant_words, to_comparable};

use super::{GatherFailure, Gatherer, WAIT_S};
use crate::domain::corpus::Hash;
use crate::domain::evidence::{NewEvidence, PagePlace, Provenance, Source};
use crate::domain::id::EvidenceId;
use crate::domain::untrusted::{Origin, Untrusted};
use crate::engine::run::MAY_PASS;
use crate::ports::event::SentRequest;
use crate::ports::{FetchableUrl, PageLimits, WebFailure, WebResult};
use crate::{Error, ErrorKind, Result};

/// A page's text, and where it is stored.
#[derive(Debug, Clone)]
pub struct PageText {
    /// The page's address, after redirects.
    pub url: String,
    /// The page's title, if it has one.
    pub title: Option<String>,
    /// The hash of the stored text.
    pub snapshot: Hash,
    /// The main text of the page.
    pub text: Untrusted,
    /// The arXiv id, if the page is a paper.
    pub arxiv: Option<String>,
    /// Whether the text was cut because the page is long.
    pub cut: bool,
}

/// What the log stores of a page; its text is in the snapshot.
#[derive(Debug, Serialize, Deserialize)]
struct LoggedPage {
    url: String,
    title: Option<String>,
    snapshot: Hash,
    cut: bool,
}

impl Gatherer<'_> {
    /// Fetches a page and stores its readable text. `about` is part of the logged arguments, so two concurrent requests
    /// for one page are logged separately.
    pub async fn fetch_page(
        &self,
        page: &FetchableUrl,
        limits: PageLimits,
        about: &str,
    ) -> Result<std::result::Result<PageText, GatherFailure>> {
        let kept = match self
            .ask_via_run(
                "fetch_page",
                &json!({ "url": page, "for": about }),
                Origin::Outside,
                self.fetch_and_store(page, limits),
                |_| false,
            )
            .await?
        {
            Ok(kept) => kept,
            Err(missed) => return Ok(Err(missed)),
        };
        let text = self.snapshots.load(kept.snapshot)?.ok_or_else(|| {
            Error::not_found(format!("the text of {} is no longer stored", kept.url))
                .hint("research it again")
        })?;
        let LoggedPage { url, title, snapshot, cut } = kept;
        Ok(Ok(PageText { url, title, snapshot, text: Untrusted::from_outside(text), arxiv: None, cut }))
    }

    async fn fetch_and_store(&self, page: &FetchableUrl, limits: PageLimits) -> Result<LoggedPage> {
        self.run.record_sent(SentRequest {
            what: "page".to_owned(),
            to: page.url().to_owned(),
            about: String::new(),
            bytes: page.url().len() as u64,
            stays: false,
        })?;
        let to_error = |failure: &WebFailure| {
            let mut error = Error::new(ErrorKind::Unavailable, failure.message());
            if failure.is_transient() {
                error = error.with_detail(MAY_PASS, true);
            }
            match failure.wait_seconds() {
                Some(seconds) => error.with_detail(WAIT_S, seconds),
                None => error,
            }
        };
        let fetched = self.reach.pages.fetch(page, limits).await.map_err(|failure| to_error(&failure))?;
        let snapshot = self.snapshots.keep(fetched.text.expose())?;
        let title = fetched.title.filter(|title| !title.trim().is_empty());
        Ok(LoggedPage { url: fetched.url, title, snapshot, cut: fetched.cut })
    }

    /// Adds a span of a page to the ledger.
    pub fn add_page_evidence(&self, page: &PageText, span: &Span, reason: &str) -> Result<EvidenceId> {
        let text = page.text.expose().get(span.clone()).unwrap_or_default();
        let place = PagePlace { span: span.clone(), ..page.place() };
        let source = match &page.arxiv {
            Some(arxiv) => Source::Paper { arxiv: arxiv.clone(), place },
            None => Source::Page(place),
        };
        self.run.add_evidence(NewEvidence {
            source,
            text: Untrusted::from_outside(text),
            reason: reason.to_owned(),
            provenance: Provenance::Web,
            score: None,
            symbol: None,
        })
    }
}

impl PageText {
    /// A page made from a search result: its snippet or, for a paper, the abstract.
    pub fn from_result(gather: &Gatherer<'_>, result: &WebResult) -> Result<Self> {
        let PagePlace { url, title, snapshot, .. } = gather.store_snippet(result)?;
        let arxiv = result.paper.as_ref().map(|paper| paper.id.clone());
        Ok(Self { url, title, snapshot, text: result.snippet.clone(), arxiv, cut: false })
    }

    /// The place of the whole text in the snapshot.
    pub fn place(&self) -> PagePlace {
        let Self { url, title, snapshot, text, .. } = self;
        PagePlace { url: url.clone(), title: title.clone(), snapshot: *snapshot, span: 0..text.size() }
    }

    /// The most significant phrases of the text, best first.
    pub fn phrases(&self, at_most: usize) -> Vec<String> {
        let all = extract_phrases(self.text.expose(), &[], &|_| 1.0);
        all.into_iter().map(|phrase| phrase.text).take(at_most).collect()
    }

    /// Whether the text contains all significant words of `words`; false if there are none.
    pub fn has_all_words(&self, words: &str) -> bool {
        let wanted = significant_words(words);
        !wanted.is_empty() && self.shared_words(words).len() == wanted.len()
    }

    /// The words of the query that occur in the text in any inflection, as the query spells them.
    pub fn shared_words(&self, query: &str) -> Vec<String> {
        let all: HashSet<String> = significant_words(self.text.expose()).into_iter().collect();
        let mut shared = Vec::new();
        for word in query.split_whitespace() {
            let stems = significant_words(word);
            if !stems.is_empty() && stems.iter().all(|stem| all.contains(stem)) {
                shared.push(word.to_owned());
            }
        }
        shared
    }

    /// The spans most relevant to a query, at most `at_most`, in page order.
    pub fn spans_about(&self, query: &str, at_most: usize) -> Vec<Span> {
        let text = self.text.expose();
        let terms = query_terms(query);
        let weight = |span: &Span| {
            let words = to_comparable(&text[span.clone()]).to_lowercase();
            terms.iter().filter(|term| words.contains(&term.written.to_lowercase())).count()
        };
        let mut spans: Vec<(usize, Span)> = chunk_note(text, &Note::parse(text))
            .into_iter()
            .map(|chunk| (weight(&chunk.span), chunk.span))
            .collect();
        // Without a match, the beginning of the page is the best choice.
        spans.sort_by_key(|(weight, span)| (std::cmp::Reverse(*weight), span.start));
        spans.truncate(at_most);
        spans.sort_by_key(|(_, span)| span.start);
        spans.into_iter().map(|(_, span)| span).collect()
    }

    /// The spans that contain one of the quotations. Those that are too short or not on the page are ignored.
    pub fn spans_quoting(&self, quotations: &[String]) -> Vec<Span> {
        let text = self.text.expose();
        let chunks: Vec<(Span, String)> = chunk_note(text, &Note::parse(text))
            .into_iter()
            .map(|chunk| (chunk.span.clone(), to_comparable(&text[chunk.span])))
            .collect();
        let wanted: Vec<String> = quotations.iter().map(|words| to_comparable(words)).collect();
        let holds = |(_, words): &&(Span, String)| {
            wanted
                .iter()
                .any(|quotation| quotation.chars().count() >= SHORTEST && words.contains(quotation.as_str()))
        };
        chunks.iter().filter(holds).map(|(span, _)| span.clone()).collect()
    }
}

/// Shorter quotations, in characters, match by chance.
const SHORTEST: usize = 12;
