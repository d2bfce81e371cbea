//! What is put out of the way when a new file is begun.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::sqlite::SqliteFile;

/// What is there goes under another name, its log first: what the log holds must not meet another file.
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

/// Takes away what processes left that ended before their new file was in its place: there is nothing in it yet.
pub fn remove_unfinished(folder: &Path, beginning: &str) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(beginning) {
            let _ = fs::remove_file(entry.path());
        }
    }
}
