//! A repository beside the vault, around it or inside it: the vault's privacy holds for its files there, too.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use wellread_text::Note;

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
    /// Whether the repository is around the vault or inside it.
    pub overlaps: bool,
}

impl VaultGuard {
    /// A repository, known under these absolute paths, without the private files of the vault.
    pub fn guard_repository(&self, repository: Arc<dyn Corpus>, roots: Vec<String>) -> Arc<dyn Corpus> {
        Arc::new(GuardedRepository { repository, roots, vault: self.clone(), same_files: Mutex::default() })
    }

    /// Whether a file of the vault is private, or would be with this text, which may not be saved yet.
    pub fn is_private_with(&self, path: &VaultPath, text: &str) -> bool {
        let judge = self.rules.judge(&*self.files);
        let is_there = self.files.find(path).map_or(true, |found| found.is_some());
        let by_place =
            if is_there { judge.is_private(path) } else { judge.find_private_place(path).is_some() };
        by_place || judge.find_private_reason_in(path, text, &Note::parse(text)).is_some()
    }

    /// Whether a file with several names, known by its number, is a private file of the vault by another name.
    pub fn has_private_name(&self, number: u64) -> Result<bool> {
        let judge = self.rules.judge(&*self.files);
        let files = self.files.list()?.files;
        Ok(files.iter().any(|entry| entry.linked && entry.number == number && judge.is_private(&entry.path)))
    }
}

/// A file with several names, by its number and when that or its names last changed.
type LinkedFile = (u64, Timestamp);

struct GuardedRepository {
    repository: Arc<dyn Corpus>,
    roots: Vec<String>,
    vault: VaultGuard,
    /// The files of the vault that a file of the repository is another name of.
    same_files: Mutex<HashMap<LinkedFile, Vec<VaultPath>>>,
}

impl GuardedRepository {
    /// The places of a path in the vault, if the repository and the vault share it.
    fn places_in_vault(&self, path: &VaultPath) -> Vec<VaultPath> {
        if !self.vault.overlaps {
            return Vec::new();
        }
        let places = self.roots.iter().map(|root| format!("{}/{path}", root.trim_end_matches('/')));
        places.filter_map(|place| self.vault.paths.parse_file(&place).ok()).collect()
    }

    fn is_any_private(&self, files: &[VaultPath]) -> bool {
        let judge = self.vault.rules.judge(&*self.vault.files);
        files.iter().any(|path| judge.is_private(path))
    }

    fn is_private(&self, entry: &FileEntry) -> Result<bool> {
        let places = self.places_in_vault(&entry.path);
        if self.is_any_private(&places) {
            return Ok(true);
        }
        // Within the vault, other names are known.
        if !entry.linked || !places.is_empty() {
            return Ok(false);
        }
        // Where the two overlap, the other name may also be one that the vault leaves out of its listings.
        Ok(self.vault.overlaps || self.is_any_private(&self.find_same_files(entry)?))
    }

    /// The files of the vault that are this file by another name.
    fn find_same_files(&self, entry: &FileEntry) -> Result<Vec<VaultPath>> {
        let file = (entry.number, entry.changed);
        let known = || self.same_files.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known().get(&file) {
            return Ok(found.clone());
        }
        self.learn_same_files(&[file])?;
        Ok(known().get(&file).cloned().unwrap_or_default())
    }

    /// Looks for these files in the vault, all at once: a listing takes time.
    fn learn_same_files(&self, files: &[LinkedFile]) -> Result<()> {
        let mut found: HashMap<LinkedFile, Vec<VaultPath>> =
            files.iter().map(|file| (*file, Vec::new())).collect();
        let numbers: HashMap<u64, LinkedFile> = files.iter().map(|file| (file.0, *file)).collect();
        for entry in self.vault.files.list()?.files.into_iter().filter(|entry| entry.linked) {
            if let Some(file) = numbers.get(&entry.number) {
                found.entry(*file).or_default().push(entry.path);
            }
        }
        self.same_files.lock().unwrap_or_else(PoisonError::into_inner).extend(found);
        Ok(())
    }
}

fn not_found(path: &VaultPath) -> Error {
    Error::not_found(format!("File not found: {path}")).with_path(path.as_str())
}

impl Corpus for GuardedRepository {
    fn list(&self) -> Result<FileListing> {
        let mut listing = self.repository.list()?;
        let linked: Vec<LinkedFile> = listing
            .files
            .iter()
            .filter(|entry| entry.linked)
            .map(|entry| (entry.number, entry.changed))
            .collect();
        if !linked.is_empty() && !self.vault.overlaps {
            self.learn_same_files(&linked)?;
        }
        let mut files = Vec::with_capacity(listing.files.len());
        for entry in listing.files {
            if !self.is_private(&entry)? {
                files.push(entry);
            }
        }
        listing.files = files;
        Ok(listing)
    }

    fn find(&self, path: &VaultPath) -> Result<Option<FileEntry>> {
        if self.is_any_private(&self.places_in_vault(path)) {
            return Ok(None);
        }
        let Some(entry) = self.repository.find(path)? else { return Ok(None) };
        Ok(if self.is_private(&entry)? { None } else { Some(entry) })
    }

    fn read(&self, path: &VaultPath) -> Result<FileContent> {
        if self.is_any_private(&self.places_in_vault(path)) {
            return Err(not_found(path));
        }
        let content = self.repository.read(path)?;
        if self.is_private(&content.entry)? { Err(not_found(path)) } else { Ok(content) }
    }

    fn identify(&self, path: &VaultPath) -> Result<FileIdentity> {
        self.repository.identify(path)
    }

    fn head_commit(&self) -> Option<String> {
        self.repository.head_commit()
    }
}
