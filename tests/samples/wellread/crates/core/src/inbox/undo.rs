//! Takes an acceptance back, wherever its note stands by now.
//!
//! A note that was moved or renamed since is known by the finding that it names in its frontmatter. One that somebody has
//! worked on stays, and is told.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Inbox, JOURNAL};
use crate::agenda::{Finding, FindingStatus};
use crate::corpus::VaultPath;
use crate::id::{FindingId, OperationId};
use crate::vault::NoteText;
use crate::{Error, Kind, Result};

/// A finding that is new again.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TakenBack {
    #[serde(flatten)]
    pub finding: Finding,
    /// What became of its note, where that was not in its place any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// Where a note stands that was made of a finding.
pub(super) enum Whereabouts {
    /// Where it was put.
    There,
    Moved(VaultPath),
    /// Several notes say that they are it.
    Several(Vec<VaultPath>),
    /// Nowhere in the vault; so many notes could not be read.
    Gone {
        unread: usize,
    },
}

impl Inbox<'_> {
    /// Takes an acceptance back: the note goes, unless somebody has worked on it since.
    pub fn undo(&self, id: &FindingId) -> Result<TakenBack> {
        let _alone = self.research.agendas.alone(id)?;
        let finding = self.finding(id)?;
        if finding.status == FindingStatus::New && finding.accepting.is_none() {
            return Err(Error::conflict(format!("the finding {id} was not accepted"))
                .hint("there is nothing to undo"));
        }
        let made = match (finding.note_path.clone(), finding.operation) {
            (Some(path), Some(operation)) => Some((path, operation)),
            _ => self.made_before(&finding)?,
        };
        let message = match made {
            Some((path, operation)) if finding.status != FindingStatus::Dismissed => {
                self.take_away(id, &path, operation)?
            }
            _ => None,
        };
        let finding =
            self.research.agendas.decide(id, None, &mut |finding| finding.reopen().map(|()| None))?;
        Ok(TakenBack { finding, message })
    }

    /// Takes the note away, and says what there is to say of it.
    fn take_away(&self, id: &FindingId, path: &str, operation: OperationId) -> Result<Option<String>> {
        let history = self.vault.history(JOURNAL)?;
        if history.iter().any(|known| known.operation == operation && known.undone) {
            return Ok(None);
        }
        match self.whereabouts(id, path)? {
            Whereabouts::There => {
                let undone = self.vault.undo(Some(&operation.to_string()));
                undone.map(|_| None).map_err(|error| left(id, path, error))
            }
            Whereabouts::Moved(now) => {
                let undone = self.vault.undo_moved(operation, &now);
                let told = format!("its note had been moved to `{now}`, and was taken away there");
                undone.map(|_| Some(told)).map_err(|error| left(id, now.as_str(), error))
            }
            Whereabouts::Several(paths) => {
                let named: Vec<String> = paths.iter().map(|path| format!("`{path}`")).collect();
                Err(Error::conflict(format!(
                    "`{path}` is not there any more, and several notes are of the finding {id}: {}",
                    named.join(", ")
                ))
                .hint(format!("nothing was undone; delete those that you do not want, then {}", again(id))))
            }
            Whereabouts::Gone { unread } => {
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

    /// Looks where the note is. All notes are read only where it is not in its place.
    pub(super) fn whereabouts(&self, id: &FindingId, path: &str) -> Result<Whereabouts> {
        let place = self.vault.rules.file(path)?;
        let there = self.vault.files.find(&place)?.is_some();
        if there && self.vault.read(&place).is_ok_and(|note| is_of(&note, id)) {
            return Ok(Whereabouts::There);
        }
        let (mut found, mut unread) = (Vec::new(), 0);
        for entry in self.vault.files.list()?.files.into_iter().filter(|entry| entry.path.is_note()) {
            match self.vault.read(&entry.path) {
                Ok(note) if is_of(&note, id) => found.push(entry.path),
                Err(error) if error.kind() != Kind::NotFound => unread += 1,
                _ => {}
            }
        }
        Ok(match (found.len(), there) {
            // Somebody took out of it whose it is: that is for the journal to see.
            (0, true) => Whereabouts::There,
            (0, false) => Whereabouts::Gone { unread },
            (1, _) => Whereabouts::Moved(found.remove(0)),
            _ => Whereabouts::Several(found),
        })
    }
}

/// Whether a note says that it was made of this finding.
fn is_of(note: &NoteText, id: &FindingId) -> bool {
    let id = id.as_str();
    // Most notes can be passed over without reading what they say.
    note.text.contains(id)
        && note.parse().frontmatter.is_some_and(|front| {
            front.fields.is_ok_and(|fields| fields.get("finding").and_then(|id| id.as_str()) == Some(id))
        })
}

/// Why a note was left where it is, and what can be done.
fn left(id: &FindingId, path: &str, error: Error) -> Error {
    let why = match error.kind() {
        Kind::Conflict => "was edited after it was accepted",
        Kind::NotFound => "was made too long ago: the journal does not know it any more",
        _ => return error,
    };
    Error::conflict(format!("the note of the finding {id}, `{path}`, {why}")).at(path).hint(format!(
        "nothing was undone, and the note is as it is; keep it, or delete it yourself and then {}",
        again(id)
    ))
}

fn again(id: &FindingId) -> String {
    format!("undo once more: `wellread inbox undo {id}`")
}
