//! Removes the text of runs for good: events, conversations, and the pages that nothing refers to any more.

use std::collections::HashSet;
use std::sync::Arc;

use jiff::Timestamp;
use wellread_core::domain::corpus::Hash;
use wellread_core::domain::id::RunId;
use wellread_core::ports::{ForgottenRecords, LockGuard};

use super::failure::PgFailure;
use super::locks::{LockKeeper, LockKind};
use super::runs;
use super::session::Session;
use super::space_lock::{SpaceLock, lock_space};
use super::value::{RowColumns as _, SqlValue, values};
use crate::record_format::references::{REFERRING, collect_hashes, mentions_any};

/// How many rows are read at a time.
const PAGE: i64 = 500;

/// Runs with the locks on them.
type LockedRuns<'a> = Vec<(&'a RunId, LockGuard)>;

/// The runs that nobody works on, locked, and the ids of the others.
pub fn lock_runs<'a>(
    locks: &Arc<LockKeeper>,
    runs: &'a [RunId],
) -> Result<(LockedRuns<'a>, Vec<String>), PgFailure> {
    let (mut locked, mut in_progress) = (Vec::new(), Vec::new());
    for run in runs {
        match locks.try_acquire(LockKind::Run, run.as_str())? {
            Some(guard) => locked.push((run, guard)),
            None => in_progress.push(run.to_string()),
        }
    }
    Ok((locked, in_progress))
}

/// Forgets these runs, which the caller has locked.
pub fn forget(
    session: &Session,
    locks: &Arc<LockKeeper>,
    forgotten: &[&RunId],
    at: Timestamp,
) -> Result<ForgottenRecords, PgFailure> {
    lock_space(session, SpaceLock::Forgets)?;
    let mut totals = ForgottenRecords::default();
    for run in forgotten {
        totals.runs += u64::from(runs::forget(session, run, at)?);
    }
    // From here on it is about what refers to what, whoever it belongs to.
    session.see_all_in_transaction()?;
    let ids: HashSet<&str> = forgotten.iter().map(|run| run.as_str()).collect();
    totals.sessions = remove_referring(session, "sessions", "id_hash", "state", &ids)?;
    remove_referring(session, "answers", "key_hash", "answer", &ids)?;
    if !is_any_in_progress(session, locks, forgotten)? {
        totals.snapshots = remove_unreferenced_snapshots(session)?;
    }
    Ok(totals)
}

/// Removes the rows of a table whose text has one of the ids as a word. Returns how many there were.
fn remove_referring(
    session: &Session,
    table: &str,
    key: &str,
    column: &str,
    ids: &HashSet<&str>,
) -> Result<u64, PgFailure> {
    let mut referring = Vec::new();
    for_each_text(session, table, key, column, &mut |key, text| {
        if std::str::from_utf8(text).is_ok_and(|text| mentions_any(text, ids)) {
            referring.push(key.to_vec());
        }
    })?;
    for key_of_row in &referring {
        let sql = format!("DELETE FROM wellread.{table} WHERE space = $1 AND {key} = $2");
        session.execute(&sql, values![key_of_row.clone()])?;
    }
    Ok(referring.len() as u64)
}

/// Calls `see` with the key of each row and its text, some rows at a time.
fn for_each_text(
    session: &Session,
    table: &str,
    key: &str,
    column: &str,
    see: &mut dyn FnMut(&[u8], &[u8]),
) -> Result<(), PgFailure> {
    let mut after = Vec::new();
    // Text of ours is in a column of text, that of others in one of bytes.
    let text = if column == "answer" { column.to_owned() } else { format!("convert_to({column}, 'UTF8')") };
    loop {
        let sql = format!(
            "SELECT {key}, {text} FROM wellread.{table} WHERE space = $1 AND {key} > $2 AND {column} IS NOT NULL \
             ORDER BY {key} LIMIT $3"
        );
        let rows = session.query(&sql, values![after, PAGE])?;
        for row in &rows {
            see(&row.bytes(0)?, &row.bytes(1)?);
        }
        let Some(last) = rows.last() else { return Ok(()) };
        after = last.bytes(0)?;
    }
}

/// Whether a run is in progress: it may have stored a page that its log does not refer to yet.
fn is_any_in_progress(
    session: &Session,
    locks: &Arc<LockKeeper>,
    ours: &[&RunId],
) -> Result<bool, PgFailure> {
    for id in runs::unfinished(session)? {
        let Ok(run) = RunId::parse(&id) else { continue };
        if !ours.contains(&&run) && locks.try_acquire(LockKind::Run, run.as_str())?.is_none() {
            return Ok(true);
        }
    }
    Ok(false)
}

fn remove_unreferenced_snapshots(session: &Session) -> Result<u64, PgFailure> {
    let mut referred: HashSet<String> = HashSet::new();
    for (table, column) in REFERRING {
        match table {
            "events" => {
                for row in session.query("SELECT id FROM wellread.runs WHERE space = $1", vec![])? {
                    find_hashes(
                        session,
                        table,
                        column,
                        "AND run = $2",
                        values![row.text(0)?],
                        &mut referred,
                    )?;
                }
            }
            "answers" => for_each_text(session, table, "key_hash", column, &mut |_, text| {
                collect_hashes(text, &mut referred);
            })?,
            _ => find_hashes(session, table, column, "", vec![], &mut referred)?,
        }
    }
    let rows = session.query("SELECT hash FROM wellread.snapshots WHERE space = $1", vec![])?;
    let mut removed = 0;
    for row in &rows {
        let hash = row.bytes(0)?;
        let is_referred = <[u8; 32]>::try_from(hash.as_slice())
            .is_ok_and(|hash| referred.contains(&Hash::from_bytes(hash).to_string()));
        if !is_referred {
            let sql = "DELETE FROM wellread.snapshots WHERE space = $1 AND hash = $2";
            removed += session.execute(sql, values![hash])?;
        }
    }
    Ok(removed)
}

/// The database finds what looks like a hash, so that no text is sent.
fn find_hashes(
    session: &Session,
    table: &str,
    column: &str,
    which: &str,
    values: Vec<SqlValue>,
    referred: &mut HashSet<String>,
) -> Result<(), PgFailure> {
    let sql = format!(
        "SELECT DISTINCT found[1] FROM wellread.{table}, \
         regexp_matches({column}, '[0-9a-fA-F]{{64,}}', 'g') AS found WHERE space = $1 {which}"
    );
    for row in session.query(&sql, values)? {
        collect_hashes(row.text(0)?.as_bytes(), referred);
    }
    Ok(())
}
