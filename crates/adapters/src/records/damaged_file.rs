//! Moves a damaged file aside before a new one is created.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::sqlite::SqliteFile;

/// Renames the file, its write-ahead log first, since that must never meet another file. Returns the new name; `None`
/// if there was no file.
pub fn move_aside(file: &SqliteFile) -> io::Result<Option<String>> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    let names = (0..).map(|number| format!("records.damaged-{}.db", now + number));
    let free = |name: &String| !file.folder().join(name).exists();
    let Some(name) = names.into_iter().find(free) else { return Ok(None) };
    let aside = file.folder().join(&name);
    let moved = |from: PathBuf, to: PathBuf| match fs::rename(from, to) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        done => done.map(|()| true),
    };
    moved(file.sibling_path("-wal"), aside.with_extension("db-wal"))?;
    let _ = fs::remove_file(file.sibling_path("-shm"));
    Ok(moved(file.path(), aside)?.then_some(name))
}

/// Removes new files of processes that ended before they were moved into place: those are empty.
pub fn remove_unfinished(folder: &Path, beginning: &str) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(beginning) {
            let _ = fs::remove_file(entry.path());
        }
    }
}
