//! Undoes changes: restores the exact bytes, unless somebody has changed them since.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;
use wellread_text::{Note, Splice};

use super::Vault;
use crate::domain::corpus::{Action, AppliedAction, ChangeSet, Operation, VaultPath};
use crate::domain::id::OperationId;
use crate::{Error, ErrorKind, Result};

/// How many operations are searched: the journal keeps no more.
const MAX_HISTORY: usize = 5000;
const SHORTEST_PART: usize = 6;

/// An operation, for a list.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct HistoryEntry {
    /// The operation's id.
    pub operation: OperationId,
    /// When it was finished.
    pub at: Timestamp,
    /// The tool that made it.
    pub label: String,
    /// Operations of one group are undone together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// The files that it changed.
    pub paths: Vec<VaultPath>,
    /// The operation that it undid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undoes: Option<OperationId>,
    /// Whether it has been undone.
    pub undone: bool,
}

/// An operation that would be undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndoPreview {
    /// The operation.
    pub undid: OperationId,
    /// The tool that made the change.
    pub label: String,
    /// The files that would be restored.
    pub paths: Vec<VaultPath>,
    /// The unified diff of the undoing.
    pub diff: String,
}

/// An operation that was undone.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct RevertedOperation {
    /// The operation that was undone.
    pub undid: OperationId,
    /// The operation that undid it; undoing this one restores the change.
    pub operation: OperationId,
    /// The tool that made the change.
    pub label: String,
    /// The files that were restored.
    pub paths: Vec<VaultPath>,
}

impl Vault {
    /// The last operations, newest first.
    pub fn history(&self, at_most: usize) -> Result<Vec<HistoryEntry>> {
        let operations = self.visible_operations()?;
        let undone = undone_ids(&operations);
        let entry = |operation: Operation| HistoryEntry {
            undone: undone.contains(&operation.id),
            paths: self.visible_paths(&operation),
            operation: operation.id,
            at: operation.at,
            label: operation.label,
            group: operation.group,
            undoes: operation.undoes,
        };
        Ok(operations.into_iter().take(at_most).map(entry).collect())
    }

    /// The ids of the operation given by its id (or the beginning or end of it), or of all of a group, whether they were
    /// undone or not.
    pub fn find_operations(&self, which: &str) -> Result<Vec<OperationId>> {
        let operations = self.visible_operations()?;
        Ok(match_operations(&operations, which)?.iter().map(|operation| operation.id).collect())
    }

    /// Undoes the last operation, or the one given by its id (or the beginning or end of it), or all of a group, newest
    /// first. Stops at the first that can't be undone; those undone before stay undone, and the error lists them.
    pub fn undo(&self, which: Option<&str>) -> Result<Vec<RevertedOperation>> {
        let operations = self.visible_operations()?;
        let chosen = choose_operations(&operations, which)?;
        let all = chosen.len();
        // Operations that are undone together are restored together.
        let group = (all > 1).then(|| OperationId::fresh().to_string());
        let mut done: Vec<RevertedOperation> = Vec::new();
        for operation in chosen {
            match self.undo_operation(operation, group.clone()) {
                Ok(undone) => done.push(undone),
                Err(error) if done.is_empty() => return Err(error),
                Err(error) => {
                    let ids: Vec<String> = done.iter().map(|undone| undone.undid.to_string()).collect();
                    let hint = format!(
                        "{} of {all} were undone before that, newest first; `wellread undo` with an id undoes any other",
                        ids.len()
                    );
                    return Err(error.with_detail("undone", ids).hint(hint));
                }
            }
        }
        Ok(done)
    }

    /// What [`undo`](Self::undo) would do, newest first. Nothing is changed. Where an earlier operation of a group can only be
    /// compared once the later ones are undone, its diff is empty.
    pub fn preview_undo(&self, which: Option<&str>) -> Result<Vec<UndoPreview>> {
        let operations = self.visible_operations()?;
        let mut previewed: Vec<UndoPreview> = Vec::new();
        for operation in choose_operations(&operations, which)? {
            let diff = self.inverse_actions(operation).and_then(|actions| self.render_diff(&actions));
            let diff = if previewed.is_empty() { diff? } else { diff.unwrap_or_default() };
            previewed.push(UndoPreview {
                undid: operation.id,
                label: operation.label.clone(),
                paths: self.visible_paths(operation),
                diff,
            });
        }
        Ok(previewed)
    }

    /// The operations, newest first. In a view without private notes, those on private notes, or on notes that are gone,
    /// are left out.
    fn visible_operations(&self) -> Result<Vec<Operation>> {
        let mut operations = self.files.operations(MAX_HISTORY)?;
        if self.hides_private() {
            operations.retain(|operation| !self.whole().is_private_operation(operation));
        }
        Ok(operations)
    }

    /// Whether an operation was on a private note. Links in private notes that followed the move of a public one do not
    /// count.
    fn is_private_operation(&self, operation: &Operation) -> bool {
        let is_edit = |done: &AppliedAction| matches!(done, AppliedAction::Edited { .. });
        let only_edits = operation.done.iter().all(is_edit);
        let was_private = |path: &VaultPath, text: &str| self.is_marked_private(path, &Note::parse(text));
        operation.done.iter().any(|done| match done {
            AppliedAction::Edited { path, old_text, .. } => {
                only_edits && (self.is_private(path) || was_private(path, old_text))
            }
            AppliedAction::Created { path, .. } => self.is_private(path),
            AppliedAction::Removed { path, old_text, .. } => was_private(path, old_text),
            AppliedAction::Moved { from, to } => {
                self.is_private(to) || self.find_private_place(from).is_some()
            }
        })
    }

    /// The files that an operation changed, without those that this view hides.
    fn visible_paths(&self, operation: &Operation) -> Vec<VaultPath> {
        let is_hidden = |done: &AppliedAction| {
            matches!(done, AppliedAction::Edited { .. })
                && self.hides_private()
                && self.whole().is_private(done.path())
        };
        operation.done.iter().filter(|done| !is_hidden(done)).map(|done| done.path().clone()).collect()
    }

    /// Undoes an operation that created one file, which somebody has moved since.
    pub fn undo_moved_file(&self, operation: OperationId, now: &VaultPath) -> Result<RevertedOperation> {
        let operations = self.files.operations(MAX_HISTORY)?;
        let mut moved = choose_operations(&operations, Some(&operation.to_string()))?.first().map_or_else(
            || Err(Error::not_found(format!("no operation `{operation}` in the journal"))),
            |found| Ok((*found).clone()),
        )?;
        let [AppliedAction::Created { path, .. }] = moved.done.as_mut_slice() else {
            return Err(Error::invalid(format!("operation `{operation}` created more than one file")));
        };
        *path = now.clone();
        self.undo_operation(&moved, None)
    }

    fn undo_operation(&self, operation: &Operation, group: Option<String>) -> Result<RevertedOperation> {
        let change = ChangeSet {
            label: "undo".to_owned(),
            // Within a run it is the run's own, so that a run that is resumed finds it done.
            group: group.or_else(|| self.edits.group.clone()),
            undoes: Some(operation.id),
            actions: self.inverse_actions(operation)?,
            prune: operation.folders.clone(),
        };
        let by = self.files.commit(&change).map_err(|error| match error.kind() {
            ErrorKind::Changed => {
                let path = error.details().get("path").and_then(|path| path.as_str());
                let path = path.and_then(|path| self.rules.parse_file(path).ok());
                self.changed_since_error(operation, path.as_ref())
            }
            _ => gone_error(operation, error),
        })?;
        Ok(RevertedOperation {
            undid: operation.id,
            operation: by,
            label: operation.label.clone(),
            paths: self.visible_paths(operation),
        })
    }

    /// The actions that undo an operation. Edits come first, at the files' current paths; moves come last. A run that holds
    /// text from outside can't undo changes of files that instruct models.
    fn inverse_actions(&self, operation: &Operation) -> Result<Vec<Action>> {
        let actions = self.whole().plan_inverse(self, operation)?;
        if self.edits.origin.is_outside() {
            self.check_instructions_untouched(&actions)?;
        }
        Ok(actions)
    }

    /// The actions on the whole vault; errors name only what `view` shows.
    fn plan_inverse(&self, view: &Self, operation: &Operation) -> Result<Vec<Action>> {
        let now: HashMap<&VaultPath, &VaultPath> = operation
            .done
            .iter()
            .filter_map(
                |done| if let AppliedAction::Moved { from, to } = done { Some((from, to)) } else { None },
            )
            .collect();
        let (mut edits, mut moves) = (Vec::new(), Vec::new());
        for done in operation.done.iter().rev() {
            match done {
                AppliedAction::Edited { path, old_text, new, .. } => {
                    let path = now.get(path).copied().unwrap_or(path);
                    let content = self.files.read(path).map_err(|error| match view.is_visible(path) {
                        true => gone_error(operation, error),
                        false => view.changed_since_error(operation, Some(path)),
                    })?;
                    if content.hash != *new {
                        return Err(view.changed_since_error(operation, Some(path)));
                    }
                    let whole = Splice { span: 0..content.bytes.len(), text: old_text.clone() };
                    edits.push(Action::Edit { path: path.clone(), expect: *new, splices: vec![whole] });
                }
                AppliedAction::Created { path, new } => {
                    edits.push(Action::Remove { path: path.clone(), expect: *new });
                }
                AppliedAction::Removed { path, old_text, .. } => {
                    edits.push(Action::Create { path: path.clone(), text: old_text.clone() });
                }
                AppliedAction::Moved { from, to } => {
                    moves.push(Action::Move { from: to.clone(), to: from.clone() });
                }
            }
        }
        edits.extend(moves);
        Ok(edits)
    }

    fn changed_since_error(&self, operation: &Operation, path: Option<&VaultPath>) -> Error {
        let path = path.filter(|path| self.is_visible(path));
        let what = path.map_or_else(|| "a note".to_owned(), |path| format!("`{path}`"));
        let error = Error::conflict(format!("{what} was changed after `{}` wrote it", operation.label)).hint(
            "nothing was undone, to keep the later change; `wellread undo --list` shows other operations",
        );
        match path {
            Some(path) => error.with_path(path.as_str()),
            None => error,
        }
    }
}

/// The operations that a later one undid, unless that one was undone itself.
fn undone_ids(newest_first: &[Operation]) -> HashSet<OperationId> {
    let mut undone = HashSet::new();
    for operation in newest_first {
        if let (Some(earlier), false) = (operation.undoes, undone.contains(&operation.id)) {
            undone.insert(earlier);
        }
    }
    undone
}

fn choose_operations<'a>(operations: &'a [Operation], which: Option<&str>) -> Result<Vec<&'a Operation>> {
    let undone = undone_ids(operations);
    let Some(which) = which else {
        let last = operations.iter().find(|op| op.undoes.is_none() && !undone.contains(&op.id));
        let last = last.ok_or_else(|| Error::not_found("there is nothing to undo"))?;
        let together = |op: &&Operation| op.id == last.id || op.group.is_some() && op.group == last.group;
        return Ok(operations.iter().filter(together).filter(|op| !undone.contains(&op.id)).collect());
    };
    let mut left = match_operations(operations, which)?;
    left.retain(|op| !undone.contains(&op.id));
    if left.is_empty() {
        return Err(Error::conflict(format!("operation `{which}` was already undone")));
    }
    Ok(left)
}

/// The operation of that id, or all of that group.
fn match_operations<'a>(operations: &'a [Operation], which: &str) -> Result<Vec<&'a Operation>> {
    // Ids of the same hour begin alike; their ends differ.
    let part = which.to_lowercase();
    let has_part = |id: &str| part.len() >= SHORTEST_PART && (id.starts_with(&part) || id.ends_with(&part));
    let named = |op: &&Operation| op.group.as_deref() == Some(which) || has_part(&op.id.to_string());
    let found: Vec<&Operation> = operations.iter().filter(named).collect();
    let one_group = found.iter().all(|op| op.group.is_some() && op.group == found[0].group);
    match found.len() {
        0 => Err(Error::not_found(format!("no operation `{which}` in the journal")).hint(
            "`wellread undo --list` shows the operations with their ids; 6 characters of an id's end will do",
        )),
        1 => Ok(found),
        _ if one_group => Ok(found),
        _ => Err(Error::invalid(format!("several operations match `{which}`")).hint("give more of the id")),
    }
}

fn gone_error(operation: &Operation, error: Error) -> Error {
    match error.kind() {
        ErrorKind::NotFound => {
            Error::conflict(format!("{error}: it was moved or deleted after `{}`", operation.label))
                .hint("nothing was undone; put the file back first")
        }
        _ => error,
    }
}
