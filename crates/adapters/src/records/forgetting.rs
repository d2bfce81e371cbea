//! Removes the text of runs for good: events, conversations, and the pages that nothing refers to any more.
//!
//! Deleted rows are overwritten (`secure_delete`), and the file is then rewritten without them, so that no copy stays in
//! free pages or in the write-ahead log.

use std::collections::HashSet;
use std::path::Path;

use jiff::Timestamp;
use rusqlite::Transaction;
use wellread_core::domain::corpus::Hash;
use wellread_core::domain::id::RunId;
use wellread_core::ports::{ForgottenRecords, LockGuard, RecordViewer};
use wellread_core::{ErrorKind, Result};

use super::database::ChangeError;
use super::{locks, runs};
use crate::record_format::references::{REFERRING, collect_hashes, mentions_any};

/// Runs with the locks on them.
type LockedRuns<'a> = Vec<(&'a RunId, LockGuard)>;

/// The runs that nobody works on, locked, and the ids of the others.
pub fn lock_runs<'a>(data_folder: &Path, runs: &'a [RunId]) -> Result<(LockedRuns<'a>, Vec<String>)> {
    let (mut locked, mut in_progress) = (Vec::new(), Vec::new());
    for run in runs {
        match locks::lock_run(data_folder, run) {
            Ok(guard) => locked.push((run, guard)),
            Err(error) if error.kind() == ErrorKind::Conflict => in_progress.push(run.to_string()),
            Err(error) => return Err(error),
        }
    }
    Ok((locked, in_progress))
}

/// Forgets these runs, which the caller has locked.
pub fn forget(
    transaction: &Transaction<'_>,
    viewer: &RecordViewer,
    data_folder: &Path,
    forgotten: &[&RunId],
    at: Timestamp,
) -> Result<ForgottenRecords, ChangeError> {
    let mut totals = ForgottenRecords::default();
    for run in forgotten {
        totals.runs += u64::from(runs::forget(transaction, viewer, run, at)??);
    }
    let ids: HashSet<&str> = forgotten.iter().map(|run| run.as_str()).collect();
    totals.sessions = remove_referring(transaction, "sessions", "id", "state", &ids)?;
    remove_referring(transaction, "answers", "key", "answer", &ids)?;
    if !is_any_in_progress(transaction, data_folder, forgotten)? {
        totals.snapshots = remove_unreferenced_snapshots(transaction)?;
    }
    Ok(totals)
}

/// Removes the rows of a table whose text has one of the ids as a word. Returns how many there were.
fn remove_referring(
    transaction: &Transaction<'_>,
    table: &str,
    key: &str,
    column: &str,
    ids: &HashSet<&str>,
) -> rusqlite::Result<u64> {
    let mut statement = transaction.prepare(&format!("SELECT {key}, {column} FROM {table}"))?;
    let rows = statement.query_map([], |row| {
        let (key, text): (String, Option<String>) = (row.get(0)?, row.get(1)?);
        Ok(text.is_some_and(|text| mentions_any(&text, ids)).then_some(key))
    })?;
    let referring: Vec<String> = rows.filter_map(std::result::Result::transpose).collect::<Result<_, _>>()?;
    let mut remove = transaction.prepare(&format!("DELETE FROM {table} WHERE {key} = ?1"))?;
    for key in &referring {
        remove.execute([key])?;
    }
    Ok(referring.len() as u64)
}

/// Whether a run is in progress: it may have stored a page that its log does not refer to yet.
fn is_any_in_progress(
    transaction: &Transaction<'_>,
    data_folder: &Path,
    ours: &[&RunId],
) -> Result<bool, ChangeError> {
    for id in runs::unfinished(transaction)? {
        let Ok(run) = RunId::parse(&id) else { continue };
        if !ours.contains(&&run) && locks::lock_run(data_folder, &run).is_err() {
            return Ok(true);
        }
    }
    Ok(false)
}

fn remove_unreferenced_snapshots(transaction: &Transaction<'_>) -> rusqlite::Result<u64> {
    let mut referred: HashSet<String> = HashSet::new();
    for (table, column) in REFERRING {
        let mut statement = transaction.prepare(&format!("SELECT {column} FROM {table}"))?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            // A damaged row refers to nothing that could still be shown.
            if let Ok(text) = row.get_ref(0)?.as_bytes() {
                collect_hashes(text, &mut referred);
            }
        }
    }
    let mut statement = transaction.prepare("SELECT hash FROM snapshots")?;
    let all: Vec<Vec<u8>> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    let is_referred = |hash: &[u8]| {
        <[u8; 32]>::try_from(hash).is_ok_and(|hash| referred.contains(&Hash::from_bytes(hash).to_string()))
    };
    let mut remove = transaction.prepare("DELETE FROM snapshots WHERE hash = ?1")?;
    let mut removed = 0;
    for hash in all.iter().filter(|hash| !is_referred(hash)) {
        removed += remove.execute([hash])? as u64;
    }
    Ok(removed)
}
