//! Files whose changes reach the index at once.

use std::sync::Arc;

use super::listing_cache::ListingCache;
use super::{IndexSync, IndexSyncState, Library};
use crate::Result;
use crate::domain::corpus::{Action, ChangeSet, CorpusName, Operation, VaultPath};
use crate::domain::id::OperationId;
use crate::ports::{Corpus, FileContent, FileEntry, FileIdentity, FileListing, Files};

/// The vault's files; a change is in the index before the call that made it returns.
pub struct ReindexingFiles {
    files: Arc<dyn Files>,
    library: Arc<Library>,
    sync: Arc<IndexSync>,
    listing: ListingCache,
}

impl ReindexingFiles {
    /// Wraps `files` so that their changes reach the index of `library`.
    pub fn new(files: Arc<dyn Files>, library: Arc<Library>, sync: Arc<IndexSync>) -> Self {
        Self { files, library, sync, listing: ListingCache::default() }
    }
}

impl Corpus for ReindexingFiles {
    fn list(&self) -> Result<FileListing> {
        self.share_list().map(Arc::unwrap_or_clone)
    }

    fn find(&self, path: &VaultPath) -> Result<Option<FileEntry>> {
        self.files.find(path)
    }

    fn read(&self, path: &VaultPath) -> Result<FileContent> {
        self.files.read(path)
    }

    fn identify(&self, path: &VaultPath) -> Result<FileIdentity> {
        self.files.identify(path)
    }
}

impl Files for ReindexingFiles {
    fn share_list(&self) -> Result<Arc<FileListing>> {
        self.listing.list(&*self.files, &self.sync, &*self.library.clock)
    }

    fn commit(&self, change: &ChangeSet) -> Result<OperationId> {
        let done = self.files.commit(change)?;
        let paths: Vec<VaultPath> = change.actions.iter().flat_map(touched_paths).cloned().collect();
        // An index that is being built will include the change anyway. If indexing fails, the change is made all the
        // same; what is not in the index is noted.
        let being_made = self.sync.state() == IndexSyncState::Updating;
        let is_wanted = !being_made || self.library.index.read_state().is_ok_and(|state| state.complete);
        if is_wanted {
            let updated = self.library.update_files(&CorpusName::Vault, &paths);
            let left = updated.map(|updated| updated.failed.into_iter().map(|(_, path)| path).collect());
            self.sync.note_changes(&left.unwrap_or(paths));
        }
        Ok(done)
    }

    fn operations(&self, at_most: usize) -> Result<Vec<Operation>> {
        self.files.operations(at_most)
    }
}

fn touched_paths(action: &Action) -> Vec<&VaultPath> {
    match action {
        Action::Edit { path, .. } | Action::Create { path, .. } | Action::Remove { path, .. } => vec![path],
        Action::Move { from, to } => vec![from, to],
    }
}
