//! Proposes an agenda: with a model that reads the note or the health report, or by rules.

use serde::{Deserialize, Serialize};
use tracing::Instrument as _;

use super::finding::plain_text;
use super::is_same_topic;
use super::render::render_agenda;
use super::rules::{self, HealthBrief, MOST, TaskDraft};
use crate::domain::display::counted;
use crate::domain::id::{AgendaId, RunId, TaskId};
use crate::domain::spans;
use crate::domain::untrusted::Origin;
use crate::engine::log::notes_in_evidence;
use crate::insight::{health, keyless};
use crate::ports::agenda::{Agenda, AgendaStatus, Task, TaskSource, TaskStatus, Trigger};
use crate::ports::event::{Budget, RunEvent, RunKind};
use crate::research::note::read_researchable;
use crate::research::{AnswerText, Context, JobAccess, Recipe, RecipeOutcome, Research, ResearchStage, Work};
use crate::{Error, Result, WayOut};

/// With fewer tasks from the model, rules add more.
const LEAST: usize = 2;
const NO_SERVICE: &str = "no search service is chosen, so nothing of this can be looked up yet: `wellread config set search.services \
                          duckduckgo,arxiv` chooses some";
const OFFLINE: &str = "proposed offline: approve it without --offline to have it looked up";

/// Proposes an agenda for a note or the whole vault.
#[derive(Debug)]
pub struct ProposalRecipe;

/// A request for an agenda.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProposalRequest {
    /// The note; `None` for the whole vault.
    pub note: Option<String>,
    /// What caused the proposal.
    pub trigger: Trigger,
}

/// The result of a proposal.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum ProposalAnswer {
    /// The proposed agenda.
    Agenda(Box<Agenda>),
    /// There is nothing to research, which is not a failure.
    Nothing {
        /// Why there is nothing to propose.
        nothing: String,
        /// What the user can do.
        hint: String,
        /// A way out that a user interface can offer.
        #[serde(skip)]
        way_out: Option<WayOut>,
    },
}

impl ProposalAnswer {
    fn nothing(message: impl Into<String>, hint: &str, way_out: Option<WayOut>) -> RecipeOutcome<Self> {
        let nothing = message.into();
        let report = format!("No agenda was proposed: {nothing}.\n");
        RecipeOutcome::done(Self::Nothing { nothing, hint: hint.to_owned(), way_out }, report)
    }

    fn agenda(&self) -> Result<&Agenda> {
        match self {
            Self::Agenda(agenda) => Ok(agenda),
            Self::Nothing { nothing, hint, way_out } => {
                let error = Error::conflict(nothing).hint(hint);
                Err(match way_out {
                    Some(way) => error.with_way_out(*way),
                    None => error,
                })
            }
        }
    }
}

/// The stored job of a proposal run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ProposalJob {
    #[serde(rename = "propose")]
    trigger: Trigger,
    pub(super) note: Option<NoteInput>,
    with_model: bool,
    private: bool,
    pub(super) sources: Vec<TaskSource>,
    max_findings: usize,
    pub(super) note_chars: usize,
    offline: bool,
}

/// The note that an agenda is proposed for.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct NoteInput {
    pub(super) path: String,
    pub(super) text: String,
    pub(super) origin: Origin,
}

impl Recipe for ProposalRecipe {
    const KIND: RunKind = RunKind::Proposal;
    type Request = ProposalRequest;
    type Job = ProposalJob;
    type Answer = ProposalAnswer;

    fn prepare(
        &self,
        research: &Research,
        context: Context<'_>,
        request: ProposalRequest,
    ) -> Result<ProposalJob> {
        let sources = research.task_sources(context);
        let note = request.note.as_deref().map(|path| research.read_note_input(context, path)).transpose()?;
        if note.is_none() && !context.vault.files.list()?.files.iter().any(|entry| entry.path.is_note()) {
            return Err(Error::conflict("there is no note in the vault yet: nothing to research")
                .hint("write a note first, or name another vault with `--vault PATH`"));
        }
        let private = note.as_ref().is_some_and(|(_, private)| *private);
        let note = note.map(|(note, _)| note);
        if private && research.has_remote_source(context) {
            return Err(private_note_error(note.as_ref().map_or("", |note| &note.path)));
        }
        Ok(ProposalJob {
            trigger: request.trigger,
            note,
            with_model: research.model_for(private).is_some(),
            private,
            sources,
            max_findings: research.agenda.max_findings,
            note_chars: research.settings.note_chars,
            offline: context.reach.offline,
        })
    }

    fn title(&self, job: &ProposalJob) -> String {
        match &job.note {
            Some(note) => format!("propose research for {}", note.path),
            None => "propose research for the vault".to_owned(),
        }
    }

    fn budget(&self, research: &Research) -> Budget {
        Budget { seconds: Some(research.agenda.agenda_time.as_secs().max(1)), ..research.budget() }
    }

    fn access(&self, job: &ProposalJob) -> JobAccess {
        let ProposalJob { with_model, private, .. } = *job;
        JobAccess { with_model, private, private_notes: private }
    }

    async fn work(&self, work: &Work<'_, ProposalJob>) -> Result<RecipeOutcome<ProposalAnswer>> {
        work.propose_agenda().await
    }

    fn render(&self, answer: &ProposalAnswer) -> Result<AnswerText> {
        Ok(AnswerText { text: render_agenda(answer.agenda()?), notices: Vec::new() })
    }
}

impl Research {
    /// Proposes an agenda. It is stored nowhere but in the run's log.
    pub async fn propose(&self, context: Context<'_>, request: ProposalRequest) -> Result<Agenda> {
        let job = ProposalRecipe.prepare(self, context, request)?;
        let run = self.begin(&ProposalRecipe, &job, RunId::fresh())?;
        let name = self.model_for(job.private).map(|model| model.identity().name);
        let span = spans::agenda_generate(name.as_deref());
        let work = self.work_on(&ProposalRecipe, context, &run);
        let answer = work.instrument(span.clone()).await;
        let proposed = answer.and_then(|answer| answer.agenda().cloned());
        if let Ok(agenda) = &proposed {
            spans::record_task_count(&span, agenda.tasks.len());
        }
        spans::record_outcome(&span, &proposed);
        proposed
    }

    /// The note without its generated sections, cut to the limit, and whether it is private.
    fn read_note_input(&self, context: Context<'_>, path: &str) -> Result<(NoteInput, bool)> {
        let note = read_researchable(context, path)?;
        let text = keyless::strip_generated_sections(&note.text);
        let text = text.chars().take(self.settings.note_chars).collect();
        let origin = context.vault.origin_of(&note.path);
        let private = context.vault.is_private(&note.path);
        Ok((NoteInput { path: note.path.to_string(), text, origin }, private))
    }
}

/// Drafts that are worth asking, neither suppressed nor proposed twice.
#[derive(Default)]
struct Drafts {
    suppressed: Vec<String>,
    chosen: Vec<TaskDraft>,
    /// How many were dropped because their topics are suppressed.
    held_back: usize,
}

impl Drafts {
    fn add(&mut self, draft: TaskDraft, most: usize) {
        let is_known =
            |known: &TaskDraft| known.source == draft.source && is_same_topic(&known.query, &draft.query);
        if self.suppressed.iter().any(|topic| is_same_topic(topic, &draft.query)) {
            self.held_back += 1;
        } else if self.chosen.len() < most
            && rules::is_worth_asking(&draft)
            && !self.chosen.iter().any(is_known)
        {
            self.chosen.push(draft);
        }
    }
}

impl Work<'_, ProposalJob> {
    async fn propose_agenda(&self) -> Result<RecipeOutcome<ProposalAnswer>> {
        self.begin_stage(ResearchStage::Topics, "");
        let brief = match self.job.note {
            Some(_) => None,
            None => Some(self.health_brief()?),
        };
        let drafts = self.draft_tasks(brief.as_ref()).await?;
        if drafts.chosen.is_empty() {
            let note = self.job.note.as_ref().map(|note| note.path.as_str());
            return Ok(nothing_to_propose(drafts.held_back, note));
        }
        let id = self.run.draw("agenda", AgendaId::fresh)?;
        let created = self.run.draw("moment", || self.research.runs.clock.now().timestamp())?;
        let tasks = self.number_tasks(&id, drafts.chosen)?;
        // Written by a model or taken from notes, so it is made inert.
        let line = |task: &Task| {
            plain_text(&format!("{} ({}): {}", task.query, task.source.name(), task.motivation))
        };
        let report: String = tasks.iter().map(|task| format!("- {}\n", line(task))).collect();
        let no_source = if self.job.offline { OFFLINE } else { NO_SERVICE };
        let agenda = Agenda {
            id,
            status: AgendaStatus::Pending,
            trigger: self.job.trigger,
            source_note_id: self.job.note.as_ref().map(|note| note.path.clone()),
            created,
            approved: None,
            ended: None,
            message: self.job.sources.is_empty().then(|| no_source.to_owned()),
            tasks,
            findings: 0,
            max_findings: self.job.max_findings,
            private: self.job.private,
            run_id: Some(self.run.id().clone()),
        };
        Ok(RecipeOutcome::done(ProposalAnswer::Agenda(Box::new(agenda)), report))
    }

    /// Drafts the tasks: the model's first, then those from rules.
    async fn draft_tasks(&self, brief: Option<&HealthBrief>) -> Result<Drafts> {
        let job = self.job;
        let suppressed =
            self.run.draw("suppressed", || self.research.suppressed_queries().unwrap_or_default())?;
        let ruled = match (&job.note, brief) {
            (Some(note), _) => rules::draft_note_tasks(&note.path, &note.text, &job.sources),
            (None, brief) => brief.map(|brief| brief.draft_tasks(&job.sources)).unwrap_or_default(),
        };
        let mut drafts = Drafts { suppressed, ..Drafts::default() };
        if let Some(model) = self.model {
            for draft in self.tasks_by_model(model, brief).await? {
                drafts.add(draft, MOST);
            }
        }
        let enough = if self.model.is_some() { LEAST } else { MOST };
        for draft in ruled {
            drafts.add(draft, enough);
        }
        Ok(drafts)
    }

    /// Turns the drafts into tasks of an agenda, each with the latest task on the same topic.
    fn number_tasks(&self, agenda: &AgendaId, drafts: Vec<TaskDraft>) -> Result<Vec<Task>> {
        let tasks = drafts.into_iter().enumerate().map(|(at, draft)| Task {
            id: TaskId::new(agenda, at + 1),
            query: draft.query,
            source: draft.source,
            motivation: draft.motivation,
            related_notes: draft.related,
            status: TaskStatus::Proposed,
            run_id: None,
            message: None,
            counts: None,
            earlier: None,
        });
        let mut tasks: Vec<Task> = tasks.collect();
        tasks = self.run.draw("earlier", || {
            let _ = self.research.set_earlier_tasks(&mut tasks);
            tasks
        })?;
        let queries: Vec<&str> = tasks.iter().map(|task| task.query.as_str()).collect();
        self.run.record_event(&RunEvent::Plan { plan: serde_json::json!({ "tasks": queries }) })?;
        Ok(tasks)
    }

    /// The parts of the health report that matter for research, without private notes.
    fn health_brief(&self) -> Result<HealthBrief> {
        let vault = self.vault;
        let brief = self.run.draw("health", || {
            let is_open = |path: &str| {
                vault
                    .rules
                    .parse_file(path)
                    .is_ok_and(|path| !vault.is_private(&path) && !vault.instructs_models(&path))
            };
            let records = &*self.research.runs.records;
            let examined = notes_in_evidence(records, &vault.without_private()).and_then(|drawn_on| {
                health::examine(&health::HealthInputs {
                    vault,
                    search: self.search,
                    drawn_on: &drawn_on,
                    without_private: true,
                })
            });
            examined
                .map(|examined| HealthBrief::from_health(&examined.health, &is_open))
                .map_err(|error| error.message().to_owned())
        })?;
        brief.map_err(Error::failed)
    }
}

fn private_note_error(path: &str) -> Error {
    Error::refused(format!("`{path}` is private: looking something up would send its words"))
        .with_path(path)
        .hint("nothing was asked or sent; `wellread note` researches it in notes and code only")
}

fn nothing_to_propose(held_back: usize, note: Option<&str>) -> RecipeOutcome<ProposalAnswer> {
    if held_back > 0 {
        return ProposalAnswer::nothing(
            format!("nothing to propose: {} suppressed", counted(held_back, "topic is", "topics are")),
            "`wellread inbox suppressed` lists them, `--allow TOPIC` allows one again",
            Some(WayOut::AllowTopic),
        );
    }
    match note {
        Some(path) => ProposalAnswer::nothing(
            format!("found nothing in `{path}` that deserves research"),
            "write more into it first",
            None,
        ),
        None => ProposalAnswer::nothing(
            "found nothing in the vault to research: no orphans and no dead links",
            "name a note to research: `wellread agenda new --note PATH`",
            Some(WayOut::ChooseNote),
        ),
    }
}
