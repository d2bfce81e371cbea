//! A page written up without a model: its best sentences, quoted where they stand.

use wellread_text::significant_words;

use super::super::note_keyless::{PassageSource, QuoteSources};
use super::super::{Context, Research, ResearchEvent, TaskStep};
use super::finding::{FindingDraft, collect_concepts, collect_sentences, supported_text};
use super::task::TaskJob;
use crate::Result;
use crate::domain::corpus::CorpusName;
use crate::domain::evidence::Source;
use crate::engine::gather::{LibraryPassage, PageText};
use crate::engine::repair::judge_text;
use crate::engine::run::Run;
use crate::insight::keyless::{self, Quote};
use crate::ports::agenda::FindingPart;

/// How many sentences are quoted.
const QUOTES: usize = 3;
/// How good a sentence must be at least, so that it speaks of the topic.
const WORTH_IT: f32 = 0.2;

impl Research {
    /// The best sentences of the page, and one of the note that it bears on; nothing where none speaks of the topic.
    pub(super) fn quote_finding(
        &self,
        around: Context<'_>,
        run: &Run,
        job: &TaskJob,
        page: &PageText,
        passages: &[LibraryPassage],
    ) -> Result<Option<FindingDraft>> {
        let summary = quote_page(run, &job.task.query, page)?;
        if summary.is_empty() {
            return Ok(None);
        }
        let notes: Vec<&LibraryPassage> =
            passages.iter().filter(|passage| passage.hit.place.corpus == CorpusName::Vault).collect();
        let bearing = quote_notes(run, &job.task.query, &notes)?;
        (around.watch)(ResearchEvent::Step { step: TaskStep::Check, about: page.url.clone() });
        let reports = [
            judge_text(run, &self.places(around), &summary)?,
            judge_text(run, &self.places(around), &bearing)?,
        ];
        let sentences = collect_sentences(&reports);
        let (summary, bearing) = (
            supported_text(&sentences, FindingPart::Summary),
            supported_text(&sentences, FindingPart::Bearing),
        );
        if summary.is_empty() {
            return Ok(None);
        }
        let mut related: Vec<String> =
            notes.iter().map(|passage| passage.hit.place.path.to_string()).collect();
        related.dedup();
        Ok(Some(FindingDraft {
            summary,
            bearing,
            concepts: collect_concepts(page, Vec::new()),
            related,
            sentences,
        }))
    }
}

/// The sentence of the notes that speaks most of it.
fn quote_notes(run: &Run, query: &str, notes: &[&LibraryPassage]) -> Result<String> {
    let mut quarry = QuoteSources::default();
    for passage in notes {
        let source = Box::new(Source::from_place(&passage.hit.place, None));
        quarry.add(keyless::Passage::from_hit(&passage.hit), PassageSource::File(source, passage.origin));
    }
    let quotes = keyless::find_quotes(query, &quarry.passages, 1, 1);
    cite_quotes(run, &quarry, &quotes, "the page bears on it")
}

fn quote_page(run: &Run, query: &str, page: &PageText) -> Result<String> {
    let mut quarry = QuoteSources::default();
    quarry.add(keyless::Passage::from_page(&page.url, &page.text), PassageSource::Page(page.place()));
    // A page need not have every word to speak of the topic, and what it never says must not outweigh what it does.
    let shared = page.shared_words(query);
    if shared.len() * 2 < significant_words(query).len() {
        return Ok(String::new());
    }
    let mut quotes = keyless::find_quotes(&shared.join(" "), &quarry.passages, QUOTES, QUOTES);
    quotes.sort_by_key(|quote| quote.span.start);
    cite_quotes(run, &quarry, &quotes, "it speaks of the topic")
}

/// Those that speak of the topic, each with its citation.
fn cite_quotes(run: &Run, quarry: &QuoteSources<'_>, quotes: &[Quote], reason: &str) -> Result<String> {
    let mut lines = Vec::new();
    for quote in quotes.iter().filter(|quote| quote.score >= WORTH_IT) {
        let id = quarry.cite(run, quote, reason)?;
        lines.push(format!("{} [{id}]", quote.quoted));
    }
    Ok(lines.join(" "))
}
