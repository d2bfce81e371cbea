//! An agenda is proposed: by a model that reads the note or the health report, or by rules.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tracing::Instrument as _;
use wellread_text::fold;

use super::super::lifecycle::run_recipe;
use super::super::model_calls::{build_request, prefer_run_error};
use super::super::note::read_researchable;
use super::super::topics::single_line;
use super::super::{Context, RecipeOutcome, Research, ResearchEvent, ResearchStage, read_job};
use super::finding::plain_text;
use super::is_same_topic;
use super::rules::{self, HealthBrief, MOST, TaskDraft};
use crate::domain::id::{self, AgendaId, TaskId};
use crate::domain::spans;
use crate::domain::untrusted::{Origin, Untrusted};
use crate::engine::llm::ask_structured;
use crate::engine::run::{BudgetLimit, ModelCallFailure, Run, RunModelClient, RunSpec};
use crate::insight::health;
use crate::insight::keyless;
use crate::ports::agenda::{Agenda, AgendaStatus, Task, TaskSource, TaskStatus, Trigger};
use crate::ports::event::{RunEvent, RunKind, RunOutcome};
use crate::ports::{Model, ModelFailure};
use crate::trust::prompt::{AGENDA, Prompt, PromptDocument};
use crate::{Error, ErrorKind, Result, WayOut};

/// Fewer than these are filled up by rules.
const LEAST: usize = 2;
const LONGEST_QUERY: usize = 120;
const LONGEST_MOTIVATION: usize = 300;
const MOST_RELATED: usize = 5;
const NO_SERVICE: &str = "no search service is chosen, so nothing of this can be looked up yet: `wellread config set search.services \
                          duckduckgo,arxiv` chooses some";

const OFFLINE: &str = "proposed offline: approve it without --offline to have it looked up";

/// What an agenda is wanted for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProposalRequest {
    /// The note; the whole vault where there is none.
    pub note: Option<String>,
    pub trigger: Trigger,
}

/// What came of proposing.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum ProposalAnswer {
    Agenda(Box<Agenda>),
    /// There is nothing to research: no failure, and no agenda either.
    Nothing {
        nothing: String,
        hint: String,
        #[serde(skip)]
        way_out: Option<WayOut>,
    },
}

impl ProposalAnswer {
    fn nothing(message: impl Into<String>, hint: &str, way_out: Option<WayOut>) -> RecipeOutcome<Self> {
        let nothing = message.into();
        let report = format!("No agenda was proposed: {nothing}.\n");
        RecipeOutcome {
            value: Self::Nothing { nothing, hint: hint.to_owned(), way_out },
            report,
            outcome: RunOutcome::Done,
        }
    }

    fn into_agenda(self) -> Result<Agenda> {
        match self {
            Self::Agenda(agenda) => Ok(*agenda),
            Self::Nothing { nothing, hint, way_out } => {
                let error = Error::conflict(nothing).hint(hint);
                Err(way_out.map_or(error.clone(), |way| error.with_way_out(way)))
            }
        }
    }
}

/// What a run that proposes is begun with.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct ProposalJob {
    propose: Trigger,
    note: Option<NoteInput>,
    with_model: bool,
    private: bool,
    sources: Vec<TaskSource>,
    max_findings: usize,
    note_chars: usize,
    offline: bool,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct NoteInput {
    path: String,
    text: String,
    origin: Origin,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct ProposalReply {
    tasks: Vec<ProposedTask>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct ProposedTask {
    query: String,
    #[serde(default)]
    source: Option<String>,
    #[serde(default)]
    motivation: String,
    #[serde(default, alias = "relatedNotes")]
    related_notes: Vec<String>,
}

impl Research {
    /// Proposes an agenda. It is kept nowhere but in the run's log.
    pub async fn propose(&self, around: Context<'_>, asked: &ProposalRequest) -> Result<Agenda> {
        let sources = self.task_sources(around);
        let note = asked.note.as_deref().map(|path| self.read_note_input(around, path)).transpose()?;
        if note.is_none() && !around.vault.files.list()?.files.iter().any(|entry| entry.path.is_note()) {
            return Err(Error::conflict("there is no note in the vault yet: nothing to research")
                .hint("write a note first, or name another vault with `--vault PATH`"));
        }
        let private = note.as_ref().is_some_and(|(_, private)| *private);
        if private && self.has_remote_source(around) {
            let path = note.map(|(note, _)| note.path).unwrap_or_default();
            return Err(Error::refused(format!(
                "`{path}` is private: to look something up would send its words"
            ))
            .with_path(&path)
            .hint("nothing was asked or sent; `wellread note` researches it in notes and code alone"));
        }
        let note = note.map(|(note, _)| note);
        let title = match &note {
            Some(note) => format!("propose research for {}", note.path),
            None => "propose research for the vault".to_owned(),
        };
        let job = ProposalJob {
            propose: asked.trigger,
            note,
            with_model: self.model_for(private).is_some(),
            private,
            sources,
            max_findings: self.agenda.max_findings,
            note_chars: self.settings.note_chars,
            offline: around.reach.offline,
        };
        let request = serde_json::to_value(&job);
        let request = request.map_err(|error| Error::failed(format!("the run can't be kept: {error}")))?;
        let mut budget = self.budget();
        budget.seconds = Some(self.agenda.agenda_time.as_secs().max(1));
        let run = Run::begin(&self.desk, RunSpec { kind: RunKind::Agenda, title, request, budget })?;
        let name = self.model_for(private).map(|model| model.identity().name);
        let span = spans::agenda_generate(name.as_deref());
        let work = run_recipe(around, &run, self.proposal_work(around, &run, job));
        let proposed = work.instrument(span.clone()).await.and_then(ProposalAnswer::into_agenda);
        if let Ok(agenda) = &proposed {
            spans::record_task_count(&span, agenda.tasks.len());
        }
        spans::record_outcome(&span, &proposed);
        proposed
    }

    pub(in super::super) async fn rerun_proposal(&self, around: Context<'_>, run: &Run) -> Result<Agenda> {
        let job: ProposalJob = read_job(run)?;
        run_recipe(around, run, self.proposal_work(around, run, job)).await?.into_agenda()
    }

    /// The note as it is read, and whether it is private.
    fn read_note_input(&self, around: Context<'_>, path: &str) -> Result<(NoteInput, bool)> {
        let note = read_researchable(around, path)?;
        let text = keyless::strip_generated_sections(&note.text);
        let text = text.chars().take(self.settings.note_chars).collect();
        let origin = around.vault.origin_of(&note.path);
        let private = around.vault.is_private(&note.path);
        Ok((NoteInput { path: note.path.to_string(), text, origin }, private))
    }

    async fn proposal_work(
        &self,
        around: Context<'_>,
        run: &Run,
        job: ProposalJob,
    ) -> Result<RecipeOutcome<ProposalAnswer>> {
        let model = self.model_for_run(run, job.with_model, job.private)?;
        (around.watch)(ResearchEvent::Stage {
            stage: ResearchStage::Topics,
            done: 0,
            of: 1,
            about: String::new(),
        });
        let brief = match job.note {
            Some(_) => None,
            None => Some(self.health_brief(around, run)?),
        };
        let suppressed = run.draw("suppressed", || self.suppressed_queries().unwrap_or_default())?;
        let ruled = match (&job.note, &brief) {
            (Some(note), _) => rules::draft_note_tasks(&note.path, &note.text, &job.sources),
            (None, brief) => brief.as_ref().map(|brief| brief.draft_tasks(&job.sources)).unwrap_or_default(),
        };
        let mut drafts: Vec<TaskDraft> = Vec::new();
        let mut held_back = 0;
        let mut take = |drafts: &mut Vec<TaskDraft>, draft: TaskDraft, most: usize| {
            let is_known =
                |known: &TaskDraft| known.source == draft.source && is_same_topic(&known.query, &draft.query);
            if suppressed.iter().any(|topic| is_same_topic(topic, &draft.query)) {
                held_back += 1;
            } else if drafts.len() < most && !draft.query.is_empty() && !drafts.iter().any(is_known) {
                drafts.push(draft);
            }
        };
        if let Some(model) = model {
            for draft in self.propose_by_model(around, run, model, &job, brief.as_ref()).await? {
                take(&mut drafts, draft, MOST);
            }
        }
        let enough = if model.is_some() { LEAST } else { MOST };
        for draft in ruled {
            take(&mut drafts, draft, enough);
        }
        if drafts.is_empty() {
            return Ok(nothing_to_propose(held_back, job.note.as_ref().map(|note| note.path.as_str())));
        }
        let id = run.draw("agenda", AgendaId::fresh)?;
        let created = run.draw("moment", || self.desk.clock.now().timestamp())?;
        let tasks = drafts.into_iter().enumerate().map(|(at, draft)| Task {
            id: TaskId::new(&id, at + 1),
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
        tasks = run.draw("earlier", || {
            let _ = self.set_earlier_tasks(&mut tasks);
            tasks
        })?;
        let queries: Vec<&str> = tasks.iter().map(|task| task.query.as_str()).collect();
        run.record_event(&RunEvent::Plan { plan: serde_json::json!({ "tasks": queries }) })?;
        // A model's words, or names from the notes: nothing in them does anything.
        let told = |task: &Task| {
            plain_text(&format!("{} ({}): {}", task.query, task.source.name(), task.motivation))
        };
        let report: String = tasks.iter().map(|task| format!("- {}\n", told(task))).collect();
        let agenda = Agenda {
            id,
            status: AgendaStatus::Pending,
            trigger: job.propose,
            source_note_id: job.note.map(|note| note.path),
            created,
            approved: None,
            ended: None,
            message: job
                .sources
                .is_empty()
                .then(|| if job.offline { OFFLINE } else { NO_SERVICE }.to_owned()),
            tasks,
            findings: 0,
            max_findings: job.max_findings,
            private: job.private,
            run_id: Some(run.id().clone()),
        };
        Ok(RecipeOutcome {
            value: ProposalAnswer::Agenda(Box::new(agenda)),
            report,
            outcome: RunOutcome::Done,
        })
    }

    /// The health report, as far as it bears on research; what is private is not in it.
    fn health_brief(&self, around: Context<'_>, run: &Run) -> Result<HealthBrief> {
        let brief = run.draw("health", || {
            let is_open = |path: &str| {
                around.vault.rules.parse_file(path).is_ok_and(|path| {
                    !around.vault.is_private(&path) && !around.vault.instructs_models(&path)
                })
            };
            let examined = health::examine(&health::HealthInputs {
                vault: around.vault,
                search: around.search,
                records: &*self.desk.records,
                without_private: true,
            });
            examined
                .map(|examined| HealthBrief::from_health(&examined.health, &is_open))
                .map_err(|error| error.message().to_owned())
        })?;
        brief.map_err(Error::failed)
    }

    async fn propose_by_model(
        &self,
        around: Context<'_>,
        run: &Run,
        model: &dyn Model,
        job: &ProposalJob,
        brief: Option<&HealthBrief>,
    ) -> Result<Vec<TaskDraft>> {
        let all = [TaskSource::Web, TaskSource::Arxiv];
        let sources = if job.sources.is_empty() { &all[..] } else { &job.sources };
        let named: Vec<String> = sources.iter().map(|source| format!("`{}`", source.name())).collect();
        let about = match &job.note {
            Some(_) => "one note of theirs",
            None => "a report on how all of their notes hang together",
        };
        let instructions = AGENDA.fill(&[("about", about), ("sources", &named.join(" or "))])?;
        let (who, name, text) = match (&job.note, brief) {
            (Some(note), _) => {
                ("the user, in a note", note.path.as_str(), Untrusted::new(note.origin, note.text.clone()))
            }
            (None, brief) => (
                "a report on the user's notes, made of their names",
                "the health report",
                Untrusted::from_note(brief.map(HealthBrief::render).unwrap_or_default()),
            ),
        };
        let document = PromptDocument { who, name, text: &text, cap: job.note_chars, id: None };
        let built = Prompt::new(&instructions)
            .document(document)
            .build(&mut || run.draw("nonce", id::nonce).unwrap_or_default())?;
        let mut request = build_request(&self.settings, built.text);
        request.limit = self.agenda.agenda_time;
        let ask = RunModelClient::new(run, model);
        let answer = ask_structured::<ProposalReply>(&ask, request, "agenda").await;
        let entries = answer.map_err(|error| self.timeout_error(&ask, error))?.value.tasks;
        let known = |name: &str| -> Option<String> {
            let path = around.vault.locate(name.trim()).ok()?;
            (!around.vault.is_private(&path)).then(|| path.to_string())
        };
        let drafts = entries.into_iter().map(|entry| {
            let source = entry.source.as_deref().map(fold).unwrap_or_default();
            let source = sources.iter().find(|known| known.name() == source).or(sources.first());
            let own = job.note.iter().map(|note| note.path.clone());
            let mut related: Vec<String> =
                own.chain(entry.related_notes.iter().filter_map(|name| known(name))).collect();
            let mut seen = std::collections::BTreeSet::new();
            related.retain(|path| seen.insert(path.clone()));
            related.truncate(MOST_RELATED);
            TaskDraft {
                query: single_line(&entry.query, LONGEST_QUERY),
                source: source.copied().unwrap_or(TaskSource::Web),
                motivation: single_line(&entry.motivation, LONGEST_MOTIVATION),
                related,
            }
        });
        let drafts: Vec<TaskDraft> = drafts.collect();
        // Which notes there are is asked once.
        run.draw("proposed", || drafts)
    }

    /// That time was up is told as what it is.
    fn timeout_error(&self, ask: &RunModelClient<'_>, error: Error) -> Error {
        let late = || {
            Error::new(
                ErrorKind::Unavailable,
                format!("the model proposed nothing within {} s", self.agenda.agenda_time.as_secs()),
            )
            .hint("nothing was kept: try again; `research.agenda_timeout_s` gives it longer, and `--offline` proposes without it")
        };
        match ask.take_failure() {
            Some(ModelCallFailure::Budget(BudgetLimit::Seconds)) => late(),
            Some(ModelCallFailure::Model(ModelFailure::Unreachable { message }))
                if message.contains("within") =>
            {
                late()
            }
            Some(trouble) => super::super::model_calls::to_error(trouble),
            None => prefer_run_error(ask, error),
        }
    }
}

fn nothing_to_propose(held_back: usize, note: Option<&str>) -> RecipeOutcome<ProposalAnswer> {
    if held_back > 0 {
        return ProposalAnswer::nothing(
            format!("nothing to propose: {held_back} topics are suppressed"),
            "`wellread inbox suppressed` lists them, `--allow TOPIC` takes one back",
            Some(WayOut::AllowTopic),
        );
    }
    match note {
        Some(path) => ProposalAnswer::nothing(
            format!("nothing in `{path}` was found that deserves research"),
            "write more into it first",
            None,
        ),
        None => ProposalAnswer::nothing(
            "nothing in the vault asks for research: no note stands alone, no link leads nowhere",
            "name a note to research: `wellread agenda new --note PATH`",
            Some(WayOut::ChooseNote),
        ),
    }
}
