//! Topics that must not be proposed any more.

use rusqlite::{Connection, Row, Transaction, params};
use wellread_core::Result;
use wellread_core::domain::corpus::Hash;
use wellread_core::domain::id::FindingId;
use wellread_core::ports::agenda::SuppressedTopic;

use super::checksum::Checksum;
use super::database::ChangeError;
use super::{damaged_error, from_nanoseconds, nanoseconds};

pub fn suppress(transaction: &Transaction<'_>, topic: &SuppressedTopic) -> Result<(), ChangeError> {
    let (at, finding) = (nanoseconds(topic.at)?, topic.finding_id.as_ref().map(FindingId::as_str));
    transaction
        .prepare_cached("INSERT OR REPLACE INTO suppressed VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![topic.topic, at, finding, checksum(&topic.topic, at, finding).as_bytes()])?;
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
    let kept = Hash::from_bytes(row.get(3).ok()?);
    if kept != checksum(topic, at, finding.as_deref()) {
        return None;
    }
    let finding_id = finding.map(|id| FindingId::parse(&id)).transpose().ok()?;
    Some(SuppressedTopic { topic: topic.to_owned(), at: from_nanoseconds(at)?, finding_id })
}

fn checksum(topic: &str, at: i64, finding: Option<&str>) -> Hash {
    Checksum::default().text(topic).number(at).text_or_none(finding).finish()
}
