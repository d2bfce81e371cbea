//! What a recipe reports while it runs: its run, what leaves the machine, and its progress.

use serde::Serialize;

use crate::domain::id::RunId;

/// A progress event of a recipe.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum ResearchEvent {
    /// The run has an id.
    Run {
        /// The run's id.
        run_id: RunId,
    },
    /// Something will be sent to another machine; reported before it is.
    Leaves {
        /// `model`, `search`, `page`
        what: String,
        /// Where it is sent.
        to: String,
        /// What is sent.
        about: String,
    },
    /// A stage has begun or made progress.
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
    /// A step of a task: a search, a fetched page, a skipped page.
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
    /// A page is skipped because its content is already known.
    Duplicate,
    /// Writes a finding.
    WriteUp,
    /// Checks a finding.
    Check,
    /// A page is skipped because it could not be read or is not about the topic.
    Skipped,
    /// A transient failure: the task will be tried again.
    Wait,
}

impl TaskStep {
    /// The name that people see.
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
    /// Investigates a codebase, step by step.
    Investigate,
    /// Writes the text.
    WriteUp,
    /// Checks the text.
    Check,
    /// Writes the text into the note.
    Write,
}

impl ResearchStage {
    /// The name that people see.
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
