//! Researches a note: finds topics worth researching, looks them up in the vault and on the web, and writes the results
//! into a section.

mod additions;
mod apply;
mod gathering;
mod keyless;
mod mentions;
mod okf_fields;
mod previewed;
mod render;
mod supplement;
mod topics;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wellread_text::{Span, take_page};

use self::okf_fields::with_left_fields;
use self::supplement::nothing_found_error;
use self::topics::no_topics_error;
pub(super) use self::topics::single_line;
use super::section::{self, SectionFingerprint, ShownSection};
use super::sources::{SentItem, collect_sent};
use super::write_up::{CitationForm, nothing_supported_error, with_cut_notice};
use super::{
    AnswerText, Context, JobAccess, Recipe, RecipeOutcome, Research, ResearchSettings, ResearchStage,
    SERVICES, SourceEntry, Work,
};
use crate::domain::corpus::{Hash, VaultPath};
use crate::domain::untrusted::Origin;
use crate::domain::verdict::VerdictCounts;
use crate::engine::gather::{LibraryPassage, PageText, SkippedSource, WebSearchResults};
use crate::insight::keyless::strip_generated_sections;
use crate::library::vault::NoteText;
use crate::ports::Model;
use crate::ports::event::RunKind;
use crate::trust::citations::CitationContext;
use crate::trust::gate::supported_part;
use crate::{Error, Result};

pub(super) const HEADING: &str = "## Research";
const ENDINGS: [&str; 3] = [".md", ".markdown", ".txt"];
/// How many spans of a page are used.
pub(super) const OF_A_PAGE: usize = 3;
const PREVIEW: usize = 500;
const NO_MODEL: &str = "no model is set up, so the best sentences are quoted verbatim";
const NO_WEB: &str = "no search service is chosen, so it was researched in notes and code alone; `wellread config set \
                      search.services duckduckgo` adds the web, or `--web` for one call";
const PRIVATE: &str = "the note is private: nothing of it left this machine";

/// Researches a note and writes the results into it. A failed run changes nothing.
#[derive(Debug)]
pub struct NoteRecipe;

/// How far to look.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = crate::domain::schema::list_variant_names)]
pub enum Depth {
    /// What search services say of their results.
    #[default]
    Shallow,
    /// The first pages of each topic are read, too.
    Deep,
}

/// A request to research a note.
#[derive(Debug, Clone)]
pub struct NoteRequest {
    /// The note.
    pub path: String,
    /// How thoroughly to research.
    pub depth: Depth,
    /// What to concentrate on.
    pub focus: Option<String>,
    /// Whether to show the diff and change nothing.
    pub dry_run: bool,
}

/// The stored job of a run about a note.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct NoteJob {
    pub(super) path: String,
    pub(super) depth: Depth,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) focus: Option<String>,
    pub(super) dry_run: bool,
    /// The note's text at the start of the run, as far as it is read.
    pub(super) text: String,
    pub(super) hash: Hash,
    pub(super) origin: Origin,
    pub(super) truncated: bool,
    pub(super) private: bool,
    pub(super) with_model: bool,
    /// The fingerprint of the section at the start, if there was one.
    pub(super) before: Option<SectionFingerprint>,
    /// The settings at the start of the run; a resumed run keeps them.
    pub(super) settings: ResearchSettings,
}

/// What researching a note came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NoteAnswer {
    /// The note.
    pub path: String,
    /// The number of topics.
    pub topics_researched: usize,
    /// The start of the section.
    pub preview: String,
    /// The run's id.
    pub run_id: String,
    /// What the section cites.
    pub sources: Vec<SourceEntry>,
    /// What could not be reached or read.
    pub skipped: Vec<SkippedSource>,
    /// How many links the model invented; they were removed.
    pub removed_links: usize,
    /// Whether the note was too long to be read in full.
    pub truncated: bool,
    /// A notice for the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
    /// How many of its sentences are supported by what they cite.
    #[schemars(with = "serde_json::Value")]
    pub coverage: VerdictCounts,
    /// Relevant notes that it does not link to, each with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forgotten: Vec<ForgottenNote>,
    /// What left this machine for it.
    pub left: Vec<SentItem>,
    /// The id of the edit in the journal; `wellread undo` accepts it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// True if nothing was changed because `dry_run` was set.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// The unified diff that the call would have applied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// The section that a dry run made, for [`write`](Self::write).
    #[serde(skip)]
    pub(super) shown: Option<ShownSection>,
}

/// A note that bears on the researched one, which has no link to it.
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
    /// Pages that were read, each with the spans relevant to the topic.
    pub pages: Vec<(PageText, Vec<Span>)>,
    pub skipped: Vec<SkippedSource>,
}

/// A section before its citations become links, and what else was found.
pub(super) struct SectionDraft {
    pub text: String,
    pub coverage: VerdictCounts,
    /// How many sentences the evidence supports, and how many were moved because it does not.
    pub supported: usize,
    pub moved: usize,
    pub removed: usize,
    /// Whether the model wrote more than a section may have.
    pub cut: bool,
    pub forgotten: Vec<ForgottenNote>,
}

impl Recipe for NoteRecipe {
    const KIND: RunKind = RunKind::Note;
    type Request = NoteRequest;
    type Job = NoteJob;
    type Answer = NoteAnswer;

    fn prepare(&self, research: &Research, context: Context<'_>, request: NoteRequest) -> Result<NoteJob> {
        let job = NoteJob::prepare(research, context, request, HEADING)?;
        job.check_okf_writable(context)?;
        Ok(job)
    }

    fn title(&self, job: &NoteJob) -> String {
        format!("research {}", job.path)
    }

    fn access(&self, job: &NoteJob) -> JobAccess {
        job.access()
    }

    fn restore_settings(&self, research: &Research, job: &NoteJob) -> Research {
        Research { settings: job.settings, ..research.clone() }
    }

    async fn work(&self, work: &Work<'_, NoteJob>) -> Result<RecipeOutcome<NoteAnswer>> {
        work.research_note().await
    }

    fn render(&self, answer: &NoteAnswer) -> Result<AnswerText> {
        Ok(answer.render())
    }
}

impl NoteJob {
    /// Makes the job of a run about a note; `Err` if it can't be read, or has several sections with that heading.
    pub(super) fn prepare(
        research: &Research,
        context: Context<'_>,
        request: NoteRequest,
        heading: &str,
    ) -> Result<Self> {
        let NoteRequest { path, depth, focus, dry_run } = request;
        let note = read_researchable(context, &path)?;
        section::check_place(&note.text, heading).map_err(|error| error.with_path(note.path.as_str()))?;
        let part = take_page(&note.text, 0, research.settings.note_chars);
        let private = context.vault.is_private(&note.path);
        Ok(Self {
            depth,
            focus: focus.map(|focus| focus.trim().to_owned()).filter(|focus| !focus.is_empty()),
            dry_run,
            truncated: part.next.is_some(),
            text: part.text.to_string(),
            hash: note.hash,
            origin: context.vault.origin_of(&note.path),
            private,
            with_model: research.model_for(private).is_some(),
            before: section::fingerprint_section(&note.text, heading)?,
            settings: research.settings,
            path: note.path.to_string(),
        })
    }

    pub(super) fn access(&self) -> JobAccess {
        let Self { with_model, private, .. } = *self;
        JobAccess { with_model, private, private_notes: private }
    }
}

impl Work<'_, NoteJob> {
    async fn research_note(&self) -> Result<RecipeOutcome<NoteAnswer>> {
        let path = self.vault.rules.parse_file(&self.job.path)?;
        self.check_still_public(&path)?;
        let has_web = !self.run.draw(SERVICES, || self.gatherer.allowed_services())?.is_empty();
        if !self.run.is_replay() {
            self.announce_note_requests();
        }
        let topics = self.find_topics().await?;
        if topics.is_empty() {
            return Err(no_topics_error().with_path(path.as_str()));
        }
        let material = self.gather_topics(&path, has_web, &topics).await?;
        self.pause().await;
        let draft = match self.model {
            Some(model) => self.write_supplement(model, &path, &topics, &material).await,
            None => self.quote_section(&path, &topics, &material).await,
        };
        let draft = draft.map_err(|error| error.with_path(path.as_str()))?;
        let form = if self.job.carries_okf() { CitationForm::Footnotes } else { CitationForm::Links };
        let body = self.render_body(&draft.text, &path, form)?;
        // Text without any supported claim must not replace an earlier section.
        if draft.supported == 0 && draft.moved > 0 {
            return Err(nothing_supported_error(draft.moved, self.run.id()).with_path(path.as_str()));
        }
        if body.trim().is_empty() || draft.supported == 0 {
            return Err(nothing_found_error().with_path(path.as_str()));
        }
        let sources = self.list_cited(&draft.text, &path)?;
        self.begin_stage(ResearchStage::Write, &self.job.path);
        let okf = self.draw_okf_mark(draft.moved == 0)?;
        let written = self.write_section(("research_note", HEADING), &path, &body, okf).await?;
        let notice = render_notice(self.job.private, self.job.with_model, has_web);
        let notice = with_cut_notice(notice, draft.cut);
        let value = NoteAnswer {
            path: self.job.path.clone(),
            topics_researched: topics.len(),
            preview: preview(&body),
            run_id: self.run.id().to_string(),
            sources,
            skipped: collect_skipped(material),
            removed_links: draft.removed,
            truncated: self.job.truncated,
            notice: self.job.with_replaced_section(HEADING, with_left_fields(notice, written.left)),
            coverage: draft.coverage,
            forgotten: draft.forgotten,
            // The note has been written: a failure here must not hide that.
            left: collect_sent(&*self.research.runs.records, self.run).unwrap_or_default(),
            operation: written.operation,
            dry_run: self.job.dry_run,
            diff: written.diff,
            shown: written.shown,
        };
        Ok(RecipeOutcome::done(value, format!("{}\n", draft.text.trim_end())))
    }

    /// The sources that the section cites. Logged, since which notes exist may change.
    fn list_cited(&self, text: &str, path: &VaultPath) -> Result<Vec<SourceEntry>> {
        let ledger = self.run.ledger();
        let names = self.vault.links.names()?;
        let sources = CitationContext { ledger: &ledger, names: &names, from: path.as_str() };
        self.run.draw("cited", || {
            sources
                .cited_evidence(&supported_part(text))
                .iter()
                .map(SourceEntry::from_evidence)
                .collect::<Vec<_>>()
        })
    }

    /// Announces what will be sent to other machines, before anything is.
    fn announce_note_requests(&self) {
        if let Some(identity) = self.model.map(Model::identity).filter(|model| !model.is_local) {
            let about = "the note, and what is found for it but private notes";
            self.announce_outgoing("model", identity.endpoint, about);
        }
        for service in self.reach.services.iter().map(|service| service.identity()) {
            if !service.is_local && !self.gatherer.stays {
                self.announce_outgoing("search", service.endpoint, "the note's topics");
            }
        }
    }
}

/// The skipped sources of all topics, each once.
fn collect_skipped(material: Vec<TopicMaterial>) -> Vec<SkippedSource> {
    let mut skipped: Vec<SkippedSource> = Vec::new();
    for skip in material.into_iter().flat_map(|material| material.skipped) {
        if !skipped.contains(&skip) {
            skipped.push(skip);
        }
    }
    skipped
}

/// Reads a note for research; `Err` if it is no note, instructs models, or is empty.
pub(super) fn read_researchable(context: Context<'_>, path: &str) -> Result<NoteText> {
    let path = context.vault.locate(path)?;
    let name = path.name().to_lowercase();
    if !ENDINGS.iter().any(|ending| name.ends_with(ending)) {
        return Err(Error::invalid(format!(
            "`{path}` is not a note: only .md, .markdown and .txt can be researched"
        ))
        .with_path(path.as_str()));
    }
    if context.vault.instructs_models(&path) {
        return Err(Error::refused(format!(
            "`{path}` instructs models, so research results are not written there"
        ))
        .with_path(path.as_str())
        .hint("nothing was asked or changed"));
    }
    let note = context.vault.read_for_edit(&path)?;
    if strip_generated_sections(&note.text).trim().is_empty() {
        return Err(Error::invalid(format!("`{path}` is empty: there is nothing to research"))
            .with_path(path.as_str()));
    }
    Ok(note)
}

/// The beginning of a text in whole lines; where a long line would leave little of it, in whole words.
pub(super) fn preview(body: &str) -> String {
    let Some((cut, _)) = body.char_indices().nth(PREVIEW) else { return body.to_owned() };
    let begun = &body[..cut];
    let line = begun.rfind('\n').filter(|end| *end > cut / 3);
    let whole = line.or_else(|| begun.rfind(' ')).unwrap_or(cut);
    format!("{}{}…", begun[..whole].trim_end(), if line.is_some() { "\n" } else { " " })
}

pub(super) fn render_notice(private: bool, with_model: bool, has_web: bool) -> Option<String> {
    let said = [(private, PRIVATE), (!with_model && !private, NO_MODEL), (!has_web && !private, NO_WEB)];
    let said: Vec<&str> = said.into_iter().filter(|(holds, _)| *holds).map(|(_, text)| text).collect();
    (!said.is_empty()).then(|| said.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preview_ends_with_a_whole_line_or_word() {
        assert_eq!(preview("- one\n- two\n"), "- one\n- two\n");
        let line = format!("- {} ([[Note#A heading]])\n", "word ".repeat(30).trim_end());
        let shown = preview(&line.repeat(5));
        assert_eq!(shown, format!("{}…", line.repeat(2)));
        assert!(preview(&format!("## Research\n\n{}", "word ".repeat(200))).ends_with("word …"));
        assert_eq!(preview(&"x".repeat(600)), format!("{} …", "x".repeat(500)));
    }
}
