//! Maintenance of the stores: damage, size, rebuilding, and recovery of interrupted work.
//!
//! How a store notices damage and what it does about it is its own affair, and differs: an index can be rebuilt from
//! the files, records can't. Messages to the user go through these traits, so that no face knows which store there is.

use jiff::Timestamp;

use super::{AgendaStore, Files, RunLogs, Sessions, Snapshots};
use crate::Result;
use crate::domain::corpus::PathRules;
use crate::domain::id::{OperationId, RunId};

/// Maintains an index, which can always be rebuilt from the files.
pub trait IndexUpkeep: Send + Sync {
    /// Whether a lookup has met damage. [`IndexUpkeep::begin_anew`] repairs it.
    fn is_damaged(&self) -> bool;

    /// Checks the whole index for damage that no lookup may have met, and replaces a damaged index by an empty one.
    fn check_integrity(&self, check: IntegrityCheck) -> Result<()>;

    /// Replaces the index by an empty one, and keeps the vectors that are intact. [`IndexUpkeep::take_notice`] then
    /// returns the reason.
    fn begin_anew(&self, reason: &str) -> Result<()>;

    /// Removes for good what is left of passages that were deleted: their words, their vectors, and the space that they took.
    /// Until then an index may keep some of it, out of reach of every search.
    fn purge_deleted(&self) -> Result<()>;

    /// Why the index was replaced since the last call; `None` if it was not.
    fn take_notice(&self) -> Option<String>;
}

/// How thoroughly an index is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IntegrityCheck {
    /// An index that nobody has touched, by what the file system says, is read as a whole once a day.
    Daily,
    /// The index is read as a whole.
    Whole,
}

/// Maintains records, which can't be rebuilt: damaged ones are set aside and never deleted.
pub trait RecordUpkeep: Send + Sync {
    /// How much is stored. Does not create a store.
    fn totals(&self) -> Result<RecordTotals>;

    /// Where damaged records were put since the last call, and why; `None` if there were none.
    fn take_notice(&self) -> Option<String>;

    /// Removes the text of these runs for good: their events, conversations that name them, and pages that nothing else
    /// refers to. Of each run, [`RunHeader::forget`](super::RunHeader::forget) is kept. A run that is in progress is
    /// left as it is. The space is given back to the file system.
    fn forget_runs(&self, runs: &[RunId], at: Timestamp) -> Result<ForgottenRecords>;
}

/// What was removed from the records.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct ForgottenRecords {
    /// The number of runs whose text was removed.
    pub runs: u64,
    /// The number of conversations that were removed.
    pub sessions: u64,
    /// The number of stored pages that were removed.
    pub snapshots: u64,
    /// The ids of runs that are in progress, and were left as they are.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub in_progress: Vec<String>,
}

/// The size of the records.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RecordTotals {
    /// The number of runs.
    pub runs: u64,
    /// The number of stored pages.
    pub snapshots: u64,
    /// The number of conversations.
    pub sessions: u64,
    /// The size of the store in bytes.
    pub bytes: u64,
}

/// One store of everything that is recorded of the work.
pub trait Records: RunLogs + Snapshots + Sessions + AgendaStore + RecordUpkeep {}

impl<T: RunLogs + Snapshots + Sessions + AgendaStore + RecordUpkeep> Records for T {}

/// Which paths belong to a corpus.
pub trait CorpusPaths: Send + Sync {
    /// The rules by which paths of the corpus are parsed.
    fn rules(&self) -> &PathRules;

    /// Whether everything at this path is left out of listings.
    fn excludes(&self, path: &str, is_folder: bool) -> bool;
}

/// Maintains the files of a vault: recovers interrupted changes, and finds out what the file system can guarantee.
pub trait FilesUpkeep: Files + CorpusPaths {
    /// Completes or rolls back changes that an earlier process left unfinished. Every change does this first; call it
    /// at startup too, so that readers see a consistent vault.
    fn recover(&self) -> Result<RecoveryReport>;

    /// Runs `act` while no change is in progress, and lets none start before it is done. If a change is in progress and
    /// `wait` is false, nothing is run. Returns whether `act` was run.
    fn run_when_idle(&self, wait: bool, act: &mut dyn FnMut()) -> bool;

    /// Finds out what protects a save by another program while a change is made.
    fn probe_guarantee(&self) -> Result<SaveGuarantee>;

    /// Removes finished operations from the journal for good, with the old text that they hold: these, or all if none are
    /// named, including those that are damaged. Returns how many were removed; they can't be undone any more.
    fn forget_operations(&self, which: Option<&[OperationId]>) -> Result<usize>;
}

/// What recovery found and did.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct RecoveryReport {
    /// Changes that were complete except for their mark in the journal.
    pub completed: usize,
    /// Changes that were rolled back.
    pub taken_back: usize,
    /// Changes that could not be recovered: their entries are damaged, or their folders are gone. The text that they
    /// replaced stays in the journal.
    pub set_aside: usize,
    /// Paths of copies of text that belonged to neither version.
    pub kept: Vec<String>,
}

/// What protects a save by another program that happens while we write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SaveGuarantee {
    /// The note and the new text are exchanged atomically, and the text that comes out is checked.
    Exchange,
    /// No atomic exchange: the note is checked, then replaced. A save in between would be lost.
    CheckAndRename,
}
