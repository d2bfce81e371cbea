//! Stored texts.

use wellread_core::domain::corpus::Hash;

use super::failure::PgFailure;
use super::session::Session;
use super::space_lock::{SpaceLock, lock_space};
use super::value::{RowColumns as _, values};
use crate::record_format::packing::PackedText;

/// Stores a packed text. Whoever forgets runs waits until it is stored, and is waited for.
pub fn keep(session: &Session, hash: Hash, length: usize, packed: &[u8]) -> Result<(), PgFailure> {
    lock_space(session, SpaceLock::Stays)?;
    // An existing row is damaged or was just written by another process; this one is intact.
    let sql = "DELETE FROM wellread.snapshots WHERE space = $1 AND hash = $2 AND packed <> $3";
    session.execute(sql, values![hash, packed.to_vec()])?;
    let sql = "INSERT INTO wellread.snapshots VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING";
    session.execute(sql, values![hash, length as u64, packed.to_vec()]).map(drop)
}

/// Whether a text is there, and stays until the end of the transaction.
pub fn exists(session: &Session, hash: Hash) -> Result<bool, PgFailure> {
    lock_space(session, SpaceLock::Stays)?;
    let sql = "SELECT 1 FROM wellread.snapshots WHERE space = $1 AND hash = $2";
    Ok(session.find(sql, values![hash])?.is_some())
}

pub fn load(session: &Session, hash: Hash) -> Result<Option<PackedText>, PgFailure> {
    let sql = "SELECT length, packed FROM wellread.snapshots WHERE space = $1 AND hash = $2";
    let row = session.find(sql, values![hash])?;
    row.map(|row| Ok((row.count(0)?, row.bytes(1)?))).transpose()
}
