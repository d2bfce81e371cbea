//! A repository that overlaps with the vault: the vault's privacy holds for its files there, too.

use std::sync::Arc;

use crate::domain::corpus::{PathRules, VaultPath};
use crate::library::judge::JudgeRules;
use crate::ports::{Corpus, FileContent, FileEntry, FileIdentity, FileListing};
use crate::{Error, Result};

/// The vault whose private files must not be read as files of a repository.
#[derive(Clone)]
pub struct VaultGuard {
    /// The vault's files.
    pub files: Arc<dyn Corpus>,
    /// The vault's paths, with its absolute roots.
    pub paths: PathRules,
    /// What its files are judged by.
    pub rules: JudgeRules,
    /// Whether the file at an absolute path has other names: one of them may be that of a private file.
    pub has_other_names: fn(&str) -> bool,
}

impl VaultGuard {
    /// A repository, known under these absolute paths, without the private files of the vault.
    pub fn guard_repository(&self, repository: Arc<dyn Corpus>, roots: Vec<String>) -> Arc<dyn Corpus> {
        Arc::new(GuardedRepository { repository, roots, vault: self.clone() })
    }
}

struct GuardedRepository {
    repository: Arc<dyn Corpus>,
    roots: Vec<String>,
    vault: VaultGuard,
}

impl GuardedRepository {
    fn is_private(&self, path: &VaultPath) -> bool {
        let places = || self.roots.iter().map(|root| format!("{}/{path}", root.trim_end_matches('/')));
        let in_vault = |place: String| self.vault.paths.parse_file(&place).ok();
        let judge = self.vault.rules.judge(&*self.vault.files);
        let found: Vec<VaultPath> = places().filter_map(in_vault).collect();
        // Within the vault, other names are known.
        let is_doubtful = found.is_empty() && places().any(|place| (self.vault.has_other_names)(&place));
        is_doubtful || found.iter().any(|path| judge.is_private(path))
    }
}

impl Corpus for GuardedRepository {
    fn list(&self) -> Result<FileListing> {
        let mut listing = self.repository.list()?;
        listing.files.retain(|entry| !self.is_private(&entry.path));
        Ok(listing)
    }

    fn find(&self, path: &VaultPath) -> Result<Option<FileEntry>> {
        if self.is_private(path) { Ok(None) } else { self.repository.find(path) }
    }

    fn read(&self, path: &VaultPath) -> Result<FileContent> {
        if self.is_private(path) {
            return Err(Error::not_found(format!("File not found: {path}")).with_path(path.as_str()));
        }
        self.repository.read(path)
    }

    fn identify(&self, path: &VaultPath) -> Result<FileIdentity> {
        self.repository.identify(path)
    }

    fn head_commit(&self) -> Option<String> {
        self.repository.head_commit()
    }
}
