//! All rows of a space: read in one snapshot, and written back as they are.

use tokio_postgres::Row;
use wellread_core::Result;
use wellread_core::ports::RecordViewer;

use super::PostgresRecords;
use super::database::Database;
use super::failure::PgFailure;
use super::session::Session;
use super::value::{SqlValue, optional_any_text};
use crate::record_copy::{RecordRows, differing_row_error};
use crate::record_format::tables::{Cell, ColumnKind, RecordTable, TableGroup, read_row, write_row};

/// How many rows are read or written at a time.
const PAGE: usize = 100;

impl RecordRows for PostgresRecords {
    fn place(&self) -> String {
        format!("{}, space `{}`", self.database.place(), self.database.pool.options().space)
    }

    fn for_each_row(&self, group: TableGroup, see: &mut dyn FnMut(&str) -> Result<()>) -> Result<()> {
        self.all().read_snapshot(|session| {
            for table in group.tables() {
                read_table(session, table, see)?;
            }
            Ok(())
        })
    }

    fn insert_rows(&self, lines: &[String]) -> Result<u64> {
        let rows = lines.iter().map(|line| read_row(line)).collect::<Result<Vec<_>>>()?;
        self.all().write(|session| {
            let mut inserted = 0;
            for group in rows.chunk_by(|(one, _), (next, _)| one.name == next.name) {
                for page in group.chunks(PAGE) {
                    inserted += insert_page(session, page)?;
                }
            }
            Ok(inserted)
        })
    }
}

impl PostgresRecords {
    /// The database with everything of the space, whoever it belongs to.
    fn all(&self) -> Database {
        Database { viewer: RecordViewer::vault(), ..(*self.database).clone() }
    }
}

fn read_table(
    session: &Session,
    table: &RecordTable,
    see: &mut dyn FnMut(&str) -> Result<()>,
) -> Result<(), PgFailure> {
    let (columns, keys) = (table.column_list(), table.key_list());
    let mut after: Vec<SqlValue> = Vec::new();
    loop {
        let marks = (2..2 + table.key).map(|number| format!("${number}")).collect::<Vec<_>>().join(", ");
        let beyond = if after.is_empty() { String::new() } else { format!("AND ({keys}) > ({marks})") };
        let sql = format!(
            "SELECT {columns} FROM wellread.{} WHERE space = $1 {beyond} ORDER BY {keys} LIMIT {PAGE}",
            table.name
        );
        let rows = session.query(&sql, after)?;
        let mut last = None;
        for row in &rows {
            let cells = read_cells(table, row)?;
            see(&write_row(table, &cells))?;
            last = Some(cells);
        }
        let Some(cells) = last else { return Ok(()) };
        after = table
            .columns
            .iter()
            .zip(cells)
            .take(table.key)
            .map(|((_, kind), cell)| value(*kind, cell))
            .collect();
    }
}

fn read_cells(table: &RecordTable, row: &Row) -> Result<Vec<Cell>, PgFailure> {
    let read = |(column, (_, kind)): (usize, &(&str, ColumnKind))| -> Result<Cell, PgFailure> {
        Ok(match kind {
            ColumnKind::Number => row.try_get::<_, Option<i64>>(column)?.map_or(Cell::Null, Cell::Number),
            ColumnKind::Text => row.try_get::<_, Option<String>>(column)?.map_or(Cell::Null, Cell::Text),
            ColumnKind::AnyText => optional_any_text(row, column)?.map_or(Cell::Null, Cell::Text),
            ColumnKind::Bytes => row.try_get::<_, Option<Vec<u8>>>(column)?.map_or(Cell::Null, Cell::Bytes),
        })
    };
    table.columns.iter().enumerate().map(read).collect()
}

/// Inserts rows of one table. One that is there already has to be the same.
fn insert_page(session: &Session, rows: &[(&'static RecordTable, Vec<Cell>)]) -> Result<u64, PgFailure> {
    let Some((table, _)) = rows.first() else { return Ok(0) };
    let width = table.columns.len();
    let tuple = |row: usize| {
        let marks = (0..width).map(|column| format!("${}", 2 + row * width + column));
        format!("($1, {})", marks.collect::<Vec<_>>().join(", "))
    };
    let sql = format!(
        "INSERT INTO wellread.{} (space, {}) VALUES {} ON CONFLICT DO NOTHING",
        table.name,
        table.column_list(),
        (0..rows.len()).map(tuple).collect::<Vec<_>>().join(", ")
    );
    let inserted =
        session.execute(&sql, rows.iter().flat_map(|(_, cells)| row_values(table, cells)).collect())?;
    if inserted < rows.len() as u64 {
        for (_, cells) in rows {
            check_same(session, table, cells)?;
        }
    }
    Ok(inserted)
}

fn check_same(session: &Session, table: &RecordTable, cells: &[Cell]) -> Result<(), PgFailure> {
    let keys = table.columns[..table.key].iter().enumerate();
    let keys = keys.map(|(at, (name, _))| format!("{name} = ${}", at + 2)).collect::<Vec<_>>().join(" AND ");
    let sql =
        format!("SELECT {} FROM wellread.{} WHERE space = $1 AND {keys}", table.column_list(), table.name);
    let values = row_values(table, cells).take(table.key).collect();
    let kept = session.find(&sql, values)?.map(|row| read_cells(table, &row)).transpose()?;
    if kept.as_deref() == Some(cells) { Ok(()) } else { Err(differing_row_error(table.name).into()) }
}

fn row_values(table: &RecordTable, cells: &[Cell]) -> impl Iterator<Item = SqlValue> {
    table.columns.iter().zip(cells).map(|((_, kind), cell)| value(*kind, cell.clone()))
}

fn value(kind: ColumnKind, cell: Cell) -> SqlValue {
    match (kind, cell) {
        (ColumnKind::Number, Cell::Null) => SqlValue::NoNumber,
        (ColumnKind::Text, Cell::Null) => SqlValue::NoText,
        (_, Cell::Null) => SqlValue::NoBytes,
        (_, Cell::Number(number)) => SqlValue::Number(number),
        (ColumnKind::AnyText, Cell::Text(text)) => SqlValue::Bytes(text.into_bytes()),
        (_, Cell::Text(text)) => SqlValue::Text(text),
        (_, Cell::Bytes(bytes)) => SqlValue::Bytes(bytes),
    }
}
