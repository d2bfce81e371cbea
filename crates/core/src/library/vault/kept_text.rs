//! Finds the old text of files that the journal keeps, so that it can be forgotten.

use std::collections::HashMap;

use super::Vault;
use super::undo::MAX_HISTORY;
use crate::Result;
use crate::domain::corpus::{AppliedAction, Operation, VaultPath};
use crate::domain::id::OperationId;

impl Vault {
    /// The operations that hold old text of a file that `wanted` chooses, by the path that it had then and the path that
    /// later moves gave it.
    pub fn find_operations_with_text(
        &self,
        wanted: &dyn Fn(&VaultPath, &VaultPath) -> bool,
    ) -> Result<Vec<OperationId>> {
        // Newest first, so that the moves that came after an operation are known when it is looked at.
        let mut moved: HashMap<VaultPath, VaultPath> = HashMap::new();
        let mut found = Vec::new();
        for operation in self.files.operations(MAX_HISTORY)? {
            follow_moves(&operation, &mut moved);
            let is_wanted = |path: &VaultPath| wanted(path, moved.get(path).unwrap_or(path));
            if operation.done.iter().filter_map(path_of_kept_text).any(is_wanted) {
                found.push(operation.id);
            }
        }
        Ok(found)
    }
}

/// Adds the moves of an operation to those that came after it. What went to the trash is gone.
fn follow_moves(operation: &Operation, moved: &mut HashMap<VaultPath, VaultPath>) {
    for done in &operation.done {
        if let AppliedAction::Moved { from, to } = done
            && *to != VaultPath::in_trash(to.name())
        {
            let now = moved.get(to).unwrap_or(to).clone();
            moved.insert(from.clone(), now);
        }
    }
}

/// The file whose old text a step holds.
fn path_of_kept_text(done: &AppliedAction) -> Option<&VaultPath> {
    match done {
        AppliedAction::Edited { path, .. } | AppliedAction::Removed { path, .. } => Some(path),
        AppliedAction::Created { .. } | AppliedAction::Moved { .. } => None,
    }
}
