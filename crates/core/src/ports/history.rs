//! What a version control system knows about a corpus's files.

use crate::Result;
use crate::domain::corpus::{CorpusName, VaultPath};

/// The history of files. Answers are hints only: what a file contains is always read from the file.
pub trait History: Send + Sync {
    /// The current path of a file that may have been renamed, even several times. `since` is the commit at which it had
    /// the old path; without it, the last file with that path is meant. `None` if no renaming is known.
    fn current_path(
        &self,
        corpus: &CorpusName,
        path: &VaultPath,
        since: Option<&str>,
    ) -> Result<Option<VaultPath>>;

    /// The files that differ from that commit, or did not exist in it: sorted, by their old and new paths, uncommitted
    /// changes included. `None` if the corpus has no history, or the commit is not in it.
    fn changed_since(&self, corpus: &CorpusName, commit: &str) -> Result<Option<Vec<VaultPath>>>;
}

/// A history that knows nothing, for corpora without version control.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoHistory;

impl History for NoHistory {
    fn current_path(&self, _: &CorpusName, _: &VaultPath, _: Option<&str>) -> Result<Option<VaultPath>> {
        Ok(None)
    }

    fn changed_since(&self, _: &CorpusName, _: &str) -> Result<Option<Vec<VaultPath>>> {
        Ok(None)
    }
}
