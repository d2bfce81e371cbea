//! The recipes: a note is researched, a question answered, a note summarised, a codebase investigated, a task of an agenda carried
//! out. Each is plan, gather, weigh and write over one run and its ledger.
//!
//! Where no model is set up, or the note must not reach the one that is, the same recipe works without: it quotes instead of
//! phrasing. Nothing here sees text that others wrote but through the prompt's barrier; what looks at it stands above.

mod agenda;
mod ask;
mod clarify;
mod code;
pub mod evaluation;
mod lifecycle;
mod model_calls;
mod note;
mod note_keyless;
mod section;
mod sources;
mod specific;
mod summary;
mod supplement;
mod topics;
mod wording;
mod write_up;

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use agenda::{
    AgendaSettings, FindingSink, KeepOutcome, ProposalRequest, TaskAnswer, TaskFailure, TaskRun,
    is_same_topic,
};
pub use ask::{AskAnswer, AskAnswerKind};
pub use code::{Citation, CodeAnswer, CodeRequest, CodeSettings, InvestigationStep};
pub use note::{Depth, NoteAnswer, NoteRequest};
pub use section::{RunSection, find_run_sections};
pub use sources::SourceEntry;
pub use specific::is_specific;
pub use summary::{SummaryAnswer, SummaryRequest};

use crate::domain::corpus::VaultPath;
use crate::domain::id::RunId;
use crate::engine::gather::Gatherer;
use crate::engine::outside::OutsideServices;
use crate::engine::run::{Run, RunStore, StopSignal};
use crate::library::search::Searcher;
use crate::library::vault::Vault;
use crate::ports::agenda::Agenda;
use crate::ports::event::{Budget, LoggedEvent, RunEvent, RunKind, RunOutcome};
use crate::ports::{AgendaStore, LanguageServers, Model, PageLimits, Snapshots};
use crate::trust::gate::EvidenceReader;
use crate::{Error, Result};

/// What all recipes need, whoever asks.
#[derive(Clone)]
pub struct Research {
    pub desk: RunStore,
    /// None where none is set up.
    pub model: Option<Arc<dyn Model>>,
    pub snapshots: Arc<dyn Snapshots>,
    /// Those that the user switched on.
    pub servers: Arc<dyn LanguageServers>,
    /// Agendas and findings.
    pub agendas: Arc<dyn AgendaStore>,
    pub settings: ResearchSettings,
    pub code: CodeSettings,
    pub agenda: AgendaSettings,
}

impl std::fmt::Debug for Research {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Research").field("settings", &self.settings).finish_non_exhaustive()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ResearchSettings {
    pub max_topics: usize,
    /// How many pages of a topic are fetched in `deep`, how long one may take and how much of it is read, in characters.
    pub pages_per_topic: usize,
    pub page_time: Duration,
    pub page_chars: usize,
    /// How many topics are gathered for at once.
    pub concurrency: usize,
    /// How much of a note is read, in characters.
    pub note_chars: usize,
    pub budget: Budget,
    pub reply_tokens: u32,
    pub reply_time: Duration,
}

impl Default for ResearchSettings {
    fn default() -> Self {
        Self {
            max_topics: 10,
            pages_per_topic: 2,
            page_time: Duration::from_secs(10),
            page_chars: 50_000,
            concurrency: 4,
            note_chars: 200_000,
            budget: Budget::default(),
            reply_tokens: 4096,
            reply_time: Duration::from_secs(120),
        }
    }
}

/// Under which name a run keeps the services that it asks.
const SERVICES: &str = "services";

/// The services that a run asks, as its log says: so it goes on, whatever is chosen by then.
pub fn services_from_log(events: &[LoggedEvent]) -> Vec<String> {
    let drawn = events.iter().find_map(|stamped| match &stamped.event {
        RunEvent::Drawn { name, value, .. } if name == SERVICES => Some(value.clone()),
        _ => None,
    });
    drawn.and_then(|names| serde_json::from_value(names).ok()).unwrap_or_default()
}

/// The folder that a run is about, where it was studied without having been added: then its name is its path.
pub fn folder_from_log(events: &[LoggedEvent]) -> Option<String> {
    let request = events.iter().find_map(|stamped| match &stamped.event {
        RunEvent::Began { kind: RunKind::Code, request, .. } => Some(request),
        _ => None,
    })?;
    request.get("repository")?.as_str().filter(|name| name.starts_with('/')).map(str::to_owned)
}

/// What a run was begun with.
fn read_job<T: serde::de::DeserializeOwned>(run: &Run) -> Result<T> {
    serde_json::from_value(run.spec().request.clone())
        .map_err(|error| Error::failed(format!("the run {} can't be read: {error}", run.id())))
}

/// An error where a note was made private since the run began: nothing more of it may leave.
fn check_still_public(around: Context<'_>, run: &Run, path: &VaultPath, private: bool) -> Result<()> {
    if run.is_replay() || private || !around.vault.is_private(path) {
        return Ok(());
    }
    Err(Error::refused(format!("`{path}` was made private since the run began"))
        .with_path(path.as_str())
        .hint("begin anew"))
}

/// How long a whole recipe may take.
pub const LIMIT: Duration = Duration::from_secs(300);

/// What one call works with.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    pub vault: &'a Vault,
    pub search: &'a Searcher,
    pub reach: &'a OutsideServices,
    pub watch: ResearchProgress<'a>,
    pub stop: &'a StopSignal,
}

/// What is going on, for whoever watches.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum ResearchEvent {
    /// The run that this is.
    Run { run_id: RunId },
    /// Something will leave this machine: told before anything does.
    Leaves {
        /// `model`, `search`, `page`
        what: String,
        to: String,
        about: String,
    },
    Stage {
        stage: ResearchStage,
        /// How much of the stage is done.
        done: usize,
        of: usize,
        about: String,
    },
    /// A step of a task: what is searched for, fetched, passed over.
    Step { step: TaskStep, about: String },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskStep {
    Search,
    Fetch,
    /// It says what is known already.
    Duplicate,
    WriteUp,
    Check,
    /// It could not be read, or nothing could be made of it.
    Skipped,
    /// Nothing came of it for now: it is tried again.
    Wait,
}

impl TaskStep {
    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Search => "searching",
            Self::Fetch => "fetching",
            Self::Duplicate => "known already",
            Self::WriteUp => "writing up",
            Self::Check => "checking every sentence",
            Self::Skipped => "passed over",
            Self::Wait => "waiting",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ResearchStage {
    Topics,
    Gather,
    /// One step after the other, in code.
    Investigate,
    WriteUp,
    Check,
    Write,
}

impl ResearchStage {
    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Topics => "finding topics",
            Self::Gather => "gathering",
            Self::Investigate => "investigating",
            Self::WriteUp => "writing up",
            Self::Check => "checking every sentence",
            Self::Write => "writing",
        }
    }
}

pub type ResearchProgress<'a> = &'a (dyn Fn(ResearchEvent) + Send + Sync);

/// What a run that was taken up or run again came to.
#[derive(Debug, Clone, PartialEq)]
pub enum RecipeAnswer {
    Note(NoteAnswer),
    Answer(AskAnswer),
    Summary(SummaryAnswer),
    Code(CodeAnswer),
    Agenda(Agenda),
    Task(TaskAnswer),
}

impl Research {
    /// Goes on with a run that was cut off.
    pub async fn resume(&self, around: Context<'_>, id: &RunId) -> Result<RecipeAnswer> {
        self.rerun(around, Run::resume(&self.desk, id)?).await
    }

    /// Runs one again from its log, with model and network switched off: the outcome is the same, or this is an error.
    pub async fn replay(&self, around: Context<'_>, id: &RunId) -> Result<RecipeAnswer> {
        self.rerun(around, Run::replay(&self.desk, id)?).await
    }

    async fn rerun(&self, around: Context<'_>, run: Run) -> Result<RecipeAnswer> {
        match run.spec().kind {
            RunKind::Note => Ok(RecipeAnswer::Note(self.rerun_note(around, &run).await?)),
            RunKind::Ask => Ok(RecipeAnswer::Answer(self.rerun_ask(around, &run).await?)),
            RunKind::Summary => Ok(RecipeAnswer::Summary(self.rerun_summary(around, &run).await?)),
            RunKind::Code => Ok(RecipeAnswer::Code(self.rerun_code(around, &run).await?)),
            RunKind::Agenda if run.spec().request.get("propose").is_some() => {
                Ok(RecipeAnswer::Agenda(self.rerun_proposal(around, &run).await?))
            }
            RunKind::Agenda => Ok(RecipeAnswer::Task(self.replay_task(around, &run).await?)),
            RunKind::Chat => Err(Error::invalid(format!(
                "the run {} is no research of a note, a question or code",
                run.id()
            ))),
        }
    }

    /// The model, where it may read what the recipe reads.
    fn model_for(&self, private: bool) -> Option<&dyn Model> {
        self.model.as_deref().filter(|model| !private || model.identity().is_local)
    }

    /// The model that a run was begun with.
    fn model_for_run<'a>(
        &'a self,
        run: &Run,
        with_model: bool,
        private: bool,
    ) -> Result<Option<&'a dyn Model>> {
        match self.model_for(private) {
            _ if !with_model => Ok(None),
            Some(model) => Ok(Some(model)),
            // Nothing is asked in a replay, so whichever it was will do.
            None if run.is_replay() => Ok(Some(&model_calls::ReplayModel)),
            None => Err(Error::invalid(format!(
                "the run {} was begun with a model, and there is none now",
                run.id()
            ))
            .hint("set it up again, or begin anew")),
        }
    }

    fn gather<'a>(&'a self, around: Context<'a>, run: &'a Run, private: bool) -> Gatherer<'a> {
        let Context { vault, search, reach, .. } = around;
        Gatherer { run, search, vault, reach, snapshots: &*self.snapshots, private, stays: private }
    }

    fn places<'a>(&'a self, around: Context<'a>) -> EvidenceReader<'a> {
        EvidenceReader { corpora: &around.search.library.corpora, snapshots: &*self.snapshots }
    }

    fn page_limits(&self) -> PageLimits {
        PageLimits { time: self.settings.page_time, bytes: u64::MAX, chars: self.settings.page_chars }
    }

    /// The user's budget, and never longer than a recipe may take.
    fn budget(&self) -> Budget {
        let seconds = self.settings.budget.seconds.unwrap_or(u64::MAX).min(LIMIT.as_secs());
        Budget { seconds: Some(seconds), ..self.settings.budget }
    }
}

/// A recipe's result, what people read of it, and how the run ended.
struct RecipeOutcome<T> {
    value: T,
    report: String,
    outcome: RunOutcome,
}
