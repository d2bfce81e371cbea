//! Summarises a note, and writes that into it.

use std::future::ready;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wellread_text::{Note, sentences};

use super::asking::request;
use super::carried::carried_out;
use super::note::{Job, NoteAsked, notice, preview};
use super::own_words::{Quarry, Standing};
use super::sources::{Left, left};
use super::{Around, Depth, Done, Research, job_of, section, still_open};
use crate::checking::{Checked, Uncited, checked};
use crate::corpus::VaultPath;
use crate::event::{Outcome, RunKind};
use crate::evidence::Source;
use crate::gate::Coverage;
use crate::id::{self, EvidenceId};
use crate::keyless::{self, Passage, Quote};
use crate::ports::Model;
use crate::prompt::{Document, Prompt, SUMMARY};
use crate::run::{Beginning, Run};
use crate::{Error, Result};

const HEADING: &str = "## Summary";
const QUOTES: usize = 5;
/// How many sentences are quoted for one thing that the note is about.
const OF_A_TOPIC: usize = 2;
const LONGEST_FOCUS: usize = 600;

#[derive(Debug, Clone)]
pub struct SummaryAsked {
    pub path: String,
    pub focus: Option<String>,
    pub dry_run: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Summarised {
    pub path: String,
    /// The beginning of the section.
    pub preview: String,
    pub run_id: String,
    /// Whether the note is longer than what was read of it.
    pub truncated: bool,
    /// How many of its sentences are supported by the note.
    #[schemars(with = "serde_json::Value")]
    pub coverage: Coverage,
    /// What left this machine for it.
    pub left: Vec<Left>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
    /// The journal's id of the edit: `wellread undo` takes it back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// True where nothing was changed because `dry_run` was set.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// The unified difference that a dry run would have made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
}

/// A summary before its citations are links.
struct Summary {
    text: String,
    coverage: Coverage,
    /// How many sentences were set apart.
    moved: usize,
    /// Whether all of the note was read for it.
    is_whole: bool,
}

impl Summary {
    fn of(checked: Checked, is_whole: bool) -> Self {
        let coverage = checked.report.map(|report| report.coverage).unwrap_or_default();
        Self { text: checked.text, coverage, moved: checked.moved, is_whole }
    }
}

impl Research {
    pub async fn summarise(&self, around: Around<'_>, asked: SummaryAsked) -> Result<Summarised> {
        let SummaryAsked { path, focus, dry_run } = asked;
        let job = self.job(around, NoteAsked { path, depth: Depth::Shallow, focus, dry_run }, HEADING)?;
        let title = format!("summarise {}", job.path);
        let request = serde_json::to_value(&job).unwrap_or_default();
        let beginning = Beginning { kind: RunKind::Summary, title, request, budget: self.budget() };
        let run = Run::begin(&self.desk, beginning)?;
        carried_out(around, &run, self.summary_work(around, &run, job)).await
    }

    pub(super) async fn summary_again(&self, around: Around<'_>, run: &Run) -> Result<Summarised> {
        let job: Job = job_of(run)?;
        let research = Self { settings: job.settings, ..self.clone() };
        carried_out(around, run, research.summary_work(around, run, job)).await
    }

    async fn summary_work(&self, around: Around<'_>, run: &Run, job: Job) -> Result<Done<Summarised>> {
        let path = around.vault.rules.file(&job.path)?;
        still_open(around, run, &path, job.private)?;
        let Summary { text, coverage, moved, is_whole } =
            match self.model_of(run, job.with_model, job.private)? {
                Some(model) => self.phrased_summary(around, run, model, &job, &path).await?,
                None => self.quoted_summary(around, run, &job, &path).await?,
            };
        let body = self.body(around, run, &text, &path)?;
        if body.is_empty() || (coverage.supported == 0 && moved == 0) {
            return Err(
                Error::invalid(format!("`{path}` has no sentence to summarise it by")).at(path.as_str())
            );
        }
        let whole = section::whole(HEADING, &body, run.id());
        let label = ("summarize_file", HEADING);
        let written =
            section::write(around.vault, run, &path, label, &whole, job.before.as_ref(), job.dry_run).await?;
        let value = Summarised {
            path: job.path,
            preview: preview(&body),
            run_id: run.id().to_string(),
            truncated: job.truncated || !is_whole,
            coverage,
            left: left(&*self.desk.records, run).unwrap_or_default(),
            notice: notice(job.private, job.with_model, true),
            operation: written.operation,
            dry_run: job.dry_run,
            diff: written.diff,
        };
        Ok(Done { value, report: format!("{}\n", text.trim_end()), outcome: Outcome::Done })
    }

    async fn phrased_summary(
        &self,
        around: Around<'_>,
        run: &Run,
        model: &dyn Model,
        job: &Job,
        path: &VaultPath,
    ) -> Result<Summary> {
        let (ids, is_whole) = self.own_passages(run, job, path, self.settings.note_chars)?;
        let ledger = run.ledger();
        let focused = job.focus.as_ref().map(|_| " Keep to the focus that the user gives below.");
        let mut prompt = Prompt::new(&SUMMARY.fill(&[("focus", focused.unwrap_or_default())])?);
        if let Some(focus) = &job.focus {
            prompt = prompt.user(&format!("Focus: {focus}"), LONGEST_FOCUS);
        }
        for id in &ids {
            let Some(entry) = ledger.entry(id) else { continue };
            let (name, id) = (entry.source.shown(), id.to_string());
            let cap = self.settings.note_chars;
            prompt = prompt.document(Document {
                who: "the user, in the note",
                name: &name,
                text: &entry.text,
                cap,
                id: Some(&id),
            });
        }
        let built = prompt.build(&mut || run.draw("nonce", id::nonce).unwrap_or_default())?;
        run.show(built.shown.iter().filter_map(|id| EvidenceId::parse(id).ok()).collect())?;
        let request = request(&self.settings, built.text);
        let written = self.written_up(around, run, model, &request, path).await?;
        Ok(Summary::of(written.checked, is_whole))
    }

    /// The sentences of the note that say most of what it is about, as they stand.
    async fn quoted_summary(
        &self,
        around: Around<'_>,
        run: &Run,
        job: &Job,
        path: &VaultPath,
    ) -> Result<Summary> {
        let topics =
            keyless::topics(path.stem(), &job.text, job.focus.as_deref(), self.settings.max_topics, &|_| 1.0);
        let headings = Note::parse(&job.text).headings;
        let mut about: Vec<&str> = vec![path.stem()];
        about.extend(topics.iter().map(|topic| topic.topic.as_str()));
        about.extend(headings.iter().map(|heading| heading.text.as_str()));
        let mut quarry = Quarry::default();
        for place in keyless::own_passages(path, &job.text, job.hash) {
            let Some(text) = job.text.get(place.span.clone()) else { continue };
            let passage = Passage {
                source: &job.path,
                text,
                start: place.span.start,
                first_line: place.start_line,
                headings: &[],
                is_prose: true,
            };
            quarry.add(passage, Standing::File(Box::new(Source::Note(place)), job.origin));
        }
        let mut quotes: Vec<Quote> = Vec::new();
        let mut take = |about: &str| {
            for quote in keyless::sentences_for(about, &quarry.passages, OF_A_TOPIC, OF_A_TOPIC) {
                if quotes.len() < QUOTES && !quotes.iter().any(|known| known.span == quote.span) {
                    quotes.push(quote);
                }
            }
        };
        about.iter().for_each(|about| take(about));
        // Where no sentence speaks of a topic, what each part begins with says most.
        let first = |passage: &Passage<'_>| sentences(passage.text).into_iter().next();
        quarry.passages.iter().filter_map(first).for_each(|sentence| take(&sentence.text));
        quotes.sort_by_key(|quote| quote.span.start);
        let mut text = String::new();
        for quote in &quotes {
            let id = quarry.cite(run, quote, "it says what the note is about")?;
            text.push_str(&format!("- {} [{id}]\n", quote.quoted));
        }
        let checked = checked(run, &self.places(around), text, Uncited::Goes, |_| ready(None)).await?;
        Ok(Summary::of(checked, true))
    }
}
