//! The list of the vault's files, kept as long as every change is heard of.
//!
//! What was heard of is looked at again, and so is what can change unheard: files with several paths, and files that
//! changed a moment ago. Where what was heard can't be told from a list of paths, all folders are walked.

use std::collections::BTreeSet;
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
    /// What is looked at each time.
    unsure: BTreeSet<VaultPath>,
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
        let known = kept.take().filter(|_| !heard.everything);
        let current = match known.and_then(|known| known.update(files, heard, clock)) {
            Some(current) => current,
            None => KeptListing::new(files.list()?, clock),
        };
        Ok(kept.insert(current).listing.clone())
    }
}

impl KeptListing {
    fn new(listing: FileListing, clock: &dyn Clock) -> Self {
        let now = clock.now().timestamp();
        let is_unsure = |entry: &&FileEntry| entry.linked || !FileStamp::from_entry(entry, now).settled;
        let unsure = listing.files.iter().filter(is_unsure).map(|entry| entry.path.clone()).collect();
        Self { listing: Arc::new(listing), unsure }
    }

    /// The list with what was heard. `None` if the folders have to be walked.
    fn update(mut self, files: &dyn Corpus, heard: HeardChanges, clock: &dyn Clock) -> Option<Self> {
        let now = clock.now().timestamp();
        let mut left: Vec<VaultPath> =
            heard.touched.into_iter().chain(std::mem::take(&mut self.unsure)).collect();
        if left.len() > MOST_CHECKED {
            return None;
        }
        let mut seen = BTreeSet::new();
        while let Some(path) = left.pop() {
            if !seen.insert(path.clone()) {
                continue;
            }
            let at = self.listing.files.binary_search_by(|entry| entry.path.cmp(&path));
            match (files.find(&path), at) {
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
                (Ok(None), Ok(at)) => drop(Arc::make_mut(&mut self.listing).files.remove(at)),
                (Ok(None), Err(_)) if !self.names_other(&path) => {}
                (Err(error), Err(_))
                    if error.kind() == ErrorKind::Invalid && self.has_folder(path.as_str()) => {}
                _ => return None,
            }
        }
        Some(self)
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
