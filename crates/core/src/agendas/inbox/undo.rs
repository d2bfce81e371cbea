//! Undoes an acceptance, wherever its note is by now.
//!
//! A note that was moved or renamed is recognized by the finding's id in its frontmatter. A note that was edited stays,
//! and that is reported.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Inbox, JOURNAL};
use crate::domain::corpus::VaultPath;
use crate::domain::decision::UserDecision;
use crate::domain::id::{FindingId, OperationId};
use crate::library::vault::NoteText;
use crate::ports::agenda::{Finding, FindingStatus};
use crate::{Error, ErrorKind, Result};

/// A finding that is new again.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReopenedFinding {
    /// The finding, new again.
    #[serde(flatten)]
    pub finding: Finding,
    /// What happened to its note, if it was no longer in its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// The location of a finding's note.
pub(super) enum NoteLocation {
    /// At its original path.
    There,
    Moved(VaultPath),
    /// Several notes name the finding.
    Several(Vec<VaultPath>),
    /// Not in the vault; `unread` notes could not be read.
    Gone {
        unread: usize,
    },
}

impl Inbox<'_> {
    /// Undoes an acceptance and removes the note; `Err` if the note was edited since.
    pub fn undo(&self, _by: UserDecision, id: &FindingId) -> Result<ReopenedFinding> {
        let _alone = self.research.agendas.lock_finding(id)?;
        let finding = self.finding(id)?;
        if finding.status == FindingStatus::New && finding.accepting.is_none() {
            return Err(Error::conflict(format!("the finding {id} was not accepted"))
                .hint("there is nothing to undo"));
        }
        let made = match (finding.note_path.clone(), finding.operation) {
            (Some(path), Some(operation)) => Some((path, operation)),
            _ => self.find_made_note(&finding)?,
        };
        let message = match made {
            Some((path, operation)) if finding.status != FindingStatus::Dismissed => {
                self.remove_note(id, &path, operation)?
            }
            _ => None,
        };
        let finding =
            self.research.agendas.decide(id, None, &mut |finding| finding.reopen().map(|()| None))?;
        Ok(ReopenedFinding { finding, message })
    }

    /// Removes the note, and returns what the user should know about it.
    fn remove_note(&self, id: &FindingId, path: &str, operation: OperationId) -> Result<Option<String>> {
        let history = self.vault.history(JOURNAL)?;
        if history.iter().any(|known| known.operation == operation && known.undone) {
            return Ok(None);
        }
        match self.locate_note(id, path)? {
            NoteLocation::There => {
                let undone = self.vault.undo(Some(&operation.to_string()));
                undone.map(|_| None).map_err(|error| kept_note_error(id, path, error))
            }
            NoteLocation::Moved(now) => {
                let undone = self.vault.undo_moved_file(operation, &now);
                let notice = format!("its note had been moved to `{now}`, and was removed there");
                undone.map(|_| Some(notice)).map_err(|error| kept_note_error(id, now.as_str(), error))
            }
            NoteLocation::Several(paths) => {
                let named: Vec<String> = paths.iter().map(|path| format!("`{path}`")).collect();
                Err(Error::conflict(format!(
                    "`{path}` no longer exists, and several notes belong to the finding {id}: {}",
                    named.join(", ")
                ))
                .hint(format!(
                    "nothing was undone; delete the notes you do not want, then {}",
                    retry_hint(id)
                )))
            }
            NoteLocation::Gone { unread } => {
                let unread = match unread {
                    0 => String::new(),
                    many => format!(" ({many} notes could not be read: `wellread status` names them)"),
                };
                Ok(Some(format!(
                    "its note `{path}` is not in the vault any more, so none was taken away{unread}; if you keep it \
                     elsewhere, it stays there"
                )))
            }
        }
    }

    /// Finds the note. All notes are read only if it is not at its original path.
    pub(super) fn locate_note(&self, id: &FindingId, path: &str) -> Result<NoteLocation> {
        let place = self.vault.rules.parse_file(path)?;
        let there = self.vault.files.find(&place)?.is_some();
        if there && self.vault.read(&place).is_ok_and(|note| names_finding(&note, id)) {
            return Ok(NoteLocation::There);
        }
        let (mut found, mut unread) = (Vec::new(), 0);
        for entry in self.vault.files.list()?.files.into_iter().filter(|entry| entry.path.is_note()) {
            match self.vault.read(&entry.path) {
                Ok(note) if names_finding(&note, id) => found.push(entry.path),
                Err(error) if error.kind() != ErrorKind::NotFound => unread += 1,
                _ => {}
            }
        }
        Ok(match (found.len(), there) {
            // The id was removed from it: the undo will report that it was edited.
            (0, true) => NoteLocation::There,
            (0, false) => NoteLocation::Gone { unread },
            (1, _) => NoteLocation::Moved(found.remove(0)),
            _ => NoteLocation::Several(found),
        })
    }
}

/// Whether a note's frontmatter names this finding.
fn names_finding(note: &NoteText, id: &FindingId) -> bool {
    let id = id.as_str();
    // Most notes need not be parsed.
    note.text.contains(id)
        && note.parse().frontmatter.is_some_and(|front| {
            front.fields.is_ok_and(|fields| fields.get("finding").and_then(|id| id.as_str()) == Some(id))
        })
}

/// The error for a note that was not removed, with what the user can do.
fn kept_note_error(id: &FindingId, path: &str, error: Error) -> Error {
    let why = match error.kind() {
        ErrorKind::Conflict => "was edited after it was accepted",
        ErrorKind::NotFound => "was made too long ago: the journal no longer has it",
        _ => return error,
    };
    Error::conflict(format!("the note of the finding {id}, `{path}`, {why}")).with_path(path).hint(format!(
        "nothing was undone, and the note is unchanged; keep it, or delete it yourself and then {}",
        retry_hint(id)
    ))
}

fn retry_hint(id: &FindingId) -> String {
    format!("undo again: `wellread inbox undo {id}`")
}
