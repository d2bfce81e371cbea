//! What the tools that write answer with.

use schemars::JsonSchema;
use serde::Serialize;

use super::Shown;
use crate::vault::Outcome;

/// What became of a write.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Written {
    /// The file that it is about.
    pub path: String,
    pub message: String,
    /// The journal's id of the change: `wellread undo` takes it back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// True where nothing was changed because `dry_run` was set.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// The unified difference that a dry run would have made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// Copies of text that somebody saved at the same moment and that could not be merged.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<String>,
}

impl Written {
    /// `done` says what was done, as in "appended to `a.md`".
    pub fn of(path: impl Into<String>, done: &str, outcome: Outcome) -> Self {
        let (message, operation, diff, kept) = match outcome {
            Outcome::Written { operation, kept } if kept.is_empty() => {
                (done.to_owned(), Some(operation.to_string()), None, kept)
            }
            Outcome::Written { operation, kept } => {
                let message =
                    format!("{done}; another program saved at the same moment, and what it saved was kept");
                (message, Some(operation.to_string()), None, kept)
            }
            Outcome::Shown { diff } => {
                ("dry run: nothing was changed".to_owned(), None, Some(diff), Vec::new())
            }
            Outcome::Unchanged => ("nothing to change: it is so already".to_owned(), None, None, Vec::new()),
        };
        Self { path: path.into(), message, operation, dry_run: diff.is_some(), diff, kept }
    }
}

/// An answer about files.
pub trait About {
    /// The files whose words it repeats, names included.
    fn files(&self) -> Vec<String>;

    fn shown(&self) -> Shown {
        Shown::Files(self.files())
    }
}

impl About for Written {
    fn files(&self) -> Vec<String> {
        self.kept.iter().chain([&self.path]).cloned().collect()
    }
}

impl AsRef<Self> for Written {
    fn as_ref(&self) -> &Self {
        self
    }
}
