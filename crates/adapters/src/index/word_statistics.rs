//! What a table of words knows about itself: how many passages it has, and how long they are.
//!
//! FTS5 keeps these numbers for its ranking. They are read from its own tables, which is the only place where they are kept:
//! counting them takes as long as a search.

use rusqlite::{Connection, OptionalExtension};
use wellread_core::ports::{PassageId, WORD_WEIGHTS};

/// The constants of FTS5's ranking.
const K1: f64 = 1.2;
const B: f64 = 0.75;

/// The weights of the fields, as FTS5 was given them.
pub fn field_weights() -> [f64; WORD_WEIGHTS.len()] {
    WORD_WEIGHTS.map(|weight| (f64::from(weight) * 10.0).round() / 10.0)
}

/// The size of a table of words.
pub struct TableSize {
    /// How many passages it has.
    pub rows: f64,
    average_length: f64,
}

impl TableSize {
    pub fn read(connection: &Connection, table: &str) -> rusqlite::Result<Self> {
        let sql = format!("SELECT block FROM {table}_data WHERE id = 1");
        let numbers: Option<Vec<u64>> = connection
            .prepare_cached(&sql)?
            .query_row([], |row| Ok(read_numbers(row.get_ref(0)?.as_blob()?)))
            .optional()?;
        let numbers = numbers.unwrap_or_default();
        let (rows, lengths) = numbers.split_first().map_or((0, [].as_slice()), |(rows, rest)| (*rows, rest));
        let words: u64 = lengths.iter().sum();
        Ok(Self { rows: rows as f64, average_length: words as f64 / rows as f64 })
    }

    /// The score of a passage of this length for a word of this weight, computed as FTS5 does, to the last bit.
    pub fn score(&self, weight: f64, frequency: f64, length: u32) -> f64 {
        let relative = f64::from(length);
        weight
            * ((frequency * (K1 + 1.0)) / (frequency + K1 * (1.0 - B + B * relative / self.average_length)))
    }
}

/// How many words each passage of a table has, for `count` ids from the first one on.
pub fn read_lengths(
    connection: &Connection,
    table: &str,
    first: PassageId,
    count: usize,
) -> rusqlite::Result<Vec<u32>> {
    let mut statement = connection.prepare(&format!("SELECT id, sz FROM {table}_docsize ORDER BY id"))?;
    let mut lengths = vec![0; count];
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let length: u64 = read_numbers(row.get_ref(1)?.as_blob()?).iter().sum();
        let at = usize::try_from(row.get::<_, i64>(0)? - first).ok();
        if let Some(stored) = at.and_then(|at| lengths.get_mut(at)) {
            *stored = u32::try_from(length).unwrap_or(u32::MAX);
        }
    }
    Ok(lengths)
}

/// The numbers in a blob of FTS5: groups of seven bits, the highest first; all but the last have the highest bit set. None of
/// these numbers needs the ninth byte, which would have eight bits.
fn read_numbers(blob: &[u8]) -> Vec<u64> {
    let mut numbers = Vec::new();
    let mut number = 0;
    for byte in blob {
        number = (number << 7) | u64::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            numbers.push(number);
            number = 0;
        }
    }
    numbers
}
