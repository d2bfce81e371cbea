//! Files whose changes the index hears of at once.

use std::sync::Arc;

use super::{Followed, Following, Library};
use crate::Result;
use crate::corpus::{Action, ChangeSet, CorpusName, Operation, VaultPath};
use crate::id::OperationId;
use crate::ports::{Corpus, Entry, FileContent, Files, Listing};

/// The vault's files; a change that was made is in the index before its answer is given.
pub struct HeardFiles {
    files: Arc<dyn Files>,
    library: Arc<Library>,
    following: Arc<Following>,
}

impl HeardFiles {
    pub fn new(files: Arc<dyn Files>, library: Arc<Library>, following: Arc<Following>) -> Self {
        Self { files, library, following }
    }
}

impl Corpus for HeardFiles {
    fn list(&self) -> Result<Listing> {
        self.files.list()
    }

    fn find(&self, path: &VaultPath) -> Result<Option<Entry>> {
        self.files.find(path)
    }

    fn read(&self, path: &VaultPath) -> Result<FileContent> {
        self.files.read(path)
    }
}

impl Files for HeardFiles {
    fn commit(&self, change: &ChangeSet) -> Result<OperationId> {
        let done = self.files.commit(change)?;
        let paths: Vec<VaultPath> = change.actions.iter().flat_map(paths).cloned().collect();
        // Who is about to make the index finds the change anyway. And the change is made, whatever becomes of the
        // index: the next update finds it.
        let being_made = self.following.now() == Followed::Behind;
        if !being_made || self.library.index.standing().is_ok_and(|standing| standing.complete) {
            let _ = self.library.touch(&CorpusName::Vault, &paths);
        }
        Ok(done)
    }

    fn operations(&self, at_most: usize) -> Result<Vec<Operation>> {
        self.files.operations(at_most)
    }
}

fn paths(action: &Action) -> Vec<&VaultPath> {
    match action {
        Action::Edit { path, .. } | Action::Create { path, .. } | Action::Remove { path, .. } => vec![path],
        Action::Move { from, to } => vec![from, to],
    }
}
