//! Topics that must not be proposed any more.

use rusqlite::{Connection, Row, Transaction, params};
use wellread_core::Result;
use wellread_core::domain::corpus::Hash;
use wellread_core::domain::id::FindingId;
use wellread_core::ports::agenda::SuppressedTopic;

use super::database::ChangeError;
use crate::record_format::{damaged_error, nanoseconds, sums};

pub fn suppress(transaction: &Transaction<'_>, topic: &SuppressedTopic) -> Result<(), ChangeError> {
    let (at, finding) = (nanoseconds(topic.at)?, topic.finding_id.as_ref().map(FindingId::as_str));
    transaction
        .prepare_cached("INSERT OR REPLACE INTO suppressed VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![topic.topic, at, finding, sums::topic_sum(&topic.topic, at, finding).as_bytes()])?;
    Ok(())
}

/// Removes a topic; false if it was not suppressed.
pub fn allow(transaction: &Transaction<'_>, topic: &str) -> rusqlite::Result<bool> {
    Ok(transaction.prepare_cached("DELETE FROM suppressed WHERE topic = ?1")?.execute([topic])? > 0)
}

/// All suppressed topics, newest first.
pub fn list(connection: &Connection) -> rusqlite::Result<Vec<Result<SuppressedTopic>>> {
    let mut statement = connection
        .prepare_cached("SELECT topic, at, finding, sum FROM suppressed ORDER BY at DESC, topic DESC")?;
    let rows = statement.query_map([], |row| {
        let topic: String = row.get(0)?;
        Ok(read_row(row, &topic).ok_or_else(|| damaged_error(&format!("the suppressed topic `{topic}`"))))
    })?;
    rows.collect()
}

fn read_row(row: &Row<'_>, topic: &str) -> Option<SuppressedTopic> {
    let (at, finding): (i64, Option<String>) = (row.get(1).ok()?, row.get(2).ok()?);
    sums::read_topic(topic, at, finding.as_deref(), Hash::from_bytes(row.get(3).ok()?))
}
