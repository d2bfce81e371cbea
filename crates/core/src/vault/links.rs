//! Links by reading every note: right for any vault, and as slow as reading it.
//!
//! It stands behind the same port as a link index, and can be left out where there is one.

use std::collections::HashSet;
use std::sync::Arc;

use wellread_text::{Names, Note, fold};

use crate::Result;
use crate::corpus::VaultPath;
use crate::ports::{Files, LinkIndex};

/// Finds links by scanning the vault's notes at each call.
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
    pub fn new(files: Arc<dyn Files>) -> Self {
        Self { files }
    }
}

impl LinkIndex for ScannedLinks {
    fn names(&self) -> Result<Arc<Names>> {
        let files = self.files.list()?.files;
        Ok(Arc::new(Names::of(files.into_iter().map(|entry| entry.path.as_str().to_owned()))))
    }

    fn mentioning(&self, names: &[String]) -> Result<Vec<VaultPath>> {
        let wanted: HashSet<&str> = names.iter().map(String::as_str).collect();
        let mut found = Vec::new();
        for entry in self.files.list()?.files {
            if !entry.path.is_note() {
                continue;
            }
            // What can't be read holds no link that could be followed.
            let Ok(content) = self.files.read(&entry.path) else { continue };
            if !content.bytes.contains(&b'[') {
                continue;
            }
            let text = String::from_utf8_lossy(&content.bytes);
            if Note::parse(&text).links.iter().any(|link| wanted.contains(link_key(&link.target).as_str())) {
                found.push(entry.path);
            }
        }
        Ok(found)
    }
}

/// What a link and the file that it leads to have in common, whatever path was written: the last part, folded,
/// without `.md`.
pub fn link_key(target: &str) -> String {
    let name = fold(target.rsplit('/').next().unwrap_or(target).trim());
    name.strip_suffix(".md").map(str::to_owned).unwrap_or(name)
}
