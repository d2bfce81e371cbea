//! The row of a space, by which those who change it wait for each other until the end of their transactions.

use super::failure::PgFailure;
use super::session::Session;

/// How a space is locked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpaceLock {
    /// Nobody forgets anything meanwhile.
    Stays,
    /// Nobody else changes agendas, findings, jobs or answers meanwhile: what is counted and numbered stays so.
    Changes,
    /// Nobody does any of these.
    Forgets,
}

pub fn lock_space(session: &Session, how: SpaceLock) -> Result<(), PgFailure> {
    let strength = match how {
        SpaceLock::Stays => "KEY SHARE",
        SpaceLock::Changes => "NO KEY UPDATE",
        SpaceLock::Forgets => "UPDATE",
    };
    let sql = format!("SELECT 1 FROM wellread.spaces WHERE space = $1 FOR {strength}");
    // The row is there, except for the first time.
    while session.find(&sql, vec![])?.is_none() {
        session.execute("INSERT INTO wellread.spaces VALUES ($1) ON CONFLICT DO NOTHING", vec![])?;
    }
    Ok(())
}
