//! Summarises a note, and writes that into it.

use std::future::ready;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wellread_text::{Note, split_sentences};

use super::lifecycle::run_recipe;
use super::model_calls::build_request;
use super::note::{NoteJob, NoteRequest, preview, render_notice};
use super::note_keyless::{PassageSource, QuoteSources};
use super::sources::{SentItem, collect_sent};
use super::{Context, Depth, RecipeOutcome, Research, check_still_public, read_job, section};
use crate::domain::corpus::VaultPath;
use crate::domain::evidence::Source;
use crate::domain::id::{self, EvidenceId};
use crate::domain::verdict::VerdictCounts;
use crate::engine::repair::{CheckedText, UncitedPolicy, check_and_repair};
use crate::engine::run::{Run, RunSpec};
use crate::insight::keyless::{self, Passage, Quote};
use crate::ports::Model;
use crate::ports::event::{RunKind, RunOutcome};
use crate::trust::prompt::{Prompt, PromptDocument, SUMMARY};
use crate::{Error, Result};

const HEADING: &str = "## Summary";
const QUOTES: usize = 5;
/// How many sentences are quoted for one thing that the note is about.
const OF_A_TOPIC: usize = 2;
const LONGEST_FOCUS: usize = 600;

#[derive(Debug, Clone)]
pub struct SummaryRequest {
    pub path: String,
    pub focus: Option<String>,
    pub dry_run: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SummaryAnswer {
    pub path: String,
    /// The beginning of the section.
    pub preview: String,
    pub run_id: String,
    /// Whether the note is longer than what was read of it.
    pub truncated: bool,
    /// How many of its sentences are supported by the note.
    #[schemars(with = "serde_json::Value")]
    pub coverage: VerdictCounts,
    /// What left this machine for it.
    pub left: Vec<SentItem>,
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
struct SummaryDraft {
    text: String,
    coverage: VerdictCounts,
    /// How many sentences were set apart.
    moved: usize,
    /// Whether all of the note was read for it.
    is_whole: bool,
}

impl SummaryDraft {
    fn from_checked(checked: CheckedText, is_whole: bool) -> Self {
        let coverage = checked.report.map(|report| report.coverage).unwrap_or_default();
        Self { text: checked.text, coverage, moved: checked.moved, is_whole }
    }
}

impl Research {
    pub async fn summarize(&self, around: Context<'_>, asked: SummaryRequest) -> Result<SummaryAnswer> {
        let SummaryRequest { path, focus, dry_run } = asked;
        let job = self.prepare_note_job(
            around,
            NoteRequest { path, depth: Depth::Shallow, focus, dry_run },
            HEADING,
        )?;
        let title = format!("summarise {}", job.path);
        let request = serde_json::to_value(&job).unwrap_or_default();
        let beginning = RunSpec { kind: RunKind::Summary, title, request, budget: self.budget() };
        let run = Run::begin(&self.desk, beginning)?;
        run_recipe(around, &run, self.summary_work(around, &run, job)).await
    }

    pub(super) async fn rerun_summary(&self, around: Context<'_>, run: &Run) -> Result<SummaryAnswer> {
        let job: NoteJob = read_job(run)?;
        let research = Self { settings: job.settings, ..self.clone() };
        run_recipe(around, run, research.summary_work(around, run, job)).await
    }

    async fn summary_work(
        &self,
        around: Context<'_>,
        run: &Run,
        job: NoteJob,
    ) -> Result<RecipeOutcome<SummaryAnswer>> {
        let path = around.vault.rules.parse_file(&job.path)?;
        check_still_public(around, run, &path, job.private)?;
        let SummaryDraft { text, coverage, moved, is_whole } =
            match self.model_for_run(run, job.with_model, job.private)? {
                Some(model) => self.write_summary(around, run, model, &job, &path).await?,
                None => self.quote_summary(around, run, &job, &path).await?,
            };
        let body = self.render_body(around, run, &text, &path)?;
        if body.is_empty() || (coverage.supported == 0 && moved == 0) {
            return Err(Error::invalid(format!("`{path}` has no sentence to summarise it by"))
                .with_path(path.as_str()));
        }
        let whole = section::render_section(HEADING, &body, run.id());
        let label = ("summarize_file", HEADING);
        let written =
            section::write(around.vault, run, &path, label, &whole, job.before.as_ref(), job.dry_run).await?;
        let value = SummaryAnswer {
            path: job.path,
            preview: preview(&body),
            run_id: run.id().to_string(),
            truncated: job.truncated || !is_whole,
            coverage,
            left: collect_sent(&*self.desk.records, run).unwrap_or_default(),
            notice: render_notice(job.private, job.with_model, true),
            operation: written.operation,
            dry_run: job.dry_run,
            diff: written.diff,
        };
        Ok(RecipeOutcome { value, report: format!("{}\n", text.trim_end()), outcome: RunOutcome::Done })
    }

    async fn write_summary(
        &self,
        around: Context<'_>,
        run: &Run,
        model: &dyn Model,
        job: &NoteJob,
        path: &VaultPath,
    ) -> Result<SummaryDraft> {
        let (ids, is_whole) = self.register_own_passages(run, job, path, self.settings.note_chars)?;
        let ledger = run.ledger();
        let focused = job.focus.as_ref().map(|_| " Keep to the focus that the user gives below.");
        let mut prompt = Prompt::new(&SUMMARY.fill(&[("focus", focused.unwrap_or_default())])?);
        if let Some(focus) = &job.focus {
            prompt = prompt.user(&format!("Focus: {focus}"), LONGEST_FOCUS);
        }
        for id in &ids {
            let Some(entry) = ledger.entry(id) else { continue };
            let (name, id) = (entry.source.location(), id.to_string());
            let cap = self.settings.note_chars;
            prompt = prompt.document(PromptDocument {
                who: "the user, in the note",
                name: &name,
                text: &entry.text,
                cap,
                id: Some(&id),
            });
        }
        let built = prompt.build(&mut || run.draw("nonce", id::nonce).unwrap_or_default())?;
        run.mark_shown(built.shown.iter().filter_map(|id| EvidenceId::parse(id).ok()).collect())?;
        let request = build_request(&self.settings, built.text);
        let written = self.write_up(around, run, model, &request, path).await?;
        Ok(SummaryDraft::from_checked(written.checked, is_whole))
    }

    /// The sentences of the note that say most of what it is about, as they stand.
    async fn quote_summary(
        &self,
        around: Context<'_>,
        run: &Run,
        job: &NoteJob,
        path: &VaultPath,
    ) -> Result<SummaryDraft> {
        let topics = keyless::find_topics(
            path.stem(),
            &job.text,
            job.focus.as_deref(),
            self.settings.max_topics,
            &|_| 1.0,
        );
        let headings = Note::parse(&job.text).headings;
        let mut about: Vec<&str> = vec![path.stem()];
        about.extend(topics.iter().map(|topic| topic.topic.as_str()));
        about.extend(headings.iter().map(|heading| heading.text.as_str()));
        let mut quarry = QuoteSources::default();
        for place in keyless::collect_user_passages(path, &job.text, job.hash) {
            let Some(text) = job.text.get(place.span.clone()) else { continue };
            let passage = Passage {
                source: &job.path,
                text,
                start: place.span.start,
                first_line: place.start_line,
                headings: &[],
                is_prose: true,
            };
            quarry.add(passage, PassageSource::File(Box::new(Source::Note(place)), job.origin));
        }
        let mut quotes: Vec<Quote> = Vec::new();
        let mut take = |about: &str| {
            for quote in keyless::find_quotes(about, &quarry.passages, OF_A_TOPIC, OF_A_TOPIC) {
                if quotes.len() < QUOTES && !quotes.iter().any(|known| known.span == quote.span) {
                    quotes.push(quote);
                }
            }
        };
        about.iter().for_each(|about| take(about));
        // Where no sentence speaks of a topic, what each part begins with says most.
        let first = |passage: &Passage<'_>| split_sentences(passage.text).into_iter().next();
        quarry.passages.iter().filter_map(first).for_each(|sentence| take(&sentence.text));
        quotes.sort_by_key(|quote| quote.span.start);
        let mut text = String::new();
        for quote in &quotes {
            let id = quarry.cite(run, quote, "it says what the note is about")?;
            text.push_str(&format!("- {} [{id}]\n", quote.quoted));
        }
        let checked =
            check_and_repair(run, &self.places(around), text, UncitedPolicy::Goes, |_| ready(None)).await?;
        Ok(SummaryDraft::from_checked(checked, true))
    }
}
