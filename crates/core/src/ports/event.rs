//! The events of a run's log: enough to resume it after a kill, to replay it without model and network, and to see what
//! was sent where.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::domain::corpus::Hash;
use crate::domain::evidence::Evidence;
use crate::domain::id::EvidenceId;
use crate::domain::untrusted::Origin;
use crate::ports::{ModelFailure, Reply};

/// What a run is: a conversation, or research by the recipe of that kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = crate::domain::schema::list_variant_names)]
pub enum RunKind {
    /// A turn of a conversation.
    Chat,
    /// A question.
    Ask,
    /// Research on a note.
    Note,
    /// A summary of a note.
    Summary,
    /// An investigation of code.
    Code,
    /// Proposals and tasks of agendas, as they are listed. The logs of earlier versions hold it for both, too.
    Agenda,
    /// An agenda is proposed.
    #[serde(rename = "agenda_proposal")]
    #[schemars(skip)]
    Proposal,
    /// A task of an agenda is carried out.
    #[serde(rename = "agenda_task")]
    #[schemars(skip)]
    Task,
}

impl RunKind {
    /// The kinds that runs are listed by.
    pub const LISTED: [Self; 6] =
        [Self::Chat, Self::Ask, Self::Note, Self::Summary, Self::Code, Self::Agenda];

    /// The kind that a run is listed by.
    #[must_use]
    pub fn listed(self) -> Self {
        match self {
            Self::Proposal | Self::Task => Self::Agenda,
            kind => kind,
        }
    }

    /// The name that a run is listed by.
    pub fn name(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Ask => "ask",
            Self::Note => "note",
            Self::Summary => "summary",
            Self::Code => "code",
            Self::Agenda | Self::Proposal | Self::Task => "agenda",
        }
    }
}

/// An event with its place in the log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LoggedEvent {
    /// The event's number in its log.
    pub number: u64,
    /// When it was logged.
    pub at: Timestamp,
    /// The event.
    #[serde(flatten)]
    pub event: RunEvent,
}

/// One thing that happened.
///
/// What a step gave (`model`, `tool`, `drawn`) is kept with a key: the hash of what was asked. A run that goes on, or
/// is run again, asks by that key, and by how often it asked the same before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum RunEvent {
    /// The run began.
    Began {
        /// The kind of run.
        kind: RunKind,
        /// The run's title.
        title: String,
        /// All that the recipe needs to start.
        request: Value,
        /// The limits of the run.
        budget: Budget,
        /// The version of Wellread.
        wellread: String,
    },
    /// It was taken up again after it had been cut off.
    Resumed,
    /// A plan was made.
    Plan {
        /// The plan.
        plan: Value,
    },
    /// Something is about to leave the machine. Written before it does.
    Sent(SentRequest),
    /// A model was asked.
    Model {
        /// The hash of the request, by which a replay finds the answer.
        key: Hash,
        /// The model's name.
        name: String,
        /// The model's answer.
        answer: ModelAnswer,
        /// In US dollars, where the price is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cost: Option<f64>,
        /// How long it took, in milliseconds.
        took_ms: u64,
    },
    /// A tool that changes something is about to be called. Written before it is.
    Calling {
        /// The hash of the call, by which a replay finds the answer.
        key: Hash,
        /// The tool's name.
        tool: String,
    },
    /// A tool has returned.
    Tool {
        /// The hash of the call, by which a replay finds the answer.
        key: Hash,
        /// The tool's name.
        tool: String,
        /// The arguments of the call.
        arguments: Value,
        /// The envelope.
        answer: Value,
        /// Who wrote the text in the answer.
        origin: Origin,
        /// Whether it holds something that must not leave this machine.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        private: bool,
        /// How long it took, in milliseconds.
        took_ms: u64,
    },
    /// Something that is different each time: a moment, a random number.
    Drawn {
        /// The hash of what was asked for, by which a replay finds the value.
        key: Hash,
        /// What the value is.
        name: String,
        /// The value.
        value: Value,
    },
    /// Evidence was added to the ledger.
    Evidence(Box<Evidence>),
    /// Evidence was shown to the model.
    Shown {
        /// The ids of the evidence.
        ids: Vec<EvidenceId>,
    },
    /// The gate judged a text.
    Verdict {
        /// The gate's report.
        report: Value,
    },
    /// The run changed a file.
    Write {
        /// The operation in the journal.
        operation: String,
        /// The file that was changed.
        path: String,
    },
    /// The run ended.
    Ended(RunEnd),
}

/// What came back from a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelAnswer {
    /// The model's reply.
    Reply(Reply),
    /// The model failed.
    Failure(ModelFailure),
}

/// One thing that left the machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentRequest {
    /// `model`, `search`, `page` …
    pub what: String,
    /// Scheme, host and port; a whole address for a page.
    pub to: String,
    /// A query's words, or what a request was for.
    pub about: String,
    /// How many bytes were sent.
    pub bytes: u64,
    /// Whether it only went to another program of this machine.
    pub stays: bool,
}

/// What a run may use. None is no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Budget {
    /// The most steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<u64>,
    /// The longest time, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
    /// The most tokens, read and written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// In US dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub money: Option<f64>,
    /// The most requests to the web.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests: Option<u64>,
}

/// What a run used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct RunUsage {
    /// The number of steps.
    pub steps: u64,
    /// The time in seconds.
    pub seconds: f64,
    /// The tokens that models read.
    pub tokens_read: u64,
    /// The tokens that models wrote.
    pub tokens_written: u64,
    /// Nothing where the price is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub money: Option<f64>,
    /// The number of requests to the web.
    pub requests: u64,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunEnd {
    /// Whether it succeeded.
    pub outcome: RunOutcome,
    /// What the run gave, or `{error, hint?}`.
    pub result: Value,
    /// The result for people, as Markdown.
    pub report: String,
    /// What it used of its budget.
    pub spent: RunUsage,
}

/// Whether a run succeeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunOutcome {
    /// It succeeded.
    Done,
    /// A budget ended first; the result is what there was by then.
    OutOfBudget,
    /// It failed.
    Failed,
    /// It was stopped by the user.
    Cancelled,
}

impl RunOutcome {
    /// As it is written down.
    pub fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::OutOfBudget => "out_of_budget",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}
