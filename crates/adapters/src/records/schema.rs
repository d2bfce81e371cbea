//! The tables. What must never change is kept from changing by the file itself, whoever opens it.

use rusqlite::Connection;

/// "Welr", as SQLite's header keeps it.
pub const APPLICATION: i32 = 0x5765_6c72;
/// Of the tables. A higher number than this is of a version to come.
pub const VERSION: i32 = 1;

/// Each statement as SQLite keeps it, so that what is there can be compared.
const PARTS: [&str; 10] = [
    // `head` is the hash of the last event; `sum` is over both.
    "CREATE TABLE runs (id TEXT PRIMARY KEY, header TEXT NOT NULL, head BLOB NOT NULL, sum BLOB NOT NULL) WITHOUT ROWID",
    "CREATE TRIGGER runs_stay BEFORE DELETE ON runs BEGIN SELECT RAISE(ABORT, 'a run is never deleted'); END",
    "CREATE TABLE events (run TEXT NOT NULL, number INTEGER NOT NULL, at INTEGER NOT NULL, event TEXT NOT NULL, \
     hash BLOB NOT NULL, UNIQUE (run, number))",
    "CREATE TRIGGER events_are_not_changed BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'an event is never changed'); END",
    "CREATE TRIGGER events_stay BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'an event is never deleted'); END",
    "CREATE TRIGGER events_come_in_order BEFORE INSERT ON events \
     WHEN NEW.number IS NOT (SELECT count(*) FROM events WHERE run = NEW.run AND number = NEW.number - 1) * NEW.number \
     BEGIN SELECT RAISE(ABORT, 'an event is added after the last one'); END",
    "CREATE TABLE snapshots (hash BLOB NOT NULL UNIQUE, length INTEGER NOT NULL, packed BLOB NOT NULL)",
    "CREATE TRIGGER snapshots_are_not_changed BEFORE UPDATE ON snapshots \
     BEGIN SELECT RAISE(ABORT, 'a snapshot is never changed'); END",
    "CREATE TABLE sessions (id TEXT PRIMARY KEY, active_file TEXT, last INTEGER NOT NULL, state TEXT NOT NULL, \
     sum BLOB NOT NULL) WITHOUT ROWID",
    "CREATE INDEX sessions_of_file ON sessions (active_file, last)",
];

pub fn create(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(&PARTS.join(";\n"))?;
    connection.pragma_update(None, "application_id", APPLICATION)?;
    connection.pragma_update(None, "user_version", VERSION)
}

/// Whose file it is, and of which version.
pub fn stamp(connection: &Connection) -> rusqlite::Result<(i32, i32)> {
    let number = |pragma: &str| connection.pragma_query_value(None, pragma, |row| row.get(0));
    Ok((number("application_id")?, number("user_version")?))
}

/// Whether the tables and their rules are these, to the letter.
pub fn is_whole(connection: &Connection) -> rusqlite::Result<bool> {
    let mut statement = connection.prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")?;
    let mut found: Vec<String> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    let mut wanted = PARTS.to_vec();
    found.sort_unstable();
    wanted.sort_unstable();
    Ok(found == wanted)
}

/// What each connection is told: a record that was acknowledged outlives a power cut, and what was forgotten is gone.
pub fn set_up(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "secure_delete", "ON")?;
    connection.pragma_update(None, "cell_size_check", "ON")
}
