//! Reads notes as text.

use wellread_text::{Link, Note};

use super::Vault;
use crate::domain::corpus::{Hash, VaultPath};
use crate::library::indexing::parse_file_links;
use crate::ports::FileEntry;
use crate::{Error, Result};

/// A note's text, line endings and byte-order mark included, and what is needed to change it.
#[derive(Debug, Clone)]
pub struct NoteText {
    /// The file's path.
    pub path: VaultPath,
    /// The text.
    pub text: String,
    /// The hash of the file's content.
    pub hash: Hash,
    /// The file's dates and size.
    pub entry: FileEntry,
    /// Set if the file is not UTF-8: the text then has replacement characters, and must not be written back.
    pub warning: Option<String>,
}

impl NoteText {
    /// Parses the note.
    pub fn parse(&self) -> Note {
        Note::parse(&self.text)
    }

    /// The links of the note or canvas. A file that is neither, or a broken canvas, has none.
    pub fn links(&self) -> Vec<Link> {
        parse_file_links(&self.path, &self.text).unwrap_or_default()
    }
}

impl Vault {
    /// Reads a file's text for display. Text that is not UTF-8 comes with a warning; a binary file is refused.
    pub fn read(&self, path: &VaultPath) -> Result<NoteText> {
        let content = self.files.read(path)?;
        let (text, warning) = match String::from_utf8(content.bytes) {
            // NUL bytes are valid UTF-8, but not text.
            Ok(text) if text.contains('\0') && !path.is_note() => return Err(not_text_error(path)),
            Ok(text) => (text, None),
            Err(error) if path.is_note() => {
                let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
                (
                    text,
                    Some(format!(
                        "`{path}` is not UTF-8; characters that could not be read show as \u{fffd}"
                    )),
                )
            }
            Err(_) => return Err(not_text_error(path)),
        };
        Ok(NoteText { path: path.clone(), text, hash: content.hash, entry: content.entry, warning })
    }

    /// Reads a file's text for changing it: it must be UTF-8.
    pub fn read_for_edit(&self, path: &VaultPath) -> Result<NoteText> {
        let note = self.read(path)?;
        if note.warning.is_some() {
            return Err(Error::refused(format!("`{path}` is not UTF-8 and is never written"))
                .with_path(path.as_str()));
        }
        Ok(note)
    }

    /// The text of every note, one after the other. A note that can't be read is skipped; `wellread status` names it.
    pub fn notes(&self) -> Result<impl Iterator<Item = NoteText>> {
        let files = self.files.list()?.files;
        let vault = self.clone();
        let notes = files.into_iter().filter(|entry| entry.path.is_note());
        Ok(notes.filter_map(move |entry| vault.read(&entry.path).ok()))
    }
}

fn not_text_error(path: &VaultPath) -> Error {
    Error::refused(format!("`{path}` is not a text file"))
        .with_path(path.as_str())
        .hint("name a note, or another file of plain text")
}
