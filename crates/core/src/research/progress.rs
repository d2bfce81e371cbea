//! What a recipe tells whoever watches it: the run it is, what leaves the machine, and how far it has come.

use serde::Serialize;

use crate::domain::id::RunId;

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
            Self::Skipped => "skipped",
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
