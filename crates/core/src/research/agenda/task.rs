//! A task of an agenda as a recipe: how its run is started, resumed and traced. Its steps are in `task_work`.

use std::fmt::Write as _;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tracing::Instrument as _;

use super::AgendaSettings;
use super::render::render_finding;
use super::task_work::find_private_note;
use crate::domain::id::{AgendaId, RunId};
use crate::domain::spans;
use crate::engine::run::Run;
use crate::ports::NewFinding;
use crate::ports::agenda::{Agenda, Finding, Task, TaskCounts};
use crate::ports::event::{RunEnd, RunEvent, RunKind, RunOutcome};
use crate::research::lifecycle::read_job;
use crate::research::{
    AnswerText, Context, JobAccess, Recipe, RecipeOutcome, Research, ResearchSettings, Work,
};
use crate::{Error, ErrorKind, Result};

/// Carries out one approved task of an agenda.
pub struct TaskRecipe<'a> {
    pub(super) sink: FindingSink<'a>,
}

/// A task to be carried out, and its agenda.
#[derive(Debug, Clone)]
pub struct TaskRequest {
    /// The agenda that the task belongs to.
    pub agenda: Agenda,
    /// The task.
    pub task: Task,
}

/// The stored job of a task run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TaskJob {
    pub(super) agenda: AgendaId,
    pub(super) task: Task,
    /// Whether it was derived from a note that must not leave this machine.
    pub(super) private: bool,
    pub(super) with_model: bool,
    /// When the notes were named that it is about; absent in jobs of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) proposed: Option<Timestamp>,
    /// The settings at the start of the run; a resumed run keeps them.
    pub(super) settings: ResearchSettings,
    pub(super) limits: AgendaSettings,
}

/// The result of a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TaskAnswer {
    /// How many results, pages, duplicates and findings there were.
    pub counts: TaskCounts,
    /// The findings.
    pub findings: Vec<Finding>,
    /// What was skipped, for people.
    pub message: Option<String>,
    /// Why the task failed, if it did.
    pub failed: Option<TaskFailure>,
    /// Whether nothing was searched because the agenda already had all its findings; the message says so.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub left_out: bool,
}

/// Why a task came to nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TaskFailure {
    /// The message for the user.
    pub message: String,
    /// Whether it may come to something another time.
    pub may_pass: bool,
    /// For how many seconds whoever was asked wants to be left alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_s: Option<u64>,
}

impl TaskFailure {
    /// A failure that a retry would not change.
    pub fn lasting(message: impl Into<String>) -> Self {
        Self { message: message.into(), may_pass: false, wait_s: None }
    }
}

/// What the sink did with a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeepOutcome {
    /// The finding was stored.
    Kept,
    /// Another task found the page in the meantime.
    Known,
    /// The agenda already has the most findings that it may have.
    Full,
}

/// Called with each finding as it is made; returns what it did with it. An error ends the task.
pub type FindingSink<'a> = &'a (dyn Fn(NewFinding) -> Result<KeepOutcome> + Send + Sync);

/// A task's run that is to be resumed.
pub enum TaskRun {
    /// The run, to be continued.
    Open(Box<Run>),
    /// The run had already ended, and its result was not processed yet.
    Over(Box<TaskAnswer>),
}

impl TaskRecipe<'static> {
    /// A recipe whose sink accepts every finding and stores none, as in a replay.
    pub const KEEPS_ALL: Self = Self { sink: &|_| Ok(KeepOutcome::Kept) };
}

impl Recipe for TaskRecipe<'_> {
    const KIND: RunKind = RunKind::Task;
    type Request = TaskRequest;
    type Job = TaskJob;
    type Answer = TaskAnswer;

    fn prepare(&self, research: &Research, _: Context<'_>, request: TaskRequest) -> Result<TaskJob> {
        let TaskRequest { agenda, task } = request;
        Ok(TaskJob {
            private: agenda.private,
            task: Task { run_id: None, message: None, ..task },
            with_model: research.model_for(agenda.private).is_some(),
            proposed: Some(agenda.created),
            settings: research.settings,
            limits: AgendaSettings { max_findings: agenda.max_findings, ..research.agenda.clone() },
            agenda: agenda.id,
        })
    }

    fn title(&self, job: &TaskJob) -> String {
        format!("{} ({})", job.task.query, job.task.source.name())
    }

    fn access(&self, job: &TaskJob) -> JobAccess {
        JobAccess { with_model: job.with_model, private: job.private, private_notes: false }
    }

    fn restore_settings(&self, research: &Research, job: &TaskJob) -> Research {
        Research { settings: job.settings, agenda: job.limits.clone(), ..research.clone() }
    }

    fn check_rerun(&self, run: &Run) -> Result<()> {
        if run.is_replay() {
            return Ok(());
        }
        Err(Error::invalid(format!("the run {} is a task of an agenda", run.id()))
            .hint("`wellread agenda run` continues it, and so does `wellread serve`"))
    }

    async fn work(&self, work: &Work<'_, TaskJob>) -> Result<RecipeOutcome<TaskAnswer>> {
        work.carry_out_task(self.sink).await
    }

    fn render(&self, answer: &TaskAnswer) -> Result<AnswerText> {
        let mut text = answer.findings.iter().map(render_finding).collect::<Vec<_>>().join("\n");
        if let Some(failed) = &answer.failed {
            let _ = writeln!(text, "it failed: {}", failed.message);
        } else if answer.findings.is_empty() {
            text += "nothing new was found\n";
        }
        Ok(AnswerText { text, notices: Vec::new() })
    }
}

impl Research {
    /// Begins the run of a task under an id that was stored beforehand.
    pub fn begin_task(&self, context: Context<'_>, request: TaskRequest, id: &RunId) -> Result<Run> {
        let recipe = TaskRecipe::KEEPS_ALL;
        let job = recipe.prepare(self, context, request)?;
        self.begin(&recipe, &job, id.clone())
    }

    /// Resumes the run of a task that was interrupted or failed for a transient reason. `tries` is how many failed
    /// attempts the caller knows of: an end beyond these is returned as `TaskRun::Over`. `None` if there is no such
    /// run. The previous owner can't continue it from then on.
    pub fn resume_task(&self, id: &RunId, tries: u32) -> Result<Option<TaskRun>> {
        let events = match self.runs.records.events(id) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            events => events?,
        };
        let may_pass = |ended: &RunEnd| read_failure(ended).map(|failure| failure.may_pass);
        let tried = events
            .iter()
            .filter(|known| matches!(&known.event, RunEvent::Ended(end) if may_pass(end) == Some(true)));
        let is_heard_of = tried.count() <= tries as usize;
        if let Some(RunEvent::Ended(ended)) = events.last().map(|last| &last.event)
            && (ended.outcome == RunOutcome::Done
                || may_pass(ended) == Some(false)
                || may_pass(ended) == Some(true) && !is_heard_of)
        {
            let answer = serde_json::from_value(ended.result.clone());
            let answer =
                answer.map_err(|error| Error::failed(format!("the run {id} can't be read: {error}")))?;
            return Ok(Some(TaskRun::Over(Box::new(answer))));
        }
        Ok(Some(TaskRun::Open(Box::new(Run::take_over(&self.runs, id)?))))
    }

    /// Carries out a task, and passes each finding to `sink` as it is made.
    pub async fn run_task(
        &self,
        context: Context<'_>,
        run: &Run,
        sink: FindingSink<'_>,
    ) -> Result<TaskAnswer> {
        let job: TaskJob = read_job(run)?;
        // Private queries must not appear in traces, either.
        let is_open = !job.private && find_private_note(context.vault, run, &job).is_none();
        let query = if is_open { job.task.query.as_str() } else { "" };
        let span = spans::task_execute(job.task.source.name(), query);
        let recipe = TaskRecipe { sink };
        let work = self.work_on(&recipe, context, run);
        let answer = work.instrument(span.clone()).await;
        match &answer {
            Ok(TaskAnswer { counts, failed, .. }) => {
                spans::record_results(&span, counts.fetched);
                let went =
                    failed.as_ref().map_or(Ok(()), |failed| Err(Error::failed(failed.message.clone())));
                spans::record_outcome(&span, &went);
            }
            Err(_) => spans::record_outcome(&span, &answer),
        }
        answer
    }
}

/// The failure that a task's run ended with, if any.
fn read_failure(ended: &RunEnd) -> Option<TaskFailure> {
    serde_json::from_value::<TaskAnswer>(ended.result.clone()).ok()?.failed
}
