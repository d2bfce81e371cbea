//! What an update found out about files, gathered until it is written to the index in one transaction.

use super::{BYTES_AT_ONCE, FILES_AT_ONCE, IndexProgress, UpdatePass, UpdateSummary};
use crate::Result;
use crate::domain::corpus::VaultPath;
use crate::ports::{FileState, IndexChange, LineDigest};

fn skip_reason(change: &IndexChange) -> Option<(&VaultPath, &str)> {
    match change {
        IndexChange::Note { path, state: FileState::Skipped(reason), .. } => Some((path, reason)),
        IndexChange::Put(file) => file.trouble.as_deref().map(|reason| (&file.path, reason)),
        _ => None,
    }
}

pub(super) enum FileChangeKind {
    Added,
    Changed,
    Removed,
    Unchanged,
    Skipped,
    /// The file was never indexed, and was deleted since it was listed.
    Nothing,
}

pub(super) struct FileOutcome {
    pub what: FileChangeKind,
    /// What has to leave the index before the change is made.
    pub replaced: Option<IndexChange>,
    pub change: Option<IndexChange>,
    /// The lines of a file that came from outside.
    pub outside: Vec<LineDigest>,
    /// Whether the file could not be read because the system failed.
    pub failed: bool,
}

impl FileOutcome {
    pub fn new(what: FileChangeKind, change: Option<IndexChange>) -> Self {
        Self { what, replaced: None, change, outside: Vec::new(), failed: false }
    }
}

/// Changes waiting to be written to the index.
pub(super) struct ChangeBatch<'a> {
    pass: &'a UpdatePass<'a>,
    changes: Vec<IndexChange>,
    /// Lines from outside, remembered before the changes are written: their note may be moved at any time.
    outside: Vec<LineDigest>,
    bytes: u64,
    done: usize,
    total: usize,
}

impl<'a> ChangeBatch<'a> {
    pub fn new(pass: &'a UpdatePass<'a>, total: usize) -> Self {
        Self { pass, changes: Vec::new(), outside: Vec::new(), bytes: 0, done: 0, total }
    }

    pub fn add(&mut self, outcome: FileOutcome, size: u64, updated: &mut UpdateSummary) -> Result<()> {
        match outcome.what {
            FileChangeKind::Added => updated.added += 1,
            FileChangeKind::Changed => updated.changed += 1,
            FileChangeKind::Removed => updated.removed += 1,
            FileChangeKind::Unchanged => updated.unchanged += 1,
            FileChangeKind::Nothing => {}
            FileChangeKind::Skipped => {
                let trouble = outcome.change.as_ref().and_then(skip_reason);
                updated.skipped.extend(trouble.map(|(path, reason)| self.pass.skipped_file(path, reason)));
            }
        }
        if let Some(change) = outcome.change.as_ref().filter(|_| outcome.failed) {
            updated.failed.push((self.pass.name.clone(), change.path().clone()));
        }
        self.changes.extend(outcome.replaced.into_iter().chain(outcome.change));
        self.outside.extend(outcome.outside);
        self.bytes += size;
        self.done += 1;
        if self.changes.len() >= FILES_AT_ONCE || self.bytes >= BYTES_AT_ONCE {
            self.flush()?;
        }
        Ok(())
    }

    pub fn flush(&mut self) -> Result<()> {
        if !self.outside.is_empty() {
            self.pass.library.rules.outside.remember(&self.outside)?;
            self.outside.clear();
        }
        if !self.changes.is_empty() {
            self.pass.library.index.apply(self.pass.name, &self.changes)?;
            self.changes.clear();
            self.bytes = 0;
        }
        (self.pass.progress)(IndexProgress { done: self.done, total: self.total });
        Ok(())
    }
}
