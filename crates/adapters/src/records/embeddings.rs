//! The vectors that findings are compared by, each with its model.

use rusqlite::{Connection, Row, Transaction, params};
use wellread_core::domain::corpus::Hash;
use wellread_core::domain::id::FindingId;
use wellread_core::ports::EmbeddingModel;

use super::checksum::Checksum;

pub fn insert(
    transaction: &Transaction<'_>,
    finding: &FindingId,
    model: &EmbeddingModel,
    vector: &[f32],
) -> rusqlite::Result<()> {
    let (model, vector) =
        (name(model), vector.iter().flat_map(|part| part.to_le_bytes()).collect::<Vec<_>>());
    let sum = checksum(finding.as_str(), &model, &vector);
    transaction
        .prepare_cached("INSERT OR REPLACE INTO embeddings VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![finding.as_str(), model, vector, sum.as_bytes()])?;
    Ok(())
}

/// All vectors of this model. Damaged ones are skipped: at worst a known page is found again.
pub fn list_for_model(
    connection: &Connection,
    model: &EmbeddingModel,
) -> rusqlite::Result<Vec<(FindingId, Vec<f32>)>> {
    let named = name(model);
    let mut statement = connection
        .prepare_cached("SELECT finding, vector, sum FROM embeddings WHERE model = ?1 ORDER BY finding")?;
    let rows = statement.query_map([&named], |row| Ok(read_row(row, &named)))?;
    let all: Vec<Option<(FindingId, Vec<f32>)>> = rows.collect::<rusqlite::Result<_>>()?;
    Ok(all.into_iter().flatten().filter(|(_, vector)| vector.len() == model.dimension).collect())
}

fn read_row(row: &Row<'_>, model: &str) -> Option<(FindingId, Vec<f32>)> {
    let (finding, vector): (String, Vec<u8>) = (row.get(0).ok()?, row.get(1).ok()?);
    let kept = Hash::from_bytes(row.get(2).ok()?);
    if kept != checksum(&finding, model, &vector) {
        return None;
    }
    let (parts, _) = vector.as_chunks::<4>();
    Some((FindingId::parse(&finding).ok()?, parts.iter().map(|part| f32::from_le_bytes(*part)).collect()))
}

fn checksum(finding: &str, model: &str, vector: &[u8]) -> Hash {
    Checksum::default().text(finding).text(model).bytes(vector).finish()
}

/// The stored identity of a model.
fn name(model: &EmbeddingModel) -> String {
    format!("{} {} {}", model.dimension, model.hash, model.name)
}
