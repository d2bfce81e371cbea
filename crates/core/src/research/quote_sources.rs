//! Passages of files and pages to quote sentences from, each citable at its own place.

use super::note::TopicMaterial;
use crate::Result;
use crate::domain::evidence::{FilePlace, NewEvidence, PagePlace, Provenance, Source};
use crate::domain::id::EvidenceId;
use crate::domain::untrusted::{Origin, Untrusted};
use crate::engine::gather::Gatherer;
use crate::engine::run::Run;
use crate::insight::keyless::{Passage, Quote};

/// Where a passage comes from, so that a sentence of it can be cited.
#[derive(Debug, Clone)]
pub(super) enum PassageSource {
    File(Box<Source>, Origin),
    Page(PagePlace),
}

/// Passages, each with its source.
#[derive(Default)]
pub(super) struct QuoteSources<'a> {
    pub passages: Vec<Passage<'a>>,
    sources: Vec<PassageSource>,
}

impl<'a> QuoteSources<'a> {
    pub fn add(&mut self, passage: Passage<'a>, source: PassageSource) {
        self.passages.push(passage);
        self.sources.push(source);
    }

    /// Adds what was found for a topic: pages first, since they say more than their snippets, which are left out then.
    pub fn add_topic(&mut self, gatherer: &Gatherer<'_>, material: &'a TopicMaterial) -> Result<()> {
        for (page, _) in &material.pages {
            let place = PagePlace {
                url: page.url.clone(),
                title: page.title.clone(),
                snapshot: page.snapshot,
                span: 0..page.text.size(),
            };
            self.add(Passage::from_page(&page.url, &page.text), PassageSource::Page(place));
        }
        let read = |url: &str| material.pages.iter().any(|(page, _)| page.url == url);
        for result in material.web.answer.results.iter().filter(|result| !read(&result.url)) {
            let place = gatherer.store_snippet(result)?;
            self.add(Passage::from_page(&result.url, &result.snippet), PassageSource::Page(place));
        }
        for passage in &material.passages {
            let source = Box::new(Source::from_place(&passage.hit.place, None));
            self.add(Passage::from_hit(&passage.hit), PassageSource::File(source, passage.origin));
        }
        Ok(())
    }

    /// Adds a quotation to the ledger at its own place, and marks it as shown.
    pub fn cite(&self, run: &Run, quote: &Quote, reason: &str) -> Result<EvidenceId> {
        let (source, origin) = match &self.sources[quote.passage] {
            PassageSource::Page(place) => {
                let place = PagePlace { span: quote.span.clone(), ..place.clone() };
                (Source::Page(place), Origin::Outside)
            }
            PassageSource::File(source, origin) => (source_at_quote(source, quote), *origin),
        };
        let id = run.add_evidence(NewEvidence {
            source,
            text: Untrusted::new(origin, quote.text.clone()),
            reason: reason.to_owned(),
            provenance: Provenance::Hybrid,
            score: Some(quote.score),
            symbol: None,
        })?;
        run.mark_shown(vec![id.clone()])?;
        Ok(id)
    }
}

/// The source at the quotation's own lines.
fn source_at_quote(source: &Source, quote: &Quote) -> Source {
    let moved = |place: &FilePlace| FilePlace {
        start_line: quote.lines.0,
        end_line: quote.lines.1,
        span: quote.span.clone(),
        ..place.clone()
    };
    match source {
        Source::Note(place) => Source::Note(moved(place)),
        Source::Code { repository, place, commit } => {
            Source::Code { repository: repository.clone(), place: moved(place), commit: commit.clone() }
        }
        other => other.clone(),
    }
}
