//! What can be done with a file, as far as its content goes.

use std::fmt;

use wellread_text::Frontmatter;

use super::Vault;
use crate::Kind;
use crate::corpus::VaultPath;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    Fine,
    /// It is read, but not everything can be done with it.
    Limited(String),
    /// It can't be read.
    Unserved(String),
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fine => f.write_str("ok"),
            Self::Limited(reason) | Self::Unserved(reason) => f.write_str(reason),
        }
    }
}

impl Vault {
    /// Reads a note to see whether anything is wrong with it. Other files are not looked into.
    pub fn condition(&self, path: &VaultPath) -> Condition {
        if !path.is_note() {
            return Condition::Fine;
        }
        match self.read(path) {
            // It went away since it was listed.
            Err(error) if error.kind() == Kind::NotFound => Condition::Fine,
            Err(error) => Condition::Unserved(error.message().to_owned()),
            Ok(note) => match (note.warning, Frontmatter::of(&note.text).map(|front| front.fields)) {
                (Some(warning), _) => Condition::Limited(warning),
                (None, Some(Err(broken))) => {
                    Condition::Limited(format!("the frontmatter can't be read: {broken}"))
                }
                _ => Condition::Fine,
            },
        }
    }
}
