//! Links by reading every note: right for any vault, and as slow as reading it.
//!
//! It stands behind the same port as a link index, and can be left out where there is one.

use std::collections::HashSet;
use std::sync::Arc;

use wellread_text::{Names, Note, link_key};

use crate::ports::{Files, LinkIndex, Mentions, Skipped};
use crate::{Kind, Result};

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

    fn named(&self, keys: &[String]) -> Result<Names> {
        let wanted: HashSet<&str> = keys.iter().map(String::as_str).collect();
        let files = self.files.list()?.files.into_iter().map(|entry| entry.path.as_str().to_owned());
        Ok(Names::of(files.filter(|path| wanted.contains(link_key(path).as_str()))))
    }

    fn mentioning(&self, keys: &[String]) -> Result<Mentions> {
        let wanted: HashSet<&str> = keys.iter().map(String::as_str).collect();
        let mut found = Mentions::default();
        for entry in self.files.list()?.files {
            if !entry.path.is_note() {
                continue;
            }
            let content = match self.files.read(&entry.path) {
                Ok(content) => content,
                // It went away since it was listed.
                Err(error) if error.kind() == Kind::NotFound => continue,
                Err(error) => {
                    let (path, reason) = (entry.path.to_string(), error.message().to_owned());
                    found.skipped.push(Skipped { path, reason });
                    continue;
                }
            };
            if !content.bytes.contains(&b'[') {
                continue;
            }
            let text = String::from_utf8_lossy(&content.bytes);
            if Note::parse(&text).links.iter().any(|link| wanted.contains(link_key(&link.target).as_str())) {
                found.notes.push(entry.path);
            }
        }
        Ok(found)
    }
}
