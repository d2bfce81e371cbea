//! What is in a folder.

use std::fs;
use std::io;
use std::path::Path;

/// Names, each with whether it is that of a folder.
pub type FolderEntries = Vec<(String, bool)>;

/// What is in a folder: all of it, or an error. A name that is not Unicode is listed nowhere.
pub fn list_entries(folder: &Path) -> io::Result<FolderEntries> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        match entry.file_type() {
            Ok(kind) => found.push((name, kind.is_dir())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}
