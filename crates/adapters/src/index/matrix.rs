//! A model's vectors in memory, one byte per number, and the scan over them.
//!
//! A scan of a hundred thousand takes a few milliseconds, so there is no second structure that could disagree with the
//! file. The products are whole numbers, the same on every processor and in every build.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::Connection;
use wellread_core::ports::{EmbeddingModel, TextHash};
use wellread_encoder::Kernel;

use super::vectors::model_id;
use crate::index_format::quantize;

/// All vectors of one model.
#[derive(Debug, Clone, Default)]
pub struct Matrix {
    model: i64,
    dimension: usize,
    values: Vec<i8>,
    scales: Vec<f32>,
    texts: Vec<TextHash>,
    rows: HashMap<TextHash, u32, BuildHasherDefault<HashBytes>>,
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

impl Matrix {
    /// The texts nearest to a query, best first, among those that the predicate accepts.
    pub fn nearest(
        &self,
        query: &QuantizedQuery,
        limit: usize,
        lets_through: impl Fn(&TextHash) -> bool,
    ) -> Vec<(TextHash, f32)> {
        if limit == 0 || self.dimension == 0 || query.values.len() != self.dimension {
            return Vec::new();
        }
        let mut best = Best { limit, found: Vec::new(), worst: None };
        let mut products = Vec::new();
        let (kernel, mut row) = (Kernel::best(), 0);
        for vectors in self.values.chunks(self.dimension * SCANNED_ROWS) {
            kernel.dot_products(&query.values, vectors, &mut products);
            for product in &products {
                let score = *product as f32 * self.scales[row] * query.scale;
                if best.is_wanted(score) && lets_through(&self.texts[row]) {
                    best.add(score, row as u32);
                }
                row += 1;
            }
        }
        best.sorted().into_iter().map(|(score, row)| (self.texts[row as usize], score)).collect()
    }

    pub fn cosine(&self, query: &QuantizedQuery, text: &TextHash) -> Option<f32> {
        let row = *self.rows.get(text)? as usize;
        let vector = self.values.get(row * self.dimension..(row + 1) * self.dimension)?;
        let mut products = Vec::new();
        Kernel::best().dot_products(&query.values, vector, &mut products);
        Some(*products.first()? as f32 * self.scales[row] * query.scale)
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

/// How many vectors are compared at a time: their products stay in the processor's cache.
const SCANNED_ROWS: usize = 1024;

/// The best rows so far. Of equal scores, the first row is the better one.
struct Best {
    limit: usize,
    found: Vec<(f32, u32)>,
    /// The score of the last that counts, as soon as there are enough.
    worst: Option<f32>,
}

impl Best {
    /// Whether a later row with this score can be among the best.
    fn is_wanted(&self, score: f32) -> bool {
        self.worst.is_none_or(|worst| score.total_cmp(&worst).is_gt())
    }

    fn add(&mut self, score: f32, row: u32) {
        self.found.push((score, row));
        if self.found.len() >= self.limit.saturating_mul(2) {
            self.found.select_nth_unstable_by(self.limit - 1, compare);
            self.found.truncate(self.limit);
            self.worst = self.found.last().map(|(score, _)| *score);
        }
    }

    fn sorted(mut self) -> Vec<(f32, u32)> {
        self.found.sort_by(compare);
        self.found.truncate(self.limit);
        self.found
    }
}

fn compare(one: &(f32, u32), other: &(f32, u32)) -> std::cmp::Ordering {
    other.0.total_cmp(&one.0).then(one.1.cmp(&other.1))
}

/// Takes a hash for what it is, instead of hashing it again.
#[derive(Debug, Clone, Default)]
struct HashBytes(u64);

impl Hasher for HashBytes {
    fn write(&mut self, bytes: &[u8]) {
        if let Some(first) = bytes.first_chunk() {
            self.0 ^= u64::from_le_bytes(*first);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Generated vectors. Every third text has the vector of the first, so that there are equal scores.
    fn matrix(count: usize, dimension: usize) -> Matrix {
        let mut matrix = Matrix { dimension, ..Matrix::default() };
        for row in 0..count {
            let from = if row % 3 == 0 { 0 } else { row };
            let vector: Vec<f32> = (0..dimension).map(|at| ((from * 31 + at * 17) as f32).sin()).collect();
            let (scale, values) = quantize(&vector);
            let text = TextHash::compute(&row.to_string());
            matrix.rows.insert(text, row as u32);
            matrix.texts.push(text);
            matrix.scales.push(scale);
            matrix.values.extend(values);
        }
        matrix
    }

    #[test]
    fn the_nearest_are_those_of_a_full_sort() {
        let query = QuantizedQuery::from_vector(&[0.3, -0.2, 0.9, 0.1, -0.7]);
        for count in [0, 1, 7, SCANNED_ROWS, 3 * SCANNED_ROWS + 5] {
            let matrix = matrix(count, 5);
            for (skipped, limit) in [(1, 1), (1, 10), (2, 50), (5, 1000), (1, usize::MAX), (1, 0)] {
                let accepts = |text: &TextHash| matrix.rows[text].is_multiple_of(skipped);
                let mut all: Vec<(TextHash, f32)> = matrix
                    .texts
                    .iter()
                    .filter(|text| accepts(text))
                    .map(|text| (*text, matrix.cosine(&query, text).unwrap_or(f32::NAN)))
                    .collect();
                // The sort is stable: of equal scores, the first row comes first.
                all.sort_by(|one, other| other.1.total_cmp(&one.1));
                all.truncate(limit);
                assert_eq!(matrix.nearest(&query, limit, accepts), all, "{count}, {limit}");
            }
        }
    }

    #[test]
    fn a_score_is_the_cosine_but_for_the_rounding() {
        let normalized = |angle: f32| [angle.cos(), angle.sin()];
        let mut matrix = Matrix { dimension: 2, ..Matrix::default() };
        for step in 0..20 {
            let (scale, values) = quantize(&normalized(step as f32));
            matrix.texts.push(TextHash::compute(&step.to_string()));
            matrix.scales.push(scale);
            matrix.values.extend(values);
        }
        let found = matrix.nearest(&QuantizedQuery::from_vector(&normalized(0.0)), 20, |_| true);
        for (text, score) in found {
            let step = (0..20).find(|step: &i32| TextHash::compute(&step.to_string()) == text).unwrap_or(-1);
            assert!((score - (step as f32).cos()).abs() < 0.01, "{step}: {score}");
        }
    }
}
