//! What a place knows of a file's metadata.
//!
//! Times and numbers of files are those of one machine: the same notes in another folder have others. So a file has the
//! metadata of the place that put it, and those that other places found with the same content. A place that has none reads the file
//! and compares its hash; until then the file counts for it as older than anything, in exactly the version that it has now.

use std::collections::HashMap;

use tokio_postgres::Row;
use wellread_core::ports::FileStamp;

use super::filter::key;
use super::write::PreparedChange;
use crate::index_format::{from_nanoseconds, nanoseconds};
use crate::postgres::failure::PgFailure;
use crate::postgres::session::Session;
use crate::postgres::value::{RowColumns as _, SqlValue, values};

/// The columns of [`read_stamp`], for `files` and the stamps of the place that is `$2`.
pub const STAMP_COLUMNS: &str = "files.place = $2 OR seen.file IS NOT NULL, coalesce(seen.size, files.size), \
    coalesce(seen.modified, files.modified), coalesce(seen.changed, files.changed), \
    coalesce(seen.number, files.number), coalesce(seen.settled, files.settled)::bigint, files.put";
pub const STAMP_JOIN: &str = "LEFT JOIN wellread.index_stamps AS seen \
    ON seen.space = $1 AND seen.file = files.id AND seen.place = $2";

/// The stamp of a file for a place, from the columns that begin here.
pub fn read_stamp(row: &Row, first: usize) -> Result<FileStamp, PgFailure> {
    let stamp = FileStamp {
        size: row.number(first + 1)?.cast_unsigned(),
        modified: from_nanoseconds(row.number(first + 2)?),
        changed: from_nanoseconds(row.number(first + 3)?),
        number: row.number(first + 4)?.cast_unsigned(),
        settled: row.number(first + 5)? == 1,
    };
    if row.try_get::<_, bool>(first)? {
        return Ok(stamp);
    }
    // Older than anything, and another one for each version.
    let changed = from_nanoseconds(i64::MIN.saturating_add(row.number(first + 6)?));
    Ok(FileStamp { changed, settled: false, ..stamp })
}

/// A file before a change.
pub struct FileVersion {
    pub id: i64,
    /// When it changed, by what the place knows.
    pub changed: i64,
    /// Whether the place put it.
    pub is_own: bool,
}

/// The files that are changed, by the keys of their paths.
pub fn find_versions(
    session: &Session,
    place: &str,
    corpus: i64,
    changes: &[PreparedChange<'_>],
) -> Result<HashMap<Vec<u8>, FileVersion>, PgFailure> {
    let keys: Vec<Vec<u8>> = changes.iter().map(|change| key(&[change.path()])).collect();
    let sql = format!(
        "SELECT files.path_key, files.id, files.place = $2, {STAMP_COLUMNS} FROM wellread.index_files AS files {STAMP_JOIN} \
         WHERE files.space = $1 AND files.corpus = $3 AND files.path_key = ANY($4)"
    );
    let mut versions = HashMap::new();
    for row in session.query(&sql, values![place, corpus, keys])? {
        let changed = nanoseconds(read_stamp(&row, 3)?.changed);
        let version = FileVersion { id: row.number(1)?, changed, is_own: row.try_get(2)? };
        versions.insert(row.bytes(0)?, version);
    }
    Ok(versions)
}

/// New metadata of files whose content is the same.
#[derive(Default)]
pub struct SeenRows {
    own: StampRows,
    others: StampRows,
}

#[derive(Default)]
struct StampRows {
    files: Vec<i64>,
    sizes: Vec<i64>,
    modified: Vec<i64>,
    changed: Vec<i64>,
    numbers: Vec<i64>,
    settled: Vec<i64>,
}

impl StampRows {
    fn add(&mut self, file: i64, stamp: &FileStamp) {
        self.files.push(file);
        self.sizes.push(stamp.size.cast_signed());
        self.modified.push(nanoseconds(stamp.modified));
        self.changed.push(nanoseconds(stamp.changed));
        self.numbers.push(stamp.number.cast_signed());
        self.settled.push(stamp.settled.into());
    }

    fn into_values(self) -> Vec<SqlValue> {
        let Self { files, sizes, modified, changed, numbers, settled } = self;
        values![files, sizes, modified, changed, numbers, settled]
    }
}

impl SeenRows {
    pub fn add(&mut self, file: i64, is_own: bool, stamp: &FileStamp) {
        if is_own { &mut self.own } else { &mut self.others }.add(file, stamp);
    }

    pub fn write(self, session: &Session, place: &str) -> Result<(), PgFailure> {
        const ROWS: &str = "unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[]) \
                            AS row (file, size, modified, changed, number, settled)";
        if !self.own.files.is_empty() {
            let sql = format!(
                "UPDATE wellread.index_files AS files SET size = row.size, modified = row.modified, changed = row.changed, \
                 number = row.number, settled = row.settled FROM {ROWS} WHERE files.space = $1 AND files.id = row.file"
            );
            session.execute(&sql, self.own.into_values())?;
        }
        if !self.others.files.is_empty() {
            let sql = format!(
                "INSERT INTO wellread.index_stamps (space, place, file, size, modified, changed, number, settled) \
                 SELECT $1, $8, row.* FROM {ROWS} ON CONFLICT (space, file, place) DO UPDATE SET size = excluded.size, \
                 modified = excluded.modified, changed = excluded.changed, number = excluded.number, settled = excluded.settled"
            );
            let values = self.others.into_values().into_iter().chain(values![place]).collect();
            session.execute(&sql, values)?;
        }
        Ok(())
    }
}
