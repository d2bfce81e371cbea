//! Reads files and passages from the index.

use std::collections::HashMap;

use tokio_postgres::Row;
use wellread_core::domain::corpus::{CorpusName, Hash, VaultPath};
use wellread_core::ports::{
    CorpusCoverage, FieldFilter, FileState, IndexCoverage, KnownFile, KnownFileFilter, PassageId,
    StoredPassage, TextHash,
};

use super::damaged_error;
use super::filter::{Parameters, key, row_limit};
use super::stamps::{STAMP_COLUMNS, STAMP_JOIN, read_stamp};
use crate::index_format::{
    FILE_INDEXED, FILE_NAMED, FILE_SKIPPED, parse_kind, parse_stored_name, split_context, stored_name,
};
use crate::postgres::failure::PgFailure;
use crate::postgres::session::Session;
use crate::postgres::value::{RowColumns as _, optional_any_text, values};

pub fn known_files(
    session: &Session,
    place: &str,
    corpus: &CorpusName,
    which: KnownFileFilter<'_>,
) -> Result<Vec<KnownFile>, PgFailure> {
    let mut parameters = Parameters(values![place, stored_name(corpus)]);
    let condition = match which {
        KnownFileFilter::All => String::new(),
        KnownFileFilter::Skipped => format!("AND files.state = {FILE_SKIPPED}"),
        KnownFileFilter::These(paths) => {
            let keys: Vec<Vec<u8>> = paths.iter().map(|path| key(&[path.as_str()])).collect();
            format!("AND files.path_key = ANY({})", parameters.bind(keys))
        }
        KnownFileFilter::WithField(field) => {
            let values = parameters.bind(find_field_values(session, field)?);
            let name = parameters.bind(key(&[field.name]));
            format!(
                "AND files.id IN (SELECT file FROM wellread.index_fields WHERE space = $1 AND name_key = {name} \
                 AND value_key = ANY({values}))"
            )
        }
    };
    let sql = format!(
        "SELECT files.path, files.state::bigint, files.reason, files.hash, files.private::bigint, {STAMP_COLUMNS} \
         FROM wellread.index_files AS files {STAMP_JOIN} WHERE files.space = $1 AND files.corpus = \
         (SELECT id FROM wellread.index_corpora WHERE space = $1 AND name = $3) {condition} ORDER BY files.path"
    );
    session.query(&sql, parameters.0)?.iter().map(known_file_from_row).collect()
}

/// The keys of the values of a field that are accepted.
fn find_field_values(session: &Session, field: FieldFilter<'_>) -> Result<Vec<Vec<u8>>, PgFailure> {
    let sql =
        "SELECT DISTINCT value_key, value FROM wellread.index_fields WHERE space = $1 AND name_key = $2";
    let mut found = Vec::new();
    for row in session.query(sql, values![key(&[field.name])])? {
        let value: Option<serde_json::Value> = serde_json::from_str(&row.any_text(1)?).ok();
        if (field.accepts)(value.as_ref()) {
            found.push(row.bytes(0)?);
        }
    }
    Ok(found)
}

fn known_file_from_row(row: &Row) -> Result<KnownFile, PgFailure> {
    let state = match row.number(1)? {
        FILE_INDEXED => FileState::Indexed { hash: row.hash(3)? },
        FILE_NAMED => FileState::Named,
        _ => FileState::Skipped(optional_any_text(row, 2)?.unwrap_or_default()),
    };
    let (path, private) = (VaultPath::from_index(row.text(0)?), row.number(4)? == 1);
    Ok(KnownFile { path, stamp: read_stamp(row, 5)?, state, private })
}

const STORED: &str = "SELECT passages.id, corpora.name, files.path, files.hash, passages.kind::bigint, passages.span_start, \
    passages.span_end, passages.first_line, passages.last_line, passages.context, passages.text \
    FROM wellread.index_passages AS passages \
    JOIN wellread.index_files AS files ON files.space = $1 AND files.id = passages.file \
    JOIN wellread.index_corpora AS corpora ON corpora.space = $1 AND corpora.id = files.corpus \
    WHERE passages.space = $1 AND passages.id = ANY($2)";

pub fn load_passages(session: &Session, ids: &[PassageId]) -> Result<Vec<StoredPassage>, PgFailure> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let mut found: HashMap<PassageId, StoredPassage> = HashMap::new();
    for row in session.query(STORED, values![ids.to_vec()])? {
        let passage = passage_from_row(&row)?;
        found.insert(passage.id, passage);
    }
    Ok(ids.iter().filter_map(|id| found.remove(id)).collect())
}

fn passage_from_row(row: &Row) -> Result<StoredPassage, PgFailure> {
    let place = |column: usize| row.count(column).map(|number| number as usize);
    // Of a file whose text can't be searched, only links are stored, and it has no hash.
    let hash = row.try_get::<_, Option<Vec<u8>>>(3)?;
    let hash = hash.map_or(Ok([0; 32]), TryInto::try_into).map_err(|_| damaged_error("a hash"))?;
    Ok(StoredPassage {
        id: row.number(0)?,
        corpus: parse_stored_name(&row.text(1)?),
        path: VaultPath::from_index(row.text(2)?),
        hash: Hash::from_bytes(hash),
        kind: parse_kind(row.number(4)?),
        span: place(5)?..place(6)?,
        lines: (place(7)?, place(8)?),
        context: split_context(&row.any_text(9)?),
        text: text_hash(row, 10)?,
    })
}

pub fn text_hash(row: &Row, column: usize) -> Result<TextHash, PgFailure> {
    row.bytes(column)?.try_into().map(TextHash).map_err(|_| damaged_error("a passage"))
}

/// The files of a corpus that have a mark of this kind with one of these keys, sorted by path.
pub fn find_marked_files(
    session: &Session,
    corpus: &CorpusName,
    kind: i64,
    keys: &[String],
) -> Result<Vec<VaultPath>, PgFailure> {
    let sql = "SELECT DISTINCT files.path FROM wellread.index_marks AS marks \
               JOIN wellread.index_files AS files ON files.space = $1 AND files.id = marks.file \
               WHERE marks.space = $1 AND marks.kind = $2 AND marks.key = ANY($3) AND files.corpus = \
               (SELECT id FROM wellread.index_corpora WHERE space = $1 AND name = $4) ORDER BY files.path";
    let keys: Vec<Vec<u8>> = keys.iter().map(|one| key(&[one])).collect();
    let rows = session.query(sql, values![kind, keys, stored_name(corpus)])?;
    rows.iter().map(|row| row.text(0).map(VaultPath::from_index)).collect()
}

pub fn count_files(session: &Session, most: usize) -> Result<Vec<(CorpusName, usize)>, PgFailure> {
    let sql = "SELECT name, (SELECT count(*) FROM (SELECT 1 FROM wellread.index_files WHERE space = $1 \
               AND corpus = corpora.id LIMIT $2) AS counted) \
               FROM wellread.index_corpora AS corpora WHERE space = $1 ORDER BY id";
    let rows = session.query(sql, values![row_limit(most)])?;
    rows.iter().map(|row| Ok((parse_stored_name(&row.text(0)?), row.count(1)? as usize))).collect()
}

/// How much is stored. The size is that of the tables, with whatever other spaces have in them.
pub fn coverage(session: &Session) -> Result<IndexCoverage, PgFailure> {
    let sql = "SELECT corpora.name, count(files.id), count(*) FILTER (WHERE files.state = 0), \
               count(*) FILTER (WHERE files.state = 2), coalesce(sum(files.passages), 0)::bigint \
               FROM wellread.index_corpora AS corpora LEFT JOIN wellread.index_files AS files \
               ON files.space = $1 AND files.corpus = corpora.id WHERE corpora.space = $1 \
               GROUP BY corpora.id, corpora.name ORDER BY corpora.id";
    let mut coverage = IndexCoverage::default();
    for row in session.query(sql, vec![])? {
        let count = |column: usize| row.count(column).map(|count| count as usize);
        coverage.passages += count(4)?;
        coverage.corpora.push(CorpusCoverage {
            corpus: parse_stored_name(&row.text(0)?),
            files: count(1)?,
            indexed: count(2)?,
            skipped: count(3)?,
        });
    }
    let sql = "SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class \
               WHERE relnamespace = 'wellread'::regnamespace AND relkind = 'r' AND starts_with(relname, 'index_')";
    coverage.bytes = session.find(sql, vec![])?.map_or(Ok(0), |row| row.count(0))?;
    Ok(coverage)
}
