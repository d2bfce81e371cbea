//! What a run writes down, as it happens: enough to go on after a kill, to run again without model and network, and to see
//! what was sent where.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::corpus::Hash;
use crate::evidence::Evidence;
use crate::id::EvidenceId;
use crate::ports::{ModelFailure, Reply};
use crate::untrusted::Origin;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunKind {
    Chat,
    Ask,
    Note,
    Summary,
    Code,
    Agenda,
}

impl RunKind {
    pub const ALL: [Self; 6] = [Self::Chat, Self::Ask, Self::Note, Self::Summary, Self::Code, Self::Agenda];

    pub fn name(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Ask => "ask",
            Self::Note => "note",
            Self::Summary => "summary",
            Self::Code => "code",
            Self::Agenda => "agenda",
        }
    }
}

/// An event with its place in the log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Stamped {
    pub number: u64,
    pub at: Timestamp,
    #[serde(flatten)]
    pub event: Event,
}

/// One thing that happened.
///
/// What a step gave (`model`, `tool`, `drawn`) is kept with a key: the hash of what was asked. A run that goes on, or
/// is run again, asks by that key, and by how often it asked the same before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    Began {
        kind: RunKind,
        title: String,
        /// All that the recipe needs to start.
        request: Value,
        budget: Budget,
        wellread: String,
    },
    /// It was taken up again after it had been cut off.
    Resumed,
    Plan {
        plan: Value,
    },
    /// Something is about to leave the machine. Written before it does.
    Sent(Sent),
    Model {
        key: Hash,
        name: String,
        answer: ModelAnswer,
        /// In US dollars, where the price is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cost: Option<f64>,
        took_ms: u64,
    },
    /// A tool that changes something is about to be called. Written before it is.
    Calling {
        key: Hash,
        tool: String,
    },
    Tool {
        key: Hash,
        tool: String,
        arguments: Value,
        /// The envelope.
        answer: Value,
        origin: Origin,
        /// Whether it holds something that must not leave this machine.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        private: bool,
        took_ms: u64,
    },
    /// Something that is different each time: a moment, a random number.
    Drawn {
        key: Hash,
        name: String,
        value: Value,
    },
    Evidence(Box<Evidence>),
    Shown {
        ids: Vec<EvidenceId>,
    },
    Verdict {
        report: Value,
    },
    Write {
        operation: String,
        path: String,
    },
    Ended(Ended),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelAnswer {
    Reply(Reply),
    Failure(ModelFailure),
}

/// One thing that left the machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sent {
    /// `model`, `search`, `page` …
    pub what: String,
    /// Scheme, host and port; a whole address for a page.
    pub to: String,
    /// A query's words, or what a request was for.
    pub about: String,
    pub bytes: u64,
    /// Whether it only went to another program of this machine.
    pub stays: bool,
}

/// What a run may use. None is no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Budget {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// In US dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub money: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests: Option<u64>,
}

/// What a run used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Spent {
    pub steps: u64,
    pub seconds: f64,
    pub tokens_read: u64,
    pub tokens_written: u64,
    /// Nothing where the price is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub money: Option<f64>,
    pub requests: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ended {
    pub outcome: Outcome,
    /// What the run gave, or `{error, hint?}`.
    pub result: Value,
    /// The same for people, as markdown.
    pub report: String,
    pub spent: Spent,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Done,
    /// A budget ended first; the result is what there was by then.
    OutOfBudget,
    Failed,
    Cancelled,
}

impl Outcome {
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
