//! Agendas with their tasks, findings, and the states that they go through.
//!
//! Nothing here is kept or carried out. A state is left only by the ways that are written here, whoever asks.

mod change;
mod finding;
mod idempotency;
mod message;
mod state;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use change::{AgendaActor, AgendaChange, FindingDecision, NewFinding, SettledChange};
pub use finding::{Finding, FindingEvidence, FindingPart, FindingSentence, FindingStatus, PendingAcceptance};
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
    /// It waits for the user.
    Pending,
    /// Approved; no task has begun.
    Approved,
    /// A task has begun.
    Running,
    /// All tasks have ended.
    Done,
    /// All tasks have ended, and none succeeded.
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

/// What triggered the agenda.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = crate::domain::schema::list_variant_names)]
pub enum Trigger {
    /// A note.
    Note,
    /// The health of the whole vault.
    Vault,
    /// The whole vault, because it was time.
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
    /// Why it is worth it.
    pub motivation: String,
    /// The notes that the task is about.
    pub related_notes: Vec<String>,
    /// The state that the task is in.
    pub status: TaskStatus,
    /// The run that carries it out, once one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub run_id: Option<RunId>,
    /// Why it failed or was not run, or what was passed over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// What became of its results; nothing where it was not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts: Option<TaskCounts>,
    /// When much the same was researched before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earlier: Option<EarlierTask>,
}

/// Who is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = crate::domain::schema::list_variant_names)]
pub enum TaskSource {
    /// The web search service.
    Web,
    /// The search of arXiv.
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
    /// It never runs.
    Blocked,
    /// Waits for a worker.
    Queued,
    /// A worker is at it.
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

    /// Whether nothing more comes of it.
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
    /// Those of which notes or earlier findings say the same.
    pub duplicates: usize,
    /// Of these, those that were found before.
    #[serde(default)]
    pub found_before: usize,
    /// Findings that were made.
    pub findings: usize,
    /// Results that could not be read, or that nothing could be made of.
    pub skipped: usize,
}

/// A task of an earlier agenda.
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
    /// The finding that was dismissed with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finding_id: Option<crate::domain::id::FindingId>,
}

/// The number of findings, agendas and tasks by state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgendaCounts {
    /// Findings, by how they stand.
    pub new: usize,
    /// Findings that were accepted.
    pub accepted: usize,
    /// Findings that were dismissed.
    pub dismissed: usize,
    /// Agendas that wait for approval.
    pub pending: usize,
    /// Agendas that are approved or running.
    pub running: usize,
    /// Jobs that were set aside after they had ended the worker too often.
    pub set_aside: usize,
}
