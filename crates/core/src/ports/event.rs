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

/// The kind of a run: a conversation, or research by the recipe of this kind.
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
    /// Proposals and tasks of agendas in lists. Logs of earlier versions have it for both.
    Agenda,
    /// The proposal of an agenda.
    #[serde(rename = "agenda_proposal")]
    #[schemars(skip)]
    Proposal,
    /// A task of an agenda.
    #[serde(rename = "agenda_task")]
    #[schemars(skip)]
    Task,
}

impl RunKind {
    /// The kinds that lists of runs can be filtered by.
    pub const LISTED: [Self; 6] =
        [Self::Chat, Self::Ask, Self::Note, Self::Summary, Self::Code, Self::Agenda];

    /// The kind under which lists show a run.
    #[must_use]
    pub fn listed(self) -> Self {
        match self {
            Self::Proposal | Self::Task => Self::Agenda,
            kind => kind,
        }
    }

    /// The name under which lists show a run.
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

/// Something that happened in a run.
///
/// The result of a step (`model`, `tool`, `drawn`) is stored with a key: the hash of the request. A run that is resumed
/// or replayed looks results up by that key, and by how often it made the same request before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum RunEvent {
    /// The run began.
    Began {
        /// The kind of run.
        kind: RunKind,
        /// The run's title.
        title: String,
        /// Everything that the recipe needs to start.
        request: Value,
        /// The limits of the run.
        budget: Budget,
        /// Whether the request has something that must not leave this machine.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        private: bool,
        /// The version of Wellread.
        wellread: String,
    },
    /// The run was resumed after an interruption.
    Resumed,
    /// A plan was made.
    Plan {
        /// The plan.
        plan: Value,
    },
    /// A request is about to leave the machine. Logged before it does.
    Sent(SentRequest),
    /// A model answered or failed.
    Model {
        /// The hash of the request, by which a replay finds the answer.
        key: Hash,
        /// The model's name.
        name: String,
        /// The model's answer.
        answer: ModelAnswer,
        /// The cost in US dollars, if the price is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cost: Option<f64>,
        /// How long it took, in milliseconds.
        took_ms: u64,
    },
    /// A tool that changes something is about to be called. Logged before it is.
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
        /// The tool's answer with its envelope.
        answer: Value,
        /// Who wrote the text in the answer.
        origin: Origin,
        /// Whether the answer has text that must not leave this machine.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        private: bool,
        /// How long it took, in milliseconds.
        took_ms: u64,
    },
    /// A value that differs each time was obtained: the time, a random number.
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
    /// Sentences that the gate let pass were judged a second time.
    SecondOpinion(OpinionRecord),
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

/// What became of a second opinion on sentences that the gate let pass.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpinionRecord {
    /// Who gave it.
    pub by: OpinionGiver,
    /// How many sentences it was asked about.
    pub sentences: usize,
    /// How many verdicts it lowered.
    pub lowered: usize,
    /// Why there is no opinion on some of the sentences, or on any; the verdict of the rules stands for those.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
}

/// Who gives a second opinion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OpinionGiver {
    /// The language model.
    Model,
}

/// A request that left the machine, or went to another program on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentRequest {
    /// The kind of request: `model`, `search`, `page` …
    pub what: String,
    /// Scheme, host and port; for a page, the whole address.
    pub to: String,
    /// The search query, or the purpose of the request.
    pub about: String,
    /// How many bytes were sent.
    pub bytes: u64,
    /// Whether it went only to a program on this machine.
    pub stays: bool,
}

/// The limits of a run. `None` means no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Budget {
    /// The maximum number of steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<u64>,
    /// The maximum time, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
    /// The maximum number of tokens, read and written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// The maximum cost in US dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub money: Option<f64>,
    /// The maximum number of requests to the web.
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
    /// The cost in US dollars; absent if the price is not known.
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
    /// The run's result, or `{error, hint?}`.
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
    /// A budget was used up first; the result is what there was by then.
    OutOfBudget,
    /// It found nothing to say, and changed nothing.
    NothingFound,
    /// It failed.
    Failed,
    /// It was stopped by the user.
    Cancelled,
}

impl RunOutcome {
    /// The outcome's name in logs and lists.
    pub fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::OutOfBudget => "out_of_budget",
            Self::NothingFound => "nothing_found",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}
