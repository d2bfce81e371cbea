//! Takes changes back: the exact bytes that were there, unless somebody has worked on them since.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;
use wellread_text::Splice;

use super::Vault;
use crate::corpus::{Action, ChangeSet, Done, Operation, VaultPath};
use crate::id::OperationId;
use crate::{Error, Kind, Result};

/// How far back the journal is looked through: it keeps no more.
const HISTORY: usize = 5000;
const SHORTEST_PART: usize = 6;

/// An operation, for a list.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct HistoryEntry {
    pub operation: OperationId,
    pub at: Timestamp,
    pub label: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    pub paths: Vec<VaultPath>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undoes: Option<OperationId>,
    pub undone: bool,
}

/// An operation that was taken back.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Undone {
    pub undid: OperationId,
    /// The operation that did so: undoing that one brings the change back.
    pub operation: OperationId,
    pub label: String,
    pub paths: Vec<VaultPath>,
}

impl Vault {
    pub fn history(&self, at_most: usize) -> Result<Vec<HistoryEntry>> {
        let operations = self.files.operations(HISTORY)?;
        let undone = undone(&operations);
        let entry = |operation: Operation| HistoryEntry {
            undone: undone.contains(&operation.id),
            paths: paths(&operation),
            operation: operation.id,
            at: operation.at,
            label: operation.label,
            group: operation.group,
            undoes: operation.undoes,
        };
        Ok(operations.into_iter().take(at_most).map(entry).collect())
    }

    /// Takes back the last operation, or the one named by its id (or by its beginning or end), or all of a group, newest
    /// first. The first that can't be taken back ends it; what was taken back before it stays so, and is told.
    pub fn undo(&self, which: Option<&str>) -> Result<Vec<Undone>> {
        let operations = self.files.operations(HISTORY)?;
        let chosen = choose(&operations, which)?;
        let all = chosen.len();
        // What is undone together is brought back together.
        let group = (all > 1).then(|| OperationId::fresh().to_string());
        let mut done: Vec<Undone> = Vec::new();
        for operation in chosen {
            match self.undo_one(operation, group.clone()) {
                Ok(undone) => done.push(undone),
                Err(error) if done.is_empty() => return Err(error),
                Err(error) => {
                    let ids: Vec<String> = done.iter().map(|undone| undone.undid.to_string()).collect();
                    let hint = format!(
                        "{} of {all} were undone before that, newest first; `wellread undo` with its id takes back any other",
                        ids.len()
                    );
                    return Err(error.with("undone", ids).hint(hint));
                }
            }
        }
        Ok(done)
    }

    /// Takes back an operation that made one file, which somebody has moved to another place since.
    pub fn undo_moved(&self, operation: OperationId, now: &VaultPath) -> Result<Undone> {
        let operations = self.files.operations(HISTORY)?;
        let mut moved = choose(&operations, Some(&operation.to_string()))?.first().map_or_else(
            || Err(Error::not_found(format!("no operation `{operation}` in the journal"))),
            |found| Ok((*found).clone()),
        )?;
        let [Done::Created { path, .. }] = moved.done.as_mut_slice() else {
            return Err(Error::invalid(format!("operation `{operation}` made more than one file")));
        };
        *path = now.clone();
        self.undo_one(&moved, None)
    }

    fn undo_one(&self, operation: &Operation, group: Option<String>) -> Result<Undone> {
        let change = ChangeSet {
            label: "undo".to_owned(),
            group,
            undoes: Some(operation.id),
            actions: self.inverse(operation)?,
            prune: operation.folders.clone(),
        };
        let by = self.files.commit(&change).map_err(|error| match error.kind() {
            Kind::Changed => {
                changed_since(operation, error.details().get("path").and_then(|path| path.as_str()))
            }
            _ => gone(operation, error),
        })?;
        Ok(Undone {
            undid: operation.id,
            operation: by,
            label: operation.label.clone(),
            paths: paths(operation),
        })
    }

    /// The steps that take an operation back. Edits come first, where the files stand now; moves come last.
    fn inverse(&self, operation: &Operation) -> Result<Vec<Action>> {
        let now: HashMap<&VaultPath, &VaultPath> = operation
            .done
            .iter()
            .filter_map(|done| if let Done::Moved { from, to } = done { Some((from, to)) } else { None })
            .collect();
        let (mut edits, mut moves) = (Vec::new(), Vec::new());
        for done in operation.done.iter().rev() {
            match done {
                Done::Edited { path, old_text, new, .. } => {
                    let path = now.get(path).copied().unwrap_or(path);
                    let content = self.files.read(path).map_err(|error| gone(operation, error))?;
                    if content.hash != *new {
                        return Err(changed_since(operation, Some(path.as_str())));
                    }
                    let whole = Splice { span: 0..content.bytes.len(), text: old_text.clone() };
                    edits.push(Action::Edit { path: path.clone(), expect: *new, splices: vec![whole] });
                }
                Done::Created { path, new } => {
                    edits.push(Action::Remove { path: path.clone(), expect: *new });
                }
                Done::Removed { path, old_text, .. } => {
                    edits.push(Action::Create { path: path.clone(), text: old_text.clone() });
                }
                Done::Moved { from, to } => moves.push(Action::Move { from: to.clone(), to: from.clone() }),
            }
        }
        edits.extend(moves);
        Ok(edits)
    }
}

fn paths(operation: &Operation) -> Vec<VaultPath> {
    operation.done.iter().map(|done| done.path().clone()).collect()
}

/// The operations that a later one took back, unless that one was taken back itself.
fn undone(newest_first: &[Operation]) -> HashSet<OperationId> {
    let mut undone = HashSet::new();
    for operation in newest_first {
        if let (Some(earlier), false) = (operation.undoes, undone.contains(&operation.id)) {
            undone.insert(earlier);
        }
    }
    undone
}

fn choose<'a>(operations: &'a [Operation], which: Option<&str>) -> Result<Vec<&'a Operation>> {
    let undone = undone(operations);
    let Some(which) = which else {
        let last = operations.iter().find(|op| op.undoes.is_none() && !undone.contains(&op.id));
        let last = last.ok_or_else(|| Error::not_found("there is nothing to undo"))?;
        let together = |op: &&Operation| op.id == last.id || op.group.is_some() && op.group == last.group;
        return Ok(operations.iter().filter(together).filter(|op| !undone.contains(&op.id)).collect());
    };
    // Ids of one hour begin alike; their ends differ.
    let part = which.to_lowercase();
    let has_part = |id: &str| part.len() >= SHORTEST_PART && (id.starts_with(&part) || id.ends_with(&part));
    let named = |op: &&Operation| op.group.as_deref() == Some(which) || has_part(&op.id.to_string());
    let found: Vec<&Operation> = operations.iter().filter(named).collect();
    let one_group = found.iter().all(|op| op.group.is_some() && op.group == found[0].group);
    let left: Vec<&Operation> = found.iter().copied().filter(|op| !undone.contains(&op.id)).collect();
    match (found.len(), left.len()) {
        (0, _) => Err(Error::not_found(format!("no operation `{which}` in the journal")).hint(
            "`wellread undo --list` shows the operations with their ids; 6 characters of an id's end will do",
        )),
        (_, 0) => Err(Error::conflict(format!("operation `{which}` was undone already"))),
        (1, _) => Ok(left),
        _ if one_group => Ok(left),
        _ => Err(Error::invalid(format!("several operations fit `{which}`")).hint("give more of the id")),
    }
}

fn changed_since(operation: &Operation, path: Option<&str>) -> Error {
    let what = path.map_or_else(|| "a note".to_owned(), |path| format!("`{path}`"));
    let error = Error::conflict(format!("{what} was changed after `{}` wrote it", operation.label))
        .hint("nothing was undone, so that the later change is not lost; `wellread undo --list` shows what else there is");
    match path {
        Some(path) => error.at(path),
        None => error,
    }
}

fn gone(operation: &Operation, error: Error) -> Error {
    match error.kind() {
        Kind::NotFound => {
            Error::conflict(format!("{error}: it was moved or deleted after `{}`", operation.label))
                .hint("nothing was undone; put the file back first")
        }
        _ => error,
    }
}
