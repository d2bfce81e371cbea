//! The vectors that findings are compared by, each with its model.

use rusqlite::{Connection, Row, Transaction, params};
use wellread_core::domain::corpus::Hash;
use wellread_core::domain::id::FindingId;
use wellread_core::ports::EmbeddingModel;

use crate::record_format::sums;

pub fn insert(
    transaction: &Transaction<'_>,
    finding: &FindingId,
    model: &EmbeddingModel,
    vector: &[f32],
) -> rusqlite::Result<()> {
    let (model, vector) = (sums::model_name(model), sums::pack_vector(vector));
    let sum = sums::embedding_sum(finding.as_str(), &model, &vector);
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
    let named = sums::model_name(model);
    let mut statement = connection
        .prepare_cached("SELECT finding, vector, sum FROM embeddings WHERE model = ?1 ORDER BY finding")?;
    let rows = statement.query_map([&named], |row| Ok(read_row(row, &named)))?;
    let all: Vec<Option<(FindingId, Vec<f32>)>> = rows.collect::<rusqlite::Result<_>>()?;
    Ok(all.into_iter().flatten().filter(|(_, vector)| vector.len() == model.dimension).collect())
}

fn read_row(row: &Row<'_>, model: &str) -> Option<(FindingId, Vec<f32>)> {
    let (finding, vector): (String, Vec<u8>) = (row.get(0).ok()?, row.get(1).ok()?);
    sums::read_embedding(&finding, model, &vector, Hash::from_bytes(row.get(2).ok()?))
}
