//! A vault for dry runs: changes are kept in memory, so that each step sees the steps before it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use wellread_text::apply_splices;

use super::Vault;
use crate::domain::corpus::{Action, ChangeSet, Hash, Operation, VaultPath};
use crate::domain::id::OperationId;
use crate::library::indexing::ScannedLinks;
use crate::library::public_view::Visibility;
use crate::ports::{Corpus, FileContent, FileEntry, FileIdentity, FileListing, Files};
use crate::{Error, Result};

impl Vault {
    /// A copy of the vault whose changes are kept in memory and dropped with it. Links are found by reading every note,
    /// since an index does not know of the changes.
    pub fn with_overlay(&self) -> Self {
        let now = self.clock.now().timestamp();
        let files = Arc::new(OverlayFiles { under: self.files.clone(), now, changed: Mutex::default() });
        let links = Arc::new(ScannedLinks::new(files.clone()));
        Self { links, files, visibility: Visibility::default(), ..self.clone() }
    }
}

struct OverlayFiles {
    under: Arc<dyn Files>,
    now: Timestamp,
    /// The content of each changed path; `None` if its file would be gone.
    changed: Mutex<OverlayChanges>,
}

type OverlayChanges = BTreeMap<VaultPath, Option<OverlayEntry>>;

#[derive(Clone)]
enum OverlayEntry {
    Text(String),
    /// The file at this path in the vault. It may be too large to be read.
    FileOf(VaultPath),
}

impl OverlayFiles {
    fn lock_changes(&self) -> MutexGuard<'_, OverlayChanges> {
        self.changed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn entry(&self, path: &VaultPath, held: &OverlayEntry) -> Result<Option<FileEntry>> {
        let found = match held {
            OverlayEntry::Text(text) => {
                let (size, now) = (text.len() as u64, self.now);
                Some(FileEntry {
                    path: path.clone(),
                    size,
                    modified: now,
                    created: Some(now),
                    changed: now,
                    number: 0,
                    linked: false,
                })
            }
            OverlayEntry::FileOf(original) => self.under.find(original)?,
        };
        Ok(found.map(|entry| FileEntry { path: path.clone(), ..entry }))
    }

    fn content(&self, changed: &OverlayChanges, path: &VaultPath) -> Result<FileContent> {
        let Some(held) = changed.get(path) else { return self.under.read(path) };
        let held = held.as_ref().ok_or_else(|| not_found_error(path))?;
        let entry = self.entry(path, held)?.ok_or_else(|| not_found_error(path))?;
        Ok(match held {
            OverlayEntry::Text(text) => {
                FileContent { bytes: text.clone().into_bytes(), hash: Hash::compute(text.as_bytes()), entry }
            }
            OverlayEntry::FileOf(original) => FileContent { entry, ..self.under.read(original)? },
        })
    }

    fn find_in(&self, changed: &OverlayChanges, path: &VaultPath) -> Result<Option<FileEntry>> {
        let below = |other: &VaultPath| {
            other.as_str().strip_prefix(path.as_str()).is_some_and(|rest| rest.starts_with('/'))
        };
        if changed.iter().any(|(other, held)| held.is_some() && below(other)) {
            return Err(Error::invalid(format!("`{path}` is a folder, not a file")).with_path(path.as_str()));
        }
        match changed.get(path) {
            Some(held) => held.as_ref().map_or(Ok(None), |held| self.entry(path, held)),
            None => self.under.find(path),
        }
    }

    fn check_vacant(&self, changed: &OverlayChanges, path: &VaultPath) -> Result<()> {
        match self.find_in(changed, path)? {
            None => Ok(()),
            Some(_) => {
                Err(Error::conflict(format!("a file already exists at `{path}`")).with_path(path.as_str()))
            }
        }
    }

    fn apply_action(&self, changed: &mut OverlayChanges, action: &Action) -> Result<()> {
        match action {
            Action::Create { path, text } => {
                self.check_vacant(changed, path)?;
                changed.insert(path.clone(), Some(OverlayEntry::Text(text.clone())));
            }
            Action::Edit { path, expect, splices } => {
                let content = self.content(changed, path)?;
                if content.hash != *expect {
                    return Err(Error::changed(format!("`{path}` changed while it was being edited"))
                        .with_path(path.as_str()));
                }
                let text = apply_splices(&String::from_utf8_lossy(&content.bytes), splices)
                    .map_err(|error| Error::failed(error.to_string()))?;
                changed.insert(path.clone(), Some(OverlayEntry::Text(text)));
            }
            Action::Move { from, to } => {
                self.check_vacant(changed, to)?;
                self.find_in(changed, from)?.ok_or_else(|| not_found_error(from))?;
                let held = changed.insert(from.clone(), None).flatten();
                changed.insert(to.clone(), Some(held.unwrap_or_else(|| OverlayEntry::FileOf(from.clone()))));
            }
            Action::Remove { path, .. } => drop(changed.insert(path.clone(), None)),
        }
        Ok(())
    }
}

impl Corpus for OverlayFiles {
    fn list(&self) -> Result<FileListing> {
        let changed = self.lock_changes();
        let mut listing = self.under.list()?;
        listing.files.retain(|entry| !changed.contains_key(&entry.path));
        for (path, held) in changed.iter() {
            if let Some(held) = held {
                listing.files.extend(self.entry(path, held)?);
                let folders = path.as_str().match_indices('/').map(|(at, _)| path.as_str()[..at].to_owned());
                listing.folders.extend(folders);
            }
        }
        listing.files.sort_by(|a, b| a.path.cmp(&b.path));
        listing.folders.sort();
        listing.folders.dedup();
        Ok(listing)
    }

    fn find(&self, path: &VaultPath) -> Result<Option<FileEntry>> {
        self.find_in(&self.lock_changes(), path)
    }

    fn read(&self, path: &VaultPath) -> Result<FileContent> {
        self.content(&self.lock_changes(), path)
    }

    /// A file that would be moved is still judged by its old place, too.
    fn identify(&self, path: &VaultPath) -> Result<FileIdentity> {
        let mut identity = self.under.identify(path)?;
        let changed = self.lock_changes().get(path).cloned();
        if let Some(Some(OverlayEntry::FileOf(original))) = changed {
            let before = self.under.identify(&original)?;
            identity.in_nested_repository |= before.in_nested_repository;
            identity.other_paths.extend(before.other_paths);
            identity.other_paths.push(original);
        }
        Ok(identity)
    }
}

impl Files for OverlayFiles {
    fn commit(&self, change: &ChangeSet) -> Result<OperationId> {
        let mut changed = self.lock_changes();
        let mut next = changed.clone();
        change.actions.iter().try_for_each(|action| self.apply_action(&mut next, action))?;
        *changed = next;
        Ok(OperationId::fresh())
    }

    fn operations(&self, at_most: usize) -> Result<Vec<Operation>> {
        self.under.operations(at_most)
    }
}

fn not_found_error(path: &VaultPath) -> Error {
    Error::not_found(format!("File not found: {path}")).with_path(path.as_str())
}
