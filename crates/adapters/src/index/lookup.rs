//! Reads files and passages from the index.

use std::collections::HashMap;
use std::rc::Rc;

use rusqlite::types::Value;
use rusqlite::{Connection, Row, params};
use wellread_core::domain::corpus::{CorpusName, Hash, VaultPath};
use wellread_core::ports::{
    CorpusCoverage, FieldFilter, FileStamp, FileState, IndexCoverage, IndexState, KnownFile, KnownFileFilter,
    PassageId, StoredPassage, TextHash,
};

use super::write::{is_complete, read_rules};
use crate::index_format::{
    FILE_INDEXED, FILE_NAMED, FILE_SKIPPED, MARK_VALUE, from_nanoseconds, parse_kind, parse_stored_name,
    split_context, stored_name,
};

const KNOWN: &str = "SELECT files.path, files.state, files.reason, files.hash, files.size, files.modified, \
                     files.changed, files.number, files.settled, files.private FROM files \
                     JOIN corpora ON corpora.id = files.corpus WHERE corpora.name = ?1";

/// Without CROSS, SQLite goes through all files in the order of their paths and looks for the marks of each.
const MARKED: &str = "SELECT DISTINCT files.path FROM marks CROSS JOIN files ON files.id = marks.file \
                      JOIN corpora ON corpora.id = files.corpus \
                      WHERE marks.kind = ?1 AND marks.name = '' AND marks.value IN rarray(?2) AND corpora.name = ?3 \
                      ORDER BY files.path";

pub fn known_files(
    connection: &Connection,
    corpus: &CorpusName,
    which: KnownFileFilter<'_>,
) -> rusqlite::Result<Vec<KnownFile>> {
    let name = stored_name(corpus);
    match which {
        KnownFileFilter::All => connection
            .prepare_cached(KNOWN)?
            .query_map([name], known_file_from_row)?
            .collect::<rusqlite::Result<_>>(),
        KnownFileFilter::Skipped => {
            connection.prepare_cached(&skipped_files())?.query_map([name], known_file_from_row)?.collect()
        }
        KnownFileFilter::WithField(field) => {
            let values = Rc::new(find_field_values(connection, field)?);
            let sql = format!(
                "{KNOWN} AND files.id IN (SELECT file FROM marks WHERE kind = {MARK_VALUE} AND name = ?2 \
                 AND value IN rarray(?3)) ORDER BY files.path"
            );
            let mut statement = connection.prepare_cached(&sql)?;
            statement.query_map(params![name, field.name, values], known_file_from_row)?.collect()
        }
        KnownFileFilter::These(paths) => {
            let sql = format!("{KNOWN} AND files.path = ?2");
            let mut statement = connection.prepare_cached(&sql)?;
            let mut found = Vec::new();
            for path in paths {
                for file in statement.query_map(params![name, path.as_str()], known_file_from_row)? {
                    found.push(file?);
                }
            }
            Ok(found)
        }
    }
}

fn skipped_files() -> String {
    format!("{KNOWN} AND files.state = {FILE_SKIPPED}")
}

/// The values of a field that are accepted, as they are stored.
fn find_field_values(connection: &Connection, field: FieldFilter<'_>) -> rusqlite::Result<Vec<Value>> {
    let sql = format!("SELECT DISTINCT value FROM marks WHERE kind = {MARK_VALUE} AND name = ?1");
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query([field.name])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let stored = row.get_ref(0)?.as_str()?;
        let value: Option<serde_json::Value> = serde_json::from_str(stored).ok();
        if (field.accepts)(value.as_ref()) {
            found.push(Value::from(stored.to_owned()));
        }
    }
    Ok(found)
}

fn known_file_from_row(row: &Row<'_>) -> rusqlite::Result<KnownFile> {
    let state = match row.get::<_, i64>(1)? {
        FILE_INDEXED => FileState::Indexed { hash: hash(row, 3)? },
        FILE_NAMED => FileState::Named,
        _ => FileState::Skipped(row.get::<_, Option<String>>(2)?.unwrap_or_default()),
    };
    let moment = |at: usize| row.get::<_, i64>(at).map(from_nanoseconds);
    let stamp = FileStamp {
        size: row.get::<_, i64>(4)? as u64,
        modified: moment(5)?,
        changed: moment(6)?,
        number: row.get::<_, i64>(7)? as u64,
        settled: row.get(8)?,
    };
    Ok(KnownFile { path: VaultPath::from_index(row.get(0)?), stamp, state, private: row.get(9)? })
}

pub fn hash(row: &Row<'_>, at: usize) -> rusqlite::Result<Hash> {
    row.get::<_, [u8; 32]>(at).map(Hash::from_bytes)
}

const STORED: &str = "SELECT passages.id, corpora.name, files.path, files.hash, passages.kind, passages.start, \
                      passages.end, passages.first_line, passages.last_line, passages.context, passages.text \
                      FROM passages JOIN files ON files.id = passages.file JOIN corpora ON corpora.id = files.corpus";

pub fn load_passages(connection: &Connection, ids: &[PassageId]) -> rusqlite::Result<Vec<StoredPassage>> {
    let sql = format!("{STORED} WHERE passages.id IN rarray(?1)");
    let wanted = Rc::new(ids.iter().copied().map(Value::from).collect::<Vec<_>>());
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map([wanted], passage_from_row)?;
    let mut found: HashMap<PassageId, StoredPassage> =
        rows.map(|row| row.map(|passage| (passage.id, passage))).collect::<rusqlite::Result<_>>()?;
    Ok(ids.iter().filter_map(|id| found.remove(id)).collect())
}

/// The passages that satisfy a condition on `passages`.
pub fn load_passages_where(
    connection: &Connection,
    sql: &str,
    limit: usize,
) -> rusqlite::Result<Vec<StoredPassage>> {
    let sql = format!("{STORED} {sql} LIMIT ?1");
    connection.prepare_cached(&sql)?.query_map([limit as i64], passage_from_row)?.collect()
}

fn passage_from_row(row: &Row<'_>) -> rusqlite::Result<StoredPassage> {
    let corpus = parse_stored_name(&row.get::<_, String>(1)?);
    let context: String = row.get(9)?;
    Ok(StoredPassage {
        id: row.get(0)?,
        corpus,
        path: VaultPath::from_index(row.get(2)?),
        hash: hash(row, 3)?,
        kind: parse_kind(row.get(4)?),
        span: row.get(5)?..row.get(6)?,
        lines: (row.get(7)?, row.get(8)?),
        context: split_context(&context),
        text: TextHash(row.get(10)?),
    })
}

/// The files that have a mark of this kind with one of these keys.
pub fn find_marked_files(
    connection: &Connection,
    corpus: &CorpusName,
    kind: i64,
    keys: &[String],
) -> rusqlite::Result<Vec<VaultPath>> {
    let mut statement = connection.prepare_cached(MARKED)?;
    let keys = Rc::new(keys.iter().cloned().map(Value::from).collect::<Vec<_>>());
    let rows = statement
        .query_map(params![kind, keys, stored_name(corpus)], |row| row.get(0).map(VaultPath::from_index))?;
    rows.collect()
}

pub fn read_state(connection: &Connection) -> rusqlite::Result<IndexState> {
    let version = connection
        .prepare_cached("SELECT value FROM meta WHERE name = 'version'")?
        .query_row([], |row| row.get(0))?;
    Ok(IndexState { version, complete: is_complete(connection)?, rules: read_rules(connection)? })
}

pub fn count_files(connection: &Connection, most: usize) -> rusqlite::Result<Vec<(CorpusName, usize)>> {
    let mut statement = connection.prepare_cached(
        "SELECT name, (SELECT COUNT(*) FROM (SELECT 1 FROM files WHERE corpus = corpora.id LIMIT ?1)) \
         FROM corpora ORDER BY id",
    )?;
    let rows = statement
        .query_map([most as i64], |row| Ok((parse_stored_name(&row.get::<_, String>(0)?), row.get(1)?)))?;
    rows.collect()
}

pub fn coverage(connection: &Connection) -> rusqlite::Result<IndexCoverage> {
    let mut statement = connection.prepare_cached(
        "SELECT corpora.name, COUNT(files.id), COUNT(*) FILTER (WHERE files.state = 0), \
         COUNT(*) FILTER (WHERE files.state = 2), TOTAL(files.passages) \
         FROM corpora LEFT JOIN files ON files.corpus = corpora.id GROUP BY corpora.id ORDER BY corpora.id",
    )?;
    let mut coverage = IndexCoverage::default();
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let corpus = parse_stored_name(&row.get::<_, String>(0)?);
        coverage.passages += row.get::<_, f64>(4)? as usize;
        coverage.corpora.push(CorpusCoverage {
            corpus,
            files: row.get(1)?,
            indexed: row.get(2)?,
            skipped: row.get(3)?,
        });
    }
    Ok(coverage)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::schema;

    /// How SQLite answers a query, a step in a line.
    fn plan(sql: &str) -> Vec<String> {
        let connection = Connection::open_in_memory().unwrap();
        rusqlite::vtab::array::load_module(&connection).unwrap();
        schema::create(&connection, "vault").unwrap();
        let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let nothing: Vec<Option<i64>> = vec![None; statement.parameter_count()];
        let steps =
            statement.query_map(rusqlite::params_from_iter(nothing), |row| row.get("detail")).unwrap();
        steps.map(Result::unwrap).collect()
    }

    #[test]
    fn links_and_skipped_files_are_found_without_going_through_all_files() {
        let through_marks = plan(MARKED).join("\n");
        assert!(through_marks.contains("SEARCH marks USING PRIMARY KEY"), "{through_marks}");
        assert!(through_marks.contains("SEARCH files USING INTEGER PRIMARY KEY"), "{through_marks}");
        let skipped = plan(&skipped_files()).join("\n");
        assert!(skipped.contains("USING INDEX files_skipped"), "{skipped}");
    }
}
