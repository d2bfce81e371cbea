//! The answer of tools that write.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::AnswerOrigins;
use crate::library::vault::ChangeOutcome;

/// What became of a write.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct WriteAnswer {
    /// The file.
    pub path: String,
    pub message: String,
    /// The id of the change in the journal; `wellread undo` accepts it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// True if nothing was changed because `dry_run` was set.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// The unified diff that the call would have applied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// Copies of concurrently saved text that could not be merged.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<String>,
}

impl WriteAnswer {
    /// The answer for an outcome. `done` says what was done, as in "appended to `a.md`".
    pub fn from_outcome(path: impl Into<String>, done: &str, outcome: ChangeOutcome) -> Self {
        let (message, operation, diff, kept) = match outcome {
            ChangeOutcome::Written { operation, kept } if kept.is_empty() => {
                (done.to_owned(), Some(operation.to_string()), None, kept)
            }
            ChangeOutcome::Written { operation, kept } => {
                let message =
                    format!("{done}; another program saved at the same moment, and what it saved was kept");
                (message, Some(operation.to_string()), None, kept)
            }
            ChangeOutcome::Shown { diff } => {
                ("dry run: nothing was changed".to_owned(), None, Some(diff), Vec::new())
            }
            ChangeOutcome::Unchanged => {
                ("nothing to change: it is so already".to_owned(), None, None, Vec::new())
            }
        };
        Self { path: path.into(), message, operation, dry_run: diff.is_some(), diff, kept }
    }
}

/// An answer about files.
pub trait AboutFiles {
    /// The files whose words it repeats, names included.
    fn files(&self) -> Vec<String>;

    fn file_origins(&self) -> AnswerOrigins {
        AnswerOrigins::Files(self.files())
    }
}

impl AboutFiles for WriteAnswer {
    fn files(&self) -> Vec<String> {
        self.kept.iter().chain([&self.path]).cloned().collect()
    }
}

impl AsRef<Self> for WriteAnswer {
    fn as_ref(&self) -> &Self {
        self
    }
}

/// The diff in the answer of a dry run, as its envelope has it; for a batch, all diffs. `None` if it would change nothing.
pub fn collect_diffs(envelope: &Value) -> Option<String> {
    let diff = |value: &Value| value.get("diff").and_then(Value::as_str).map(str::to_owned);
    if envelope.get("success") != Some(&Value::Bool(true)) {
        return None;
    }
    diff(envelope).or_else(|| {
        let all: Vec<String> = envelope.get("succeeded")?.as_array()?.iter().filter_map(diff).collect();
        (!all.is_empty()).then(|| all.concat())
    })
}
