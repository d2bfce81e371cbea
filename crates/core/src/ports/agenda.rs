//! Agendas with their tasks, findings, and the states that they go through.
//!
//! Nothing is stored or carried out here. A state changes only by the transitions that are defined here, whoever asks.

mod change;
mod finding;
mod forgetting;
mod idempotency;
mod message;
mod state;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use change::{AgendaActor, AgendaChange, FindingDecision, NewFinding, SettledChange};
pub use finding::{Finding, FindingEvidence, FindingPart, FindingSentence, FindingStatus, PendingAcceptance};
pub use forgetting::IsForgotten;
pub use idempotency::IdempotentRequest;
pub use state::{AgendaEvent, TaskEnd};

use crate::domain::id::{AgendaId, RunId, TaskId};

/// Tasks that are proposed together, and approved together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Agenda {
    /// The agenda's id.
    pub id: AgendaId,
    /// The state that the agenda is in.
    pub status: AgendaStatus,
    /// What the agenda was proposed for.
    pub trigger: Trigger,
    /// The note that it is for; absent for the whole vault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_note_id: Option<String>,
    /// When it was proposed.
    #[schemars(with = "String")]
    pub created: Timestamp,
    /// When it was approved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub approved: Option<Timestamp>,
    /// When its last task ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub ended: Option<Timestamp>,
    /// A message about it for the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The tasks.
    pub tasks: Vec<Task>,
    /// The number of findings so far.
    pub findings: usize,
    /// The maximum number of findings.
    pub max_findings: usize,
    /// Whether it is based on a note that must not leave this machine: then nothing is sent to other machines.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub private: bool,
    /// The run that proposed it; it records what was sent where.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub run_id: Option<RunId>,
}

/// The state of an agenda.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = crate::domain::schema::list_variant_names)]
pub enum AgendaStatus {
    /// Waits for the user's approval.
    Pending,
    /// Approved; no task has started yet.
    Approved,
    /// A task has started.
    Running,
    /// All tasks have ended, and not all of them failed.
    Done,
    /// All tasks that were not blocked have failed.
    Failed,
    /// Cancelled by the user.
    Cancelled,
}

impl AgendaStatus {
    /// All states.
    pub const ALL: [Self; 6] =
        [Self::Pending, Self::Approved, Self::Running, Self::Done, Self::Failed, Self::Cancelled];

    /// The state's name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Approved => "approved",
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

/// What caused an agenda to be proposed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = crate::domain::schema::list_variant_names)]
pub enum Trigger {
    /// The user asked for a note.
    Note,
    /// The user asked for the whole vault.
    Vault,
    /// The schedule: the whole vault, because it was time.
    Schedule,
}

impl Trigger {
    /// The trigger's name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Vault => "vault",
            Self::Schedule => "schedule",
        }
    }
}

/// A task of an agenda: one search and the findings made from its results.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Task {
    /// The task's id.
    pub id: TaskId,
    /// The search query.
    pub query: String,
    /// Where to search.
    pub source: TaskSource,
    /// Why the search is worthwhile.
    pub motivation: String,
    /// The notes that the task is about.
    pub related_notes: Vec<String>,
    /// The state that the task is in.
    pub status: TaskStatus,
    /// The run that carries it out, once it has started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub run_id: Option<RunId>,
    /// Why it failed or was not run, or what was skipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// What became of its results; absent if it was not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts: Option<TaskCounts>,
    /// An earlier task about much the same, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earlier: Option<EarlierTask>,
}

/// Which search service a task uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = crate::domain::schema::list_variant_names)]
pub enum TaskSource {
    /// The web search service.
    Web,
    /// The search service of arXiv.
    Arxiv,
}

impl TaskSource {
    /// The source's name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Web => "web",
            Self::Arxiv => "arxiv",
        }
    }
}

/// The state of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = crate::domain::schema::list_variant_names)]
pub enum TaskStatus {
    /// Waits for approval.
    Proposed,
    /// Not approved, or cancelled before it started: it never runs.
    Blocked,
    /// Waits for a worker.
    Queued,
    /// A worker is carrying it out.
    Running,
    /// Ended successfully.
    Done,
    /// Ended with an error.
    Failed,
}

impl TaskStatus {
    /// The state's name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Proposed => "proposed",
            Self::Blocked => "blocked",
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
        }
    }

    /// Whether the state is final.
    pub fn is_settled(self) -> bool {
        matches!(self, Self::Blocked | Self::Done | Self::Failed)
    }
}

/// What became of the results of a task.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskCounts {
    /// Results of the search.
    pub results: usize,
    /// Results whose text could be read.
    pub fetched: usize,
    /// Results that were dropped because notes or earlier findings say the same.
    pub duplicates: usize,
    /// Those of the `duplicates` that an earlier task had found already.
    #[serde(default)]
    pub found_before: usize,
    /// Findings that were made.
    pub findings: usize,
    /// Results that could not be read, or from which no finding could be made.
    pub skipped: usize,
}

/// A task of an earlier agenda that asked for much the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EarlierTask {
    /// When its agenda was approved.
    #[schemars(with = "String")]
    pub at: Timestamp,
    /// The agenda that it belongs to.
    pub agenda_id: AgendaId,
    /// The search query.
    pub query: String,
}

/// A topic that is not to be proposed any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SuppressedTopic {
    /// The topic.
    pub topic: String,
    /// When it was suppressed.
    #[schemars(with = "String")]
    pub at: Timestamp,
    /// The finding that was dismissed together with the topic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finding_id: Option<crate::domain::id::FindingId>,
}

/// The number of findings, agendas and jobs by state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgendaCounts {
    /// Findings that wait for a decision.
    pub new: usize,
    /// Findings that were accepted.
    pub accepted: usize,
    /// Findings that were dismissed.
    pub dismissed: usize,
    /// Agendas that wait for approval.
    pub pending: usize,
    /// Agendas that are approved or running.
    pub running: usize,
    /// Jobs that are not retried, because their workers crashed too often.
    pub set_aside: usize,
}
