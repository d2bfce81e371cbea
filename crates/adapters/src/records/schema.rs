//! The tables. Triggers in the file itself protect rows that must never change.

use rusqlite::{Connection, TransactionBehavior};

/// "Welr", the application id in SQLite's header.
pub const APPLICATION: i32 = 0x5765_6c72;
/// The version of the tables. A file with a higher one is from a newer Wellread.
pub const VERSION: i32 = STEPS.len() as i32;

/// The first version. Each statement is exactly as SQLite stores it, so that it can be compared.
const FIRST: [&str; 10] = [
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

/// Added by the second version.
const SECOND: [&str; 18] = [
    "CREATE TABLE agendas (id TEXT PRIMARY KEY, status TEXT NOT NULL, state TEXT NOT NULL, sum BLOB NOT NULL) WITHOUT ROWID",
    "CREATE INDEX agendas_by_status ON agendas (status, id)",
    // `word` is the kind of request: one key may be used to propose and to approve.
    "CREATE TABLE keys (word TEXT NOT NULL, key TEXT NOT NULL, agenda TEXT NOT NULL, PRIMARY KEY (word, key, agenda)) WITHOUT ROWID",
    // `place` is the order of approval, `number` that of the lease.
    "CREATE TABLE jobs (task TEXT PRIMARY KEY, agenda TEXT NOT NULL, place INTEGER NOT NULL, state TEXT NOT NULL, \
     not_before INTEGER NOT NULL, worker TEXT, until INTEGER, number INTEGER NOT NULL, tries INTEGER NOT NULL, \
     crashes INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE UNIQUE INDEX jobs_in_order ON jobs (place)",
    "CREATE INDEX jobs_of_agenda ON jobs (agenda)",
    "CREATE INDEX jobs_set_aside ON jobs (state) WHERE state = 'set_aside'",
    // The last numbers given out: a removed job's numbers must not be reused.
    "CREATE TABLE numbers (name TEXT PRIMARY KEY, last INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE TABLE findings (id TEXT PRIMARY KEY, agenda TEXT NOT NULL, url TEXT NOT NULL, status TEXT NOT NULL, \
     accepting INTEGER NOT NULL, created INTEGER NOT NULL, state TEXT NOT NULL, sum BLOB NOT NULL)",
    // A page becomes a finding once, whichever agenda finds it.
    "CREATE UNIQUE INDEX findings_by_url ON findings (url)",
    "CREATE INDEX findings_of_agenda ON findings (agenda)",
    "CREATE INDEX findings_by_status ON findings (status, created, id)",
    "CREATE INDEX findings_in_order ON findings (created, id)",
    "CREATE INDEX findings_accepting ON findings (accepting) WHERE accepting = 1",
    "CREATE TABLE embeddings (finding TEXT PRIMARY KEY, model TEXT NOT NULL, vector BLOB NOT NULL, sum BLOB NOT NULL)",
    "CREATE INDEX embeddings_by_model ON embeddings (model)",
    "CREATE TABLE suppressed (topic TEXT PRIMARY KEY, at INTEGER NOT NULL, finding TEXT, sum BLOB NOT NULL) WITHOUT ROWID",
    "CREATE TABLE happenings (number INTEGER PRIMARY KEY, event TEXT NOT NULL, sum BLOB NOT NULL)",
];

/// Added by the third version.
const THIRD: [&str; 1] = [
    // `request` is the hash of the request with that key; `answer` is null until it is done.
    "CREATE TABLE answers (key TEXT PRIMARY KEY, request BLOB NOT NULL, answer TEXT, sum BLOB NOT NULL) WITHOUT ROWID",
];

/// Added by the fourth version.
const FOURTH: [&str; 1] =
    ["CREATE TABLE sketches (finding TEXT PRIMARY KEY, sketch BLOB NOT NULL, sum BLOB NOT NULL)"];

/// Added by the fifth version: an event can be deleted, but only with its whole run, which is on record.
const FIFTH: [&str; 2] = [
    "CREATE TABLE forgotten (run TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE TRIGGER events_stay_unless_forgotten BEFORE DELETE ON events \
     WHEN NOT EXISTS (SELECT 1 FROM forgotten WHERE run = OLD.run) \
     BEGIN SELECT RAISE(ABORT, 'an event is never deleted'); END",
];
/// The trigger that the fifth version replaces.
const EVENTS_STAY: &str = FIRST[4];

/// Added by the sixth version: accounts, and the log of what their users did, which only grows.
const SIXTH: [&str; 4] = [
    "CREATE TABLE accounts (name TEXT PRIMARY KEY, state TEXT NOT NULL, sum BLOB NOT NULL) WITHOUT ROWID",
    "CREATE TABLE audit (number INTEGER PRIMARY KEY, at INTEGER NOT NULL, entry TEXT NOT NULL, hash BLOB NOT NULL)",
    "CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit \
     BEGIN SELECT RAISE(ABORT, 'the log of decisions is never changed'); END",
    "CREATE TRIGGER audit_stays BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'the log of decisions only grows'); END",
];
/// The tables whose rows belong to somebody since the sixth version, as they were made, and the column that says to whom: what was
/// there before belongs to whoever has the machine.
const OWNED: [(&str, &str); 3] = [("runs", FIRST[0]), ("sessions", FIRST[8]), ("answers", THIRD[0])];
const OWNER: &str = "owner TEXT NOT NULL DEFAULT '@'";

/// What each version adds to the one before.
const STEPS: [&[&str]; 6] = [&FIRST, &SECOND, &THIRD, &FOURTH, &FIFTH, &SIXTH];
/// The version from which events may be forgotten.
const FORGETTING: i32 = 5;
/// The version from which runs, conversations and answers belong to somebody.
const OWNING: i32 = 6;

/// The statements that lead from this version to the latest.
fn statements_after(version: i32) -> impl Iterator<Item = String> {
    let steps = STEPS.iter().skip(usize::try_from(version).unwrap_or(0));
    let dropped = (version < FORGETTING).then(|| "DROP TRIGGER events_stay".to_owned());
    let owned = OWNED.iter().filter(move |_| version < OWNING);
    let owned = owned.map(|(table, _)| format!("ALTER TABLE {table} ADD COLUMN {OWNER}"));
    steps.flat_map(|step| step.iter().map(|statement| (*statement).to_owned())).chain(dropped).chain(owned)
}

/// A statement as the file has it after its table got the column.
fn with_owner(statement: &str) -> String {
    match statement.rsplit_once(')') {
        Some((columns, rest)) => format!("{columns}, {OWNER}){rest}"),
        None => statement.to_owned(),
    }
}

pub fn create(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(&statements_after(0).collect::<Vec<_>>().join(";\n"))?;
    connection.pragma_update(None, "application_id", APPLICATION)?;
    connection.pragma_update(None, "user_version", VERSION)
}

/// Upgrades an intact file of an earlier version, all or nothing.
pub fn upgrade(mut connection: Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Exclusive)?;
    let (_, version) = read_stamp(&transaction)?;
    transaction.execute_batch(&statements_after(version).collect::<Vec<_>>().join(";\n"))?;
    transaction.pragma_update(None, "user_version", VERSION)?;
    transaction.commit()
}

/// The application id and the version of a file.
pub fn read_stamp(connection: &Connection) -> rusqlite::Result<(i32, i32)> {
    let number = |pragma: &str| connection.pragma_query_value(None, pragma, |row| row.get(0));
    Ok((number("application_id")?, number("user_version")?))
}

/// Whether tables, indexes and triggers are exactly those of this version.
pub fn is_whole(connection: &Connection, version: i32) -> rusqlite::Result<bool> {
    let steps = usize::try_from(version).ok().and_then(|version| STEPS.get(..version));
    let Some(steps) = steps.filter(|steps| !steps.is_empty()) else { return Ok(false) };
    let is_owned = |statement: &str| version >= OWNING && OWNED.iter().any(|(_, made)| *made == statement);
    let mut wanted: Vec<String> = steps
        .concat()
        .into_iter()
        .filter(|statement| version < FORGETTING || *statement != EVENTS_STAY)
        .map(|statement| if is_owned(statement) { with_owner(statement) } else { statement.to_owned() })
        .collect();
    let mut statement = connection.prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")?;
    let mut found: Vec<String> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    found.sort_unstable();
    wanted.sort_unstable();
    Ok(found == wanted)
}

/// Configures a connection: an acknowledged record survives a power cut, and deleted data is overwritten.
pub fn configure_connection(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "secure_delete", "ON")?;
    connection.pragma_update(None, "cell_size_check", "ON")
}
