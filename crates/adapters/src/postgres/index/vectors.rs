//! Vectors in the index: stored as whole numbers with a scale, the same as in the SQLite file.

use tokio_postgres::Row;
use wellread_core::domain::corpus::{CorpusName, VaultPath};
use wellread_core::ports::{EmbeddingModel, PassageId, PassageScope, StoredPassage, TextHash};
use wellread_text::ChunkKind;

use super::filter::{key, row_limit};
use super::lookup::load_passages;
use super::state::take_numbers;
use crate::index_format::{parse_kind, quantize, stored_name};
use crate::postgres::failure::PgFailure;
use crate::postgres::session::Session;
use crate::postgres::value::{RowColumns as _, values};

/// How many vectors are written or read with one statement.
const VECTORS_AT_ONCE: usize = 500;

/// A query's vector, quantized like the stored ones.
pub struct QueryVector {
    scale: f32,
    /// As PostgreSQL reads it.
    pub written: String,
}

impl QueryVector {
    pub fn new(vector: &[f32]) -> Self {
        let (scale, values) = quantize(vector);
        Self { scale, written: write_vector(&values) }
    }

    /// The cosine, from the product with a stored vector and its scale, which are in this column and the next. The product
    /// is a whole number, and exact.
    pub fn cosine(&self, row: &Row, column: usize) -> Result<f32, PgFailure> {
        let (product, scale): (f64, f32) = (row.try_get(column)?, row.try_get(column + 1)?);
        Ok(product as f32 * scale * self.scale)
    }
}

fn write_vector(values: &[i8]) -> String {
    let numbers: Vec<String> = values.iter().map(i8::to_string).collect();
    format!("[{}]", numbers.join(","))
}

fn model_key(model: &EmbeddingModel) -> Vec<u8> {
    key(&[&model.name, &model.hash, &model.dimension.to_string()])
}

/// The id of a model; `None` if it has no vectors.
pub fn model_id(session: &Session, model: &EmbeddingModel) -> Result<Option<i64>, PgFailure> {
    let sql = "SELECT id FROM wellread.index_models WHERE space = $1 AND key = $2";
    session.find(sql, values![model_key(model)])?.map(|row| row.number(0)).transpose()
}

/// Restricts passages to those of public files, if only these are wanted.
fn public_condition(scope: PassageScope) -> &'static str {
    match scope {
        PassageScope::All => "",
        PassageScope::Public => {
            "AND EXISTS (SELECT 1 FROM wellread.index_files AS files WHERE files.space = $1 \
             AND files.id = passages.file AND files.private = 0)"
        }
    }
}

pub fn pending_passages(
    session: &Session,
    model: &EmbeddingModel,
    scope: PassageScope,
    limit: usize,
) -> Result<Vec<StoredPassage>, PgFailure> {
    let id = model_id(session, model)?.unwrap_or(-1);
    let public = public_condition(scope);
    let sql = format!(
        "SELECT min(passages.id) AS first FROM wellread.index_passages AS passages WHERE passages.space = $1 \
         AND NOT EXISTS (SELECT 1 FROM wellread.index_vectors AS vectors WHERE vectors.space = $1 AND vectors.model = $2 \
         AND vectors.text = passages.text) {public} GROUP BY passages.text \
         ORDER BY min(passages.id) >> 40 <> coalesce((SELECT id FROM wellread.index_corpora WHERE space = $1 \
         AND name = 'vault'), 0), first LIMIT $3"
    );
    let rows = session.query(&sql, values![id, row_limit(limit)])?;
    let ids = rows.iter().map(|row| row.number(0)).collect::<Result<Vec<PassageId>, _>>()?;
    load_passages(session, &ids)
}

/// How many texts have a vector, and how many there are.
pub fn progress(
    session: &Session,
    model: &EmbeddingModel,
    scope: PassageScope,
) -> Result<(usize, usize), PgFailure> {
    let id = model_id(session, model)?.unwrap_or(-1);
    let public = public_condition(scope);
    let sql = format!(
        "SELECT count(vectors.text), count(*) FROM (SELECT DISTINCT passages.text FROM wellread.index_passages AS passages \
         WHERE passages.space = $1 {public}) AS texts LEFT JOIN wellread.index_vectors AS vectors \
         ON vectors.space = $1 AND vectors.model = $2 AND vectors.text = texts.text"
    );
    let Some(row) = session.find(&sql, values![id])? else { return Ok((0, 0)) };
    Ok((row.count(0)? as usize, row.count(1)? as usize))
}

pub fn insert_vectors(
    session: &Session,
    model: &EmbeddingModel,
    made: &[(TextHash, Vec<f32>)],
) -> Result<(), PgFailure> {
    let dimension = model.dimension as i64;
    let id = match model_id(session, model)? {
        Some(id) => id,
        None => {
            let id = take_numbers(session, "last_model", 1)?;
            let sql = "INSERT INTO wellread.index_models (space, id, key, dimension) VALUES ($1, $2, $3, $4)";
            session.execute(sql, values![id, model_key(model), dimension])?;
            id
        }
    };
    let sql = "INSERT INTO wellread.index_vectors (space, model, dimension, text, scale, vector) \
               SELECT $1, $2, $3, row.text, row.scale::real, row.vector::public.halfvec \
               FROM unnest($4::bytea[], $5::text[], $6::text[]) AS row (text, scale, vector) ON CONFLICT DO NOTHING";
    for part in made.chunks(VECTORS_AT_ONCE) {
        let texts: Vec<Vec<u8>> = part.iter().map(|(text, _)| text.0.to_vec()).collect();
        let (scales, vectors): (Vec<String>, Vec<String>) = part
            .iter()
            .map(|(_, vector)| {
                let (scale, values) = quantize(vector);
                (scale.to_string(), write_vector(&values))
            })
            .unzip();
        session.execute(sql, values![id, dimension, texts, scales, vectors])?;
    }
    Ok(())
}

pub fn cosines(
    session: &Session,
    model: i64,
    query: &QueryVector,
    ids: &[PassageId],
) -> Result<Vec<Option<f32>>, PgFailure> {
    let sql = "SELECT passages.id, -(vectors.vector OPERATOR(public.<#>) $4::public.halfvec), vectors.scale \
               FROM wellread.index_passages AS passages JOIN wellread.index_vectors AS vectors \
               ON vectors.space = $1 AND vectors.model = $2 AND vectors.text = passages.text \
               WHERE passages.space = $1 AND passages.id = ANY($3)";
    let mut found = std::collections::HashMap::new();
    for row in session.query(sql, values![model, ids.to_vec(), query.written.as_str()])? {
        found.insert(row.number(0)?, query.cosine(&row, 1)?);
    }
    Ok(ids.iter().map(|id| found.get(id).copied()).collect())
}

/// Reads page by page, each from what is there then.
pub fn for_each_vector(
    read: &dyn Fn(&str, PassageId) -> wellread_core::Result<Vec<VectorRow>>,
    see: &mut dyn FnMut(&VaultPath, ChunkKind, &[f32]),
) -> wellread_core::Result<()> {
    let (mut path, mut last) = (String::new(), PassageId::MIN);
    loop {
        let rows = read(&path, last)?;
        let Some(end) = rows.last() else { return Ok(()) };
        (path, last) = (end.path.clone(), end.id);
        for row in rows {
            see(&VaultPath::from_index(row.path), row.kind, &row.vector);
        }
    }
}

/// A passage with its vector.
pub struct VectorRow {
    path: String,
    id: PassageId,
    kind: ChunkKind,
    vector: Vec<f32>,
}

/// The next vectors of a corpus, in the order of paths and passages.
pub fn read_vectors(
    session: &Session,
    model: i64,
    corpus: &CorpusName,
    after: (&str, PassageId),
) -> Result<Vec<VectorRow>, PgFailure> {
    let sql = format!(
        "SELECT files.path, passages.id, passages.kind::bigint, vectors.scale, vectors.vector::real[] \
         FROM wellread.index_files AS files \
         JOIN wellread.index_passages AS passages ON passages.space = $1 AND passages.id >= files.first_passage \
         AND passages.id < files.first_passage + files.passages \
         JOIN wellread.index_vectors AS vectors \
         ON vectors.space = $1 AND vectors.model = $2 AND vectors.text = passages.text \
         WHERE files.space = $1 AND files.corpus = (SELECT id FROM wellread.index_corpora WHERE space = $1 AND name = $3) \
         AND (files.path, passages.id) > ($4, $5) ORDER BY files.path, passages.id LIMIT {VECTORS_AT_ONCE}"
    );
    let read = |row: &Row| {
        let (scale, mut vector): (f32, Vec<f32>) = (row.try_get(3)?, row.try_get(4)?);
        vector.iter_mut().for_each(|value| *value *= scale);
        Ok(VectorRow { path: row.text(0)?, id: row.number(1)?, kind: parse_kind(row.number(2)?), vector })
    };
    let rows = session.query(&sql, values![model, stored_name(corpus), after.0, after.1])?;
    rows.iter().map(read).collect()
}
