//! Whether a file's content can be used.

use std::fmt;

use wellread_text::{Canvas, Frontmatter};

use super::Vault;
use crate::ErrorKind;
use crate::domain::corpus::VaultPath;

/// Whether a file's content can be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileCondition {
    /// Nothing is wrong with it.
    Fine,
    /// It can be read, but not everything works; with the reason.
    Limited(String),
    /// It can't be read; with the reason.
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
    /// Reads a note or a canvas to see whether anything is wrong with it. Other files are not read.
    pub fn condition(&self, path: &VaultPath) -> FileCondition {
        if !path.is_note() && !path.is_canvas() {
            return FileCondition::Fine;
        }
        match self.read(path) {
            // The file was deleted since it was listed.
            Err(error) if error.kind() == ErrorKind::NotFound => FileCondition::Fine,
            Err(error) => FileCondition::Unserved(error.message().to_owned()),
            Ok(canvas) if path.is_canvas() => match Canvas::parse(&canvas.text) {
                Ok(_) => FileCondition::Fine,
                Err(reason) => FileCondition::Unserved(reason),
            },
            Ok(note) => match (note.warning, Frontmatter::parse(&note.text).map(|front| front.fields)) {
                (Some(warning), _) => FileCondition::Limited(warning),
                (None, Some(Err(broken))) => FileCondition::Limited(format!(
                    "the frontmatter can't be read, so the note counts as private: {broken}"
                )),
                _ => FileCondition::Fine,
            },
        }
    }
}
