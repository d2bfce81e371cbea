//! What a change is about to do: written down before the first file is touched.
//!
//! With the old text in it, an intent is enough to complete the change or to take it back, whatever moment the
//! process ended at. Paths are true ones: links were resolved.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use wellread_core::domain::corpus::{AppliedAction, Hash, Operation, VaultPath};
use wellread_core::domain::id::OperationId;

use super::TEMP_PREFIX;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Intent {
    pub id: OperationId,
    pub at: Timestamp,
    pub label: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoes: Option<OperationId>,
    /// Folders that do not exist yet, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub folders: Vec<String>,
    pub steps: Vec<IntentStep>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "snake_case")]
pub enum IntentStep {
    Create { path: VaultPath, new: Hash },
    Edit { path: VaultPath, old_text: String, old: Hash, new: Hash },
    Move { from: VaultPath, to: VaultPath, inode: u64 },
    Remove { path: VaultPath, old_text: String, old: Hash },
}

impl IntentStep {
    /// Where it works: the file's path, for a move the one it starts from.
    pub fn path(&self) -> &VaultPath {
        match self {
            Self::Create { path, .. } | Self::Edit { path, .. } | Self::Remove { path, .. } => path,
            Self::Move { from, .. } => from,
        }
    }
}

impl Intent {
    /// Whether every path in it stays in the vault. Those that we wrote do; a record that says otherwise is not followed.
    pub fn stays_in_vault(&self) -> bool {
        let is_inside = |path: &str| !path.split('/').any(|part| matches!(part, "" | "." | ".."));
        let is_step_inside = |step: &IntentStep| match step {
            IntentStep::Move { from, to, .. } => is_inside(from.as_str()) && is_inside(to.as_str()),
            step => is_inside(step.path().as_str()),
        };
        self.steps.iter().all(is_step_inside) && self.folders.iter().all(|folder| is_inside(folder))
    }

    /// The name of the file that stands beside a note while step `n` works on it: the new text before the
    /// exchange, what came out after it.
    pub fn temp_name(&self, n: usize) -> String {
        format!("{TEMP_PREFIX}{}-{n}.tmp", self.id)
    }

    /// The name of a file while it is being written, so that a `temp` file is always complete.
    pub fn part_name(&self, n: usize) -> String {
        format!("{TEMP_PREFIX}{}-{n}.part", self.id)
    }

    pub fn into_operation(self) -> Operation {
        let done = |step| match step {
            IntentStep::Create { path, new } => AppliedAction::Created { path, new },
            IntentStep::Edit { path, old_text, old, new } => {
                AppliedAction::Edited { path, old_text, old, new }
            }
            IntentStep::Move { from, to, .. } => AppliedAction::Moved { from, to },
            IntentStep::Remove { path, old_text, old } => AppliedAction::Removed { path, old_text, old },
        };
        Operation {
            id: self.id,
            at: self.at,
            label: self.label,
            group: self.group,
            undoes: self.undoes,
            folders: self.folders,
            done: self.steps.into_iter().map(done).collect(),
        }
    }
}
