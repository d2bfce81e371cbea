//! Agendas, and the keys by which repeated requests are recognized.

use rusqlite::{Connection, Params, Transaction, params};
use wellread_core::Result;
use wellread_core::domain::corpus::Hash;
use wellread_core::domain::id::AgendaId;
use wellread_core::ports::AgendaFilter;
use wellread_core::ports::agenda::Agenda;

use super::agenda_events;
use super::database::ChangeError;
use crate::record_format::agenda_row::{AgendaRow, KeyUse};
use crate::record_format::limit;

pub fn propose(
    transaction: &Transaction<'_>,
    agenda: &Agenda,
    key: Option<&str>,
) -> Result<Agenda, ChangeError> {
    if let Some(key) = key {
        if let Some(known) = list(transaction, AgendaFilter::Key(key), 1)?.pop() {
            return Ok(known.into_agenda()?);
        }
        remember(transaction, KeyUse::Proposing, key, &agenda.id)?;
    }
    if find(transaction, &agenda.id)?.is_some() {
        return Err(Agenda::exists_error(&agenda.id).into());
    }
    let before = agenda_events::counts(transaction)?;
    put(transaction, agenda)?;
    agenda_events::append(transaction, &agenda.proposed_event())?;
    agenda_events::append_counts(transaction, before)?;
    Ok(agenda.clone())
}

/// The agenda with this id; `Err` if there is none.
pub fn require_agenda(transaction: &Transaction<'_>, id: &AgendaId) -> Result<Agenda, ChangeError> {
    let row = find(transaction, id)?.ok_or_else(|| Agenda::not_found_error(id))?;
    Ok(row.into_agenda()?)
}

pub fn put(transaction: &Transaction<'_>, agenda: &Agenda) -> Result<(), ChangeError> {
    let row = AgendaRow::new(agenda)?;
    transaction
        .prepare_cached("INSERT OR REPLACE INTO agendas VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![row.id, row.status, row.state, row.sum.as_bytes()])?;
    Ok(())
}

/// Stores a key; false if it was already used for this agenda.
pub fn remember(
    transaction: &Transaction<'_>,
    said: KeyUse,
    key: &str,
    agenda: &AgendaId,
) -> rusqlite::Result<bool> {
    let kept = transaction
        .prepare_cached("INSERT OR IGNORE INTO keys VALUES (?1, ?2, ?3)")?
        .execute(params![said.name(), key, agenda.as_str()])?;
    Ok(kept > 0)
}

pub fn find(connection: &Connection, id: &AgendaId) -> rusqlite::Result<Option<AgendaRow>> {
    Ok(rows(connection, "WHERE id = ?1", [id.as_str()])?.pop())
}

/// The agendas that match, newest first.
pub fn list(
    connection: &Connection,
    which: AgendaFilter<'_>,
    at_most: usize,
) -> rusqlite::Result<Vec<AgendaRow>> {
    let most = limit(at_most);
    match which {
        AgendaFilter::All => rows(connection, "ORDER BY id DESC LIMIT ?1", [most]),
        AgendaFilter::Status(status) => {
            rows(connection, "WHERE status = ?1 ORDER BY id DESC LIMIT ?2", params![status.name(), most])
        }
        AgendaFilter::Key(key) => rows(
            connection,
            "WHERE id IN (SELECT agenda FROM keys WHERE word = ?1 AND key = ?2) ORDER BY id DESC LIMIT ?3",
            params![KeyUse::Proposing.name(), key, most],
        ),
    }
}

fn rows(connection: &Connection, which: &str, params: impl Params) -> rusqlite::Result<Vec<AgendaRow>> {
    let sql = format!("SELECT id, status, state, sum FROM agendas {which}");
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map(params, |row| {
        let sum = Hash::from_bytes(row.get(3)?);
        Ok(AgendaRow { id: row.get(0)?, status: row.get(1)?, state: row.get(2)?, sum })
    })?;
    rows.collect()
}
