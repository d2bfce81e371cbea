//! The section of a researched note without a model: nothing is phrased, everything is quoted where it stands.

use std::collections::BTreeSet;
use std::future::ready;

use wellread_text::Lines;

use super::note::{Composed, ForgottenNote, Job, TopicFound};
use super::{Around, Progress, Research, Stage};
use crate::Result;
use crate::checking::{Uncited, checked};
use crate::corpus::VaultPath;
use crate::evidence::{FilePlace, Found, PagePlace, Provenance, Source};
use crate::gather::Gather;
use crate::id::EvidenceId;
use crate::keyless::{self, Asked, Passage, Quote, Topic};
use crate::run::Run;
use crate::untrusted::{Origin, Untrusted};

/// How many sentences are quoted for a topic, and of one source for it.
const QUOTES: usize = 3;
const OF_A_SOURCE: usize = 2;
/// How many entries the other lists have at the most.
const LISTED: usize = 5;

/// Where a passage stands, so that a sentence of it can be cited.
#[derive(Debug, Clone)]
pub(super) enum Standing {
    File(Box<Source>, Origin),
    Page(PagePlace),
}

/// Passages, and where each of them stands.
#[derive(Default)]
pub(super) struct Quarry<'a> {
    pub passages: Vec<Passage<'a>>,
    standing: Vec<Standing>,
}

impl<'a> Quarry<'a> {
    pub fn add(&mut self, passage: Passage<'a>, standing: Standing) {
        self.passages.push(passage);
        self.standing.push(standing);
    }

    /// What was found for a topic: pages first, for they say more than a service says of them.
    pub fn take(&mut self, gather: &Gather<'_>, found: &'a TopicFound) -> Result<()> {
        for (page, _) in &found.pages {
            let place = PagePlace {
                url: page.url.clone(),
                title: page.title.clone(),
                snapshot: page.snapshot,
                span: 0..page.text.size(),
            };
            self.add(Passage::of_page(&page.url, &page.text), Standing::Page(place));
        }
        let read = |url: &str| found.pages.iter().any(|(page, _)| page.url == url);
        for result in found.web.answer.results.iter().filter(|result| !read(&result.url)) {
            let place = gather.kept(result)?;
            self.add(Passage::of_page(&result.url, &result.snippet), Standing::Page(place));
        }
        for found in &found.passages {
            let source = Box::new(Source::at(&found.hit.place, None));
            self.add(Passage::of_hit(&found.hit), Standing::File(source, found.origin));
        }
        Ok(())
    }

    /// A quotation in the ledger, at its own place, where it can be cited.
    pub fn cite(&self, run: &Run, quote: &Quote, reason: &str) -> Result<EvidenceId> {
        let (source, origin) = match &self.standing[quote.passage] {
            Standing::Page(place) => {
                let place = PagePlace { span: quote.span.clone(), ..place.clone() };
                (Source::Page(place), Origin::Outside)
            }
            Standing::File(source, origin) => (at(source, quote), *origin),
        };
        let id = run.evidence(Found {
            source,
            text: Untrusted::new(origin, quote.text.clone()),
            reason: reason.to_owned(),
            provenance: Provenance::Hybrid,
            score: Some(quote.score),
            symbol: None,
        })?;
        run.show(vec![id.clone()])?;
        Ok(id)
    }

    /// What tells the sources of quotations apart.
    pub fn source(&self, quote: &Quote) -> &'a str {
        self.passages[quote.passage].source
    }
}

/// The same file at the quotation's own lines.
fn at(source: &Source, quote: &Quote) -> Source {
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
    pub(super) async fn quoted(
        &self,
        around: Around<'_>,
        run: &Run,
        gather: &Gather<'_>,
        job: &Job,
        topics: &[Topic],
        found: &[TopicFound],
    ) -> Result<Composed> {
        (around.watch)(Progress::Stage { stage: Stage::WriteUp, done: 0, of: 1, about: String::new() });
        let path = around.vault.rules.file(&job.path)?;
        let own = Own { path: &path, job };
        let mut text = String::new();
        let mut used = BTreeSet::new();
        for (topic, found) in topics.iter().zip(found) {
            let mut quarry = Quarry::default();
            quarry.take(gather, found)?;
            let mut lines = Vec::new();
            for quote in keyless::sentences_for(&topic.topic, &quarry.passages, QUOTES, OF_A_SOURCE) {
                let id = quarry.cite(run, &quote, &format!("found for `{}`", topic.topic))?;
                if used.insert(id.clone()) {
                    lines.push(format!("{} [{id}]", quote.quoted));
                }
            }
            list(&mut text, &heading(&topic.topic), &lines);
        }
        list(&mut text, "Figures that differ", &self.differing(run, gather, &own, found)?);
        let forgotten = self.forgotten(around, run, job, topics, found)?;
        list(&mut text, "Notes you may have forgotten", &speaking(run, topics, found, &forgotten, &used)?);
        list(&mut text, "Open questions", &own.questions(run)?);
        list(&mut text, "Links that lead nowhere", &own.dead_links(around, run)?);
        (around.watch)(Progress::Stage { stage: Stage::Check, done: 0, of: 1, about: String::new() });
        let checked = checked(run, &self.places(around), text, Uncited::Goes, |_| ready(None)).await?;
        let coverage = checked.report.map(|report| report.coverage).unwrap_or_default();
        Ok(Composed { text: checked.text, coverage, moved: checked.moved, removed: 0, forgotten })
    }

    /// Numbers and dates that differ between the note and what was found, or within that, side by side.
    fn differing(
        &self,
        run: &Run,
        gather: &Gather<'_>,
        own: &Own<'_>,
        found: &[TopicFound],
    ) -> Result<Vec<String>> {
        let mut quarry = Quarry::default();
        quarry.add(own.passage(), own.standing());
        for found in found {
            quarry.take(gather, found)?;
        }
        let mut lines = Vec::new();
        for difference in keyless::differences(&quarry.passages, Some(&own.job.text), LISTED) {
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
    pub(super) fn forgotten(
        &self,
        around: Around<'_>,
        run: &Run,
        job: &Job,
        topics: &[Topic],
        found: &[TopicFound],
    ) -> Result<Vec<ForgottenNote>> {
        let hits = topics.iter().zip(found).map(|(topic, found)| {
            (topic.topic.clone(), found.passages.iter().map(|passage| passage.hit.clone()).collect())
        });
        let hits: Vec<_> = hits.collect();
        run.draw("forgotten", || {
            let note = around.vault.rules.file(&job.path).and_then(|path| around.vault.read(&path));
            let all = note.and_then(|note| keyless::forgotten(around.vault, &note, &hits, LISTED * 2));
            let all = all.unwrap_or_default().into_iter();
            let all =
                all.filter(|forgotten| job.private || !around.vault.is_private(&forgotten.path)).take(LISTED);
            all.map(|forgotten| ForgottenNote { path: forgotten.path.to_string(), why: forgotten.why })
                .collect()
        })
    }
}

/// A sentence of each forgotten note that says why it bears on this one, and that was not quoted already.
fn speaking(
    run: &Run,
    topics: &[Topic],
    found: &[TopicFound],
    forgotten: &[ForgottenNote],
    used: &BTreeSet<EvidenceId>,
) -> Result<Vec<String>> {
    let about: Vec<&str> = topics.iter().map(|topic| topic.topic.as_str()).collect();
    let mut lines = Vec::new();
    for note in forgotten {
        let mut quarry = Quarry::default();
        for passage in found.iter().flat_map(|found| &found.passages) {
            if passage.hit.place.path.as_str() == note.path {
                let source = Box::new(Source::at(&passage.hit.place, None));
                quarry.add(Passage::of_hit(&passage.hit), Standing::File(source, passage.origin));
            }
        }
        for quote in keyless::sentences_for(&about.join(" "), &quarry.passages, QUOTES, QUOTES) {
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
struct Own<'a> {
    path: &'a VaultPath,
    job: &'a Job,
}

impl<'a> Own<'a> {
    fn passage(&self) -> Passage<'a> {
        let Job { path, text, .. } = self.job;
        Passage { source: path, text, start: 0, first_line: 1, headings: &[], is_prose: true }
    }

    fn place(&self, span: wellread_text::Span) -> FilePlace {
        let lines = Lines::of(&self.job.text);
        let last = span.end.saturating_sub(1).max(span.start);
        FilePlace {
            path: self.path.clone(),
            start_line: lines.line_of(span.start),
            end_line: lines.line_of(last),
            span,
            hash: self.job.hash,
        }
    }

    fn standing(&self) -> Standing {
        let source = Source::Note(self.place(0..self.job.text.len()));
        Standing::File(Box::new(source), self.job.origin)
    }

    /// A stretch of it in the ledger.
    fn cite(&self, run: &Run, span: wellread_text::Span, reason: &str) -> Result<EvidenceId> {
        let text = self.job.text.get(span.clone()).unwrap_or_default();
        let id = run.evidence(Found {
            source: Source::Note(self.place(span)),
            text: Untrusted::new(self.job.origin, text),
            reason: reason.to_owned(),
            provenance: Provenance::Manual,
            score: None,
            symbol: None,
        })?;
        run.show(vec![id.clone()])?;
        Ok(id)
    }

    /// What the note itself asks.
    fn questions(&self, run: &Run) -> Result<Vec<String>> {
        let mut lines = Vec::new();
        let asked = keyless::questions(&self.job.text).into_iter();
        for question in asked.filter(|question| question.asked != Asked::Task).take(LISTED) {
            let Some(quoted) = keyless::quotable(&self.job.text[question.span.clone()]) else { continue };
            let id = self.cite(run, question.span, "the note leaves it open")?;
            lines.push(format!("{quoted} [{id}]"));
        }
        Ok(lines)
    }

    /// Links to notes that are not there. Asked once: notes come and go.
    fn dead_links(&self, around: Around<'_>, run: &Run) -> Result<Vec<String>> {
        let dead: Vec<(String, usize)> = run.draw("dead links", || {
            let note = around.vault.read(self.path);
            let dead = note.and_then(|note| keyless::dead_links(around.vault, &note)).unwrap_or_default();
            dead.into_iter().take(LISTED).map(|link| (link.target, link.line)).collect()
        })?;
        let lines = Lines::of(&self.job.text);
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
fn list(text: &mut String, heading: &str, lines: &[String]) {
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
fn heading(topic: &str) -> String {
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
