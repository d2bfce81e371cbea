//! How much there is of everything, from indexes alone.

use rusqlite::Connection;
use wellread_core::ports::agenda::AgendaCounts;

pub fn counts(connection: &Connection) -> rusqlite::Result<AgendaCounts> {
    let count = |sql: &str, state: &str| -> rusqlite::Result<usize> {
        connection.prepare_cached(sql)?.query_row([state], |row| row.get(0))
    };
    AgendaCounts::count(
        |status| count("SELECT count(*) FROM findings WHERE status = ?1", status.name()),
        |status| count("SELECT count(*) FROM agendas WHERE status = ?1", status.name()),
        || {
            // With the state as a literal the statement is answered from the partial index.
            let sql = "SELECT count(*) FROM jobs WHERE state = 'set_aside'";
            connection.prepare_cached(sql)?.query_row([], |row| row.get(0))
        },
    )
}
