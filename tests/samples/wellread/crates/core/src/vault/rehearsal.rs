//! A vault that can be changed without changing it: a dry run of several steps sees what the steps before did.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use wellread_text::splice;

use super::Vault;
use crate::corpus::{Action, ChangeSet, Hash, Operation, VaultPath};
use crate::id::OperationId;
use crate::indexing::ScannedLinks;
use crate::ports::{Corpus, Entry, FileContent, Files, Listing};
use crate::{Error, Result};

impl Vault {
    /// The same vault on a stage: what is changed in it is kept in memory, and forgotten with it. Links are found by
    /// reading every note, since an index knows nothing of the stage.
    pub fn rehearsal(&self) -> Self {
        let now = self.clock.now().timestamp();
        let files = Arc::new(Stage { under: self.files.clone(), now, changed: Mutex::default() });
        Self { links: Arc::new(ScannedLinks::new(files.clone())), files, ..self.clone() }
    }
}

struct Stage {
    under: Arc<dyn Files>,
    now: Timestamp,
    /// What a path would hold; nothing where its file would be gone.
    changed: Mutex<Changed>,
}

type Changed = BTreeMap<VaultPath, Option<Held>>;

#[derive(Clone)]
enum Held {
    Text(String),
    /// The file that stands at this path in the vault. It may be too large to be read.
    FileOf(VaultPath),
}

impl Stage {
    fn changed(&self) -> MutexGuard<'_, Changed> {
        self.changed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn entry(&self, path: &VaultPath, held: &Held) -> Result<Option<Entry>> {
        let found = match held {
            Held::Text(text) => {
                let (size, now) = (text.len() as u64, self.now);
                Some(Entry {
                    path: path.clone(),
                    size,
                    modified: now,
                    created: Some(now),
                    changed: now,
                    number: 0,
                })
            }
            Held::FileOf(original) => self.under.find(original)?,
        };
        Ok(found.map(|entry| Entry { path: path.clone(), ..entry }))
    }

    fn content(&self, changed: &Changed, path: &VaultPath) -> Result<FileContent> {
        let Some(held) = changed.get(path) else { return self.under.read(path) };
        let held = held.as_ref().ok_or_else(|| missing(path))?;
        let entry = self.entry(path, held)?.ok_or_else(|| missing(path))?;
        Ok(match held {
            Held::Text(text) => {
                FileContent { bytes: text.clone().into_bytes(), hash: Hash::of(text.as_bytes()), entry }
            }
            Held::FileOf(original) => FileContent { entry, ..self.under.read(original)? },
        })
    }

    fn find_in(&self, changed: &Changed, path: &VaultPath) -> Result<Option<Entry>> {
        let below = |other: &VaultPath| {
            other.as_str().strip_prefix(path.as_str()).is_some_and(|rest| rest.starts_with('/'))
        };
        if changed.iter().any(|(other, held)| held.is_some() && below(other)) {
            return Err(
                Error::invalid(format!("`{path}` is a folder where a file is meant")).at(path.as_str())
            );
        }
        match changed.get(path) {
            Some(held) => held.as_ref().map_or(Ok(None), |held| self.entry(path, held)),
            None => self.under.find(path),
        }
    }

    fn vacant(&self, changed: &Changed, path: &VaultPath) -> Result<()> {
        match self.find_in(changed, path)? {
            None => Ok(()),
            Some(_) => Err(Error::conflict(format!("there is a file at `{path}` already")).at(path.as_str())),
        }
    }

    fn step(&self, changed: &mut Changed, action: &Action) -> Result<()> {
        match action {
            Action::Create { path, text } => {
                self.vacant(changed, path)?;
                changed.insert(path.clone(), Some(Held::Text(text.clone())));
            }
            Action::Edit { path, expect, splices } => {
                let content = self.content(changed, path)?;
                if content.hash != *expect {
                    return Err(Error::changed(format!("`{path}` changed while it was being edited"))
                        .at(path.as_str()));
                }
                let text = splice(&String::from_utf8_lossy(&content.bytes), splices)
                    .map_err(|error| Error::failed(error.to_string()))?;
                changed.insert(path.clone(), Some(Held::Text(text)));
            }
            Action::Move { from, to } => {
                self.vacant(changed, to)?;
                self.find_in(changed, from)?.ok_or_else(|| missing(from))?;
                let held = changed.insert(from.clone(), None).flatten();
                changed.insert(to.clone(), Some(held.unwrap_or_else(|| Held::FileOf(from.clone()))));
            }
            Action::Remove { path, .. } => drop(changed.insert(path.clone(), None)),
        }
        Ok(())
    }
}

impl Corpus for Stage {
    fn list(&self) -> Result<Listing> {
        let changed = self.changed();
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

    fn find(&self, path: &VaultPath) -> Result<Option<Entry>> {
        self.find_in(&self.changed(), path)
    }

    fn read(&self, path: &VaultPath) -> Result<FileContent> {
        self.content(&self.changed(), path)
    }
}

impl Files for Stage {
    fn commit(&self, change: &ChangeSet) -> Result<OperationId> {
        let mut changed = self.changed();
        let mut next = changed.clone();
        change.actions.iter().try_for_each(|action| self.step(&mut next, action))?;
        *changed = next;
        Ok(OperationId::fresh())
    }

    fn operations(&self, at_most: usize) -> Result<Vec<Operation>> {
        self.under.operations(at_most)
    }
}

fn missing(path: &VaultPath) -> Error {
    Error::not_found(format!("File not found: {path}")).at(path.as_str())
}
