//! Salvages vectors from an index that is being replaced: each has a checksum of its own.

use std::path::Path;

use rusqlite::{Connection, OpenFlags, params};

use super::vectors::checksum;

/// Copies intact vectors. The others are computed again.
pub fn salvage_vectors(from: &Path, into: &Connection) {
    let Ok(old) = Connection::open_with_flags(from, OpenFlags::SQLITE_OPEN_READ_WRITE) else { return };
    let _ = copy(&old, into);
}

/// A text's hash, the scale, the vector, and their checksum.
type VectorRow = (Vec<u8>, f32, Vec<u8>, i64);

fn copy(old: &Connection, into: &Connection) -> rusqlite::Result<()> {
    let mut models = old.prepare("SELECT id, name, hash, dimension FROM models")?;
    let mut rows = models.query([])?;
    while let Some(row) = rows.next()? {
        let (id, name, hash, dimension): (i64, String, String, usize) =
            (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
        into.execute(
            "INSERT OR IGNORE INTO models VALUES (?1, ?2, ?3, ?4)",
            params![id, name, hash, dimension],
        )?;
        let _ = copy_model_vectors(old, into, id, dimension);
    }
    Ok(())
}

fn copy_model_vectors(
    old: &Connection,
    into: &Connection,
    model: i64,
    dimension: usize,
) -> rusqlite::Result<()> {
    let transaction = into.unchecked_transaction()?;
    let mut vectors =
        old.prepare("SELECT text, scale, vector, sum FROM vectors WHERE model = ?1 ORDER BY seq")?;
    let mut rows = vectors.query([model])?;
    // An error ends the copy; what was copied before is kept.
    while let Ok(Some(row)) = rows.next() {
        let whole = || -> rusqlite::Result<Option<VectorRow>> {
            let (text, scale, vector, sum): VectorRow = (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
            let whole =
                text.len() == 16 && vector.len() == dimension && sum == checksum(&text, scale, &vector);
            Ok(whole.then_some((text, scale, vector, sum)))
        };
        if let Ok(Some((text, scale, vector, sum))) = whole() {
            transaction.execute(
                "INSERT OR IGNORE INTO vectors (model, text, scale, vector, sum) VALUES (?1, ?2, ?3, ?4, ?5)",
                params![model, text, scale, vector, sum],
            )?;
        }
    }
    transaction.commit()
}
