//! Findings.

use rusqlite::{Connection, Params, Transaction, params};
use wellread_core::Result;
use wellread_core::domain::corpus::Hash;
use wellread_core::domain::id::{AgendaId, FindingId};
use wellread_core::ports::agenda::{
    Finding, FindingDecision, FindingStatus, IdempotentRequest, SuppressedTopic,
};
use wellread_core::ports::{FindingFilter, RecordViewer};

use super::database::ChangeError;
use super::{agenda_events, answers, topics};
use crate::record_format::finding_row::FindingRow;
use crate::record_format::{limit, to_checked_json};

/// Inserts a finding; false if its id is known or its page was found before.
pub fn insert(transaction: &Transaction<'_>, row: &FindingRow) -> rusqlite::Result<bool> {
    Ok(write(transaction, row, "INSERT OR IGNORE INTO")? > 0)
}

fn write(transaction: &Transaction<'_>, row: &FindingRow, how: &str) -> rusqlite::Result<usize> {
    let sql = format!("{how} findings VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)");
    transaction.prepare_cached(&sql)?.execute(params![
        row.id,
        row.agenda,
        row.url,
        row.status,
        row.accepting,
        row.created,
        row.state,
        row.sum.as_bytes()
    ])
}

pub fn decide(
    transaction: &Transaction<'_>,
    viewer: &RecordViewer,
    id: &FindingId,
    once: Option<&IdempotentRequest>,
    change: &mut dyn FnMut(&mut Finding) -> Result<Option<SuppressedTopic>>,
) -> Result<Finding, ChangeError> {
    let before = find(transaction, id)?.ok_or_else(|| Finding::not_found_error(id))?.into_finding()?;
    let decision = FindingDecision::make(&before, change)?;
    if let Some(topic) = &decision.topic {
        topics::suppress(transaction, topic)?;
    }
    if decision.is_changed() {
        write(transaction, &FindingRow::new(&decision.finding)?, "REPLACE INTO")?;
    }
    if let Some(event) = decision.event(|| agenda_events::counts(transaction))? {
        agenda_events::append(transaction, &event)?;
    }
    if let Some(once) = once {
        answers::keep_answer(transaction, viewer, once, &to_checked_json("a finding", &decision.finding)?)?;
    }
    Ok(decision.finding)
}

pub fn find(connection: &Connection, id: &FindingId) -> rusqlite::Result<Option<FindingRow>> {
    Ok(rows(connection, "WHERE id = ?1", [id.as_str()])?.pop())
}

/// The findings that match, newest first.
pub fn list(
    connection: &Connection,
    which: &FindingFilter,
    at_most: usize,
) -> rusqlite::Result<Vec<FindingRow>> {
    let mut wanted = vec!["?1 IS ?1", "?2 IS ?2", "?4 IS ?4"];
    if which.status.is_some() {
        wanted[0] = "status = ?1";
    }
    if which.agenda.is_some() {
        wanted[1] = "agenda = ?2";
    }
    if which.accepting {
        wanted.push("accepting = 1");
    }
    if which.address.is_some() {
        wanted.push("url = ?4");
    }
    let sql = format!("WHERE {} ORDER BY created DESC, id DESC LIMIT ?3", wanted.join(" AND "));
    let status = which.status.map(FindingStatus::name);
    let agenda = which.agenda.as_ref().map(AgendaId::as_str);
    rows(connection, &sql, params![status, agenda, limit(at_most), which.address])
}

/// Findings without a sketch.
pub fn list_unsketched(connection: &Connection, at_most: usize) -> rusqlite::Result<Vec<FindingRow>> {
    let without = "WHERE id NOT IN (SELECT finding FROM sketches) LIMIT ?1";
    rows(connection, without, [limit(at_most)])
}

fn rows(connection: &Connection, which: &str, params: impl Params) -> rusqlite::Result<Vec<FindingRow>> {
    let sql = format!("SELECT id, agenda, url, status, accepting, created, state, sum FROM findings {which}");
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map(params, |row| {
        Ok(FindingRow {
            id: row.get(0)?,
            agenda: row.get(1)?,
            url: row.get(2)?,
            status: row.get(3)?,
            accepting: row.get(4)?,
            created: row.get(5)?,
            state: row.get(6)?,
            sum: Hash::from_bytes(row.get(7)?),
        })
    })?;
    rows.collect()
}
