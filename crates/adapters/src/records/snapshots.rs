//! Stored texts: identified by hash, compressed, and verified whenever they are read.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use rusqlite::{Connection, OptionalExtension, Transaction, params};
use wellread_core::domain::corpus::Hash;
use wellread_core::{Error, Result};

use super::damaged_error;

/// The longest text in bytes, longer than any page. Anything that claims to be longer is not unpacked.
const LONGEST: usize = 64 << 20;

/// The length of the text in bytes, and the compressed text.
pub type PackedText = (u64, Vec<u8>);

pub fn pack(text: &str) -> Result<Vec<u8>> {
    if text.len() > LONGEST {
        return Err(Error::invalid(format!("a text of {} bytes is too long to be kept", text.len())));
    }
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder
        .write_all(text.as_bytes())
        .and_then(|()| encoder.finish())
        .map_err(|error| Error::failed(format!("could not compress a text: {error}")))
}

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

/// Unpacks and verifies a text, reading no more than its stated length.
pub fn unpack(hash: Hash, (length, packed): &PackedText) -> Result<String> {
    let wrong = || damaged_error(&format!("the snapshot {hash}"));
    let most = (*length).min(LONGEST as u64);
    let mut bytes = Vec::new();
    ZlibDecoder::new(packed.as_slice()).take(most + 1).read_to_end(&mut bytes).map_err(|_| wrong())?;
    if bytes.len() as u64 != *length || Hash::compute(&bytes) != hash {
        return Err(wrong());
    }
    String::from_utf8(bytes).map_err(|_| wrong())
}
