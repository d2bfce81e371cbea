//! The section of a researched note without a model: nothing is phrased, everything is quoted where it stands.

use std::collections::BTreeSet;
use std::future::ready;

use wellread_text::LineIndex;

use super::note::{ForgottenNote, NoteJob, SectionDraft, TopicMaterial};
use super::{Context, Research, ResearchEvent, ResearchStage};
use crate::Result;
use crate::domain::corpus::VaultPath;
use crate::domain::evidence::{FilePlace, NewEvidence, PagePlace, Provenance, Source};
use crate::domain::id::EvidenceId;
use crate::domain::untrusted::{Origin, Untrusted};
use crate::engine::gather::Gatherer;
use crate::engine::repair::{UncitedPolicy, check_and_repair};
use crate::engine::run::Run;
use crate::insight::keyless::{self, Passage, QuestionKind, Quote, Topic};

/// How many sentences are quoted for a topic, and of one source for it.
const QUOTES: usize = 3;
const OF_A_SOURCE: usize = 2;
/// How many entries the other lists have at the most.
const LISTED: usize = 5;

/// Where a passage stands, so that a sentence of it can be cited.
#[derive(Debug, Clone)]
pub(super) enum PassageSource {
    File(Box<Source>, Origin),
    Page(PagePlace),
}

/// Passages, and where each of them stands.
#[derive(Default)]
pub(super) struct QuoteSources<'a> {
    pub passages: Vec<Passage<'a>>,
    standing: Vec<PassageSource>,
}

impl<'a> QuoteSources<'a> {
    pub fn add(&mut self, passage: Passage<'a>, standing: PassageSource) {
        self.passages.push(passage);
        self.standing.push(standing);
    }

    /// What was found for a topic: pages first, for they say more than a service says of them.
    pub fn add_topic(&mut self, gather: &Gatherer<'_>, found: &'a TopicMaterial) -> Result<()> {
        for (page, _) in &found.pages {
            let place = PagePlace {
                url: page.url.clone(),
                title: page.title.clone(),
                snapshot: page.snapshot,
                span: 0..page.text.size(),
            };
            self.add(Passage::from_page(&page.url, &page.text), PassageSource::Page(place));
        }
        let read = |url: &str| found.pages.iter().any(|(page, _)| page.url == url);
        for result in found.web.answer.results.iter().filter(|result| !read(&result.url)) {
            let place = gather.store_snippet(result)?;
            self.add(Passage::from_page(&result.url, &result.snippet), PassageSource::Page(place));
        }
        for found in &found.passages {
            let source = Box::new(Source::from_place(&found.hit.place, None));
            self.add(Passage::from_hit(&found.hit), PassageSource::File(source, found.origin));
        }
        Ok(())
    }

    /// A quotation in the ledger, at its own place, where it can be cited.
    pub fn cite(&self, run: &Run, quote: &Quote, reason: &str) -> Result<EvidenceId> {
        let (source, origin) = match &self.standing[quote.passage] {
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

    /// What tells the sources of quotations apart.
    pub fn source(&self, quote: &Quote) -> &'a str {
        self.passages[quote.passage].source
    }
}

/// The same file at the quotation's own lines.
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

impl Research {
    /// The best sentences for each topic, figures that differ, forgotten notes, open questions and dead links, each cited.
    pub(super) async fn quote_section(
        &self,
        around: Context<'_>,
        run: &Run,
        gather: &Gatherer<'_>,
        job: &NoteJob,
        topics: &[Topic],
        found: &[TopicMaterial],
    ) -> Result<SectionDraft> {
        (around.watch)(ResearchEvent::Stage {
            stage: ResearchStage::WriteUp,
            done: 0,
            of: 1,
            about: String::new(),
        });
        let path = around.vault.rules.parse_file(&job.path)?;
        let own = OwnNote { path: &path, job };
        let mut text = String::new();
        let mut used = BTreeSet::new();
        for (topic, found) in topics.iter().zip(found) {
            let mut quarry = QuoteSources::default();
            quarry.add_topic(gather, found)?;
            let mut lines = Vec::new();
            for quote in keyless::find_quotes(&topic.topic, &quarry.passages, QUOTES, OF_A_SOURCE) {
                let id = quarry.cite(run, &quote, &format!("found for `{}`", topic.topic))?;
                if used.insert(id.clone()) {
                    lines.push(format!("{} [{id}]", quote.quoted));
                }
            }
            push_list(&mut text, &topic_heading(&topic.topic), &lines);
        }
        push_list(&mut text, "Figures that differ", &self.collect_differences(run, gather, &own, found)?);
        let forgotten = self.find_forgotten_notes(around, run, job, topics, found)?;
        push_list(
            &mut text,
            "Notes you may have forgotten",
            &quote_forgotten_notes(run, topics, found, &forgotten, &used)?,
        );
        push_list(&mut text, "Open questions", &own.cite_questions(run)?);
        push_list(&mut text, "Links that lead nowhere", &own.cite_dead_links(around, run)?);
        (around.watch)(ResearchEvent::Stage {
            stage: ResearchStage::Check,
            done: 0,
            of: 1,
            about: String::new(),
        });
        let checked =
            check_and_repair(run, &self.places(around), text, UncitedPolicy::Goes, |_| ready(None)).await?;
        let coverage = checked.report.map(|report| report.coverage).unwrap_or_default();
        Ok(SectionDraft { text: checked.text, coverage, moved: checked.moved, removed: 0, forgotten })
    }

    /// Numbers and dates that differ between the note and what was found, or within that, side by side.
    fn collect_differences(
        &self,
        run: &Run,
        gather: &Gatherer<'_>,
        own: &OwnNote<'_>,
        found: &[TopicMaterial],
    ) -> Result<Vec<String>> {
        let mut quarry = QuoteSources::default();
        quarry.add(own.passage(), own.passage_source());
        for found in found {
            quarry.add_topic(gather, found)?;
        }
        let mut lines = Vec::new();
        for difference in keyless::find_differences(&quarry.passages, Some(&own.job.text), LISTED) {
            let reason = format!("figures of {} differ", difference.what);
            let one = quarry.cite(run, &difference.one, &reason)?;
            let other = quarry.cite(run, &difference.other, &reason)?;
            lines.push(format!(
                "{} [{one}], but {} [{other}]",
                difference.one.quoted, difference.other.quoted
            ));
        }
        Ok(lines)
    }

    /// Notes that bear on it and that it has no link to. Asked once: it depends on the whole vault.
    pub(super) fn find_forgotten_notes(
        &self,
        around: Context<'_>,
        run: &Run,
        job: &NoteJob,
        topics: &[Topic],
        found: &[TopicMaterial],
    ) -> Result<Vec<ForgottenNote>> {
        let hits = topics.iter().zip(found).map(|(topic, found)| {
            (topic.topic.clone(), found.passages.iter().map(|passage| passage.hit.clone()).collect())
        });
        let hits: Vec<_> = hits.collect();
        run.draw("forgotten", || {
            let note = around.vault.rules.parse_file(&job.path).and_then(|path| around.vault.read(&path));
            let all =
                note.and_then(|note| keyless::find_forgotten_notes(around.vault, &note, &hits, LISTED * 2));
            let all = all.unwrap_or_default().into_iter();
            let all =
                all.filter(|forgotten| job.private || !around.vault.is_private(&forgotten.path)).take(LISTED);
            all.map(|forgotten| ForgottenNote { path: forgotten.path.to_string(), why: forgotten.why })
                .collect()
        })
    }
}

/// A sentence of each forgotten note that says why it bears on this one, and that was not quoted already.
fn quote_forgotten_notes(
    run: &Run,
    topics: &[Topic],
    found: &[TopicMaterial],
    forgotten: &[ForgottenNote],
    used: &BTreeSet<EvidenceId>,
) -> Result<Vec<String>> {
    let about: Vec<&str> = topics.iter().map(|topic| topic.topic.as_str()).collect();
    let mut lines = Vec::new();
    for note in forgotten {
        let mut quarry = QuoteSources::default();
        for passage in found.iter().flat_map(|found| &found.passages) {
            if passage.hit.place.path.as_str() == note.path {
                let source = Box::new(Source::from_place(&passage.hit.place, None));
                quarry.add(Passage::from_hit(&passage.hit), PassageSource::File(source, passage.origin));
            }
        }
        for quote in keyless::find_quotes(&about.join(" "), &quarry.passages, QUOTES, QUOTES) {
            let id = quarry.cite(run, &quote, "its note may be forgotten")?;
            if !used.contains(&id) {
                lines.push(format!("{} [{id}]", quote.quoted));
                break;
            }
        }
    }
    Ok(lines)
}

/// The note itself.
struct OwnNote<'a> {
    path: &'a VaultPath,
    job: &'a NoteJob,
}

impl<'a> OwnNote<'a> {
    fn passage(&self) -> Passage<'a> {
        let NoteJob { path, text, .. } = self.job;
        Passage { source: path, text, start: 0, first_line: 1, headings: &[], is_prose: true }
    }

    fn place(&self, span: wellread_text::Span) -> FilePlace {
        let lines = LineIndex::new(&self.job.text);
        let last = span.end.saturating_sub(1).max(span.start);
        FilePlace {
            path: self.path.clone(),
            start_line: lines.line_of(span.start),
            end_line: lines.line_of(last),
            span,
            hash: self.job.hash,
        }
    }

    fn passage_source(&self) -> PassageSource {
        let source = Source::Note(self.place(0..self.job.text.len()));
        PassageSource::File(Box::new(source), self.job.origin)
    }

    /// A stretch of it in the ledger.
    fn cite(&self, run: &Run, span: wellread_text::Span, reason: &str) -> Result<EvidenceId> {
        let text = self.job.text.get(span.clone()).unwrap_or_default();
        let id = run.add_evidence(NewEvidence {
            source: Source::Note(self.place(span)),
            text: Untrusted::new(self.job.origin, text),
            reason: reason.to_owned(),
            provenance: Provenance::Manual,
            score: None,
            symbol: None,
        })?;
        run.mark_shown(vec![id.clone()])?;
        Ok(id)
    }

    /// What the note itself asks.
    fn cite_questions(&self, run: &Run) -> Result<Vec<String>> {
        let mut lines = Vec::new();
        let asked = keyless::find_open_questions(&self.job.text).into_iter();
        for question in asked.filter(|question| question.kind != QuestionKind::Task).take(LISTED) {
            let Some(quoted) = keyless::to_quotation(&self.job.text[question.span.clone()]) else { continue };
            let id = self.cite(run, question.span, "the note leaves it open")?;
            lines.push(format!("{quoted} [{id}]"));
        }
        Ok(lines)
    }

    /// Links to notes that are not there. Asked once: notes come and go.
    fn cite_dead_links(&self, around: Context<'_>, run: &Run) -> Result<Vec<String>> {
        let dead: Vec<(String, usize)> = run.draw("dead links", || {
            let note = around.vault.read(self.path);
            let dead =
                note.and_then(|note| keyless::find_dead_links(around.vault, &note)).unwrap_or_default();
            dead.into_iter().take(LISTED).map(|link| (link.target, link.line)).collect()
        })?;
        let lines = LineIndex::new(&self.job.text);
        let mut told = Vec::new();
        for (target, line) in dead {
            let Some(span) = lines.span(line, line) else { continue };
            let held = self.job.text.get(span.clone()).is_some_and(|text| text.contains(&target));
            if held && !target.contains('`') {
                let id = self.cite(run, span, "a link leads nowhere")?;
                told.push(format!("`{target}` [{id}]"));
            }
        }
        Ok(told)
    }
}

/// A list under its heading, where there is something to list.
fn push_list(text: &mut String, heading: &str, lines: &[String]) {
    if lines.is_empty() {
        return;
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(&format!("### {heading}\n\n"));
    for line in lines {
        text.push_str(&format!("- {line}\n"));
    }
}

/// A topic as a heading: its words, and nothing that means something in markdown.
fn topic_heading(topic: &str) -> String {
    let plain: String = topic
        .chars()
        .map(|letter| if "[]#`<>*_|{}\\$%^~=".contains(letter) { ' ' } else { letter })
        .collect();
    let words = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut letters = words.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => words,
    }
}
