//! Conversations.

use rusqlite::{Connection, Params, Transaction, params};
use wellread_core::domain::corpus::Hash;

use crate::record_format::session_row::SessionRow;

pub fn put(transaction: &Transaction<'_>, row: &SessionRow) -> rusqlite::Result<()> {
    transaction
        .prepare_cached("INSERT OR REPLACE INTO sessions VALUES (?1, ?2, ?3, ?4, ?5)")?
        .execute(params![row.id, row.active_file, row.last, row.state, row.sum.as_bytes()])?;
    Ok(())
}

pub fn forget(transaction: &Transaction<'_>, id: &str) -> rusqlite::Result<bool> {
    Ok(transaction.prepare_cached("DELETE FROM sessions WHERE id = ?1")?.execute([id])? > 0)
}

pub fn find(connection: &Connection, id: &str) -> rusqlite::Result<Vec<SessionRow>> {
    rows(connection, "WHERE id = ?1", [id])
}

pub fn find_latest_about(
    connection: &Connection,
    active_file: Option<&str>,
) -> rusqlite::Result<Vec<SessionRow>> {
    rows(connection, "WHERE active_file IS ?1 ORDER BY last DESC, id DESC LIMIT 1", [active_file])
}

pub fn list_latest(connection: &Connection, at_most: usize) -> rusqlite::Result<Vec<SessionRow>> {
    let limit = i64::try_from(at_most).unwrap_or(i64::MAX);
    rows(connection, "ORDER BY last DESC, id DESC LIMIT ?1", [limit])
}

fn rows(connection: &Connection, which: &str, params: impl Params) -> rusqlite::Result<Vec<SessionRow>> {
    let sql = format!("SELECT id, active_file, last, state, sum FROM sessions {which}");
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
