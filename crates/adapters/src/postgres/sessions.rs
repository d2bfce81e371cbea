//! Conversations.

use tokio_postgres::Row;

use super::failure::PgFailure;
use super::session::Session;
use super::value::{RowColumns as _, SqlValue, any_text, any_text_or_null, optional_any_text, values};
use crate::record_format::limit;
use crate::record_format::session_row::SessionRow;

/// Stores a conversation. The database refuses one that somebody else has under the same id.
pub fn put(session: &Session, row: &SessionRow) -> Result<(), PgFailure> {
    let sql = "INSERT INTO wellread.sessions (space, id, active_file, last, state, sum) VALUES ($1, $2, $3, $4, $5, $6) \
               ON CONFLICT (space, id_hash) DO UPDATE SET active_file = excluded.active_file, last = excluded.last, \
               state = excluded.state, sum = excluded.sum";
    let file = any_text_or_null(row.active_file.as_deref());
    session.execute(sql, values![any_text(&row.id), file, row.last, row.state.as_str(), row.sum]).map(drop)
}

pub fn forget(session: &Session, id: &str) -> Result<bool, PgFailure> {
    let sql = "DELETE FROM wellread.sessions WHERE space = $1 AND id_hash = sha256($2)";
    Ok(session.execute(sql, vec![any_text(id)])? > 0)
}

pub fn find(session: &Session, id: &str) -> Result<Vec<SessionRow>, PgFailure> {
    rows(session, "AND id_hash = sha256($2)", vec![any_text(id)])
}

pub fn find_latest_about(session: &Session, active_file: Option<&str>) -> Result<Vec<SessionRow>, PgFailure> {
    let which = "AND active_file IS NOT DISTINCT FROM $2 ORDER BY last DESC, id DESC LIMIT 1";
    rows(session, which, vec![any_text_or_null(active_file)])
}

pub fn list_latest(session: &Session, at_most: usize) -> Result<Vec<SessionRow>, PgFailure> {
    rows(session, "ORDER BY last DESC, id DESC LIMIT $2", values![limit(at_most)])
}

fn rows(session: &Session, which: &str, values: Vec<SqlValue>) -> Result<Vec<SessionRow>, PgFailure> {
    let sql =
        format!("SELECT id, active_file, last, state, sum FROM wellread.sessions WHERE space = $1 {which}");
    session.query(&sql, values)?.iter().map(read_row).collect()
}

fn read_row(row: &Row) -> Result<SessionRow, PgFailure> {
    Ok(SessionRow {
        id: row.any_text(0)?,
        active_file: optional_any_text(row, 1)?,
        last: row.number(2)?,
        state: row.text(3)?,
        sum: row.hash(4)?,
    })
}
