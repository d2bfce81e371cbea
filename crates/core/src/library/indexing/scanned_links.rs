//! Finds links by reading every note: correct for any vault, and as slow as reading it.
//!
//! Implements the port of a link index, and is not needed where there is one.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use serde_json::Value;
use wellread_text::{Canvas, FileNames, Frontmatter, Link, Note, link_key};

use crate::ErrorKind;
use crate::domain::corpus::VaultPath;
use crate::ports::{FileListing, Files, LinkIndex, Mentions, SkippedFile};

/// The links of a file of the vault: of a note, or of a canvas; none in other files. An error is the reason why a canvas
/// can't be read.
pub(crate) fn parse_file_links(path: &VaultPath, text: &str) -> Result<Vec<Link>, String> {
    if path.is_note() {
        return Ok(Note::parse(text).links);
    }
    if path.is_canvas() { Canvas::parse(text).map(|canvas| canvas.links) } else { Ok(Vec::new()) }
}

/// Finds links by scanning the vault's notes and canvases at each call.
#[derive(Clone)]
pub struct ScannedLinks {
    files: Arc<dyn Files>,
}

impl std::fmt::Debug for ScannedLinks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ScannedLinks")
    }
}

impl ScannedLinks {
    /// Finds the links in these files.
    pub fn new(files: Arc<dyn Files>) -> Self {
        Self { files }
    }
}

impl ScannedLinks {
    /// All files.
    pub(super) fn list_files(&self) -> crate::Result<Arc<FileListing>> {
        self.files.share_list()
    }

    /// The files that have several paths: a change at one of them is a change at the others.
    pub(super) fn linked_files(&self) -> crate::Result<BTreeSet<VaultPath>> {
        let listing = self.files.share_list()?;
        Ok(listing.files.iter().filter(|entry| entry.linked).map(|entry| entry.path.clone()).collect())
    }

    /// Whether a note has a field with a value that is accepted. One that can't be read has none.
    pub(super) fn has_field(&self, path: &VaultPath, name: &str, accepts: &dyn Fn(&Value) -> bool) -> bool {
        let Ok(content) = self.files.read(path) else { return false };
        let front = Frontmatter::parse(&String::from_utf8_lossy(&content.bytes));
        path.is_note() && front.as_ref().and_then(|front| front.field(name)).is_some_and(accepts)
    }
}

impl LinkIndex for ScannedLinks {
    fn names(&self) -> crate::Result<Arc<FileNames>> {
        let files = self.files.list()?.files;
        Ok(Arc::new(FileNames::from_paths(files.into_iter().map(|entry| entry.path.as_str().to_owned()))))
    }

    fn names_for_keys(&self, keys: &[String]) -> crate::Result<FileNames> {
        let wanted: HashSet<&str> = keys.iter().map(String::as_str).collect();
        let files = self.files.list()?.files.into_iter().map(|entry| entry.path.as_str().to_owned());
        Ok(FileNames::from_paths(files.filter(|path| wanted.contains(link_key(path).as_str()))))
    }

    fn find_mentions(&self, keys: &[String]) -> crate::Result<Mentions> {
        let wanted: HashSet<&str> = keys.iter().map(String::as_str).collect();
        let mut found = Mentions::default();
        for entry in self.files.list()?.files {
            if !entry.path.is_note() && !entry.path.is_canvas() {
                continue;
            }
            let content = match self.files.read(&entry.path) {
                Ok(content) => content,
                // The file was deleted since it was listed.
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                Err(error) => {
                    let (path, reason) = (entry.path.to_string(), error.message().to_owned());
                    found.skipped.push(SkippedFile { path, reason });
                    continue;
                }
            };
            if !content.bytes.contains(&b'[') {
                continue;
            }
            let text = String::from_utf8_lossy(&content.bytes);
            match parse_file_links(&entry.path, &text) {
                Ok(links) if links.iter().any(|link| wanted.contains(link_key(&link.target).as_str())) => {
                    found.notes.push(entry.path);
                }
                Ok(_) => {}
                Err(reason) => found.skipped.push(SkippedFile { path: entry.path.to_string(), reason }),
            }
        }
        Ok(found)
    }

    fn find_notes_by_field(
        &self,
        name: &str,
        accepts: &dyn Fn(&Value) -> bool,
    ) -> crate::Result<Vec<VaultPath>> {
        let listing = self.files.share_list()?;
        let notes = listing.files.iter().map(|entry| &entry.path).filter(|path| path.is_note());
        Ok(notes.filter(|path| self.has_field(path, name, accepts)).cloned().collect())
    }
}
