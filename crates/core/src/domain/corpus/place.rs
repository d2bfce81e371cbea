//! Where a text is, so that it can be read again.

use std::fmt;

use serde::{Serialize, Serializer};
use wellread_text::Span;

use super::{Hash, VaultPath};

/// Which corpus a file belongs to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CorpusName {
    /// The user's notes.
    Vault,
    /// A codebase beside the vault, by the name that the user gave it.
    Repository(String),
}

impl CorpusName {
    /// The repository's name; `None` for the vault.
    pub fn repository(&self) -> Option<&str> {
        match self {
            Self::Vault => None,
            Self::Repository(name) => Some(name),
        }
    }
}

impl fmt::Display for CorpusName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.repository().unwrap_or("vault"))
    }
}

impl Serialize for CorpusName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A range of a file as of this hash. Reading it again gives the same text, or the file has changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The corpus that the file belongs to.
    pub corpus: CorpusName,
    /// The file's path in its corpus.
    pub path: VaultPath,
    /// The first and the last line, from 1, both included.
    pub lines: (usize, usize),
    /// The range in bytes.
    pub span: Span,
    /// The hash of the whole file.
    pub hash: Hash,
}
