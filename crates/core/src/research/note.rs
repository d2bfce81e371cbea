//! Researches a note: what in it deserves research, what the vault and the web know of that, and a section that tells.

use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::StreamExt as _;
use futures_util::future::join;
use futures_util::stream;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use wellread_text::{Span, take_page};

use super::lifecycle::run_recipe;
use super::section::SectionFingerprint;
use super::sources::{SentItem, collect_sent};
use super::supplement::nothing_found_error;
use super::topics::no_topics_error;
use super::{
    Context, RecipeOutcome, Research, ResearchEvent, ResearchSettings, ResearchStage, SERVICES, SourceEntry,
    check_still_public, read_job, section,
};
use crate::domain::corpus::{Hash, VaultPath};
use crate::domain::untrusted::{Origin, Untrusted};
use crate::domain::verdict::VerdictCounts;
use crate::engine::gather::{Gatherer, LibraryPassage, PageText, SkippedSource, WebSearchResults};
use crate::engine::run::{Run, RunSpec};
use crate::insight::keyless::{self, Topic};
use crate::library::vault::NoteText;
use crate::ports::event::{RunKind, RunOutcome};
use crate::ports::{FetchableUrl, Model, WebQuery};
use crate::trust::citations::CitationContext;
use crate::{Error, Result};

pub(super) const HEADING: &str = "## Research";
const ENDINGS: [&str; 3] = [".md", ".markdown", ".txt"];
/// How many results of each sort are taken for a topic.
const RESULTS: usize = 5;
/// How many stretches of a page are taken.
pub(super) const OF_A_PAGE: usize = 3;
const PREVIEW: usize = 500;
const NO_MODEL: &str = "no model is set up, so the best sentences are quoted as they stand";
const NO_WEB: &str = "no search service is chosen, so it was researched in notes and code alone; `wellread config set \
                      search.services duckduckgo` adds the web, or `--web` for one call";
const PRIVATE: &str = "the note is private: nothing of it left this machine";

/// How far to look.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Depth {
    /// What search services say of their results.
    #[default]
    Shallow,
    /// The first pages of each topic are read, too.
    Deep,
}

/// What is asked for.
#[derive(Debug, Clone)]
pub struct NoteRequest {
    pub path: String,
    pub depth: Depth,
    pub focus: Option<String>,
    pub dry_run: bool,
}

/// What a run is begun with.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct NoteJob {
    pub path: String,
    pub depth: Depth,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub focus: Option<String>,
    pub dry_run: bool,
    /// The note as it was, as far as it is read.
    pub text: String,
    pub hash: Hash,
    pub origin: Origin,
    pub truncated: bool,
    pub private: bool,
    pub with_model: bool,
    /// The section as it was, where there was one.
    pub before: Option<SectionFingerprint>,
    /// How far it goes, whatever is set by the time that it goes on.
    pub settings: ResearchSettings,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NoteAnswer {
    pub path: String,
    pub topics_researched: usize,
    /// The beginning of the section.
    pub preview: String,
    pub run_id: String,
    /// What the section cites.
    pub sources: Vec<SourceEntry>,
    /// What could not be reached or read.
    pub skipped: Vec<SkippedSource>,
    /// How many links the model made up; they were taken out.
    pub removed_links: usize,
    /// Whether the note is longer than what was read of it.
    pub truncated: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
    /// How many of its sentences are supported by what they cite.
    #[schemars(with = "serde_json::Value")]
    pub coverage: VerdictCounts,
    /// Notes that bear on it and that it has no link to, each with why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forgotten: Vec<ForgottenNote>,
    /// What left this machine for it.
    pub left: Vec<SentItem>,
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

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ForgottenNote {
    pub path: String,
    pub why: String,
}

/// What was gathered for one topic.
#[derive(Debug, Default)]
pub(super) struct TopicMaterial {
    pub web: WebSearchResults,
    pub passages: Vec<LibraryPassage>,
    /// Pages that were read, and which stretches of them bear on the topic.
    pub pages: Vec<(PageText, Vec<Span>)>,
    pub skipped: Vec<SkippedSource>,
}

/// A section before its citations are links, and what else was found.
pub(super) struct SectionDraft {
    pub text: String,
    pub coverage: VerdictCounts,
    /// How many sentences were set apart.
    pub moved: usize,
    pub removed: usize,
    pub forgotten: Vec<ForgottenNote>,
}

impl Research {
    /// Researches a note and writes what was found into it. A failed run changes nothing.
    pub async fn research_note(&self, around: Context<'_>, asked: NoteRequest) -> Result<NoteAnswer> {
        let job = self.prepare_note_job(around, asked, HEADING)?;
        let title = format!("research {}", job.path);
        let request = serde_json::to_value(&job);
        let request = request.map_err(|error| Error::failed(format!("the run can't be kept: {error}")))?;
        let beginning = RunSpec { kind: RunKind::Note, title, request, budget: self.budget() };
        let run = Run::begin(&self.desk, beginning)?;
        run_recipe(around, &run, self.note_work(around, &run, job)).await
    }

    pub(super) async fn rerun_note(&self, around: Context<'_>, run: &Run) -> Result<NoteAnswer> {
        let job: NoteJob = read_job(run)?;
        let research = Self { settings: job.settings, ..self.clone() };
        run_recipe(around, run, research.note_work(around, run, job)).await
    }

    /// What a run about a note begins with, provided that it can be read and has one place for the section.
    pub(super) fn prepare_note_job(
        &self,
        around: Context<'_>,
        asked: NoteRequest,
        heading: &str,
    ) -> Result<NoteJob> {
        let NoteRequest { path, depth, focus, dry_run } = asked;
        let note = read_researchable(around, &path)?;
        section::check_place(&note.text, heading).map_err(|error| error.with_path(note.path.as_str()))?;
        let part = take_page(&note.text, 0, self.settings.note_chars);
        let private = around.vault.is_private(&note.path);
        Ok(NoteJob {
            depth,
            focus: focus.map(|focus| focus.trim().to_owned()).filter(|focus| !focus.is_empty()),
            dry_run,
            truncated: part.next.is_some(),
            text: part.text.to_string(),
            hash: note.hash,
            origin: around.vault.origin_of(&note.path),
            private,
            with_model: self.model_for(private).is_some(),
            before: section::fingerprint_section(&note.text, heading)?,
            settings: self.settings,
            path: note.path.to_string(),
        })
    }

    async fn note_work(
        &self,
        around: Context<'_>,
        run: &Run,
        job: NoteJob,
    ) -> Result<RecipeOutcome<NoteAnswer>> {
        let path = around.vault.rules.parse_file(&job.path)?;
        let model = self.model_for_run(run, job.with_model, job.private)?;
        check_still_public(around, run, &path, job.private)?;
        let gather = self.gather(around, run, job.private);
        let has_web = !run.draw(SERVICES, || gather.allowed_services())?.is_empty();
        if !run.is_replay() {
            self.announce_outgoing(around, model, &gather);
        }
        (around.watch)(ResearchEvent::Stage {
            stage: ResearchStage::Topics,
            done: 0,
            of: 1,
            about: String::new(),
        });
        let topics = match model {
            Some(model) => {
                let note = Untrusted::new(job.origin, keyless::strip_generated_sections(&job.text));
                self.topics_by_model(run, model, (&job.path, &note), job.focus.as_deref()).await?
            }
            None => self.topics_by_rules(run, &job)?,
        };
        if topics.is_empty() {
            return Err(no_topics_error().with_path(path.as_str()));
        }
        let found = self.gather_topics(around, run, &gather, &path, &job, model, has_web, &topics).await?;
        let composed = match model {
            Some(model) => self.write_supplement(around, run, model, &gather, &job, &topics, &found).await,
            None => self.quote_section(around, run, &gather, &job, &topics, &found).await,
        };
        let composed = composed.map_err(|error| error.with_path(path.as_str()))?;
        let body = self.render_body(around, run, &composed.text, &path)?;
        // Words that claim nothing are nothing: they must not take the place of an earlier section.
        if body.trim().is_empty() || (composed.coverage.supported == 0 && composed.moved == 0) {
            return Err(nothing_found_error().with_path(path.as_str()));
        }
        let ledger = run.ledger();
        let names = around.vault.links.names()?;
        let sources = CitationContext { ledger: &ledger, names: &names, from: path.as_str() };
        let cited = run.draw("cited", || {
            sources.cited_evidence(&composed.text).iter().map(SourceEntry::from_evidence).collect::<Vec<_>>()
        })?;
        let text = section::render_section(HEADING, &body, run.id());
        (around.watch)(ResearchEvent::Stage {
            stage: ResearchStage::Write,
            done: 0,
            of: 1,
            about: job.path.clone(),
        });
        let label = ("research_note", HEADING);
        let before = job.before.as_ref();
        let written = section::write(around.vault, run, &path, label, &text, before, job.dry_run).await?;
        let mut skipped: Vec<SkippedSource> = Vec::new();
        for skip in found.into_iter().flat_map(|found| found.skipped) {
            if !skipped.contains(&skip) {
                skipped.push(skip);
            }
        }
        let value = NoteAnswer {
            path: job.path,
            topics_researched: topics.len(),
            preview: preview(&body),
            run_id: run.id().to_string(),
            sources: cited,
            skipped,
            removed_links: composed.removed,
            truncated: job.truncated,
            notice: render_notice(job.private, job.with_model, has_web),
            coverage: composed.coverage,
            forgotten: composed.forgotten,
            // The note is written by now: nothing that fails here is told as if it were not.
            left: collect_sent(&*self.desk.records, run).unwrap_or_default(),
            operation: written.operation,
            dry_run: job.dry_run,
            diff: written.diff,
        };
        Ok(RecipeOutcome {
            value,
            report: format!("{}\n", composed.text.trim_end()),
            outcome: RunOutcome::Done,
        })
    }

    /// Topics from headings, links, tags, questions and telling phrases.
    fn topics_by_rules(&self, run: &Run, job: &NoteJob) -> Result<Vec<Topic>> {
        let name = job.path.rsplit('/').next().unwrap_or(&job.path);
        let title = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        let most = self.settings.max_topics;
        let topics = keyless::find_topics(title, &job.text, job.focus.as_deref(), most, &|_| 1.0);
        let names: Vec<&str> = topics.iter().map(|topic| topic.topic.as_str()).collect();
        run.record_event(&crate::ports::event::RunEvent::Plan { plan: json!({ "topics": names }) })?;
        Ok(topics)
    }

    /// Everything for all topics, some at a time, in the order of the topics.
    #[allow(clippy::too_many_arguments, reason = "one stage of one recipe")]
    async fn gather_topics(
        &self,
        around: Context<'_>,
        run: &Run,
        gather: &Gatherer<'_>,
        path: &VaultPath,
        job: &NoteJob,
        model: Option<&dyn Model>,
        has_web: bool,
        topics: &[Topic],
    ) -> Result<Vec<TopicMaterial>> {
        let done = AtomicUsize::new(0);
        let (done, of) = (&done, topics.len());
        let tell = move |done: usize, about: &str| {
            (around.watch)(ResearchEvent::Stage {
                stage: ResearchStage::Gather,
                done,
                of,
                about: about.to_owned(),
            });
        };
        tell(0, "");
        let each = topics.iter().enumerate().map(|(number, topic)| async move {
            let found = self.gather_topic(run, gather, path, job, model, has_web, topic).await;
            tell(done.fetch_add(1, Ordering::Relaxed) + 1, &topic.topic);
            (number, found)
        });
        let each: Vec<_> = each.collect();
        let at_once = self.settings.concurrency.max(1);
        let mut all: Vec<(usize, Result<TopicMaterial>)> =
            stream::iter(each).buffer_unordered(at_once).collect().await;
        all.sort_by_key(|(number, _)| *number);
        all.into_iter().map(|(_, found)| found).collect()
    }

    #[allow(clippy::too_many_arguments, reason = "one stage of one recipe")]
    async fn gather_topic(
        &self,
        run: &Run,
        gather: &Gatherer<'_>,
        path: &VaultPath,
        job: &NoteJob,
        model: Option<&dyn Model>,
        has_web: bool,
        topic: &Topic,
    ) -> Result<TopicMaterial> {
        let query = WebQuery { text: topic.topic.clone(), limit: RESULTS, offset: 0, answer: false };
        let web =
            async { if has_web { gather.search_web(&query).await } else { Ok(WebSearchResults::default()) } };
        let (web, library) = join(web, gather.search_library(&topic.topic, RESULTS, Some(path))).await;
        let (web, (passages, skipped)) = (web?, library?);
        let mut found = TopicMaterial { passages, ..TopicMaterial::default() };
        found.skipped.extend(skipped);
        found.skipped.extend(web.to_skipped(&topic.topic));
        let pages = if job.depth == Depth::Deep { self.settings.pages_per_topic } else { 0 };
        let fetched = web.answer.results.iter().take(pages).map(|result| async move {
            let page = gather
                .fetch_page(&FetchableUrl::from_result(result), self.page_limits(), &topic.topic)
                .await?;
            let page = match page {
                Ok(page) => page,
                Err(missed) => {
                    return Ok(Err(SkippedSource { what: result.url.clone(), reason: missed.reason }));
                }
            };
            let spans = match model {
                Some(model) => self.extract_spans(run, model, &page, &result.url, topic).await?,
                None => page.spans_about(&topic.topic, OF_A_PAGE),
            };
            Ok::<_, Error>(Ok((page, spans)))
        });
        let fetched: Vec<_> = fetched.collect();
        for page in futures_util::future::join_all(fetched).await {
            match page? {
                Ok(page) => found.pages.push(page),
                Err(skipped) => found.skipped.push(skipped),
            }
        }
        found.web = web;
        Ok(found)
    }

    /// What will leave this machine, before anything does.
    fn announce_outgoing(&self, around: Context<'_>, model: Option<&dyn Model>, gather: &Gatherer<'_>) {
        let tell = |what: &str, to: String, about: &str| {
            (around.watch)(ResearchEvent::Leaves { what: what.to_owned(), to, about: about.to_owned() });
        };
        if let Some(identity) = model.map(Model::identity).filter(|identity| !identity.is_local) {
            tell("model", identity.endpoint, "the note, and what is found for it but private notes");
        }
        for service in gather.reach.services.iter().map(|service| service.identity()) {
            if !service.is_local && !gather.stays {
                tell("search", service.endpoint, "the note's topics");
            }
        }
    }
}

/// The note, provided it is one that can be researched.
pub(super) fn read_researchable(around: Context<'_>, path: &str) -> Result<NoteText> {
    let path = around.vault.locate(path)?;
    let name = path.name().to_lowercase();
    if !ENDINGS.iter().any(|ending| name.ends_with(ending)) {
        return Err(Error::invalid(format!(
            "`{path}` is no note: only .md, .markdown and .txt can be researched"
        ))
        .with_path(path.as_str()));
    }
    if around.vault.instructs_models(&path) {
        return Err(Error::refused(format!(
            "`{path}` instructs models, and what is found by research is not written there"
        ))
        .with_path(path.as_str())
        .hint("nothing was asked or changed"));
    }
    let note = around.vault.read_for_edit(&path)?;
    if keyless::strip_generated_sections(&note.text).trim().is_empty() {
        return Err(Error::invalid(format!("`{path}` is empty: there is nothing to research"))
            .with_path(path.as_str()));
    }
    Ok(note)
}

pub(super) fn preview(body: &str) -> String {
    match body.char_indices().nth(PREVIEW) {
        Some((cut, _)) => format!("{}…", &body[..cut]),
        None => body.to_owned(),
    }
}

pub(super) fn render_notice(private: bool, with_model: bool, has_web: bool) -> Option<String> {
    let said = [(private, PRIVATE), (!with_model && !private, NO_MODEL), (!has_web && !private, NO_WEB)];
    let said: Vec<&str> = said.into_iter().filter(|(holds, _)| *holds).map(|(_, text)| text).collect();
    (!said.is_empty()).then(|| said.join("; "))
}
