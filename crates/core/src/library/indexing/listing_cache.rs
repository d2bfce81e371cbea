//! The list of the vault's files, kept as long as every change is heard of.
//!
//! What was heard of is looked at again, and so is what can change unheard: files with several paths, files that changed a
//! moment ago, and paths where a link may begin to lead somewhere. Where what was heard can't be told from a list of paths,
//! all folders are walked.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use super::IndexSync;
use super::index_sync::HeardChanges;
use crate::domain::corpus::VaultPath;
use crate::ports::{Clock, Corpus, FileEntry, FileListing, FileStamp};
use crate::{ErrorKind, Result};

/// With more files to look at one by one, a walk is as fast.
const MOST_CHECKED: usize = 500;

/// The last list, while it can be kept.
#[derive(Default)]
pub(super) struct ListingCache(Mutex<Option<KeptListing>>);

struct KeptListing {
    listing: Arc<FileListing>,
    /// The files that are looked at each time.
    unsure: BTreeSet<VaultPath>,
    /// What is at paths that are not in the list as files. They are looked at each time, too: a link that leads nowhere
    /// begins to lead somewhere by what happens at another path.
    unlisted: BTreeMap<VaultPath, Lookup>,
    /// Whether something that was skipped may have become a file since.
    is_doubtful: bool,
}

/// What is at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Lookup {
    /// Nothing, or a link that leads nowhere.
    Nothing,
    File,
    Trouble(String),
}

impl Lookup {
    fn from_found(found: &Result<Option<FileEntry>>) -> Self {
        match found {
            Ok(None) => Self::Nothing,
            Ok(Some(_)) => Self::File,
            Err(error) => Self::Trouble(error.message().to_owned()),
        }
    }
}

impl ListingCache {
    /// The list of files as it is now.
    pub fn list(&self, files: &dyn Corpus, sync: &IndexSync, clock: &dyn Clock) -> Result<Arc<FileListing>> {
        let kept = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !sync.hears_every_change() {
            kept().take();
            return files.list().map(Arc::new);
        }
        let mut kept = kept();
        let heard = sync.take_listing_changes();
        let mut known = kept.take();
        let stays = |known: &mut KeptListing| {
            !heard.everything && !known.is_doubtful && known.update(files, heard, clock).is_some()
        };
        let is_current = known.as_mut().is_some_and(stays);
        let current = match known {
            Some(known) if is_current => known,
            known => {
                let before = known.map(|known| known.unlisted).unwrap_or_default();
                KeptListing::new(files, &before, clock)?
            }
        };
        Ok(kept.insert(current).listing.clone())
    }
}

impl KeptListing {
    /// Walks all folders. `before` is what was at paths that were not listed the last time.
    fn new(files: &dyn Corpus, before: &BTreeMap<VaultPath, Lookup>, clock: &dyn Clock) -> Result<Self> {
        let listing = files.list()?;
        let now = clock.now().timestamp();
        let is_unsure = |entry: &&FileEntry| entry.linked || !FileStamp::from_entry(entry, now).settled;
        let unsure = listing.files.iter().filter(is_unsure).map(|entry| entry.path.clone()).collect();
        let mut unlisted = BTreeMap::new();
        let mut is_doubtful = false;
        for skipped in &listing.skipped {
            let path = VaultPath::from_index(skipped.path.clone());
            let lookup = Lookup::from_found(&files.find(&path));
            // What was a file before this walk as well is skipped for another reason, such as its name.
            is_doubtful |= lookup == Lookup::File && before.get(&path) != Some(&Lookup::File);
            unlisted.insert(path, lookup);
        }
        Ok(Self { listing: Arc::new(listing), unsure, unlisted, is_doubtful })
    }

    /// Brings the list level with what was heard. `None` if the folders have to be walked.
    fn update(&mut self, files: &dyn Corpus, heard: HeardChanges, clock: &dyn Clock) -> Option<()> {
        let now = clock.now().timestamp();
        let unsure = std::mem::take(&mut self.unsure);
        let mut left: Vec<VaultPath> =
            heard.touched.into_iter().chain(unsure).chain(self.unlisted.keys().cloned()).collect();
        if left.len() > MOST_CHECKED {
            return None;
        }
        let mut seen = BTreeSet::new();
        while let Some(path) = left.pop() {
            if !seen.insert(path.clone()) {
                continue;
            }
            let found = files.find(&path);
            match (self.unlisted.get(&path), Lookup::from_found(&found)) {
                (Some(before), now) if *before == now => continue,
                (Some(Lookup::Nothing), Lookup::File) => drop(self.unlisted.remove(&path)),
                (Some(_), _) => return None,
                (None, _) => {}
            }
            let at = self.listing.files.binary_search_by(|entry| entry.path.cmp(&path));
            match (found, at) {
                (Ok(Some(entry)), _) => {
                    if entry.linked {
                        // Another name of a file is a change of the file, which is heard of at the new name alone.
                        let is_same = |other: &&FileEntry| other.number == entry.number;
                        left.extend(
                            self.listing.files.iter().filter(is_same).map(|other| other.path.clone()),
                        );
                    }
                    if entry.linked || !FileStamp::from_entry(&entry, now).settled {
                        self.unsure.insert(path);
                    }
                    self.put(at, entry)?;
                }
                // A link that leads nowhere any more is listed as one.
                (Ok(None), Ok(at)) if self.listing.files[at].linked => return None,
                (Ok(None), Ok(at)) => {
                    Arc::make_mut(&mut self.listing).files.remove(at);
                    self.unlisted.insert(path, Lookup::Nothing);
                }
                (Ok(None), Err(_)) if !self.names_other(&path) => {
                    self.unlisted.insert(path, Lookup::Nothing);
                }
                (Err(error), Err(_))
                    if error.kind() == ErrorKind::Invalid && self.has_folder(path.as_str()) => {}
                _ => return None,
            }
        }
        Some(())
    }

    /// `None` for a file in a folder that is not listed, or one that could not be listed before.
    fn put(&mut self, at: Result<usize, usize>, entry: FileEntry) -> Option<()> {
        match at {
            Ok(at) if self.listing.files[at] == entry => {}
            Ok(at) => Arc::make_mut(&mut self.listing).files[at] = entry,
            Err(_) if self.names_other(&entry.path) => return None,
            Err(_) if !entry.path.folder().is_empty() && !self.has_folder(entry.path.folder()) => {
                return None;
            }
            Err(at) => Arc::make_mut(&mut self.listing).files.insert(at, entry),
        }
        Some(())
    }

    fn has_folder(&self, path: &str) -> bool {
        self.listing.folders.binary_search_by(|folder| folder.as_str().cmp(path)).is_ok()
    }

    /// Whether the path is in the list as something else than a file.
    fn names_other(&self, path: &VaultPath) -> bool {
        let is_skipped = self.listing.skipped.iter().any(|skipped| skipped.path == path.as_str());
        is_skipped || self.has_folder(path.as_str())
    }
}

#[cfg(test)]
mod tests;
