//! Stored texts.

use rusqlite::{Connection, OptionalExtension, Transaction, params};
use wellread_core::domain::corpus::Hash;

use crate::record_format::packing::PackedText;

pub fn insert(
    transaction: &Transaction<'_>,
    hash: Hash,
    length: usize,
    packed: &[u8],
) -> rusqlite::Result<()> {
    // An existing row is damaged or was just written by another process; this one is intact.
    transaction.prepare_cached("DELETE FROM snapshots WHERE hash = ?1")?.execute([hash.as_bytes()])?;
    transaction
        .prepare_cached("INSERT INTO snapshots (hash, length, packed) VALUES (?1, ?2, ?3)")?
        .execute(params![hash.as_bytes(), length, packed])?;
    Ok(())
}

pub fn exists(connection: &Connection, hash: Hash) -> rusqlite::Result<bool> {
    connection.prepare_cached("SELECT 1 FROM snapshots WHERE hash = ?1")?.exists([hash.as_bytes()])
}

pub fn load(connection: &Connection, hash: Hash) -> rusqlite::Result<Option<PackedText>> {
    connection
        .prepare_cached("SELECT length, packed FROM snapshots WHERE hash = ?1")?
        .query_row([hash.as_bytes()], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()
}
