//! Agendas, and the keys by which repeated requests are recognized.

use wellread_core::domain::id::AgendaId;
use wellread_core::ports::AgendaFilter;
use wellread_core::ports::agenda::Agenda;

use super::agenda_events;
use super::failure::PgFailure;
use super::session::Session;
use super::space_lock::{SpaceLock, lock_space};
use super::value::{RowColumns as _, SqlValue, any_text, values};
use crate::record_format::agenda_row::{AgendaRow, KeyUse};
use crate::record_format::limit;

pub fn propose(session: &Session, agenda: &Agenda, key: Option<&str>) -> Result<Agenda, PgFailure> {
    lock_space(session, SpaceLock::Changes)?;
    if let Some(key) = key {
        if let Some(known) = list(session, AgendaFilter::Key(key), 1)?.pop() {
            return Ok(known.into_agenda()?);
        }
        remember(session, KeyUse::Proposing, key, &agenda.id)?;
    }
    if find(session, &agenda.id)?.is_some() {
        return Err(Agenda::exists_error(&agenda.id).into());
    }
    let before = agenda_events::counts(session)?;
    put(session, agenda)?;
    agenda_events::append(session, &agenda.proposed_event())?;
    agenda_events::append_counts(session, before)?;
    Ok(agenda.clone())
}

/// The agenda with this id; `Err` if there is none.
pub fn require_agenda(session: &Session, id: &AgendaId) -> Result<Agenda, PgFailure> {
    let row = find(session, id)?.ok_or_else(|| Agenda::not_found_error(id))?;
    Ok(row.into_agenda()?)
}

pub fn put(session: &Session, agenda: &Agenda) -> Result<(), PgFailure> {
    let row = AgendaRow::new(agenda)?;
    let sql = "INSERT INTO wellread.agendas VALUES ($1, $2, $3, $4, $5) \
               ON CONFLICT (space, id) DO UPDATE SET status = excluded.status, state = excluded.state, sum = excluded.sum";
    session.execute(sql, values![row.id, row.status, row.state, row.sum]).map(drop)
}

/// Stores a key; false if it was already used for this agenda.
pub fn remember(session: &Session, said: KeyUse, key: &str, agenda: &AgendaId) -> Result<bool, PgFailure> {
    let sql =
        "INSERT INTO wellread.keys (space, word, key, agenda) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING";
    Ok(session.execute(sql, values![said.name(), any_text(key), agenda.as_str()])? > 0)
}

pub fn find(session: &Session, id: &AgendaId) -> Result<Option<AgendaRow>, PgFailure> {
    Ok(rows(session, "AND id = $2", values![id.as_str()])?.pop())
}

/// The agendas that match, newest first.
pub fn list(session: &Session, which: AgendaFilter<'_>, at_most: usize) -> Result<Vec<AgendaRow>, PgFailure> {
    let most = limit(at_most);
    match which {
        AgendaFilter::All => rows(session, "ORDER BY id DESC LIMIT $2", values![most]),
        AgendaFilter::Status(status) => {
            rows(session, "AND status = $2 ORDER BY id DESC LIMIT $3", values![status.name(), most])
        }
        AgendaFilter::Key(key) => rows(
            session,
            "AND id IN (SELECT agenda FROM wellread.keys WHERE space = $1 AND word = $2 AND key_hash = sha256($3)) \
             ORDER BY id DESC LIMIT $4",
            values![KeyUse::Proposing.name(), any_text(key), most],
        ),
    }
}

fn rows(session: &Session, which: &str, values: Vec<SqlValue>) -> Result<Vec<AgendaRow>, PgFailure> {
    let sql = format!("SELECT id, status, state, sum FROM wellread.agendas WHERE space = $1 {which}");
    let rows = session.query(&sql, values)?;
    let read = |row: &tokio_postgres::Row| {
        Ok(AgendaRow { id: row.text(0)?, status: row.text(1)?, state: row.text(2)?, sum: row.hash(3)? })
    };
    rows.iter().map(read).collect()
}
