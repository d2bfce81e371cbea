//! A page written up without a model: its best sentences, quoted.

use wellread_text::significant_words;

use super::finding::{FindingDraft, extract_concepts};
use super::task::TaskJob;
use crate::Result;
use crate::domain::corpus::CorpusName;
use crate::domain::evidence::Source;
use crate::engine::gather::{LibraryPassage, PageText};
use crate::engine::repair::judge_text;
use crate::engine::run::Run;
use crate::insight::keyless::{self, Quote};
use crate::research::quote_sources::{PassageSource, QuoteSources};
use crate::research::{TaskStep, Work};

/// How many sentences are quoted.
const QUOTES: usize = 3;
/// The lowest score of a sentence that is about the topic.
const WORTH_IT: f32 = 0.2;

impl Work<'_, TaskJob> {
    /// The best sentences of the page, and one of the notes that it relates to; `None` if no sentence is about the
    /// topic.
    pub(super) fn quote_finding(
        &self,
        page: &PageText,
        passages: &[LibraryPassage],
    ) -> Result<Option<FindingDraft>> {
        let query = &self.job.task.query;
        let summary = quote_page(self.run, query, page)?;
        if summary.is_empty() {
            return Ok(None);
        }
        let notes: Vec<&LibraryPassage> =
            passages.iter().filter(|passage| passage.hit.place.corpus == CorpusName::Vault).collect();
        let bearing = quote_notes(self.run, query, &notes)?;
        self.report_step(TaskStep::Check, &page.url);
        let reader = self.evidence_reader();
        let reports = [judge_text(self.run, &reader, &summary)?, judge_text(self.run, &reader, &bearing)?];
        let mut related: Vec<String> =
            notes.iter().map(|passage| passage.hit.place.path.to_string()).collect();
        related.dedup();
        Ok(FindingDraft::from_reports(&reports, extract_concepts(page), related))
    }
}

/// The sentence of the notes that is most relevant to the query.
fn quote_notes(run: &Run, query: &str, notes: &[&LibraryPassage]) -> Result<String> {
    let mut sources = QuoteSources::default();
    for passage in notes {
        let source = Box::new(Source::from_place(&passage.hit.place, None));
        sources.add(keyless::Passage::from_hit(&passage.hit), PassageSource::File(source, passage.origin));
    }
    let quotes = keyless::find_quotes(query, &sources.passages, 1, 1);
    cite_quotes(run, &sources, &quotes, "the page bears on it")
}

fn quote_page(run: &Run, query: &str, page: &PageText) -> Result<String> {
    let mut sources = QuoteSources::default();
    sources.add(keyless::Passage::from_page(&page.url, &page.text), PassageSource::Page(page.place()));
    // A page about the topic need not have every word of the query, and missing words must not outweigh those it has.
    let shared = page.shared_words(query);
    if shared.len() * 2 < significant_words(query).len() {
        return Ok(String::new());
    }
    let mut quotes = keyless::find_quotes(&shared.join(" "), &sources.passages, QUOTES, QUOTES);
    quotes.sort_by_key(|quote| quote.span.start);
    cite_quotes(run, &sources, &quotes, "it is about the topic")
}

/// The quotes that are about the topic, each with its citation.
fn cite_quotes(run: &Run, sources: &QuoteSources<'_>, quotes: &[Quote], reason: &str) -> Result<String> {
    let mut lines = Vec::new();
    for quote in quotes.iter().filter(|quote| quote.score >= WORTH_IT) {
        let id = sources.cite(run, quote, reason)?;
        lines.push(format!("{} [{id}]", quote.quoted));
    }
    Ok(lines.join(" "))
}
