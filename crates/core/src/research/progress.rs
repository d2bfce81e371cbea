//! What a recipe reports while it runs: its run, what leaves the machine, and its progress.

use serde::Serialize;

use crate::domain::id::RunId;

/// What is going on, for whoever watches.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum ResearchEvent {
    /// The run that this is.
    Run {
        /// The run's id.
        run_id: RunId,
    },
    /// Something will leave this machine: told before anything does.
    Leaves {
        /// `model`, `search`, `page`
        what: String,
        /// Where it is sent.
        to: String,
        /// What is sent.
        about: String,
    },
    /// A stage has begun.
    Stage {
        /// The stage.
        stage: ResearchStage,
        /// How much of the stage is done.
        done: usize,
        /// How much there is to do.
        of: usize,
        /// What the stage is about.
        about: String,
    },
    /// A step of a task: what is searched for, fetched, passed over.
    Step {
        /// The step.
        step: TaskStep,
        /// What the step is about.
        about: String,
    },
}

/// A step of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskStep {
    /// Searches the web.
    Search,
    /// Fetches a page.
    Fetch,
    /// It says what is known already.
    Duplicate,
    /// Writes a finding.
    WriteUp,
    /// Checks a finding.
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

/// A stage of a recipe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ResearchStage {
    /// Finds topics.
    Topics,
    /// Gathers evidence.
    Gather,
    /// One step after the other, in code.
    Investigate,
    /// Writes the text.
    WriteUp,
    /// Checks the text.
    Check,
    /// Writes the text into the note.
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

/// Receives the progress of a recipe.
pub type ResearchProgress<'a> = &'a (dyn Fn(ResearchEvent) + Send + Sync);
