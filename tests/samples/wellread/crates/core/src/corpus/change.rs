//! A change to files, and what the journal keeps of it.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
pub use wellread_text::Splice;

use super::{Hash, VaultPath};
use crate::id::OperationId;

/// One step of a change. Each says what it expects to find; where it finds something else, nothing happens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// A new file. There must be none at that path.
    Create { path: VaultPath, text: String },
    /// New text for byte ranges of a file that holds exactly `expect`.
    Edit { path: VaultPath, expect: Hash, splices: Vec<Splice> },
    /// A new place for a file. There must be nothing at the destination.
    Move { from: VaultPath, to: VaultPath },
    /// Takes a file out of the vault for good. Only the journal has it then: this is how a creation is undone.
    Remove { path: VaultPath, expect: Hash },
}

impl Action {
    pub fn path(&self) -> &VaultPath {
        match self {
            Self::Create { path, .. } | Self::Edit { path, .. } | Self::Remove { path, .. } => path,
            Self::Move { from, .. } => from,
        }
    }

    /// Every path that it touches.
    pub fn paths(&self) -> impl Iterator<Item = &VaultPath> {
        let to = match self {
            Self::Move { to, .. } => Some(to),
            _ => None,
        };
        [self.path()].into_iter().chain(to)
    }
}

/// Steps that happen all or not at all, in this order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeSet {
    /// What was done, for people: the tool's name.
    pub label: String,
    /// Operations that belong together share a group, and are undone together.
    pub group: Option<String>,
    /// The operation that this one takes back.
    pub undoes: Option<OperationId>,
    pub actions: Vec<Action>,
    /// Folders to take away afterwards, where they are empty then.
    pub prune: Vec<String>,
}

impl ChangeSet {
    pub fn new(label: &str, actions: Vec<Action>) -> Self {
        Self { label: label.to_owned(), group: None, undoes: None, actions, prune: Vec::new() }
    }

    #[must_use]
    pub fn in_group(mut self, group: Option<&str>) -> Self {
        self.group = group.map(str::to_owned);
        self
    }
}

/// What one step did, with what it takes to reverse it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "did", rename_all = "snake_case")]
pub enum Done {
    Created { path: VaultPath, new: Hash },
    Edited { path: VaultPath, old_text: String, old: Hash, new: Hash },
    Moved { from: VaultPath, to: VaultPath },
    Removed { path: VaultPath, old_text: String, old: Hash },
}

impl Done {
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
    pub id: OperationId,
    pub at: Timestamp,
    pub label: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoes: Option<OperationId>,
    /// Folders that were made for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub folders: Vec<String>,
    pub done: Vec<Done>,
}
