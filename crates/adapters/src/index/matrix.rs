//! A model's vectors in memory, one byte per number, and the scan over them.
//!
//! A scan of a hundred thousand takes a few milliseconds, so there is no second structure that could disagree with the
//! file.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use pulp::Arch;
use rusqlite::Connection;
use wellread_core::ports::{EmbeddingModel, TextHash};

use super::vectors::model_id;

/// All vectors of one model.
#[derive(Debug, Clone, Default)]
pub struct Matrix {
    model: i64,
    dimension: usize,
    values: Vec<i8>,
    scales: Vec<f32>,
    texts: Vec<TextHash>,
    rows: HashMap<TextHash, u32>,
    /// The last row that was read, and the epoch of the file: clearing vectors begins a new epoch.
    last: i64,
    epoch: i64,
}

/// A query's vector, quantized like the stored ones.
pub struct QuantizedQuery {
    scale: f32,
    values: Vec<i8>,
}

impl QuantizedQuery {
    pub fn from_vector(vector: &[f32]) -> Self {
        let (scale, values) = quantize(vector);
        Self { scale, values }
    }
}

/// Quantizes a vector to bytes; the scale is the value of one step.
pub fn quantize(vector: &[f32]) -> (f32, Vec<i8>) {
    let largest = vector.iter().fold(f32::MIN_POSITIVE, |most, value| most.max(value.abs()));
    let scale = largest / 127.0;
    (scale, vector.iter().map(|value| (value / scale).round().clamp(-127.0, 127.0) as i8).collect())
}

impl Matrix {
    /// The texts nearest to a query, best first, among those that the predicate accepts.
    pub fn nearest(
        &self,
        query: &QuantizedQuery,
        limit: usize,
        lets_through: impl Fn(&TextHash) -> bool,
    ) -> Vec<(TextHash, f32)> {
        if self.dimension == 0 || query.values.len() != self.dimension {
            return Vec::new();
        }
        let mut found: Vec<(f32, u32)> = self
            .dot_products(query)
            .into_iter()
            .zip(&self.scales)
            .enumerate()
            .filter(|(row, _)| lets_through(&self.texts[*row]))
            .map(|(row, (product, scale))| (product as f32 * scale * query.scale, row as u32))
            .collect();
        let better =
            |one: &(f32, u32), other: &(f32, u32)| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1));
        if found.len() > limit && limit > 0 {
            found.select_nth_unstable_by(limit - 1, better);
            found.truncate(limit);
        }
        found.sort_by(better);
        found.into_iter().map(|(score, row)| (self.texts[row as usize], score)).collect()
    }

    pub fn cosine(&self, query: &QuantizedQuery, text: &TextHash) -> Option<f32> {
        let row = *self.rows.get(text)? as usize;
        let vector = self.values.get(row * self.dimension..(row + 1) * self.dimension)?;
        Some(dot_product(&query.values, vector) as f32 * self.scales[row] * query.scale)
    }

    /// Copies the vector of a text into `vector`; false if there is none.
    pub fn copy_vector(&self, text: &TextHash, vector: &mut Vec<f32>) -> bool {
        let Some(&row) = self.rows.get(text) else { return false };
        let (row, scale) = (row as usize, self.scales[row as usize]);
        let Some(values) = self.values.get(row * self.dimension..(row + 1) * self.dimension) else {
            return false;
        };
        vector.clear();
        vector.extend(values.iter().map(|&value| f32::from(value) * scale));
        true
    }

    /// The dot product with every vector, using the widest instructions that the machine has.
    fn dot_products(&self, query: &QuantizedQuery) -> Vec<i32> {
        let mut products = Vec::with_capacity(self.texts.len());
        // A separate loop: inside `extend` it would not be compiled for those instructions.
        Arch::new().dispatch(
            #[inline(always)]
            || {
                for vector in self.values.chunks_exact(self.dimension) {
                    products.push(dot_product(&query.values, vector));
                }
            },
        );
        products
    }

    fn read(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        let mut statement = connection.prepare_cached(
            "SELECT seq, text, scale, vector FROM vectors WHERE +model = ?1 AND seq > ?2 ORDER BY seq",
        )?;
        let mut rows = statement.query([self.model, self.last])?;
        while let Some(row) = rows.next()? {
            let vector = row.get_ref(3)?.as_blob()?;
            self.last = row.get(0)?;
            if vector.len() != self.dimension {
                continue;
            }
            let text = TextHash(row.get(1)?);
            self.rows.insert(text, self.texts.len() as u32);
            self.texts.push(text);
            self.scales.push(row.get(2)?);
            self.values.extend(vector.iter().map(|byte| byte.cast_signed()));
        }
        Ok(())
    }
}

#[inline(always)]
fn dot_product(one: &[i8], other: &[i8]) -> i32 {
    one.iter().zip(other).map(|(&a, &b)| i32::from(a) * i32::from(b)).sum()
}

/// The matrix in use, kept up to date with the file.
#[derive(Debug, Default)]
pub struct MatrixCache {
    current: Mutex<Option<(EmbeddingModel, Arc<Matrix>)>>,
}

impl MatrixCache {
    /// The model's current vectors; only new rows are read.
    pub fn current(&self, connection: &Connection, model: &EmbeddingModel) -> rusqlite::Result<Arc<Matrix>> {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        let epoch: i64 = connection
            .prepare_cached("SELECT value FROM meta WHERE name = 'epoch'")?
            .query_row([], |row| row.get(0))?;
        let Some(id) = model_id(connection, model)? else { return Ok(Arc::default()) };
        let last: i64 = connection
            .prepare_cached("SELECT COALESCE(MAX(seq), 0) FROM vectors")?
            .query_row([], |row| row.get(0))?;
        let fits = |known: &EmbeddingModel, matrix: &Matrix| {
            known == model && matrix.model == id && matrix.epoch == epoch && matrix.last <= last
        };
        let mut kept = match current.take() {
            Some((known, matrix)) if fits(&known, &matrix) => matrix,
            _ => Arc::new(Matrix { model: id, dimension: model.dimension, epoch, ..Matrix::default() }),
        };
        if kept.last < last {
            Arc::make_mut(&mut kept).read(connection)?;
        }
        *current = Some((model.clone(), kept.clone()));
        Ok(kept)
    }
}
