//! A hash of the whole content: indexes of the same files have the same one, in whatever order they were built.
//!
//! It covers neither dates nor row ids.

use std::collections::BTreeMap;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};
use wellread_core::domain::corpus::Hasher;

use super::schema::{PRIVATE_NAMES, PRIVATE_WORDS, name_table, open_vocabulary, word_table};

/// The rows of every table, each with its file.
const PARTS: [&str; 5] = [
    "SELECT corpora.name || ':' || files.path, files.state, files.reason, files.hash, files.language, files.private, files.passages \
     FROM files JOIN corpora ON corpora.id = files.corpus",
    "SELECT corpora.name || ':' || files.path, passages.id - files.first_passage, passages.kind, passages.start, \
     passages.end, passages.first_line, passages.last_line, passages.context, passages.text \
     FROM passages JOIN files ON files.id = passages.file JOIN corpora ON corpora.id = files.corpus",
    "SELECT corpora.name || ':' || files.path, marks.kind, marks.name, marks.value \
     FROM marks JOIN files ON files.id = marks.file JOIN corpora ON corpora.id = files.corpus",
    "SELECT corpora.name || ':' || files.path, structures.structure \
     FROM structures JOIN files ON files.id = structures.file JOIN corpora ON corpora.id = files.corpus",
    "SELECT corpora.name || ':' || files.path, symbols.at, symbols.name, symbols.qualified, symbols.kind, symbols.first_line, \
     symbols.last_line FROM symbols JOIN files ON files.id = symbols.file JOIN corpora ON corpora.id = files.corpus",
];

const WORDS: &str = "SELECT corpora.name || ':' || files.path, passages.id - files.first_passage, term, col, offset \
                     FROM temp.instances JOIN passages ON passages.id = instances.doc \
                     JOIN files ON files.id = passages.file JOIN corpora ON corpora.id = files.corpus";

const NAMES: &str = "SELECT corpora.name || ':' || files.path, term FROM temp.instances \
                     JOIN files ON files.id = instances.doc JOIN corpora ON corpora.id = files.corpus";

pub fn digest(connection: &Connection) -> rusqlite::Result<String> {
    let corpora = connection
        .prepare("SELECT id FROM corpora")?
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<Vec<i64>>>()?;
    // The tables of words count as one, and those of names: their numbers depend on the order in which corpora were added.
    let words = corpora.iter().map(|id| word_table(*id)).chain([PRIVATE_WORDS.to_owned()]);
    let names = corpora.iter().map(|id| name_table(*id)).chain([PRIVATE_NAMES.to_owned()]);
    let words = words.map(|table| (PARTS.len(), WORDS, table));
    let names = names.map(|table| (PARTS.len() + 1, NAMES, table));
    let mut parts: Vec<(usize, String)> =
        PARTS.into_iter().enumerate().map(|(number, sql)| (number, sql.to_owned())).collect();
    for (number, sql, table) in words.chain(names) {
        parts.push((number, sql.replace("instances", &open_vocabulary(connection, &table, "instance")?)));
    }
    let mut files: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (number, sql) in parts {
        let mut statement = connection.prepare(&sql)?;
        let columns = statement.column_count();
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            files.entry(row.get(0)?).or_default().push(line(number, row, columns)?);
        }
    }
    let mut hasher = Hasher::default();
    for (path, mut lines) in files {
        lines.sort();
        hasher.add(format!("{path}\n{}\n", lines.join("\n")).as_bytes());
    }
    Ok(hasher.finish().to_string())
}

fn line(table: usize, row: &Row<'_>, columns: usize) -> rusqlite::Result<String> {
    let mut line = table.to_string();
    for column in 1..columns {
        line.push('\u{1f}');
        match row.get_ref(column)? {
            ValueRef::Null => {}
            ValueRef::Integer(value) => line += &value.to_string(),
            ValueRef::Real(value) => line += &value.to_string(),
            ValueRef::Text(text) => line += &String::from_utf8_lossy(text),
            ValueRef::Blob(bytes) => bytes.iter().for_each(|byte| line += &format!("{byte:02x}")),
        }
    }
    Ok(line)
}
