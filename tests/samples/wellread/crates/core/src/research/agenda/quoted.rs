//! A page written up without a model: its best sentences, quoted where they stand.

use wellread_text::telling_words;

use super::super::own_words::{Quarry, Standing};
use super::super::{Around, Progress, Research, TaskStep};
use super::finding::{Written, concepts_of, sentences, supported};
use super::task::Job;
use crate::Result;
use crate::agenda::Part;
use crate::checking::judged;
use crate::corpus::CorpusName;
use crate::evidence::Source;
use crate::gather::{PageText, Passage};
use crate::keyless::{self, Quote};
use crate::run::Run;

/// How many sentences are quoted.
const QUOTES: usize = 3;
/// How good a sentence must be at least, so that it speaks of the topic.
const WORTH_IT: f32 = 0.2;

impl Research {
    /// The best sentences of the page, and one of the note that it bears on; nothing where none speaks of the topic.
    pub(super) fn quoted_finding(
        &self,
        around: Around<'_>,
        run: &Run,
        job: &Job,
        page: &PageText,
        passages: &[Passage],
    ) -> Result<Option<Written>> {
        let summary = best_of(run, &job.task.query, page)?;
        if summary.is_empty() {
            return Ok(None);
        }
        let notes: Vec<&Passage> =
            passages.iter().filter(|passage| passage.hit.place.corpus == CorpusName::Vault).collect();
        let bearing = best_of_notes(run, &job.task.query, &notes)?;
        (around.watch)(Progress::Step { step: TaskStep::Check, about: page.url.clone() });
        let reports =
            [judged(run, &self.places(around), &summary)?, judged(run, &self.places(around), &bearing)?];
        let sentences = sentences(&reports);
        let (summary, bearing) = (supported(&sentences, Part::Summary), supported(&sentences, Part::Bearing));
        if summary.is_empty() {
            return Ok(None);
        }
        let mut related: Vec<String> =
            notes.iter().map(|passage| passage.hit.place.path.to_string()).collect();
        related.dedup();
        Ok(Some(Written { summary, bearing, concepts: concepts_of(page, Vec::new()), related, sentences }))
    }
}

/// The sentence of the notes that speaks most of it.
fn best_of_notes(run: &Run, query: &str, notes: &[&Passage]) -> Result<String> {
    let mut quarry = Quarry::default();
    for passage in notes {
        let source = Box::new(Source::at(&passage.hit.place, None));
        quarry.add(keyless::Passage::of_hit(&passage.hit), Standing::File(source, passage.origin));
    }
    let quotes = keyless::sentences_for(query, &quarry.passages, 1, 1);
    cited(run, &quarry, &quotes, "the page bears on it")
}

fn best_of(run: &Run, query: &str, page: &PageText) -> Result<String> {
    let mut quarry = Quarry::default();
    quarry.add(keyless::Passage::of_page(&page.url, &page.text), Standing::Page(page.place()));
    // A page need not have every word to speak of the topic, and what it never says must not outweigh what it does.
    let shared = page.shared(query);
    if shared.len() * 2 < telling_words(query).len() {
        return Ok(String::new());
    }
    let mut quotes = keyless::sentences_for(&shared.join(" "), &quarry.passages, QUOTES, QUOTES);
    quotes.sort_by_key(|quote| quote.span.start);
    cited(run, &quarry, &quotes, "it speaks of the topic")
}

/// Those that speak of the topic, each with its citation.
fn cited(run: &Run, quarry: &Quarry<'_>, quotes: &[Quote], reason: &str) -> Result<String> {
    let mut lines = Vec::new();
    for quote in quotes.iter().filter(|quote| quote.score >= WORTH_IT) {
        let id = quarry.cite(run, quote, reason)?;
        lines.push(format!("{} [{id}]", quote.quoted));
    }
    Ok(lines.join(" "))
}
