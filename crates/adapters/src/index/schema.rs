//! The tables. A new [`VERSION`] makes every older index be rebuilt.

use rusqlite::Connection;
use wellread_core::ports::WORD_WEIGHTS;

use crate::index_format::{FILE_SKIPPED, VERSION};

/// "Well", the application id in SQLite's header.
pub const APPLICATION: i32 = 0x5765_6c6c;
/// The table of the words of private files, apart from the others: how often a word occurs there must not change the score
/// of a public passage. Only the vault has private files.
pub const PRIVATE_WORDS: &str = "private_words";

/// The fields of a table of words, in the order of [`WORD_WEIGHTS`].
pub const WORD_FIELDS: [&str; WORD_WEIGHTS.len()] = ["title", "heading", "folders", "body", "parts"];

/// The table of the names in private files.
pub const PRIVATE_NAMES: &str = "private_names";

/// The table of the words of a corpus's public files.
pub fn word_table(corpus: i64) -> String {
    format!("words_{corpus}")
}

/// The table of the words of titles and headings in a corpus's public files, by file: the names that a mistyped word may mean.
pub fn name_table(corpus: i64) -> String {
    format!("names_{corpus}")
}

const TABLES: &str = "
CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE corpora (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, next_passage INTEGER NOT NULL DEFAULT 0,
    listed INTEGER NOT NULL DEFAULT 0);
CREATE TABLE files (
    id INTEGER PRIMARY KEY,
    corpus INTEGER NOT NULL,
    path TEXT NOT NULL,
    state INTEGER NOT NULL,
    reason TEXT,
    hash BLOB,
    size INTEGER NOT NULL,
    modified INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    number INTEGER NOT NULL,
    settled INTEGER NOT NULL,
    language TEXT,
    private INTEGER NOT NULL DEFAULT 0,
    first_passage INTEGER NOT NULL DEFAULT 0,
    passages INTEGER NOT NULL DEFAULT 0,
    UNIQUE (corpus, path)
);
CREATE TABLE passages (
    id INTEGER PRIMARY KEY,
    file INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    start INTEGER NOT NULL,
    end INTEGER NOT NULL,
    first_line INTEGER NOT NULL,
    last_line INTEGER NOT NULL,
    context TEXT NOT NULL,
    text BLOB NOT NULL
);
CREATE INDEX passages_text ON passages (text);
-- What a file is looked up by, besides its words: where its links lead, its tags, its fields (folded, and as they
-- are), the names that its code uses, what a link that means it has in common with it, and what a query that names it has.
CREATE TABLE marks (kind INTEGER, name TEXT, value TEXT, file INTEGER, PRIMARY KEY (kind, name, value, file)) WITHOUT ROWID;
CREATE INDEX marks_file ON marks (file);
-- Definitions, by which a file of code is looked up; what it defines and uses as a whole is its structure.
CREATE TABLE symbols (file INTEGER, at INTEGER, name TEXT, qualified TEXT, kind TEXT, first_line INTEGER,
    last_line INTEGER, PRIMARY KEY (file, at)) WITHOUT ROWID;
CREATE INDEX symbols_name ON symbols (name);
CREATE TABLE structures (file INTEGER PRIMARY KEY, structure BLOB NOT NULL);
-- The passages of frequent words, up to the corpus's `listed`, and which of these passages are gone.
CREATE TABLE frequent_words (corpus INTEGER, word TEXT, list BLOB NOT NULL, PRIMARY KEY (corpus, word));
CREATE TABLE retired (passage INTEGER PRIMARY KEY);
CREATE TABLE models (id INTEGER PRIMARY KEY, name TEXT NOT NULL, hash TEXT NOT NULL, dimension INTEGER NOT NULL,
    UNIQUE (name, hash, dimension));
CREATE TABLE vectors (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    model INTEGER NOT NULL,
    text BLOB NOT NULL,
    scale REAL NOT NULL,
    vector BLOB NOT NULL,
    sum INTEGER NOT NULL,
    UNIQUE (model, text)
);
";

pub fn create(connection: &Connection, vault: &str) -> rusqlite::Result<()> {
    connection.execute_batch(TABLES)?;
    // Nearly every question about links asks which files were skipped, and hardly any is.
    let skipped = format!("CREATE INDEX files_skipped ON files (corpus) WHERE state = {FILE_SKIPPED}");
    connection.execute_batch(&skipped)?;
    create_word_table(connection, PRIVATE_WORDS)?;
    create_name_table(connection, PRIVATE_NAMES)?;
    // Counters start at the current time, so that no number of an older file is reused.
    let now = "CAST(unixepoch('subsec') * 1000000 AS INTEGER)";
    connection.execute(
        &format!(
            "INSERT INTO meta VALUES ('vault', ?1), ('version', {now}), ('epoch', {now}), ('complete', 0), ('rules', 0)"
        ),
        [vault],
    )?;
    connection.pragma_update(None, "application_id", APPLICATION)?;
    connection.pragma_update(None, "user_version", VERSION)
}

const TOKENIZER: &str = "\"ascii tokenchars '._-'\"";

/// Creates a table of names.
pub fn create_name_table(connection: &Connection, table: &str) -> rusqlite::Result<()> {
    connection.execute_batch(&format!(
        "CREATE VIRTUAL TABLE {table} USING fts5 (names, content = '', contentless_delete = 1, detail = none, \
         tokenize = {TOKENIZER});"
    ))
}

/// The view of a table's words, which FTS5 computes.
pub fn open_vocabulary(connection: &Connection, table: &str, kind: &str) -> rusqlite::Result<String> {
    let name = format!("{table}_by_{kind}");
    let sql = format!(
        "CREATE VIRTUAL TABLE IF NOT EXISTS temp.{name} USING fts5vocab('main', '{table}', '{kind}')"
    );
    connection.prepare_cached(&sql)?.execute([])?;
    Ok(name)
}

/// Creates a table of words.
pub fn create_word_table(connection: &Connection, table: &str) -> rusqlite::Result<()> {
    let weights = WORD_WEIGHTS.map(|weight| format!("{weight:.1}")).join(", ");
    connection.execute_batch(&format!(
        "CREATE VIRTUAL TABLE {table} USING fts5 ({}, content = '', contentless_delete = 1, tokenize = {TOKENIZER}); \
         INSERT INTO {table} ({table}, rank) VALUES ('rank', 'bm25({weights})');",
        WORD_FIELDS.join(", ")
    ))?;
    // A larger buffer for new words, so that fewer segments have to be merged later.
    connection
        .execute(&format!("INSERT INTO {table} ({table}, rank) VALUES ('hashsize', 33554432)"), [])
        .map(drop)
}
