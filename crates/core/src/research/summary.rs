//! Summarizes a note, and writes the summary into it.

use std::future::ready;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wellread_text::{Note, split_sentences};

use super::note::{NoteJob, NoteRequest, preview, render_notice};
use super::quote_sources::{PassageSource, QuoteSources};
use super::sources::{SentItem, collect_sent};
use super::write_up::{CitationForm, nothing_supported_error, with_cut_notice};
use super::{AnswerText, Context, Depth, JobAccess, Recipe, RecipeOutcome, Research, Work};
use crate::domain::corpus::VaultPath;
use crate::domain::evidence::Source;
use crate::domain::verdict::VerdictCounts;
use crate::engine::repair::{CheckedText, UncitedPolicy, check_and_repair};
use crate::insight::keyless::{self, Passage, Quote};
use crate::ports::Model;
use crate::ports::event::RunKind;
use crate::trust::prompt::{Prompt, PromptDocument, SUMMARY};
use crate::{Error, Result};

const HEADING: &str = "## Summary";
const QUOTES: usize = 5;
/// How many sentences are quoted per topic of the note.
const OF_A_TOPIC: usize = 2;
const LONGEST_FOCUS: usize = 600;

/// Summarizes a note and writes the summary into it. A failed run changes nothing.
#[derive(Debug)]
pub struct SummaryRecipe;

/// A request to summarize a note.
#[derive(Debug, Clone)]
pub struct SummaryRequest {
    /// The note.
    pub path: String,
    /// What to concentrate on.
    pub focus: Option<String>,
    /// Whether to show the diff and change nothing.
    pub dry_run: bool,
}

/// What summarizing a note came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SummaryAnswer {
    /// The note.
    pub path: String,
    /// The start of the section.
    pub preview: String,
    /// The run's id.
    pub run_id: String,
    /// Whether the note was too long to be read in full.
    pub truncated: bool,
    /// How many of its sentences are supported by the note.
    #[schemars(with = "serde_json::Value")]
    pub coverage: VerdictCounts,
    /// What left this machine for it.
    pub left: Vec<SentItem>,
    /// A notice for the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
    /// The id of the edit in the journal; `wellread undo` accepts it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// True if nothing was changed because `dry_run` was set.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// The unified diff that the call would have applied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
}

/// A summary before its citations become links.
struct SummaryDraft {
    text: String,
    coverage: VerdictCounts,
    /// How many sentences the evidence supports.
    supported: usize,
    /// How many sentences were moved as unsupported.
    moved: usize,
    /// Whether the whole note was read.
    is_whole: bool,
    /// Whether the model wrote more than a section may have.
    cut: bool,
}

impl SummaryDraft {
    fn from_checked(checked: CheckedText, is_whole: bool, cut: bool) -> Self {
        let coverage = checked.report.as_ref().map(|report| report.coverage).unwrap_or_default();
        let CheckedText { text, supported, moved, .. } = checked;
        Self { text, coverage, supported, moved, is_whole, cut }
    }
}

impl Recipe for SummaryRecipe {
    const KIND: RunKind = RunKind::Summary;
    type Request = SummaryRequest;
    type Job = NoteJob;
    type Answer = SummaryAnswer;

    fn prepare(&self, research: &Research, context: Context<'_>, request: SummaryRequest) -> Result<NoteJob> {
        let SummaryRequest { path, focus, dry_run } = request;
        let request = NoteRequest { path, depth: Depth::Shallow, focus, dry_run };
        NoteJob::prepare(research, context, request, HEADING)
    }

    fn title(&self, job: &NoteJob) -> String {
        format!("summarize {}", job.path)
    }

    fn access(&self, job: &NoteJob) -> JobAccess {
        job.access()
    }

    fn restore_settings(&self, research: &Research, job: &NoteJob) -> Research {
        Research { settings: job.settings, ..research.clone() }
    }

    async fn work(&self, work: &Work<'_, NoteJob>) -> Result<RecipeOutcome<SummaryAnswer>> {
        work.summarize().await
    }

    fn render(&self, answer: &SummaryAnswer) -> Result<AnswerText> {
        let text = answer.diff.as_ref().unwrap_or(&answer.preview).clone();
        Ok(AnswerText { text, notices: Vec::new() })
    }
}

impl Work<'_, NoteJob> {
    async fn summarize(&self) -> Result<RecipeOutcome<SummaryAnswer>> {
        let path = self.vault.rules.parse_file(&self.job.path)?;
        self.check_still_public(&path)?;
        let draft = match self.model {
            Some(model) => self.write_summary(model, &path).await?,
            None => self.quote_summary(&path).await?,
        };
        let body = self.render_body(&draft.text, &path, CitationForm::Links)?;
        if draft.supported == 0 && draft.moved > 0 {
            return Err(nothing_supported_error(draft.moved, self.run.id()).with_path(path.as_str()));
        }
        if body.is_empty() || draft.supported == 0 {
            return Err(Error::invalid(format!("`{path}` has no sentence to summarize it by"))
                .with_path(path.as_str()));
        }
        let written = self.write_section(("summarize_file", HEADING), &path, &body, None).await?;
        let notice = render_notice(self.job.private, self.job.with_model, true);
        let value = SummaryAnswer {
            path: self.job.path.clone(),
            preview: preview(&body),
            run_id: self.run.id().to_string(),
            truncated: self.job.truncated || !draft.is_whole,
            coverage: draft.coverage,
            left: collect_sent(&*self.research.runs.records, self.run).unwrap_or_default(),
            notice: self.job.with_replaced_section(HEADING, with_cut_notice(notice, draft.cut)),
            operation: written.operation,
            dry_run: self.job.dry_run,
            diff: written.diff,
        };
        Ok(RecipeOutcome::done(value, format!("{}\n", draft.text.trim_end())))
    }

    async fn write_summary(&self, model: &dyn Model, path: &VaultPath) -> Result<SummaryDraft> {
        let cap = self.research.settings.note_chars;
        let (ids, is_whole) = self.register_own_passages(path, cap)?;
        let ledger = self.run.ledger();
        let focused = self.job.focus.as_ref().map(|_| " Keep to the focus that the user gives below.");
        let mut prompt = Prompt::new(&SUMMARY.fill(&[("focus", focused.unwrap_or_default())])?);
        if let Some(focus) = &self.job.focus {
            prompt = prompt.user(&format!("Focus: {focus}"), LONGEST_FOCUS);
        }
        for id in &ids {
            let Some(entry) = ledger.entry(id) else { continue };
            let (name, id) = (entry.source.location(), id.to_string());
            let who = "the user, in the note";
            prompt =
                prompt.document(PromptDocument { who, name: &name, text: &entry.text, cap, id: Some(&id) });
        }
        let request = self.request_showing(prompt, "nonce")?;
        let written = self.write_up(model, &request, path).await?;
        Ok(SummaryDraft::from_checked(written.checked, is_whole, written.cut))
    }

    /// Quotes the sentences that say most of what the note is about.
    async fn quote_summary(&self, path: &VaultPath) -> Result<SummaryDraft> {
        let job = self.job;
        let most = self.research.settings.max_topics;
        let topics = keyless::find_topics(path.stem(), &job.text, job.focus.as_deref(), most, &|_| 1.0);
        let headings = Note::parse(&job.text).headings;
        let mut about: Vec<&str> = vec![path.stem()];
        about.extend(topics.iter().map(|topic| topic.topic.as_str()));
        about.extend(headings.iter().map(|heading| heading.text.as_str()));
        let mut sources = QuoteSources::default();
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
            sources.add(passage, PassageSource::File(Box::new(Source::Note(place)), job.origin));
        }
        let mut text = String::new();
        for quote in choose_quotes(&sources, &about) {
            let id = sources.cite(self.run, &quote, "it says what the note is about")?;
            text.push_str(&format!("- {} [{id}]\n", quote.quoted));
        }
        let reader = self.evidence_reader();
        let checked =
            check_and_repair(self.run, (&reader, None), text, UncitedPolicy::Goes, |_| ready(None)).await?;
        Ok(SummaryDraft::from_checked(checked, true, false))
    }
}

/// The best sentences about these topics, in the order of the note.
fn choose_quotes(sources: &QuoteSources<'_>, about: &[&str]) -> Vec<Quote> {
    let mut quotes: Vec<Quote> = Vec::new();
    let mut take = |about: &str| {
        for quote in keyless::find_quotes(about, &sources.passages, OF_A_TOPIC, OF_A_TOPIC) {
            if quotes.len() < QUOTES && !quotes.iter().any(|known| known.span == quote.span) {
                quotes.push(quote);
            }
        }
    };
    about.iter().for_each(|about| take(about));
    // For lack of others, the first sentence of each passage is used.
    let first = |passage: &Passage<'_>| split_sentences(passage.text).into_iter().next();
    sources.passages.iter().filter_map(first).for_each(|sentence| take(&sentence.text));
    quotes.sort_by_key(|quote| quote.span.start);
    quotes
}
