//! What a table of words knows about itself: how many passages it has, and how long they are.
//!
//! FTS5 keeps these numbers for its ranking. They are read from its own tables, which is the only place where they are kept:
//! counting them takes as long as a search.

use rusqlite::{Connection, OptionalExtension};
use wellread_core::ports::PassageId;

use crate::index_format::ranking::TableSize;

/// The size of a table of words.
pub fn read_size(connection: &Connection, table: &str) -> rusqlite::Result<TableSize> {
    let sql = format!("SELECT block FROM {table}_data WHERE id = 1");
    let numbers: Option<Vec<u64>> = connection
        .prepare_cached(&sql)?
        .query_row([], |row| Ok(read_numbers(row.get_ref(0)?.as_blob()?)))
        .optional()?;
    let numbers = numbers.unwrap_or_default();
    let (rows, lengths) = numbers.split_first().map_or((0, [].as_slice()), |(rows, rest)| (*rows, rest));
    Ok(TableSize::new(rows, lengths.iter().sum()))
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
