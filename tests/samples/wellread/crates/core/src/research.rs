//! The recipes: a note is researched, a question answered, a note summarised, a codebase investigated, a task of an agenda carried
//! out. Each is plan, gather, weigh and write over one run and its ledger.
//!
//! Where no model is set up, or the note must not reach the one that is, the same recipe works without: it quotes instead of
//! phrasing. Nothing here sees text that others wrote but through the prompt's barrier; what looks at it stands above.

mod agenda;
mod asking;
mod carried;
mod clarify;
mod code;
mod note;
mod own_words;
mod quick;
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

pub use agenda::{AgendaSettings, Carried, Handed, Kept, Proposal, TaskFailure, TaskRun, is_same_topic};
pub use code::{Citation, CodeAnswer, CodeAsked, CodeSettings, StepTaken};
pub use note::{Depth, NoteAsked, NoteResearched};
pub use quick::{AnswerKind, QuickAnswer};
pub use section::{SectionIn, sections_of_runs};
pub use sources::SourceOf;
pub use specific::is_specific;
pub use summary::{Summarised, SummaryAsked};

use crate::agenda::Agenda;
use crate::corpus::VaultPath;
use crate::event::{Budget, Event, Outcome, RunKind, Stamped};
use crate::gate::Places;
use crate::gather::Gather;
use crate::id::RunId;
use crate::ports::{AgendaStore, LanguageServers, Model, PageLimits, Snapshots};
use crate::reach::Reach;
use crate::run::{Desk, Run, Stop};
use crate::search::Search;
use crate::vault::Vault;
use crate::{Error, Result};

/// What all recipes need, whoever asks.
#[derive(Clone)]
pub struct Research {
    pub desk: Desk,
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
pub fn services_of(events: &[Stamped]) -> Vec<String> {
    let drawn = events.iter().find_map(|stamped| match &stamped.event {
        Event::Drawn { name, value, .. } if name == SERVICES => Some(value.clone()),
        _ => None,
    });
    drawn.and_then(|names| serde_json::from_value(names).ok()).unwrap_or_default()
}

/// The folder that a run is about, where it was studied without having been added: then its name is its path.
pub fn folder_of(events: &[Stamped]) -> Option<String> {
    let request = events.iter().find_map(|stamped| match &stamped.event {
        Event::Began { kind: RunKind::Code, request, .. } => Some(request),
        _ => None,
    })?;
    request.get("repository")?.as_str().filter(|name| name.starts_with('/')).map(str::to_owned)
}

/// What a run was begun with.
fn job_of<T: serde::de::DeserializeOwned>(run: &Run) -> Result<T> {
    serde_json::from_value(run.beginning().request.clone())
        .map_err(|error| Error::failed(format!("the run {} can't be read: {error}", run.id())))
}

/// An error where a note was made private since the run began: nothing more of it may leave.
fn still_open(around: Around<'_>, run: &Run, path: &VaultPath, private: bool) -> Result<()> {
    if run.is_replay() || private || !around.vault.is_private(path) {
        return Ok(());
    }
    Err(Error::refused(format!("`{path}` was made private since the run began"))
        .at(path.as_str())
        .hint("begin anew"))
}

/// How long a whole recipe may take.
pub const LIMIT: Duration = Duration::from_secs(300);

/// What one call works with.
#[derive(Clone, Copy)]
pub struct Around<'a> {
    pub vault: &'a Vault,
    pub search: &'a Search,
    pub reach: &'a Reach,
    pub watch: Watch<'a>,
    pub stop: &'a Stop,
}

/// What is going on, for whoever watches.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Progress {
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
        stage: Stage,
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
pub enum Stage {
    Topics,
    Gather,
    /// One step after the other, in code.
    Investigate,
    WriteUp,
    Check,
    Write,
}

impl Stage {
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

pub type Watch<'a> = &'a (dyn Fn(Progress) + Send + Sync);

/// What a run that was taken up or run again came to.
#[derive(Debug, Clone, PartialEq)]
pub enum Again {
    Note(NoteResearched),
    Answer(QuickAnswer),
    Summary(Summarised),
    Code(CodeAnswer),
    Agenda(Agenda),
    Task(Carried),
}

impl Research {
    /// Goes on with a run that was cut off.
    pub async fn resume(&self, around: Around<'_>, id: &RunId) -> Result<Again> {
        self.again(around, Run::resume(&self.desk, id)?).await
    }

    /// Runs one again from its log, with model and network switched off: the outcome is the same, or this is an error.
    pub async fn replay(&self, around: Around<'_>, id: &RunId) -> Result<Again> {
        self.again(around, Run::replay(&self.desk, id)?).await
    }

    async fn again(&self, around: Around<'_>, run: Run) -> Result<Again> {
        match run.beginning().kind {
            RunKind::Note => Ok(Again::Note(self.note_again(around, &run).await?)),
            RunKind::Ask => Ok(Again::Answer(self.answer_again(around, &run).await?)),
            RunKind::Summary => Ok(Again::Summary(self.summary_again(around, &run).await?)),
            RunKind::Code => Ok(Again::Code(self.code_again(around, &run).await?)),
            RunKind::Agenda if run.beginning().request.get("propose").is_some() => {
                Ok(Again::Agenda(self.propose_again(around, &run).await?))
            }
            RunKind::Agenda => Ok(Again::Task(self.task_again(around, &run).await?)),
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
    fn model_of<'a>(&'a self, run: &Run, with_model: bool, private: bool) -> Result<Option<&'a dyn Model>> {
        match self.model_for(private) {
            _ if !with_model => Ok(None),
            Some(model) => Ok(Some(model)),
            // Nothing is asked in a replay, so whichever it was will do.
            None if run.is_replay() => Ok(Some(&asking::Nobody)),
            None => Err(Error::invalid(format!(
                "the run {} was begun with a model, and there is none now",
                run.id()
            ))
            .hint("set it up again, or begin anew")),
        }
    }

    fn gather<'a>(&'a self, around: Around<'a>, run: &'a Run, private: bool) -> Gather<'a> {
        let Around { vault, search, reach, .. } = around;
        Gather { run, search, vault, reach, snapshots: &*self.snapshots, private, stays: private }
    }

    fn places<'a>(&'a self, around: Around<'a>) -> Places<'a> {
        Places { corpora: &around.search.library.corpora, snapshots: &*self.snapshots }
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
struct Done<T> {
    value: T,
    report: String,
    outcome: Outcome,
}
