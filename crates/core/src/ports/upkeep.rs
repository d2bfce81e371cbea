//! Maintenance of the stores: damage, size, rebuilding, and recovery of interrupted work.
//!
//! How a store notices damage and what it does about it is its own affair, and differs: an index can be made anew from the
//! files, records can't. What people are told of it goes through here, so that no face knows which store there is.

use super::{AgendaStore, Files, RunLogs, Sessions, Snapshots};
use crate::Result;
use crate::domain::corpus::PathRules;

/// Looks after an index, which can always be made anew from the files.
pub trait IndexUpkeep: Send + Sync {
    /// Whether a lookup has met damage. [`IndexUpkeep::begin_anew`] mends it.
    fn is_damaged(&self) -> bool;

    /// Looks at the whole index for damage that no lookup may meet, and begins anew where there is some.
    fn check_integrity(&self) -> Result<()>;

    /// Puts an empty index in its place, with those vectors that are whole. The reason is told by
    /// [`IndexUpkeep::take_notice`].
    fn begin_anew(&self, reason: &str) -> Result<()>;

    /// Why it was begun anew since this was last asked.
    fn take_notice(&self) -> Option<String>;
}

/// Looks after records, which can't be made anew: what is damaged is set aside and never deleted.
pub trait RecordUpkeep: Send + Sync {
    /// How much there is. To ask is no reason to begin records.
    fn totals(&self) -> Result<RecordTotals>;

    /// Where damaged records were put since this was last asked, and why.
    fn take_notice(&self) -> Option<String>;
}

/// How much there is in the records.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RecordTotals {
    /// The number of runs.
    pub runs: u64,
    /// The number of stored pages.
    pub snapshots: u64,
    /// The number of conversations.
    pub sessions: u64,
    /// What the store takes up.
    pub bytes: u64,
}

/// Everything that is kept of the work, as one store keeps it.
pub trait Records: RunLogs + Snapshots + Sessions + AgendaStore + RecordUpkeep {}

impl<T: RunLogs + Snapshots + Sessions + AgendaStore + RecordUpkeep> Records for T {}

/// Which paths of a corpus count.
pub trait CorpusPaths: Send + Sync {
    /// What a path of the corpus may be.
    fn rules(&self) -> &PathRules;

    /// Whether nothing at this path is ever listed.
    fn excludes(&self, path: &str, is_folder: bool) -> bool;
}

/// Looks after the files of a vault: what was left half done, and what the place where they are can promise.
pub trait FilesUpkeep: Files + CorpusPaths {
    /// Completes or takes back what an earlier process left half done. Every change does this first; call it at start, so
    /// that readers see a whole vault, too.
    fn recover(&self) -> Result<RecoveryReport>;

    /// Does this when no change is being made, and lets none begin before it is done. Where one is being made and `wait` is
    /// false, nothing is done. Whether it was done.
    fn run_when_idle(&self, wait: bool, act: &mut dyn FnMut()) -> bool;

    /// Finds out what protects a save that happens while a change is made.
    fn probe_guarantee(&self) -> Result<SaveGuarantee>;
}

/// What recovery found and did.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct RecoveryReport {
    /// Changes that had been made and only lacked their mark.
    pub completed: usize,
    /// Changes that were rolled back.
    pub taken_back: usize,
    /// Changes that could not be followed to their end: damaged ones, and those whose folders are gone. What they replaced is
    /// kept in the journal.
    pub set_aside: usize,
    /// Copies that were made of text which belonged to neither version.
    pub kept: Vec<String>,
}

/// What protects a save that happens while we write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SaveGuarantee {
    /// The note and the new text change places in one step, and what comes out is looked at.
    Exchange,
    /// There is no exchange: looked at first, then replaced. A save in between would be lost.
    CheckAndRename,
}
