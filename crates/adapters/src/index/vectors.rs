//! Vectors in the index: stored as bytes with a scale, and compared in that form.

use std::collections::HashSet;

use rusqlite::{Connection, OptionalExtension, Transaction, params, params_from_iter};
use wellread_core::domain::corpus::{CorpusName, Hash, VaultPath};
use wellread_core::ports::{
    EmbeddingModel, PassageFilter, PassageId, PassageScope, PassageScore, StoredPassage, TextHash,
};
use wellread_text::ChunkKind;

use super::filter::file_condition;
use super::lookup::load_passages_where;
use super::matrix::{Matrix, QuantizedQuery};
use super::query::corpus_ranges;
use crate::index_format::{parse_kind, quantize, stored_name};

/// The id of a model; `None` if it has no vectors.
pub fn model_id(connection: &Connection, model: &EmbeddingModel) -> rusqlite::Result<Option<i64>> {
    let sql = "SELECT id FROM models WHERE name = ?1 AND hash = ?2 AND dimension = ?3";
    let values = params![model.name, model.hash, model.dimension];
    connection.prepare_cached(sql)?.query_row(values, |row| row.get(0)).optional()
}

pub fn pending_passages(
    connection: &Connection,
    model: &EmbeddingModel,
    scope: PassageScope,
    limit: usize,
) -> rusqlite::Result<Vec<StoredPassage>> {
    let public = public_condition(scope, "all_passages");
    let id = model_id(connection, model)?.unwrap_or(-1);
    let missing = format!(
        "WHERE passages.id IN (SELECT MIN(id) FROM passages AS all_passages WHERE NOT EXISTS \
         (SELECT 1 FROM vectors WHERE vectors.model = {id} AND vectors.text = all_passages.text){public} GROUP BY text) \
         ORDER BY corpora.name <> 'vault', passages.id"
    );
    load_passages_where(connection, &missing, limit)
}

/// Restricts passages to those of public files, if only these are wanted.
fn public_condition(scope: PassageScope, table: &str) -> String {
    match scope {
        PassageScope::All => String::new(),
        PassageScope::Public => {
            format!(" AND (SELECT private FROM files WHERE files.id = {table}.file) = 0")
        }
    }
}

/// How many texts have a vector, and how many there are, by merging two sorted lists.
pub fn progress(
    connection: &Connection,
    model: &EmbeddingModel,
    scope: PassageScope,
) -> rusqlite::Result<(usize, usize)> {
    let id = model_id(connection, model)?.unwrap_or(-1);
    let public = public_condition(scope, "passages");
    let sql = format!("SELECT DISTINCT text FROM passages WHERE 1{public} ORDER BY text");
    let mut texts = connection.prepare_cached(&sql)?;
    let mut vectors = connection.prepare_cached("SELECT text FROM vectors WHERE model = ?1 ORDER BY text")?;
    let (mut texts, mut vectors) = (texts.query([])?, vectors.query([id])?);
    let next = |rows: &mut rusqlite::Rows<'_>| rows.next()?.map(|row| row.get::<_, [u8; 16]>(0)).transpose();
    let (mut made, mut all) = (0, 0);
    let mut vector = next(&mut vectors)?;
    while let Some(text) = next(&mut texts)? {
        all += 1;
        while vector.is_some_and(|vector| vector < text) {
            vector = next(&mut vectors)?;
        }
        made += usize::from(vector == Some(text));
    }
    Ok((made, all))
}

pub fn insert_vectors(
    transaction: &Transaction<'_>,
    model: &EmbeddingModel,
    made: &[(TextHash, Vec<f32>)],
) -> rusqlite::Result<()> {
    let values = params![model.name, model.hash, model.dimension];
    transaction
        .execute("INSERT OR IGNORE INTO models (name, hash, dimension) VALUES (?1, ?2, ?3)", values)?;
    let Some(id) = model_id(transaction, model)? else { return Ok(()) };
    let mut statement = transaction.prepare_cached(
        "INSERT OR IGNORE INTO vectors (model, text, scale, vector, sum) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    for (text, vector) in made {
        let (scale, bytes) = quantize(vector);
        let bytes: Vec<u8> = bytes.iter().map(|&value| value.cast_unsigned()).collect();
        let text = text.0.as_slice();
        statement.execute(params![id, text, scale, bytes, checksum(text, scale, &bytes)])?;
    }
    Ok(())
}

/// The checksum of a vector's row.
pub fn checksum(text: &[u8], scale: f32, vector: &[u8]) -> i64 {
    let all = [text, &scale.to_le_bytes(), vector].concat();
    let mut first = [0; 8];
    first.copy_from_slice(&Hash::compute(&all).as_bytes()[..8]);
    i64::from_le_bytes(first)
}

pub fn find_nearest(
    connection: &Connection,
    matrix: &Matrix,
    vector: &[f32],
    filter: &PassageFilter,
    limit: usize,
) -> rusqlite::Result<Vec<PassageScore>> {
    let query = QuantizedQuery::from_vector(vector);
    let allowed = find_allowed_texts(connection, filter)?;
    let near = match &allowed {
        None => matrix.nearest(&query, limit, |_| true),
        Some(texts) => matrix.nearest(&query, limit, |text| texts.contains(text)),
    };
    let mut statement = connection.prepare_cached("SELECT id FROM passages WHERE text = ?1 ORDER BY id")?;
    let ranges = corpus_ranges(connection, filter)?;
    let in_range = |id: i64| {
        ranges.as_ref().is_none_or(|all| all.iter().any(|(first, end)| (*first..*end).contains(&id)))
    };
    let mut found = Vec::new();
    for (text, score) in near {
        for id in statement.query_map([text.0.as_slice()], |row| row.get::<_, i64>(0))? {
            let id = id?;
            if in_range(id) {
                found.push(PassageScore { id, score });
            }
        }
    }
    retain_passing(connection, filter, &mut found)?;
    found.truncate(limit);
    Ok(found)
}

/// The texts that a filter accepts; `None` if it accepts all.
fn find_allowed_texts(
    connection: &Connection,
    filter: &PassageFilter,
) -> rusqlite::Result<Option<HashSet<TextHash>>> {
    let (ranges, condition) = (corpus_ranges(connection, filter)?, file_condition(connection, filter)?);
    if ranges.is_none() && condition.is_none() {
        return Ok(None);
    }
    let mut sql =
        "SELECT passages.text FROM passages JOIN files ON files.id = passages.file WHERE 1".to_owned();
    let mut values = Vec::new();
    if let Some(ranges) = ranges {
        let one = "(passages.id >= ? AND passages.id < ?)";
        let all = if ranges.is_empty() { "0".to_owned() } else { vec![one; ranges.len()].join(" OR ") };
        sql += &format!(" AND ({all})");
        values.extend(ranges.into_iter().flat_map(|(first, end)| [first.into(), end.into()]));
    }
    if let Some(condition) = condition {
        sql += &format!(" AND {}", condition.sql);
        values.extend(condition.values);
    }
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map(params_from_iter(values), |row| row.get(0).map(TextHash))?;
    rows.collect::<rusqlite::Result<_>>().map(Some)
}

/// Keeps the passages whose own file passes: the same text may also be in a file that does not.
fn retain_passing(
    connection: &Connection,
    filter: &PassageFilter,
    found: &mut Vec<PassageScore>,
) -> rusqlite::Result<()> {
    let Some(condition) = file_condition(connection, filter)? else { return Ok(()) };
    let sql = format!(
        "SELECT passages.id FROM passages JOIN files ON files.id = passages.file \
         WHERE passages.id IN (SELECT value FROM json_each(?)) AND {}",
        condition.sql
    );
    let ids: Vec<String> = found.iter().map(|scored| scored.id.to_string()).collect();
    let mut values = vec![format!("[{}]", ids.join(",")).into()];
    values.extend(condition.values);
    let mut statement = connection.prepare_cached(&sql)?;
    let passing: HashSet<PassageId> =
        statement.query_map(params_from_iter(values), |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    found.retain(|scored| passing.contains(&scored.id));
    Ok(())
}

pub fn cosines(
    connection: &Connection,
    matrix: &Matrix,
    vector: &[f32],
    ids: &[PassageId],
) -> rusqlite::Result<Vec<Option<f32>>> {
    let query = QuantizedQuery::from_vector(vector);
    let mut statement = connection.prepare_cached("SELECT text FROM passages WHERE id = ?1")?;
    ids.iter()
        .map(|id| {
            let text = statement.query_row([id], |row| row.get(0).map(TextHash)).optional()?;
            Ok(text.and_then(|text| matrix.cosine(&query, &text)))
        })
        .collect()
}

pub fn for_each_vector(
    connection: &Connection,
    matrix: &Matrix,
    corpus: &CorpusName,
    see: &mut dyn FnMut(&VaultPath, ChunkKind, &[f32]),
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(
        "SELECT files.path, files.first_passage, files.passages FROM files JOIN corpora ON corpora.id = files.corpus \
         WHERE corpora.name = ?1 AND files.passages > 0 ORDER BY files.path",
    )?;
    let mut of_file = connection
        .prepare_cached("SELECT kind, text FROM passages WHERE id >= ?1 AND id < ?1 + ?2 ORDER BY id")?;
    let mut files = statement.query([stored_name(corpus)])?;
    let mut vector = Vec::new();
    while let Some(file) = files.next()? {
        let path = VaultPath::from_index(file.get(0)?);
        let mut passages = of_file.query([file.get::<_, i64>(1)?, file.get(2)?])?;
        while let Some(passage) = passages.next()? {
            if matrix.copy_vector(&TextHash(passage.get(1)?), &mut vector) {
                see(&path, parse_kind(passage.get(0)?), &vector);
            }
        }
    }
    Ok(())
}
