//! Files and links without private notes.

use std::sync::Arc;

use serde_json::Value;
use wellread_text::{FileNames, link_key};

use crate::domain::corpus::{Action, ChangeSet, Operation, VaultPath};
use crate::domain::id::OperationId;
use crate::library::vault::Vault;
use crate::ports::{Corpus, FileContent, FileEntry, FileIdentity, FileListing, Files, LinkIndex, Mentions};
use crate::{Error, ErrorKind, Result};

/// The files of a vault without its private notes.
pub(super) struct PublicFiles {
    pub whole: Arc<Vault>,
}

impl Corpus for PublicFiles {
    fn list(&self) -> Result<FileListing> {
        self.whole.list_public().map(Arc::unwrap_or_clone)
    }

    fn find(&self, path: &VaultPath) -> Result<Option<FileEntry>> {
        if self.whole.find_private_place(path).is_some() {
            return Ok(None);
        }
        match self.whole.files.find(path) {
            Ok(found) => Ok(found.filter(|entry| !self.whole.is_private_entry(entry))),
            // A folder that holds nothing public is not there.
            Err(error) if error.kind() == ErrorKind::Invalid => {
                let is_seen = self.whole.list_public()?.folders.iter().any(|folder| folder == path.as_str());
                if is_seen { Err(error) } else { Ok(None) }
            }
            Err(error) => Err(error),
        }
    }

    fn read(&self, path: &VaultPath) -> Result<FileContent> {
        match self.find(path)? {
            Some(_) => self.whole.files.read(path),
            None => Err(Error::not_found(format!("File not found: {path}")).with_path(path.as_str())),
        }
    }

    fn identify(&self, path: &VaultPath) -> Result<FileIdentity> {
        self.whole.files.identify(path)
    }

    fn head_commit(&self) -> Option<String> {
        self.whole.files.head_commit()
    }
}

impl Files for PublicFiles {
    fn share_list(&self) -> Result<Arc<FileListing>> {
        self.whole.list_public()
    }

    /// Refuses a new place in a private folder, whether or not there is a file: the answer would tell.
    fn commit(&self, change: &ChangeSet) -> Result<OperationId> {
        let new_place = |action: &Action| match action {
            Action::Create { path, .. } => Some(path.clone()),
            Action::Move { to, .. } => Some(to.clone()),
            Action::Edit { .. } | Action::Remove { .. } => None,
        };
        let private = change.actions.iter().filter_map(new_place);
        match private.into_iter().find(|path| self.whole.find_private_place(path).is_some()) {
            Some(path) => Err(Error::refused(format!("`{path}` is in a private folder"))
                .with_path(path.as_str())
                .hint("nothing was changed; choose another folder")),
            None => self.whole.files.commit(change).map_err(|error| {
                let is_visible = |path: &VaultPath| self.find(path).is_ok_and(|found| found.is_some());
                hide_names(error, &change.actions, is_visible)
            }),
        }
    }

    fn operations(&self, at_most: usize) -> Result<Vec<Operation>> {
        self.whole.files.operations(at_most)
    }
}

impl Vault {
    /// An error of a change, as this view tells it: without the names of notes that it hides. A private note is changed, too, if
    /// it has a link to a note that is moved.
    pub(in crate::library) fn hide_private_names(&self, error: Error, actions: &[Action]) -> Error {
        if self.hides_private() { hide_names(error, actions, |path| self.is_visible(path)) } else { error }
    }
}

fn hide_names(error: Error, actions: &[Action], is_visible: impl Fn(&VaultPath) -> bool) -> Error {
    let changed = |action: &Action| match action {
        Action::Edit { path, .. } | Action::Remove { path, .. } | Action::Move { from: path, .. } => {
            Some(path.clone())
        }
        // Whoever made the change named it.
        Action::Create { .. } => None,
    };
    let hidden: Vec<VaultPath> =
        actions.iter().filter_map(changed).filter(|path| !is_visible(path)).collect();
    let named = error.details().get("path").and_then(Value::as_str);
    let is_named = |path: &VaultPath| {
        let says = |text: &str| text.contains(path.as_str());
        says(error.message()) || error.hint_text().is_some_and(says)
    };
    let names_another = named.is_some_and(|named| !hidden.iter().any(|path| path.as_str() == named));
    let is_clean = names_another && !error.details().contains_key("kept") && !hidden.iter().any(is_named);
    if hidden.is_empty() || is_clean {
        return error;
    }
    Error::new(error.kind(), "a note could not be changed")
        .hint("nothing was written; another program may have it open, or may keep it from being changed")
}

/// The links of a vault without those of its private notes.
pub(super) struct PublicLinks {
    pub whole: Arc<Vault>,
}

impl LinkIndex for PublicLinks {
    fn sync(&self) -> Result<()> {
        self.whole.links.sync()
    }

    fn names(&self) -> Result<Arc<FileNames>> {
        self.whole.list_public_names()
    }

    fn names_for_keys(&self, keys: &[String]) -> Result<FileNames> {
        let public = self.whole.list_public()?;
        let paths = public.files.iter().map(|entry| entry.path.as_str());
        Ok(FileNames::from_paths(paths.filter(|path| keys.contains(&link_key(path)))))
    }

    /// A note that could not be read may be private, so none is reported as skipped.
    fn find_mentions(&self, keys: &[String]) -> Result<Mentions> {
        let mut notes = self.whole.retain_public(self.whole.links.find_mentions(keys)?.notes)?;
        notes.sort();
        Ok(Mentions { notes, skipped: Vec::new() })
    }

    fn find_notes_by_field(&self, name: &str, accepts: &dyn Fn(&Value) -> bool) -> Result<Vec<VaultPath>> {
        self.whole.retain_public(self.whole.links.find_notes_by_field(name, accepts)?)
    }
}
