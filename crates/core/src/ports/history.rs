//! What a version control system knows about a corpus's files.

use crate::Result;
use crate::domain::corpus::{CorpusName, Hash, VaultPath};

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

    /// The version of a file whose whole content has this hash: the one in `commit`, or else one of the latest under this
    /// path. `None` if there is no such version, or no history.
    fn find_version(
        &self,
        corpus: &CorpusName,
        path: &VaultPath,
        commit: Option<&str>,
        hash: Hash,
    ) -> Result<Option<FileVersion>>;

    /// The content of a file in a commit. `None` if the commit has no such file, or there is no history.
    fn read_at(&self, corpus: &CorpusName, path: &VaultPath, commit: &str) -> Result<Option<Vec<u8>>>;
}

/// A file as it was in a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileVersion {
    /// The full name of the commit.
    pub commit: String,
    /// The file's content in it.
    pub bytes: Vec<u8>,
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

    fn find_version(
        &self,
        _: &CorpusName,
        _: &VaultPath,
        _: Option<&str>,
        _: Hash,
    ) -> Result<Option<FileVersion>> {
        Ok(None)
    }

    fn read_at(&self, _: &CorpusName, _: &VaultPath, _: &str) -> Result<Option<Vec<u8>>> {
        Ok(None)
    }
}
