//! Every table of the records with its columns: what is copied from one store to another, and what the digest is over.

use serde_json::Value;
use wellread_core::domain::corpus::{Hash, Hasher};
use wellread_core::{Error, Result};

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    /// An id, a name of ours, or JSON: text without a NUL.
    Text,
    /// Text that somebody else chose; it may have a NUL.
    AnyText,
    Number,
    Bytes,
}

/// A table of the records.
#[derive(Debug)]
pub struct RecordTable {
    pub name: &'static str,
    pub columns: &'static [(&'static str, ColumnKind)],
    /// How many of the first columns identify a row.
    pub key: usize,
}

use ColumnKind::{AnyText, Bytes, Number, Text};

/// The last column of a table whose rows belong to somebody.
const OWNER: (&str, ColumnKind) = ("owner", Text);
/// Whose rows have no owner in a file: whoever has the machine. So files from before there were owners are read as they are, and have
/// the same digest.
const UNWRITTEN_OWNER: &str = "@";

/// Whose rows a table has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableGroup {
    /// The records of one vault.
    Vault,
    /// The accounts and the log of decisions, which all vaults share: they may be in another store.
    Accounts,
}

impl TableGroup {
    /// In the order in which they are copied.
    pub const ALL: [Self; 2] = [Self::Vault, Self::Accounts];

    /// The tables of the group, in the order in which they are copied.
    pub fn tables(self) -> &'static [RecordTable] {
        let (of_vault, of_accounts) = TABLES.split_at(OF_VAULT);
        match self {
            Self::Vault => of_vault,
            Self::Accounts => of_accounts,
        }
    }

    /// The group that a table is in.
    pub fn from_table(table: &RecordTable) -> Self {
        let is_shared = Self::Accounts.tables().iter().any(|shared| shared.name == table.name);
        if is_shared { Self::Accounts } else { Self::Vault }
    }
}

/// How many of the tables are of a vault: the first ones.
const OF_VAULT: usize = 15;

/// The tables, in the order in which they are copied.
pub const TABLES: [RecordTable; OF_VAULT + 2] = [
    table("runs", &[("id", Text), ("header", Text), ("head", Bytes), ("sum", Bytes), OWNER], 1),
    table("forgotten", &[("run", Text), ("at", Number)], 1),
    table(
        "events",
        &[("run", Text), ("number", Number), ("at", Number), ("event", Text), ("hash", Bytes)],
        2,
    ),
    table("snapshots", &[("hash", Bytes), ("length", Number), ("packed", Bytes)], 1),
    table(
        "sessions",
        &[
            ("id", AnyText),
            ("active_file", AnyText),
            ("last", Number),
            ("state", Text),
            ("sum", Bytes),
            OWNER,
        ],
        1,
    ),
    table("agendas", &[("id", Text), ("status", Text), ("state", Text), ("sum", Bytes)], 1),
    table("keys", &[("word", Text), ("key", AnyText), ("agenda", Text)], 3),
    table(
        "jobs",
        &[
            ("task", Text),
            ("agenda", Text),
            ("place", Number),
            ("state", Text),
            ("not_before", Number),
            ("worker", AnyText),
            ("until", Number),
            ("number", Number),
            ("tries", Number),
            ("crashes", Number),
        ],
        1,
    ),
    table("numbers", &[("name", AnyText), ("last", Number)], 1),
    table(
        "findings",
        &[
            ("id", Text),
            ("agenda", Text),
            ("url", AnyText),
            ("status", Text),
            ("accepting", Number),
            ("created", Number),
            ("state", Text),
            ("sum", Bytes),
        ],
        1,
    ),
    table("embeddings", &[("finding", Text), ("model", AnyText), ("vector", Bytes), ("sum", Bytes)], 1),
    table("sketches", &[("finding", Text), ("sketch", Bytes), ("sum", Bytes)], 1),
    table("suppressed", &[("topic", AnyText), ("at", Number), ("finding", Text), ("sum", Bytes)], 1),
    table("happenings", &[("number", Number), ("event", Text), ("sum", Bytes)], 1),
    table("answers", &[("key", AnyText), ("request", Bytes), ("answer", AnyText), ("sum", Bytes), OWNER], 1),
    table("accounts", &[("name", Text), ("state", Text), ("sum", Bytes)], 1),
    table("audit", &[("number", Number), ("at", Number), ("entry", Text), ("hash", Bytes)], 1),
];

const fn table(
    name: &'static str,
    columns: &'static [(&'static str, ColumnKind)],
    key: usize,
) -> RecordTable {
    RecordTable { name, columns, key }
}

impl RecordTable {
    /// The names of the columns, separated by commas.
    pub fn column_list(&self) -> String {
        join(self.columns)
    }

    fn has_owner(&self) -> bool {
        self.columns.last() == Some(&OWNER)
    }

    /// The names of the columns that identify a row, separated by commas.
    pub fn key_list(&self) -> String {
        join(&self.columns[..self.key])
    }
}

fn join(columns: &[(&str, ColumnKind)]) -> String {
    columns.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

/// The value of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cell {
    Null,
    Number(i64),
    Text(String),
    Bytes(Vec<u8>),
}

/// A row as it is written to a file: a line of JSON without its end, the table's name first.
pub fn write_row(table: &RecordTable, cells: &[Cell]) -> String {
    let is_unwritten =
        |last: &Cell| table.has_owner() && matches!(last, Cell::Text(owner) if owner == UNWRITTEN_OWNER);
    let cells = match cells.split_last() {
        Some((last, others)) if is_unwritten(last) => others,
        _ => cells,
    };
    let values = cells.iter().map(|cell| match cell {
        Cell::Null => Value::Null,
        Cell::Number(number) => Value::from(*number),
        Cell::Text(text) => Value::from(text.as_str()),
        Cell::Bytes(bytes) => Value::from(to_hex(bytes)),
    });
    Value::Array(std::iter::once(Value::from(table.name)).chain(values).collect()).to_string()
}

/// Reads what [`write_row`] wrote.
pub fn read_row(line: &str) -> Result<(&'static RecordTable, Vec<Cell>)> {
    let wrong = || Error::invalid("it is no row of records");
    let Ok(Value::Array(mut values)) = serde_json::from_str(line) else { return Err(wrong()) };
    let name = values.first().and_then(Value::as_str);
    let table = TABLES.iter().find(|table| name == Some(table.name)).ok_or_else(wrong)?;
    if table.has_owner() && values.len() == table.columns.len() {
        values.push(Value::from(UNWRITTEN_OWNER));
    }
    if values.len() != table.columns.len() + 1 {
        return Err(wrong());
    }
    let cells = table.columns.iter().zip(&values[1..]).map(|((_, kind), value)| match (kind, value) {
        (_, Value::Null) => Some(Cell::Null),
        (ColumnKind::Number, value) => value.as_i64().map(Cell::Number),
        (ColumnKind::Text | ColumnKind::AnyText, Value::String(text)) => Some(Cell::Text(text.clone())),
        (ColumnKind::Bytes, Value::String(text)) => from_hex(text).map(Cell::Bytes),
        _ => None,
    });
    Ok((table, cells.collect::<Option<_>>().ok_or_else(wrong)?))
}

fn to_hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.map(|digit| char::from(DIGITS[usize::from(digit)])).collect()
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let bytes = pairs.iter().map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?));
    if rest.is_empty() { bytes.collect() } else { None }
}

/// The digest over all rows, in the order of the tables and their keys.
#[derive(Debug, Default)]
pub struct RecordDigest {
    hasher: Hasher,
    rows: u64,
}

impl RecordDigest {
    pub fn add(&mut self, line: &str) {
        self.hasher.add(&(line.len() as u64).to_le_bytes());
        self.hasher.add(line.as_bytes());
        self.rows += 1;
    }

    /// The number of rows, and the digest.
    pub fn finish(&self) -> (u64, Hash) {
        (self.rows, self.hasher.finish())
    }
}
