//! All rows of the file: read in one snapshot, and written back as they are.

use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, OptionalExtension, Row, Transaction, params_from_iter};
use wellread_core::Result;

use super::RecordStore;
use super::database::ChangeError;
use crate::record_copy::{RecordRows, differing_row_error};
use crate::record_format::damaged_error;
use crate::record_format::tables::{Cell, RecordTable, TableGroup, read_row, write_row};

impl RecordRows for RecordStore {
    fn place(&self) -> String {
        format!("`{}`", self.path().display())
    }

    fn for_each_row(&self, group: TableGroup, see: &mut dyn FnMut(&str) -> Result<()>) -> Result<()> {
        let read = self.store.read_if_exists(|connection| read_all(connection, group, see))?;
        read.unwrap_or(Ok(()))
    }

    fn insert_rows(&self, lines: &[String]) -> Result<u64> {
        let rows = lines.iter().map(|line| read_row(line)).collect::<Result<Vec<_>>>()?;
        self.store.write_or_recreate(|transaction| {
            let mut inserted = 0;
            for (table, cells) in &rows {
                inserted += u64::from(insert(transaction, table, cells)?);
            }
            Ok::<_, ChangeError>(inserted)
        })
    }
}

fn read_all(
    connection: &Connection,
    group: TableGroup,
    see: &mut dyn FnMut(&str) -> Result<()>,
) -> rusqlite::Result<Result<()>> {
    // One transaction, since another process may be writing.
    let transaction = connection.unchecked_transaction()?;
    for table in group.tables() {
        let sql = format!("SELECT {} FROM {} ORDER BY {}", table.column_list(), table.name, table.key_list());
        let mut statement = transaction.prepare(&sql)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let Some(cells) = read_cells(table, row)? else {
                return Ok(Err(damaged_error(&format!("a record in `{}`", table.name))));
            };
            if let Err(error) = see(&write_row(table, &cells)) {
                return Ok(Err(error));
            }
        }
    }
    Ok(Ok(()))
}

/// The cells of a row; `None` if one of them is nothing that was ever written.
fn read_cells(table: &RecordTable, row: &Row<'_>) -> rusqlite::Result<Option<Vec<Cell>>> {
    let mut cells = Vec::with_capacity(table.columns.len());
    for column in 0..table.columns.len() {
        cells.push(match row.get_ref(column)? {
            ValueRef::Null => Cell::Null,
            ValueRef::Integer(number) => Cell::Number(number),
            ValueRef::Blob(bytes) => Cell::Bytes(bytes.to_vec()),
            ValueRef::Text(text) => match std::str::from_utf8(text) {
                Ok(text) => Cell::Text(text.to_owned()),
                Err(_) => return Ok(None),
            },
            ValueRef::Real(_) => return Ok(None),
        });
    }
    Ok(Some(cells))
}

/// Inserts a row; false if it is there already. One that is there and differs is an error.
fn insert(transaction: &Transaction<'_>, table: &RecordTable, cells: &[Cell]) -> Result<bool, ChangeError> {
    let marks = vec!["?"; cells.len()].join(", ");
    let sql = format!("INSERT OR IGNORE INTO {} ({}) VALUES ({marks})", table.name, table.column_list());
    if transaction.prepare_cached(&sql)?.execute(params_from_iter(cells.iter().map(value)))? > 0 {
        return Ok(true);
    }
    let keys = table.columns[..table.key].iter().map(|(name, _)| format!("{name} = ?"));
    let sql = format!(
        "SELECT {} FROM {} WHERE {}",
        table.column_list(),
        table.name,
        keys.collect::<Vec<_>>().join(" AND ")
    );
    let kept = transaction
        .prepare_cached(&sql)?
        .query_row(params_from_iter(cells[..table.key].iter().map(value)), |row| read_cells(table, row))
        .optional()?;
    if kept.flatten().as_deref() == Some(cells) {
        return Ok(false);
    }
    Err(differing_row_error(table.name).into())
}

fn value(cell: &Cell) -> Value {
    match cell {
        Cell::Null => Value::Null,
        Cell::Number(number) => Value::Integer(*number),
        Cell::Text(text) => Value::Text(text.clone()),
        Cell::Bytes(bytes) => Value::Blob(bytes.clone()),
    }
}
