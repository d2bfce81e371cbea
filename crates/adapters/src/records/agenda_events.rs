//! Numbered events of agendas, for clients that follow them and may have been disconnected; and the counts that are
//! reported with them.
//!
//! The oldest events are deleted. The newest never is, so that no number is reused.

use rusqlite::{Connection, Row, Transaction, params};
use wellread_core::domain::corpus::Hash;
use wellread_core::ports::agenda::{AgendaCounts, AgendaEvent};

use super::database::ChangeError;
use crate::record_format::{limit, sums, to_checked_json};

pub fn append(transaction: &Transaction<'_>, happening: &AgendaEvent) -> Result<(), ChangeError> {
    let event = to_checked_json("what happened", happening)?;
    let number: u64 = transaction
        .prepare_cached("SELECT coalesce(max(number), 0) + 1 FROM happenings")?
        .query_row([], |row| row.get(0))?;
    transaction.prepare_cached("INSERT INTO happenings VALUES (?1, ?2, ?3)")?.execute(params![
        number,
        event,
        sums::agenda_event_sum(number, &event).as_bytes()
    ])?;
    transaction
        .prepare_cached("DELETE FROM happenings WHERE number <= ?1")?
        .execute([AgendaEvent::forgettable_up_to(number)])?;
    Ok(())
}

/// The counts over all agendas, findings and jobs, from indexes alone.
pub fn counts(connection: &Connection) -> rusqlite::Result<AgendaCounts> {
    let count = |sql: &str, state: &str| -> rusqlite::Result<usize> {
        connection.prepare_cached(sql)?.query_row([state], |row| row.get(0))
    };
    AgendaCounts::count(
        |status| count("SELECT count(*) FROM findings WHERE status = ?1", status.name()),
        |status| count("SELECT count(*) FROM agendas WHERE status = ?1", status.name()),
        || {
            // With a literal state, SQLite can use the partial index.
            let sql = "SELECT count(*) FROM jobs WHERE state = 'set_aside'";
            connection.prepare_cached(sql)?.query_row([], |row| row.get(0))
        },
    )
}

/// Appends an event with the counts, if they changed.
pub fn append_counts(transaction: &Transaction<'_>, before: AgendaCounts) -> Result<(), ChangeError> {
    let event = counts(transaction)?.event_since(before);
    event.map_or(Ok(()), |event| append(transaction, &event))
}

/// The events after that number, and the number of the last one. Damaged events are skipped: clients can query the
/// state itself.
pub fn list_after(
    connection: &Connection,
    number: u64,
    at_most: usize,
) -> rusqlite::Result<(Vec<(u64, AgendaEvent)>, u64)> {
    // One transaction, since another process may be appending.
    let transaction = connection.unchecked_transaction()?;
    let last = transaction
        .prepare_cached("SELECT coalesce(max(number), 0) FROM happenings")?
        .query_row([], |row| row.get(0))?;
    let mut statement = transaction.prepare_cached(
        "SELECT number, event, sum FROM happenings WHERE number > ?1 ORDER BY number LIMIT ?2",
    )?;
    let number = i64::try_from(number).unwrap_or(i64::MAX);
    let rows = statement.query_map([number, limit(at_most)], |row| Ok(read_row(row)))?;
    let all: Vec<Option<(u64, AgendaEvent)>> = rows.collect::<rusqlite::Result<_>>()?;
    Ok((all.into_iter().flatten().collect(), last))
}

fn read_row(row: &Row<'_>) -> Option<(u64, AgendaEvent)> {
    let (number, event): (u64, String) = (row.get(0).ok()?, row.get(1).ok()?);
    sums::read_agenda_event(number, &event, Hash::from_bytes(row.get(2).ok()?))
}
