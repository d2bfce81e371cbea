//! Pages that are fetched: kept whole as a snapshot, and cited by stretches of it.

use serde::{Deserialize, Serialize};
use serde_json::json;
use wellread_text::{Note, Span, comparable, note_chunks, query_terms};

use super::{Gather, Skipped};
use crate::corpus::Hash;
use crate::event::Sent;
use crate::evidence::{Found, PagePlace, Provenance, Source};
use crate::id::EvidenceId;
use crate::ports::{Fetchable, PageLimits, WebFailure};
use crate::untrusted::{Origin, Untrusted};
use crate::{Error, Kind, Result};

/// A page's text, and where it is kept.
#[derive(Debug, Clone)]
pub struct PageText {
    pub url: String,
    pub title: Option<String>,
    pub snapshot: Hash,
    pub text: Untrusted,
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
    ) -> Result<std::result::Result<PageText, Skipped>> {
        let kept = match self
            .asked(
                "fetch_page",
                &json!({ "url": page, "for": about }),
                Origin::Outside,
                self.fetched(page, limits),
            )
            .await?
        {
            Ok(kept) => kept,
            Err(reason) => return Ok(Err(Skipped { what: page.url().to_owned(), reason })),
        };
        let text = self.snapshots.kept(kept.snapshot)?.ok_or_else(|| {
            Error::not_found(format!("the text of {} is not kept any more", kept.url))
                .hint("research it anew")
        })?;
        let Kept { url, title, snapshot, cut } = kept;
        Ok(Ok(PageText { url, title, snapshot, text: Untrusted::outside(text), cut }))
    }

    async fn fetched(&self, page: &Fetchable, limits: PageLimits) -> Result<Kept> {
        self.run.sent(Sent {
            what: "page".to_owned(),
            to: page.url().to_owned(),
            about: String::new(),
            bytes: page.url().len() as u64,
            stays: false,
        })?;
        let told = |failure: &WebFailure| Error::new(Kind::Unavailable, failure.message());
        let fetched = self.reach.pages.fetch(page, limits).await.map_err(|failure| told(&failure))?;
        let snapshot = self.snapshots.keep(fetched.text.look())?;
        let title = fetched.title.filter(|title| !title.trim().is_empty());
        Ok(Kept { url: fetched.url, title, snapshot, cut: fetched.cut })
    }

    /// Puts a stretch of a page into the ledger.
    pub fn passage(&self, page: &PageText, span: &Span, reason: &str) -> Result<EvidenceId> {
        let text = page.text.look().get(span.clone()).unwrap_or_default();
        let PageText { url, title, snapshot, .. } = page.clone();
        self.run.evidence(Found {
            source: Source::Page(PagePlace { url, title, snapshot, span: span.clone() }),
            text: Untrusted::outside(text),
            reason: reason.to_owned(),
            provenance: Provenance::Web,
            score: None,
            symbol: None,
        })
    }
}

impl PageText {
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
