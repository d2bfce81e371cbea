//! What can be done with a file, as far as its content goes.

use std::fmt;

use wellread_text::Frontmatter;

use super::Vault;
use crate::ErrorKind;
use crate::domain::corpus::VaultPath;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileCondition {
    Fine,
    /// It is read, but not everything can be done with it.
    Limited(String),
    /// It can't be read.
    Unserved(String),
}

impl fmt::Display for FileCondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fine => f.write_str("ok"),
            Self::Limited(reason) | Self::Unserved(reason) => f.write_str(reason),
        }
    }
}

impl Vault {
    /// Reads a note to see whether anything is wrong with it. Other files are not looked into.
    pub fn condition(&self, path: &VaultPath) -> FileCondition {
        if !path.is_note() {
            return FileCondition::Fine;
        }
        match self.read(path) {
            // It went away since it was listed.
            Err(error) if error.kind() == ErrorKind::NotFound => FileCondition::Fine,
            Err(error) => FileCondition::Unserved(error.message().to_owned()),
            Ok(note) => match (note.warning, Frontmatter::parse(&note.text).map(|front| front.fields)) {
                (Some(warning), _) => FileCondition::Limited(warning),
                (None, Some(Err(broken))) => {
                    FileCondition::Limited(format!("the frontmatter can't be read: {broken}"))
                }
                _ => FileCondition::Fine,
            },
        }
    }
}
