//! A change to files, and what the journal keeps of it.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
pub use wellread_text::Splice;

use super::{Hash, VaultPath};
use crate::domain::id::OperationId;

/// One step of a change. Each states what it expects to find; if it finds something else, nothing is changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Creates a file. There must be none at that path.
    Create {
        /// The new file.
        path: VaultPath,
        /// Its whole text.
        text: String,
    },
    /// Replaces byte ranges of a file whose content has exactly the hash `expect`.
    Edit {
        /// The file.
        path: VaultPath,
        /// The hash of the content that the edit was made for.
        expect: Hash,
        /// The byte ranges and their new text.
        splices: Vec<Splice>,
    },
    /// Moves a file. There must be nothing at the destination.
    Move {
        /// The old path.
        from: VaultPath,
        /// The new path.
        to: VaultPath,
    },
    /// Deletes a file; only the journal keeps its text. This is how a creation is undone.
    Remove {
        /// The file.
        path: VaultPath,
        /// The hash of the content that it must have.
        expect: Hash,
    },
}

impl Action {
    /// The file that the step changes; for a move, its old path.
    pub fn path(&self) -> &VaultPath {
        match self {
            Self::Create { path, .. } | Self::Edit { path, .. } | Self::Remove { path, .. } => path,
            Self::Move { from, .. } => from,
        }
    }

    /// Every path that the step touches.
    pub fn paths(&self) -> impl Iterator<Item = &VaultPath> {
        let to = match self {
            Self::Move { to, .. } => Some(to),
            _ => None,
        };
        [self.path()].into_iter().chain(to)
    }
}

/// Steps that are carried out in order, all or none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeSet {
    /// The name of the tool that makes the change, for people.
    pub label: String,
    /// Operations of one group are undone together.
    pub group: Option<String>,
    /// The operation that this one undoes.
    pub undoes: Option<OperationId>,
    /// The steps.
    pub actions: Vec<Action>,
    /// Folders to remove afterwards if they are empty.
    pub prune: Vec<String>,
}

impl ChangeSet {
    /// A change of these steps, without a group.
    pub fn new(label: &str, actions: Vec<Action>) -> Self {
        Self { label: label.to_owned(), group: None, undoes: None, actions, prune: Vec::new() }
    }

    /// Puts the change into a group of operations that are undone together.
    #[must_use]
    pub fn in_group(mut self, group: Option<&str>) -> Self {
        self.group = group.map(str::to_owned);
        self
    }
}

/// What one step did, with everything needed to reverse it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "did", rename_all = "snake_case")]
pub enum AppliedAction {
    /// A file was created.
    Created {
        /// The new file.
        path: VaultPath,
        /// The hash of its content.
        new: Hash,
    },
    /// A file was edited.
    Edited {
        /// The file.
        path: VaultPath,
        /// Its whole text before the edit.
        old_text: String,
        /// The hash of the text before.
        old: Hash,
        /// The hash of the text after.
        new: Hash,
    },
    /// A file was moved.
    Moved {
        /// The old path.
        from: VaultPath,
        /// The new path.
        to: VaultPath,
    },
    /// A file was deleted.
    Removed {
        /// The file.
        path: VaultPath,
        /// Its whole text.
        old_text: String,
        /// The hash of the text.
        old: Hash,
    },
}

impl AppliedAction {
    /// The file that was changed; for a move, its new path.
    pub fn path(&self) -> &VaultPath {
        match self {
            Self::Created { path, .. } | Self::Edited { path, .. } | Self::Removed { path, .. } => path,
            Self::Moved { to, .. } => to,
        }
    }
}

/// A finished change, as the journal keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operation {
    /// The operation's id.
    pub id: OperationId,
    /// When the operation was finished.
    pub at: Timestamp,
    /// The name of the tool that made the change.
    pub label: String,
    /// Operations of one group are undone together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// The operation that this one undid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoes: Option<OperationId>,
    /// Folders that were created for the operation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub folders: Vec<String>,
    /// What each step did, in order.
    pub done: Vec<AppliedAction>,
}
