//! What became of the notes that had a name: by now it may be the name of another note.
//!
//! The journal tells where Wellread moved them. What another program moved is in no journal; that it is gone is noticed
//! when the name is taken again.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;
use std::sync::{Arc, PoisonError};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::domain::corpus::{AppliedAction, Operation, VaultPath};
use crate::domain::id::OperationId;
use crate::library::vault::Vault;

/// The journal keeps no more operations.
const MAX_HISTORY: usize = 5000;

/// When the notes with certain names were read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ReadPeriod {
    /// The first moment at which they may have been read: they are followed from here.
    pub first: Timestamp,
    /// The last one: a name that is taken after it was free before, and nobody knows since when.
    pub last: Timestamp,
}

impl ReadPeriod {
    /// A period that is not known: notes are followed as far back as the journal goes.
    pub const UNKNOWN: Self = Self { first: Timestamp::MIN, last: Timestamp::MAX };

    /// The period that is one moment.
    pub fn at(moment: Timestamp) -> Self {
        Self { first: moment, last: moment }
    }
}

/// What is known of all notes that had a name since a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoteFate {
    /// One of them is private by now, or was moved to a private place or deleted as a private note.
    Private,
    /// All of them are public, or were when they were deleted.
    Public,
    /// One of them is gone, and nobody knows where to.
    Lost,
}

/// The repositories that share files with a vault, by name: the absolute paths that each is known under.
pub type SharedRepositories = BTreeMap<String, Vec<String>>;

/// What the journal says of names, as of its newest operation: which files got or left one, the oldest first.
pub(super) struct NameChanges {
    newest: Option<OperationId>,
    changes: Vec<(Timestamp, AppliedAction)>,
    names: HashSet<VaultPath>,
}

/// What the journal says of names at the moment, read once for many of them.
pub struct PastNames<'a> {
    vault: &'a Vault,
    /// `None` if the journal can't be read.
    journal: Option<Arc<NameChanges>>,
}

impl PastNames<'_> {
    /// What became of all notes that had this name since it was read, whether or not the view shows them.
    pub fn trace(&self, name: &VaultPath, read: ReadPeriod) -> NoteFate {
        let whole = self.vault.whole();
        let Some(journal) = &self.journal else { return NoteFate::Lost };
        let mut places = BTreeSet::from([name.clone()]);
        let mut is_lost = false;
        let changes = if journal.names.contains(name) { &journal.changes[..] } else { &[] };
        for (at, change) in changes.iter().filter(|(at, _)| *at >= read.first) {
            let (was_followed, taken) = match change {
                AppliedAction::Moved { from, to } => (places.remove(from), to),
                AppliedAction::Created { path, .. } => (false, path),
                AppliedAction::Removed { path, old_text, .. } => {
                    if places.remove(path) && whole.is_private_text(path, old_text) {
                        return NoteFate::Private;
                    }
                    continue;
                }
                AppliedAction::Edited { .. } => continue,
            };
            if was_followed && whole.find_private_place(taken).is_some() {
                return NoteFate::Private;
            }
            if places.contains(taken) {
                // The note that was there went away unseen.
                is_lost |= *at > read.last;
            } else if was_followed || taken == name {
                places.insert(taken.clone());
            }
        }
        if whole.files.find(name).is_ok_and(|found| found.is_some()) {
            places.insert(name.clone());
        }
        self.judge_places(&places, is_lost)
    }

    fn judge_places(&self, places: &BTreeSet<VaultPath>, mut is_lost: bool) -> NoteFate {
        let whole = self.vault.whole();
        for place in places {
            match whole.files.find(place) {
                Ok(None) => is_lost = true,
                _ if whole.is_private(place) => return NoteFate::Private,
                _ => {}
            }
        }
        if is_lost { NoteFate::Lost } else { NoteFate::Public }
    }
}

impl Vault {
    /// What the journal says of names at the moment.
    pub fn past_names(&self) -> PastNames<'_> {
        PastNames { vault: self, journal: self.list_name_changes() }
    }

    /// Whether what is said of notes with these names may be shown: in a view without private notes, only if all that had
    /// one of them since they were read are public. One that is gone may be a private one that was moved.
    pub fn shows_all<'a>(&self, names: impl IntoIterator<Item = &'a str>, read: ReadPeriod) -> bool {
        if !self.hides_private() {
            return true;
        }
        let past = self.past_names();
        names.into_iter().all(|name| {
            let path = self.rules.parse_file(name);
            path.is_ok_and(|path| past.trace(&path, read) == NoteFate::Public)
        })
    }

    /// Where a file of a repository is in this vault, if the two share it. A folder that is no repository of the settings
    /// is named by its absolute path.
    pub fn find_shared_file(&self, repository: &str, path: &str) -> Vec<VaultPath> {
        let known = self.visibility.shared.get(repository).into_iter().flatten().map(String::as_str);
        let folder = Path::new(repository).is_absolute().then_some(repository);
        let places = known.chain(folder).map(|root| format!("{}/{path}", root.trim_end_matches(['/', '\\'])));
        places.filter_map(|place| self.rules.parse_file(&place).ok()).collect()
    }

    /// The changes of names in the journal; `None` if it can't be read. They are kept until there is a newer operation.
    fn list_name_changes(&self) -> Option<Arc<NameChanges>> {
        let files = &self.whole().files;
        let newest = files.operations(1).ok()?.first().map(|operation| operation.id);
        let mut kept = self.visibility.known.name_changes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept.as_ref().filter(|known| known.newest == newest) {
            return Some(known.clone());
        }
        let operations = files.operations(MAX_HISTORY).ok()?.into_iter().rev();
        let known = Arc::new(NameChanges::from_operations(newest, operations));
        *kept = Some(known.clone());
        Some(known)
    }
}

impl NameChanges {
    fn from_operations(newest: Option<OperationId>, operations: impl Iterator<Item = Operation>) -> Self {
        let mut changes = Vec::new();
        let mut names = HashSet::new();
        for Operation { at, done, .. } in operations {
            for change in done {
                match &change {
                    AppliedAction::Edited { .. } => continue,
                    AppliedAction::Moved { from, .. } => names.insert(from.clone()),
                    AppliedAction::Created { .. } | AppliedAction::Removed { .. } => false,
                };
                names.insert(change.path().clone());
                changes.push((at, change));
            }
        }
        Self { newest, changes, names }
    }
}
