//! Numbered events of agendas, for clients that follow them and may have been disconnected; and the counts that are
//! reported with them.
//!
//! Whoever appends has locked the space until its transaction is over, so that no number is seen before a lower one. The
//! oldest events are deleted. The newest never is, so that no number is reused.

use wellread_core::ports::agenda::{AgendaCounts, AgendaEvent};

use super::changes::RecordChange;
use super::failure::PgFailure;
use super::session::Session;
use super::value::{RowColumns as _, values};
use crate::record_format::{limit, sums, to_checked_json};

pub fn append(session: &Session, happening: &AgendaEvent) -> Result<(), PgFailure> {
    let event = to_checked_json("what happened", happening)?;
    let number = last_number(session)? + 1;
    let sum = sums::agenda_event_sum(number, &event);
    let channel = RecordChange::Events.channel(session.space());
    let sql = "INSERT INTO wellread.happenings VALUES ($1, $2, $3, $4) RETURNING pg_notify($5, '')";
    session.query(sql, values![number, event, sum, channel])?;
    let sql = "DELETE FROM wellread.happenings WHERE space = $1 AND number <= $2";
    session.execute(sql, values![AgendaEvent::forgettable_up_to(number)]).map(drop)
}

/// The counts over all agendas, findings and jobs, in one statement.
pub fn counts(session: &Session) -> Result<AgendaCounts, PgFailure> {
    let sql = "SELECT 'findings', status, count(*) FROM wellread.findings WHERE space = $1 GROUP BY status \
               UNION ALL SELECT 'agendas', status, count(*) FROM wellread.agendas WHERE space = $1 GROUP BY status \
               UNION ALL SELECT 'jobs', state, count(*) FROM wellread.jobs WHERE space = $1 AND state = 'set_aside' \
               GROUP BY state";
    let rows = session.query(sql, vec![])?;
    let mut counted = Vec::new();
    for row in &rows {
        counted.push((row.text(0)?, row.text(1)?, usize::try_from(row.count(2)?).unwrap_or(usize::MAX)));
    }
    let count = |table: &str, state: &str| {
        let found = counted.iter().find(|(of, is, _)| of == table && is == state);
        Ok::<_, PgFailure>(found.map_or(0, |(_, _, count)| *count))
    };
    AgendaCounts::count(
        |status| count("findings", status.name()),
        |status| count("agendas", status.name()),
        || count("jobs", "set_aside"),
    )
}

/// Appends an event with the counts, if they changed.
pub fn append_counts(session: &Session, before: AgendaCounts) -> Result<(), PgFailure> {
    let event = counts(session)?.event_since(before);
    event.map_or(Ok(()), |event| append(session, &event))
}

/// The events after that number, and the number of the last one. Damaged events are skipped: clients can query the
/// state itself.
pub fn list_after(
    session: &Session,
    number: u64,
    at_most: usize,
) -> Result<(Vec<(u64, AgendaEvent)>, u64), PgFailure> {
    let number = i64::try_from(number).unwrap_or(i64::MAX);
    let sql = "SELECT number, event, sum FROM wellread.happenings WHERE space = $1 AND number > $2 ORDER BY number LIMIT $3";
    let rows = session.query(sql, values![number, limit(at_most)])?;
    let read = |row: &tokio_postgres::Row| {
        sums::read_agenda_event(row.count(0).ok()?, &row.text(1).ok()?, row.hash(2).ok()?)
    };
    Ok((rows.iter().filter_map(read).collect(), last_number(session)?))
}

fn last_number(session: &Session) -> Result<u64, PgFailure> {
    let sql = "SELECT coalesce(max(number), 0) FROM wellread.happenings WHERE space = $1";
    session.find(sql, vec![])?.map_or(Ok(0), |row| row.count(0))
}
