//! Undoes changes: restores the exact bytes, unless somebody has changed them since.

mod journal;

use std::collections::HashMap;

use jiff::Timestamp;
use journal::JournalView;
use wellread_text::Splice;

use super::Vault;
use crate::domain::corpus::{Action, AppliedAction, ChangeSet, Hash, Operation, VaultPath};
use crate::domain::id::OperationId;
use crate::ports::FileContent;
use crate::{Error, ErrorKind, Result};

/// How many operations are searched: the journal keeps no more.
pub(super) const MAX_HISTORY: usize = 5000;

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
    /// The files that it changed; a file that it moved to the trash, by the path that it had.
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
    /// The tool that made the change that a chain of undoing began with: for an operation that undid nothing, its own
    /// label. `None` if the journal no longer has that operation.
    pub root_label: Option<String>,
    /// The files that would be restored, by the paths that they have now; one in the trash, by the path that it would get.
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
    /// The files that were restored, by the paths that they have now.
    pub paths: Vec<VaultPath>,
}

impl Vault {
    /// The last operations, newest first.
    pub fn history(&self, at_most: usize) -> Result<Vec<HistoryEntry>> {
        let journal = self.read_journal()?;
        let entry = |operation: &Operation| HistoryEntry {
            operation: operation.id,
            at: operation.at,
            label: operation.label.clone(),
            group: operation.group.clone(),
            paths: self.visible_paths(operation, changed_path),
            undoes: operation.undoes,
            undone: journal.is_undone(operation),
        };
        Ok(journal.visible().take(at_most).map(entry).collect())
    }

    /// The ids of the operation given by its id (or the beginning or end of it), or of all of a group, whether they were
    /// undone or not.
    pub fn find_operations(&self, which: &str) -> Result<Vec<OperationId>> {
        Ok(self.read_journal()?.find_matching(which)?.iter().map(|operation| operation.id).collect())
    }

    /// Undoes the last operation, or the one given by its id (or the beginning or end of it), or all of a group, newest
    /// first. Stops at the first that can't be undone; those undone before stay undone, and the error lists them.
    pub fn undo(&self, which: Option<&str>) -> Result<Vec<RevertedOperation>> {
        self.undo_in_turn(&self.read_journal()?.choose(which)?)
    }

    /// Undoes the operations of a preview and no others, as [`undo`](Self::undo) does. `Err` before anything is undone if
    /// one of them was undone since.
    pub fn undo_previewed(&self, previewed: &[UndoPreview]) -> Result<Vec<RevertedOperation>> {
        let journal = self.read_journal()?;
        let chosen: Result<Vec<&Operation>> = previewed.iter().map(|one| journal.find(one.undid)).collect();
        self.undo_in_turn(&chosen?)
    }

    fn undo_in_turn(&self, chosen: &[&Operation]) -> Result<Vec<RevertedOperation>> {
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

    /// What [`undo`](Self::undo) would do, newest first. Nothing is changed: each operation is undone in memory, where the
    /// later ones are undone already. `Err` if one of them can't be undone.
    pub fn preview_undo(&self, which: Option<&str>) -> Result<Vec<UndoPreview>> {
        let journal = self.read_journal()?;
        let stage = self.with_staged_changes();
        let mut previewed: Vec<UndoPreview> = Vec::new();
        for operation in journal.choose(which)? {
            let diff = stage.render_diff(&stage.inverse_actions(operation)?)?;
            let paths = stage.visible_paths(operation, changed_path);
            stage.undo_operation(operation, None)?;
            previewed.push(UndoPreview {
                undid: operation.id,
                label: operation.label.clone(),
                root_label: journal.find_root(operation).map(|root| root.label.clone()),
                paths,
                diff,
            });
        }
        Ok(previewed)
    }

    /// A copy whose changes are kept in memory. It hides what this view hides.
    fn with_staged_changes(&self) -> Self {
        let stage = Self { edits: self.edits.clone(), ..self.whole().with_overlay() };
        if self.hides_private() { stage.without_private() } else { stage }
    }

    /// The journal. In a view without private notes, operations on private notes, or on notes that are gone, are hidden.
    fn read_journal(&self) -> Result<JournalView<'_>> {
        let all = self.files.operations(MAX_HISTORY)?;
        let is_hidden = move |op: &Operation| self.hides_private() && self.whole().is_private_operation(op);
        Ok(JournalView::new(all, is_hidden))
    }

    /// Whether an operation was on a private note. Links in private notes that followed the move of a public one do not
    /// count.
    fn is_private_operation(&self, operation: &Operation) -> bool {
        let is_edit = |done: &AppliedAction| matches!(done, AppliedAction::Edited { .. });
        let only_edits = operation.done.iter().all(is_edit);
        operation.done.iter().any(|done| match done {
            AppliedAction::Edited { path, old_text, .. } => {
                only_edits && (self.is_private(path) || self.is_private_text(path, old_text))
            }
            AppliedAction::Created { path, .. } => self.is_private(path),
            AppliedAction::Removed { path, old_text, .. } => self.is_private_text(path, old_text),
            AppliedAction::Moved { from, to } => {
                self.is_private(to) || self.find_private_place(from).is_some()
            }
        })
    }

    /// The files of an operation, each once and named by `name`, without those that this view hides.
    fn visible_paths(
        &self,
        operation: &Operation,
        name: impl Fn(&AppliedAction) -> &VaultPath,
    ) -> Vec<VaultPath> {
        let is_hidden = |done: &AppliedAction| {
            matches!(done, AppliedAction::Edited { .. })
                && self.hides_private()
                && self.whole().is_private(done.path())
        };
        let mut paths: Vec<VaultPath> = Vec::new();
        for done in operation.done.iter().filter(|done| !is_hidden(done)) {
            let path = name(done);
            if !paths.contains(path) {
                paths.push(path.clone());
            }
        }
        paths
    }

    /// Undoes an operation that created one file, which somebody has moved since.
    pub fn undo_moved_file(&self, operation: OperationId, now: &VaultPath) -> Result<RevertedOperation> {
        let mut moved = self.whole().read_journal()?.find(operation)?.clone();
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
            paths: self.visible_paths(operation, restored_path),
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
                    let content = self.read_unchanged(view, operation, path, *new)?;
                    let whole = Splice { span: 0..content.bytes.len(), text: old_text.clone() };
                    edits.push(Action::Edit { path: path.clone(), expect: *new, splices: vec![whole] });
                }
                AppliedAction::Created { path, new } => {
                    self.read_unchanged(view, operation, path, *new)?;
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

    /// A file's content if it is still what an operation wrote; errors name only what `view` shows.
    fn read_unchanged(
        &self,
        view: &Self,
        operation: &Operation,
        path: &VaultPath,
        written: Hash,
    ) -> Result<FileContent> {
        let content = self.files.read(path).map_err(|error| match view.is_visible(path) {
            true => gone_error(operation, error),
            false => view.changed_since_error(operation, Some(path)),
        })?;
        if content.hash != written {
            return Err(view.changed_since_error(operation, Some(path)));
        }
        Ok(content)
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

/// The file that a step changed. One that it moved to the trash is named by the path that it had.
fn changed_path(done: &AppliedAction) -> &VaultPath {
    match done {
        AppliedAction::Moved { from, to } if is_in_trash(to) => from,
        _ => done.path(),
    }
}

/// The file that is restored when a step is undone, by the path that it then has. One that goes back to the trash is
/// named by the path that it had.
fn restored_path(done: &AppliedAction) -> &VaultPath {
    match done {
        AppliedAction::Moved { from, .. } if !is_in_trash(from) => from,
        _ => done.path(),
    }
}

fn is_in_trash(path: &VaultPath) -> bool {
    *path == VaultPath::in_trash(path.name())
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
