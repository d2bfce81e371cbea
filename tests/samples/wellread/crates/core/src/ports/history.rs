//! What a version control system knows about a corpus's files.

use crate::Result;
use crate::corpus::{CorpusName, VaultPath};

/// The past of the files, where something keeps it. An answer is a hint: what stands where is read from the files.
pub trait History: Send + Sync {
    /// What a file is called now, however often it was renamed. `since` is the commit at which it had the old name, where
    /// that is known; else the file that had the name last is meant. Nothing where it was not renamed, or nobody
    /// knows.
    fn renamed(
        &self,
        corpus: &CorpusName,
        path: &VaultPath,
        since: Option<&str>,
    ) -> Result<Option<VaultPath>>;

    /// The files that are not as they were at that commit, or were not there: sorted, by their names of now and then, what is
    /// not committed included. Nothing where the corpus has no history, or that commit is not in it.
    fn changed_since(&self, corpus: &CorpusName, commit: &str) -> Result<Option<Vec<VaultPath>>>;
}

/// No past at all.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoHistory;

impl History for NoHistory {
    fn renamed(&self, _: &CorpusName, _: &VaultPath, _: Option<&str>) -> Result<Option<VaultPath>> {
        Ok(None)
    }

    fn changed_since(&self, _: &CorpusName, _: &str) -> Result<Option<Vec<VaultPath>>> {
        Ok(None)
    }
}
