//! Conversations.

use rusqlite::{Connection, Params, Transaction, params};
use wellread_core::domain::corpus::Hash;
use wellread_core::ports::RecordViewer;
use wellread_core::{Error, Result};

use super::database::ChangeError;
use crate::record_format::session_row::SessionRow;

/// What a viewer has; `?1` is the viewer.
const THEIRS: &str = "(?1 = '*' OR owner = ?1)";

/// Stores a conversation. One that somebody else has under the same id is an error of kind `Conflict`, and stays as it is.
pub fn put(
    transaction: &Transaction<'_>,
    viewer: &RecordViewer,
    row: &SessionRow,
) -> Result<(), ChangeError> {
    let sql = format!(
        "INSERT INTO sessions (id, active_file, last, state, sum, owner) VALUES (?2, ?3, ?4, ?5, ?6, ?1) \
         ON CONFLICT (id) DO UPDATE SET active_file = excluded.active_file, last = excluded.last, \
         state = excluded.state, sum = excluded.sum WHERE {THEIRS}"
    );
    let values = params![viewer.as_str(), row.id, row.active_file, row.last, row.state, row.sum.as_bytes()];
    match transaction.prepare_cached(&sql)?.execute(values)? {
        0 => Err(Error::conflict("a conversation with this id exists already").into()),
        _ => Ok(()),
    }
}

pub fn forget(transaction: &Transaction<'_>, viewer: &RecordViewer, id: &str) -> rusqlite::Result<bool> {
    let sql = format!("DELETE FROM sessions WHERE {THEIRS} AND id = ?2");
    Ok(transaction.prepare_cached(&sql)?.execute(params![viewer.as_str(), id])? > 0)
}

pub fn find(connection: &Connection, viewer: &RecordViewer, id: &str) -> rusqlite::Result<Vec<SessionRow>> {
    rows(connection, "AND id = ?2", params![viewer.as_str(), id])
}

pub fn find_latest_about(
    connection: &Connection,
    viewer: &RecordViewer,
    active_file: Option<&str>,
) -> rusqlite::Result<Vec<SessionRow>> {
    let which = "AND active_file IS ?2 ORDER BY last DESC, id DESC LIMIT 1";
    rows(connection, which, params![viewer.as_str(), active_file])
}

pub fn list_latest(
    connection: &Connection,
    viewer: &RecordViewer,
    at_most: usize,
) -> rusqlite::Result<Vec<SessionRow>> {
    let limit = i64::try_from(at_most).unwrap_or(i64::MAX);
    rows(connection, "ORDER BY last DESC, id DESC LIMIT ?2", params![viewer.as_str(), limit])
}

fn rows(connection: &Connection, which: &str, params: impl Params) -> rusqlite::Result<Vec<SessionRow>> {
    let sql = format!("SELECT id, active_file, last, state, sum FROM sessions WHERE {THEIRS} {which}");
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map(params, |row| {
        Ok(SessionRow {
            id: row.get(0)?,
            active_file: row.get(1)?,
            last: row.get(2)?,
            state: row.get(3)?,
            sum: Hash::from_bytes(row.get(4)?),
        })
    })?;
    rows.collect()
}
