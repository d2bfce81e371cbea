//! How much there is of everything, from indexes alone.

use rusqlite::Connection;
use wellread_core::ports::agenda::{AgendaCounts, AgendaStatus, FindingStatus};

pub fn counts(connection: &Connection) -> rusqlite::Result<AgendaCounts> {
    let count = |sql: &str, status: &str| -> rusqlite::Result<usize> {
        connection.prepare_cached(sql)?.query_row([status], |row| row.get(0))
    };
    let findings =
        |status: FindingStatus| count("SELECT count(*) FROM findings WHERE status = ?1", status.name());
    let agendas =
        |status: AgendaStatus| count("SELECT count(*) FROM agendas WHERE status = ?1", status.name());
    Ok(AgendaCounts {
        new: findings(FindingStatus::New)?,
        accepted: findings(FindingStatus::Accepted)?,
        dismissed: findings(FindingStatus::Dismissed)?,
        pending: agendas(AgendaStatus::Pending)?,
        running: agendas(AgendaStatus::Approved)? + agendas(AgendaStatus::Running)?,
        set_aside: connection
            .prepare_cached("SELECT count(*) FROM jobs WHERE state = 'set_aside'")?
            .query_row([], |row| row.get(0))?,
    })
}
