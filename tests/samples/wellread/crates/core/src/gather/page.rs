//! Pages that are fetched: kept whole as a snapshot, and cited by stretches of it.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use serde_json::json;
use wellread_text::{Note, Span, comparable, note_chunks, phrases, query_terms, telling_words};

use super::{Gather, Missed, WAIT_S};
use crate::corpus::Hash;
use crate::event::Sent;
use crate::evidence::{Found, PagePlace, Provenance, Source};
use crate::id::EvidenceId;
use crate::ports::{Fetchable, PageLimits, WebFailure, WebResult};
use crate::run::MAY_PASS;
use crate::untrusted::{Origin, Untrusted};
use crate::{Error, Kind, Result};

/// A page's text, and where it is kept.
#[derive(Debug, Clone)]
pub struct PageText {
    pub url: String,
    pub title: Option<String>,
    pub snapshot: Hash,
    pub text: Untrusted,
    /// The paper that it is of, where it is one.
    pub arxiv: Option<String>,
    pub cut: bool,
}

/// What a log keeps of it: the text is in the snapshot.
#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    url: String,
    title: Option<String>,
    snapshot: Hash,
    cut: bool,
}

impl Gather<'_> {
    /// Fetches a page for something, and keeps what is readable of it. Two who want the same page side by side have an answer
    /// each.
    pub async fn page(
        &self,
        page: &Fetchable,
        limits: PageLimits,
        about: &str,
    ) -> Result<std::result::Result<PageText, Missed>> {
        let kept = match self
            .asked(
                "fetch_page",
                &json!({ "url": page, "for": about }),
                Origin::Outside,
                self.fetched(page, limits),
                |_| false,
            )
            .await?
        {
            Ok(kept) => kept,
            Err(missed) => return Ok(Err(missed)),
        };
        let text = self.snapshots.kept(kept.snapshot)?.ok_or_else(|| {
            Error::not_found(format!("the text of {} is not kept any more", kept.url))
                .hint("research it anew")
        })?;
        let Kept { url, title, snapshot, cut } = kept;
        Ok(Ok(PageText { url, title, snapshot, text: Untrusted::outside(text), arxiv: None, cut }))
    }

    async fn fetched(&self, page: &Fetchable, limits: PageLimits) -> Result<Kept> {
        self.run.sent(Sent {
            what: "page".to_owned(),
            to: page.url().to_owned(),
            about: String::new(),
            bytes: page.url().len() as u64,
            stays: false,
        })?;
        let told = |failure: &WebFailure| {
            let mut error = Error::new(Kind::Unavailable, failure.message());
            if failure.may_pass() {
                error = error.with(MAY_PASS, true);
            }
            match failure.wait_s() {
                Some(seconds) => error.with(WAIT_S, seconds),
                None => error,
            }
        };
        let fetched = self.reach.pages.fetch(page, limits).await.map_err(|failure| told(&failure))?;
        let snapshot = self.snapshots.keep(fetched.text.look())?;
        let title = fetched.title.filter(|title| !title.trim().is_empty());
        Ok(Kept { url: fetched.url, title, snapshot, cut: fetched.cut })
    }

    /// Puts a stretch of a page into the ledger.
    pub fn passage(&self, page: &PageText, span: &Span, reason: &str) -> Result<EvidenceId> {
        let text = page.text.look().get(span.clone()).unwrap_or_default();
        let place = PagePlace { span: span.clone(), ..page.place() };
        let source = match &page.arxiv {
            Some(arxiv) => Source::Paper { arxiv: arxiv.clone(), place },
            None => Source::Page(place),
        };
        self.run.evidence(Found {
            source,
            text: Untrusted::outside(text),
            reason: reason.to_owned(),
            provenance: Provenance::Web,
            score: None,
            symbol: None,
        })
    }
}

impl PageText {
    /// What a service says of a page, as its text: of a paper, the abstract.
    pub fn of_result(gather: &Gather<'_>, result: &WebResult) -> Result<Self> {
        let PagePlace { url, title, snapshot, .. } = gather.kept(result)?;
        let arxiv = result.paper.as_ref().map(|paper| paper.id.clone());
        Ok(Self { url, title, snapshot, text: result.snippet.clone(), arxiv, cut: false })
    }

    /// Where its text is kept, as a whole.
    pub fn place(&self) -> PagePlace {
        let Self { url, title, snapshot, text, .. } = self;
        PagePlace { url: url.clone(), title: title.clone(), snapshot: *snapshot, span: 0..text.size() }
    }

    /// The phrases that tell most of what it is about, best first.
    pub fn phrases(&self, at_most: usize) -> Vec<String> {
        let all = phrases(self.text.look(), &[], &|_| 1.0);
        all.into_iter().map(|phrase| phrase.text).take(at_most).collect()
    }

    /// Whether all words that carry these stand in it.
    pub fn speaks_of(&self, words: &str) -> bool {
        let wanted = telling_words(words);
        !wanted.is_empty() && self.shared(words).len() == wanted.len()
    }

    /// The words of a query that stand in it, in whatever form, as the query has them.
    pub fn shared(&self, query: &str) -> Vec<String> {
        let all: HashSet<String> = telling_words(self.text.look()).into_iter().collect();
        let mut shared = Vec::new();
        for word in query.split_whitespace() {
            let stems = telling_words(word);
            if !stems.is_empty() && stems.iter().all(|stem| all.contains(stem)) {
                shared.push(word.to_owned());
            }
        }
        shared
    }

    /// The stretches that speak of a query, at most so many, in the order of the page.
    pub fn about(&self, query: &str, at_most: usize) -> Vec<Span> {
        let text = self.text.look();
        let terms = query_terms(query);
        let weight = |span: &Span| {
            let words = comparable(&text[span.clone()]).to_lowercase();
            terms.iter().filter(|term| words.contains(&term.written.to_lowercase())).count()
        };
        let mut spans: Vec<(usize, Span)> = note_chunks(text, &Note::parse(text))
            .into_iter()
            .map(|chunk| (weight(&chunk.span), chunk.span))
            .collect();
        // Where nothing speaks of it, the beginning says most.
        spans.sort_by_key(|(weight, span)| (std::cmp::Reverse(*weight), span.start));
        spans.truncate(at_most);
        spans.sort_by_key(|(_, span)| span.start);
        spans.into_iter().map(|(_, span)| span).collect()
    }

    /// The stretches that hold these words, as they stand on the page; words that do not stand there are nothing.
    pub fn holding(&self, quotations: &[String]) -> Vec<Span> {
        let text = self.text.look();
        let chunks: Vec<(Span, String)> = note_chunks(text, &Note::parse(text))
            .into_iter()
            .map(|chunk| (chunk.span.clone(), comparable(&text[chunk.span])))
            .collect();
        let wanted: Vec<String> = quotations.iter().map(|words| comparable(words)).collect();
        let holds = |(_, words): &&(Span, String)| {
            wanted
                .iter()
                .any(|quotation| quotation.chars().count() >= SHORTEST && words.contains(quotation.as_str()))
        };
        chunks.iter().filter(holds).map(|(span, _)| span.clone()).collect()
    }
}

/// Fewer characters are found by chance.
const SHORTEST: usize = 12;
