//! Topics that must not be proposed any more.

use wellread_core::domain::id::FindingId;
use wellread_core::ports::agenda::SuppressedTopic;

use super::failure::PgFailure;
use super::session::Session;
use super::value::{RowColumns as _, any_text, text_or_null, values};
use crate::record_format::{damaged_error, nanoseconds, sums};

pub fn suppress(session: &Session, topic: &SuppressedTopic) -> Result<(), PgFailure> {
    let (at, finding) = (nanoseconds(topic.at)?, topic.finding_id.as_ref().map(FindingId::as_str));
    let sum = sums::topic_sum(&topic.topic, at, finding);
    let sql = "INSERT INTO wellread.suppressed (space, topic, at, finding, sum) VALUES ($1, $2, $3, $4, $5) \
               ON CONFLICT (space, topic_hash) DO UPDATE SET at = excluded.at, finding = excluded.finding, sum = excluded.sum";
    session.execute(sql, values![any_text(&topic.topic), at, text_or_null(finding), sum]).map(drop)
}

/// Removes a topic; false if it was not suppressed.
pub fn allow(session: &Session, topic: &str) -> Result<bool, PgFailure> {
    let sql = "DELETE FROM wellread.suppressed WHERE space = $1 AND topic_hash = sha256($2)";
    Ok(session.execute(sql, vec![any_text(topic)])? > 0)
}

/// All suppressed topics, newest first.
pub fn list(session: &Session) -> Result<Vec<SuppressedTopic>, PgFailure> {
    let sql = "SELECT topic, at, finding, sum FROM wellread.suppressed WHERE space = $1 ORDER BY at DESC, topic DESC";
    let mut topics = Vec::new();
    for row in &session.query(sql, vec![])? {
        let (topic, finding) = (row.any_text(0)?, row.try_get::<_, Option<String>>(2)?);
        let read = sums::read_topic(&topic, row.number(1)?, finding.as_deref(), row.hash(3)?);
        topics.push(read.ok_or_else(|| damaged_error(&format!("the suppressed topic `{topic}`")))?);
    }
    Ok(topics)
}
