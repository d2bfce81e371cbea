//! The new rows of a change: collected, and written with few statements.

use wellread_core::ports::{FileStamp, FileState, IndexedFile};
use wellread_text::link_key;

use super::filter::{clean, key, tag_and_above};
use super::matching::shelf;
use super::word_list::FileWords;
use super::write::ChangeOrigin;
use crate::index_format::structures::pack_structure;
use crate::index_format::{
    CORPUS_SHIFT, FILE_INDEXED, FILE_NAMED, FILE_SKIPPED, MARK_FIELD, MARK_LINK, MARK_NAME, MARK_TAG,
    MARK_TITLE, MARK_USE, SEPARATOR, kind_number, nanoseconds,
};
use crate::postgres::failure::PgFailure;
use crate::postgres::session::Session;
use crate::postgres::value::SqlValue;

/// How many rows a statement has at most.
const ROWS_AT_ONCE: usize = 20_000;

/// A file's row.
pub struct NewFile<'a> {
    pub id: i64,
    pub path: &'a str,
    pub stamp: FileStamp,
    pub state: &'a FileState,
    pub language: Option<&'static str>,
    pub is_private: bool,
    /// The number of its first passage in its corpus.
    pub first: i64,
    pub passages: i64,
}

/// A value of a new row.
enum NewCell {
    Number(i64),
    Text(String),
    Bytes(Vec<u8>),
    NoText,
    NoBytes,
}

/// Rows of one table, column by column.
struct TableRows {
    table: &'static str,
    /// The columns after the space, each with its type.
    columns: &'static [(&'static str, &'static str)],
    rows: Vec<Vec<NewCell>>,
}

impl TableRows {
    const fn new(table: &'static str, columns: &'static [(&'static str, &'static str)]) -> Self {
        Self { table, columns, rows: Vec::new() }
    }

    fn write(self, session: &Session) -> Result<(), PgFailure> {
        let Self { table, columns, mut rows } = self;
        let names = columns.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
        let arrays = (2..).zip(columns).map(|(at, (_, kind))| format!("${at}::{kind}[]"));
        // A note may have the same link, tag or value twice.
        let lenient =
            if ["index_marks", "index_fields"].contains(&table) { "ON CONFLICT DO NOTHING" } else { "" };
        let sql = format!(
            "INSERT INTO wellread.{table} (space, {names}) SELECT $1, row.* FROM unnest({}) AS row ({names}) {lenient}",
            arrays.collect::<Vec<_>>().join(", ")
        );
        while !rows.is_empty() {
            let part: Vec<Vec<NewCell>> = rows.drain(..rows.len().min(ROWS_AT_ONCE)).collect();
            session.execute(&sql, into_arrays(columns, part))?;
        }
        Ok(())
    }
}

fn into_arrays(columns: &[(&str, &str)], rows: Vec<Vec<NewCell>>) -> Vec<SqlValue> {
    let empty = |(_, kind): &(&str, &str)| match *kind {
        "bigint" => SqlValue::Numbers(Vec::with_capacity(rows.len())),
        "bytea" => SqlValue::ByteStrings(Vec::with_capacity(rows.len())),
        _ => SqlValue::Texts(Vec::with_capacity(rows.len())),
    };
    let mut arrays: Vec<SqlValue> = columns.iter().map(empty).collect();
    for (array, cell) in rows.into_iter().flat_map(|row| (0..).zip(row)) {
        match (arrays.get_mut(array), cell) {
            (Some(SqlValue::Numbers(all)), NewCell::Number(number)) => all.push(number),
            (Some(SqlValue::Texts(all)), NewCell::Text(text)) => all.push(Some(text)),
            (Some(SqlValue::Texts(all)), _) => all.push(None),
            (Some(SqlValue::ByteStrings(all)), NewCell::Bytes(bytes)) => all.push(Some(bytes)),
            (Some(SqlValue::ByteStrings(all)), _) => all.push(None),
            _ => {}
        }
    }
    arrays
}

const FILE_COLUMNS: &[(&str, &str)] = &[
    ("id", "bigint"),
    ("path", "text"),
    ("path_key", "bytea"),
    ("state", "bigint"),
    ("reason", "bytea"),
    ("hash", "bytea"),
    ("size", "bigint"),
    ("modified", "bigint"),
    ("changed", "bigint"),
    ("number", "bigint"),
    ("settled", "bigint"),
    ("language", "text"),
    ("private", "bigint"),
    ("first_passage", "bigint"),
    ("passages", "bigint"),
    ("words", "bigint"),
    ("corpus", "bigint"),
    ("place", "text"),
    ("put", "bigint"),
];
const PASSAGE_COLUMNS: &[(&str, &str)] = &[
    ("id", "bigint"),
    ("file", "bigint"),
    ("kind", "bigint"),
    ("span_start", "bigint"),
    ("span_end", "bigint"),
    ("first_line", "bigint"),
    ("last_line", "bigint"),
    ("context", "bytea"),
    ("text", "bytea"),
];
const WORD_COLUMNS: &[(&str, &str)] =
    &[("shelf", "bigint"), ("term", "text"), ("file", "bigint"), ("named", "bigint"), ("list", "bytea")];
const MARK_COLUMNS: &[(&str, &str)] = &[("kind", "bigint"), ("key", "bytea"), ("file", "bigint")];
const FIELD_COLUMNS: &[(&str, &str)] =
    &[("name_key", "bytea"), ("value_key", "bytea"), ("file", "bigint"), ("value", "bytea")];
const SYMBOL_COLUMNS: &[(&str, &str)] = &[
    ("file", "bigint"),
    ("at", "bigint"),
    ("name", "text"),
    ("name_key", "bytea"),
    ("qualified", "text"),
    ("kind", "text"),
    ("first_line", "bigint"),
    ("last_line", "bigint"),
];
const STRUCTURE_COLUMNS: &[(&str, &str)] = &[("file", "bigint"), ("structure", "bytea")];

/// The new rows of one corpus.
pub struct NewRows {
    corpus: i64,
    files: TableRows,
    passages: TableRows,
    words: TableRows,
    marks: TableRows,
    fields: TableRows,
    symbols: TableRows,
    structures: TableRows,
    /// The passages and words of public files, and of private ones.
    counts: [(i64, i64); 2],
}

impl NewRows {
    pub fn new(corpus: i64) -> Self {
        Self {
            corpus,
            files: TableRows::new("index_files", FILE_COLUMNS),
            passages: TableRows::new("index_passages", PASSAGE_COLUMNS),
            words: TableRows::new("index_words", WORD_COLUMNS),
            marks: TableRows::new("index_marks", MARK_COLUMNS),
            fields: TableRows::new("index_fields", FIELD_COLUMNS),
            symbols: TableRows::new("index_symbols", SYMBOL_COLUMNS),
            structures: TableRows::new("index_structures", STRUCTURE_COLUMNS),
            counts: [(0, 0); 2],
        }
    }

    /// A file of which nothing but its name is stored.
    pub fn add_file(&mut self, row: &NewFile<'_>) {
        self.add_file_row(row, 0);
    }

    pub fn add_indexed(&mut self, row: &NewFile<'_>, file: &IndexedFile, words: FileWords) {
        let first = row.first.cast_unsigned();
        let counted = words.count.cast_signed();
        self.add_file_row(row, counted);
        let [public, private] = &mut self.counts;
        let counts = if row.is_private { private } else { public };
        *counts = (counts.0 + row.passages, counts.1 + counted);
        let shelf = shelf(self.corpus, row.is_private);
        self.words.rows.extend(words.lists.into_iter().map(|entry| {
            let list = entry.list(first);
            vec![
                NewCell::Number(shelf),
                NewCell::Text(entry.word),
                NewCell::Number(row.id),
                NewCell::Number(entry.is_name.into()),
                NewCell::Bytes(list),
            ]
        }));
        self.add_passages(row, file);
        self.add_marks(row.id, file);
        self.add_structure(row.id, file);
    }

    fn add_file_row(&mut self, row: &NewFile<'_>, words: i64) {
        let (number, reason, hash) = match row.state {
            FileState::Indexed { hash } => {
                (FILE_INDEXED, NewCell::NoBytes, NewCell::Bytes(hash.as_bytes().to_vec()))
            }
            FileState::Named => (FILE_NAMED, NewCell::NoBytes, NewCell::NoBytes),
            FileState::Skipped(reason) => {
                (FILE_SKIPPED, NewCell::Bytes(reason.as_bytes().to_vec()), NewCell::NoBytes)
            }
        };
        self.files.rows.push(vec![
            NewCell::Number(row.id),
            NewCell::Text(clean(row.path)),
            NewCell::Bytes(key(&[row.path])),
            NewCell::Number(number),
            reason,
            hash,
            NewCell::Number(row.stamp.size.cast_signed()),
            NewCell::Number(nanoseconds(row.stamp.modified)),
            NewCell::Number(nanoseconds(row.stamp.changed)),
            NewCell::Number(row.stamp.number.cast_signed()),
            NewCell::Number(row.stamp.settled.into()),
            row.language.map_or(NewCell::NoText, |language| NewCell::Text(clean(language))),
            NewCell::Number(row.is_private.into()),
            NewCell::Number((self.corpus << CORPUS_SHIFT) + row.first),
            NewCell::Number(row.passages),
            NewCell::Number(words),
        ]);
        // Marked even if it was skipped: a link can mean any file.
        self.add_mark(row.id, MARK_NAME, &[&link_key(row.path)]);
    }

    fn add_mark(&mut self, file: i64, kind: i64, of: &[&str]) {
        self.marks.rows.push(vec![NewCell::Number(kind), NewCell::Bytes(key(of)), NewCell::Number(file)]);
    }

    fn add_passages(&mut self, row: &NewFile<'_>, file: &IndexedFile) {
        let first = (self.corpus << CORPUS_SHIFT) + row.first;
        for (id, passage) in (first..).zip(&file.passages) {
            let chunk = &passage.chunk;
            self.passages.rows.push(vec![
                NewCell::Number(id),
                NewCell::Number(row.id),
                NewCell::Number(kind_number(chunk.kind)),
                NewCell::Number(chunk.span.start as i64),
                NewCell::Number(chunk.span.end as i64),
                NewCell::Number(chunk.lines.0 as i64),
                NewCell::Number(chunk.lines.1 as i64),
                NewCell::Bytes(chunk.context.join(SEPARATOR.encode_utf8(&mut [0; 4])).into_bytes()),
                NewCell::Bytes(passage.text.0.to_vec()),
            ]);
        }
    }

    fn add_marks(&mut self, id: i64, file: &IndexedFile) {
        file.links.iter().for_each(|link| self.add_mark(id, MARK_LINK, &[link]));
        file.tags
            .iter()
            .flat_map(|tag| tag_and_above(tag))
            .for_each(|tag| self.add_mark(id, MARK_TAG, &[tag]));
        file.fields.iter().for_each(|(name, value)| self.add_mark(id, MARK_FIELD, &[name, value]));
        file.names.iter().for_each(|name| self.add_mark(id, MARK_TITLE, &[name]));
        for (name, value) in &file.values {
            let value = value.as_ref().map(serde_json::Value::to_string).unwrap_or_default();
            self.fields.rows.push(vec![
                NewCell::Bytes(key(&[name])),
                NewCell::Bytes(key(&[&value])),
                NewCell::Number(id),
                NewCell::Bytes(value.into_bytes()),
            ]);
        }
    }

    fn add_structure(&mut self, id: i64, file: &IndexedFile) {
        let Some(structure) = &file.structure else { return };
        for (at, found) in (0..).zip(&structure.definitions) {
            self.symbols.rows.push(vec![
                NewCell::Number(id),
                NewCell::Number(at),
                NewCell::Text(clean(&found.name)),
                NewCell::Bytes(key(&[&found.name])),
                NewCell::Text(clean(&found.qualified)),
                NewCell::Text(found.kind.name().to_owned()),
                NewCell::Number(found.lines.0 as i64),
                NewCell::Number(found.lines.1 as i64),
            ]);
        }
        structure.names().iter().for_each(|name| self.add_mark(id, MARK_USE, &[name]));
        self.structures.rows.push(vec![NewCell::Number(id), NewCell::Bytes(pack_structure(structure))]);
    }

    pub fn write(mut self, session: &Session, origin: &ChangeOrigin<'_>) -> Result<(), PgFailure> {
        for row in &mut self.files.rows {
            row.push(NewCell::Number(self.corpus));
            row.push(NewCell::Text(origin.place.to_owned()));
            row.push(NewCell::Number(origin.version));
        }
        // In the order of the index, so that neighbors are written together.
        self.words.rows.sort_by(|one, other| match (one.get(1), other.get(1)) {
            (Some(NewCell::Text(one)), Some(NewCell::Text(other))) => one.cmp(other),
            _ => std::cmp::Ordering::Equal,
        });
        let [(public, public_words), (private, private_words)] = self.counts;
        let sql = "UPDATE wellread.index_corpora SET public_passages = public_passages + $3, public_words = public_words + $4, \
                   private_passages = private_passages + $5, private_words = private_words + $6 WHERE space = $1 AND id = $2";
        let counts = [self.corpus, public, public_words, private, private_words];
        session.execute(sql, counts.map(SqlValue::from).to_vec())?;
        let tables =
            [self.files, self.passages, self.words, self.marks, self.fields, self.symbols, self.structures];
        tables.into_iter().try_for_each(|table| table.write(session))
    }
}
