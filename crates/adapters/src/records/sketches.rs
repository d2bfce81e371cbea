//! Sketches, by which findings are compared without vectors: small samples of their pages' texts. A lost sketch is
//! rebuilt from the text.

use rusqlite::{Connection, Row, Transaction, params};
use wellread_core::domain::corpus::Hash;
use wellread_core::domain::id::FindingId;
use wellread_text::Sketch;

use crate::record_format::sums;

pub fn insert(transaction: &Transaction<'_>, finding: &FindingId, sketch: &Sketch) -> rusqlite::Result<()> {
    let bytes = sketch.to_bytes();
    let sum = sums::sketch_sum(finding.as_str(), &bytes);
    transaction.prepare_cached("INSERT OR REPLACE INTO sketches VALUES (?1, ?2, ?3)")?.execute(params![
        finding.as_str(),
        bytes,
        sum.as_bytes()
    ])?;
    Ok(())
}

/// Reads one sketch at a time, so that they are never all in memory. Damaged ones are skipped: at worst a known page is
/// found again.
pub fn for_each(connection: &Connection, see: &mut dyn FnMut(&FindingId, &Sketch)) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached("SELECT finding, sketch, sum FROM sketches")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        if let Some((finding, sketch)) = read_row(row) {
            see(&finding, &sketch);
        }
    }
    Ok(())
}

fn read_row(row: &Row<'_>) -> Option<(FindingId, Sketch)> {
    let (finding, bytes) = (row.get_ref(0).ok()?.as_str().ok()?, row.get_ref(1).ok()?.as_blob().ok()?);
    sums::read_sketch(finding, bytes, Hash::from_bytes(row.get(2).ok()?))
}
