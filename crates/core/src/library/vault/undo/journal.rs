//! The journal of operations as a view shows it: which were undone, and which an id names.

use std::collections::HashSet;

use crate::domain::corpus::Operation;
use crate::domain::id::OperationId;
use crate::{Error, Result};

/// The fewest characters by which an id is recognized.
const SHORTEST_PART: usize = 6;

/// The journal, and what of it a view shows. Whether an operation is hidden is judged when it matters: that takes reading
/// the notes of the operation, and a journal is long.
pub(super) struct JournalView<'a> {
    /// Every operation, newest first.
    all: Vec<Operation>,
    /// Whether the view hides an operation.
    is_hidden: Box<dyn Fn(&Operation) -> bool + 'a>,
    /// The operations that were undone, even if the view hides the one that undid them.
    undone: HashSet<OperationId>,
}

impl<'a> JournalView<'a> {
    /// A view of all operations, newest first, that hides some of them.
    pub(super) fn new(all: Vec<Operation>, is_hidden: impl Fn(&Operation) -> bool + 'a) -> Self {
        // What is undone is judged before anything is hidden.
        Self { undone: undone_ids(&all), is_hidden: Box::new(is_hidden), all }
    }

    /// The operations that the view shows, newest first.
    pub(super) fn visible(&self) -> impl Iterator<Item = &Operation> {
        self.visible_where(|_| true)
    }

    /// Those of the visible operations that fit; no others are judged.
    fn visible_where(&self, fits: impl Fn(&&Operation) -> bool) -> impl Iterator<Item = &Operation> {
        self.all.iter().filter(fits).filter(|operation| !(self.is_hidden)(operation))
    }

    /// Whether an operation was undone.
    pub(super) fn is_undone(&self, operation: &Operation) -> bool {
        self.undone.contains(&operation.id)
    }

    /// The operations to undo, newest first: those that match, or the last one with its group.
    pub(super) fn choose(&self, which: Option<&str>) -> Result<Vec<&Operation>> {
        let is_left = |op: &&Operation| !self.is_undone(op);
        let Some(which) = which else {
            let last = self.visible_where(|op| op.undoes.is_none() && is_left(op)).next();
            let last = last.ok_or_else(|| Error::not_found("there is nothing to undo"))?;
            let together = |op: &&Operation| op.id == last.id || op.group.is_some() && op.group == last.group;
            return Ok(self.visible_where(|op| together(op) && is_left(op)).collect());
        };
        let mut left = self.find_matching(which)?;
        left.retain(is_left);
        if left.is_empty() { Err(already_undone_error(which)) } else { Ok(left) }
    }

    /// The operation of that id, or all of that group.
    pub(super) fn find_matching(&self, which: &str) -> Result<Vec<&Operation>> {
        // Ids of the same hour begin alike; their ends differ.
        let part = which.to_lowercase();
        let has_part =
            |id: &str| part.len() >= SHORTEST_PART && (id.starts_with(&part) || id.ends_with(&part));
        let named = |op: &&Operation| op.group.as_deref() == Some(which) || has_part(&op.id.to_string());
        let found: Vec<&Operation> = self.visible_where(named).collect();
        let one_group = found.iter().all(|op| op.group.is_some() && op.group == found[0].group);
        match found.len() {
            0 => Err(unknown_operation_error(which)),
            1 => Ok(found),
            _ if one_group => Ok(found),
            _ => {
                Err(Error::invalid(format!("several operations match `{which}`")).hint("give more of the id"))
            }
        }
    }

    /// The operation of exactly that id; `Err` if it was undone.
    pub(super) fn find(&self, id: OperationId) -> Result<&Operation> {
        let found = self.visible_where(|op| op.id == id).next();
        let found = found.ok_or_else(|| unknown_operation_error(&id.to_string()))?;
        if self.is_undone(found) { Err(already_undone_error(&id.to_string())) } else { Ok(found) }
    }

    /// The operation that a chain of undoing began with: for one that undid nothing, itself. `None` if the journal no
    /// longer has it.
    pub(super) fn find_root<'o>(&'o self, operation: &'o Operation) -> Option<&'o Operation> {
        let mut root = operation;
        // What an operation undid is older, so it comes later in the list.
        for older in &self.all {
            if root.undoes == Some(older.id) {
                root = older;
            }
        }
        root.undoes.is_none().then_some(root)
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

fn unknown_operation_error(which: &str) -> Error {
    Error::not_found(format!("no operation `{which}` in the journal")).hint(
        "`wellread undo --list` shows the operations with their ids; 6 characters of an id's end will do",
    )
}

fn already_undone_error(which: &str) -> Error {
    Error::conflict(format!("operation `{which}` was already undone"))
}
