//! Records that an earlier version wrote: all that is in them is kept, and what is new has a place in the same file.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Stdio;

use rusqlite::Connection;
use serde_json::json;
use tempfile::TempDir;
use wellread_adapters::records::RecordStore;
use wellread_core::ErrorKind;
use wellread_core::domain::corpus::Hash;
use wellread_core::domain::id::RunId;
use wellread_core::ports::RecordUpkeep as _;
use wellread_core::ports::agenda::IdempotentRequest;
use wellread_core::ports::event::RunKind;
use wellread_core::ports::{
    Accounts as _, AgendaFilter, Agendas, IdempotencyStore, RunLogs, Sessions, Snapshots, StoredSession,
};
use wellread_testkit::agenda_fixtures::agenda;
use wellread_testkit::contract::accounts::{entry, invite};
use wellread_testkit::contract::views::user;
use wellread_testkit::run_fixtures::{event_time, events, record_run, stamp_events};

use crate::children::child_process;
use crate::ground::is_long;
use crate::shelf::Random;

/// Of the tables, as they are now.
const LATEST: i32 = 6;
const RUN: &str = "00000000000000";
const PAGE: &str = "Wax melts at 62 degrees.";

/// As version 1 made its file.
const FIRST: &str = "
CREATE TABLE runs (id TEXT PRIMARY KEY, header TEXT NOT NULL, head BLOB NOT NULL, sum BLOB NOT NULL) WITHOUT ROWID;
CREATE TRIGGER runs_stay BEFORE DELETE ON runs BEGIN SELECT RAISE(ABORT, 'a run is never deleted'); END;
CREATE TABLE events (run TEXT NOT NULL, number INTEGER NOT NULL, at INTEGER NOT NULL, event TEXT NOT NULL, hash BLOB NOT NULL, UNIQUE (run, number));
CREATE TRIGGER events_are_not_changed BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'an event is never changed'); END;
CREATE TRIGGER events_stay BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'an event is never deleted'); END;
CREATE TRIGGER events_come_in_order BEFORE INSERT ON events WHEN NEW.number IS NOT (SELECT count(*) FROM events WHERE run = NEW.run AND number = NEW.number - 1) * NEW.number BEGIN SELECT RAISE(ABORT, 'an event is added after the last one'); END;
CREATE TABLE snapshots (hash BLOB NOT NULL UNIQUE, length INTEGER NOT NULL, packed BLOB NOT NULL);
CREATE TRIGGER snapshots_are_not_changed BEFORE UPDATE ON snapshots BEGIN SELECT RAISE(ABORT, 'a snapshot is never changed'); END;
CREATE TABLE sessions (id TEXT PRIMARY KEY, active_file TEXT, last INTEGER NOT NULL, state TEXT NOT NULL, sum BLOB NOT NULL) WITHOUT ROWID;
CREATE INDEX sessions_of_file ON sessions (active_file, last);
PRAGMA application_id = 0x57656c72;
PRAGMA user_version = 1;
";

fn run() -> RunId {
    RunId::parse(RUN).unwrap()
}

fn session() -> StoredSession {
    StoredSession {
        id: "s".to_owned(),
        active_file: Some("Bees.md".to_owned()),
        last: event_time(3),
        state: json!({ "said": "much" }),
    }
}

/// A file of version 1 with a run, a page and a conversation. Their rows have not changed since.
fn old() -> TempDir {
    let (now, folder) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let records = RecordStore::new(now.path());
    record_run(&records, &run(), RunKind::Ask, "Honey", &events(&run(), RunKind::Ask, "Honey"));
    records.keep(PAGE).unwrap();
    records.keep_session(&session()).unwrap();
    drop(records);
    let connection = Connection::open(folder.path().join("records.db")).unwrap();
    connection.pragma_update(None, "journal_mode", "WAL").unwrap();
    connection.execute_batch(FIRST).unwrap();
    connection.execute("ATTACH ?1 AS now", [now.path().join("records.db").to_str().unwrap()]).unwrap();
    for (table, columns, order) in [
        ("runs", "id, header, head, sum", "id"),
        ("events", "*", "run, number"),
        ("snapshots", "*", "hash"),
        ("sessions", "id, active_file, last, state, sum", "id"),
    ] {
        let sql = format!("INSERT INTO main.{table} SELECT {columns} FROM now.{table} ORDER BY {order}");
        assert!(connection.execute(&sql, []).unwrap() > 0, "{table}");
    }
    folder
}

fn version(folder: &Path) -> i32 {
    let connection = Connection::open(folder.join("records.db")).unwrap();
    connection.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap()
}

/// All that was in the old file.
fn holds_everything(records: &RecordStore) {
    assert_eq!(records.events(&run()).unwrap(), stamp_events(events(&run(), RunKind::Ask, "Honey")));
    assert_eq!(records.runs("", 10).unwrap().len(), 1);
    assert_eq!(records.load(Hash::compute(PAGE.as_bytes())).unwrap().as_deref(), Some(PAGE));
    assert_eq!(records.sessions(10).unwrap(), [session()]);
    assert_eq!(records.take_notice(), None);
}

/// What the child process does.
pub fn child(folder: &str) {
    let records = RecordStore::new(Path::new(folder));
    println!("\nat work");
    records.propose(&agenda(1), None).unwrap();
    holds_everything(&records);
}

#[test]
fn what_version_1_wrote_is_kept_and_goes_on_in_the_same_file() {
    let folder = old();
    let path = folder.path().join("records.db");
    let before = fs::metadata(&path).unwrap().ino();
    let records = RecordStore::new(folder.path());
    holds_everything(&records);
    let proposed = records.propose(&agenda(2), Some("k")).unwrap();
    drop(records);
    assert_eq!((fs::metadata(&path).unwrap().ino(), version(folder.path())), (before, LATEST));
    let records = RecordStore::new(folder.path());
    holds_everything(&records);
    assert_eq!(records.agendas(AgendaFilter::Key("k"), 2).unwrap(), [proposed]);
}

#[test]
fn what_version_2_wrote_is_kept_and_what_came_since_has_a_place_beside_it() {
    let folder = old();
    let proposed = RecordStore::new(folder.path()).propose(&agenda(2), Some("k")).unwrap();
    let without = "DROP TABLE accounts; DROP TABLE audit; ALTER TABLE runs DROP COLUMN owner; \
         ALTER TABLE sessions DROP COLUMN owner; DROP TABLE sketches; DROP TABLE answers; DROP TABLE forgotten; \
         DROP TRIGGER events_stay_unless_forgotten; \
         CREATE TRIGGER events_stay BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'an event is never deleted'); END; \
         PRAGMA user_version = 2";
    Connection::open(folder.path().join("records.db")).unwrap().execute_batch(without).unwrap();
    let records = RecordStore::new(folder.path());
    assert_eq!(records.agendas(AgendaFilter::Key("k"), 2).unwrap(), [proposed]);
    holds_everything(&records);
    let once = IdempotentRequest::new("k", "accept", &"honey").unwrap();
    assert_eq!(records.record_request(&once).unwrap(), None);
    assert_eq!(records.keep_answer(&once, "yes").unwrap(), "yes");
    drop(records);
    assert_eq!(version(folder.path()), LATEST);
    let records = RecordStore::new(folder.path());
    assert_eq!(
        (records.record_request(&once).unwrap().as_deref(), records.take_notice()),
        (Some("yes"), None)
    );
}

#[test]
fn what_version_5_wrote_belongs_to_whoever_has_the_machine() {
    let folder = old();
    let once = IdempotentRequest::new("k", "accept", &"honey").unwrap();
    RecordStore::new(folder.path()).keep_answer(&once, "yes").unwrap();
    let without = "DROP TABLE accounts; DROP TABLE audit; ALTER TABLE runs DROP COLUMN owner; \
         ALTER TABLE sessions DROP COLUMN owner; ALTER TABLE answers DROP COLUMN owner; PRAGMA user_version = 5";
    Connection::open(folder.path().join("records.db")).unwrap().execute_batch(without).unwrap();
    let records = RecordStore::new(folder.path());
    holds_everything(&records);
    assert_eq!(records.record_request(&once).unwrap().as_deref(), Some("yes"));
    let anna = records.for_viewer(&user("anna"));
    assert!(anna.runs("", 10).unwrap().is_empty() && anna.sessions(10).unwrap().is_empty());
    assert!(anna.events(&run()).is_err() && anna.record_request(&once).is_err());
    invite(&records, "anna", "link").unwrap();
    assert_eq!((version(folder.path()), records.accounts().unwrap().len()), (LATEST, 1));
}

#[test]
fn the_log_of_decisions_only_grows_and_shows_what_was_changed_in_it() {
    let folder = TempDir::new().unwrap();
    let records = RecordStore::new(folder.path());
    for action in ["one", "two", "three"] {
        records.append_audit(&entry(action)).unwrap();
    }
    let connection = Connection::open(folder.path().join("records.db")).unwrap();
    for change in ["DELETE FROM audit", "UPDATE audit SET entry = '{}'"] {
        assert!(connection.execute(change, []).is_err(), "{change}");
    }
    // Whoever has the file can take the triggers out; that does not go unnoticed.
    connection
        .execute_batch(
            "DROP TRIGGER audit_is_not_changed; UPDATE audit SET entry = replace(entry, 'two', 'tow')",
        )
        .unwrap();
    let read = records.for_each_audit(&mut |_, _| {});
    assert!(read.unwrap_err().message().contains("entry 1"));
}

#[test]
fn an_answer_that_is_not_what_was_written_is_not_given() {
    for tampering in ["SET answer = 'no'", "SET answer = NULL", "SET request = zeroblob(32)"] {
        let folder = TempDir::new().unwrap();
        let records = RecordStore::new(folder.path());
        let once = IdempotentRequest::new("k", "accept", &"honey").unwrap();
        records.keep_answer(&once, "yes").unwrap();
        let connection = Connection::open(folder.path().join("records.db")).unwrap();
        assert_eq!(connection.execute(&format!("UPDATE answers {tampering}"), []).unwrap(), 1);
        assert_eq!(records.record_request(&once).unwrap_err().kind(), ErrorKind::Failed, "{tampering}");
        assert_eq!(records.keep_answer(&once, "no").unwrap_err().kind(), ErrorKind::Failed, "{tampering}");
    }
}

#[test]
fn who_asks_for_what_version_1_had_not_finds_nothing() {
    let folder = old();
    let records = RecordStore::new(folder.path());
    assert_eq!(records.agendas(AgendaFilter::All, 10).unwrap(), []);
    holds_everything(&records);
}

#[test]
fn many_that_open_a_file_of_version_1_at_once_all_find_everything() {
    for _ in 0..5 {
        let folder = old();
        let order = folder.path().display().to_string();
        let child = || child_process("records_versions", &order).stdout(Stdio::null()).spawn().unwrap();
        let children = [child(), child(), child()];
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let records = RecordStore::new(folder.path());
                    records.propose(&agenda(1), None).unwrap();
                    holds_everything(&records);
                });
            }
        });
        for mut child in children {
            assert!(child.wait().unwrap().success());
        }
        assert_eq!(RecordStore::new(folder.path()).agendas(AgendaFilter::All, 100).unwrap().len(), 7);
    }
}

/// How a log of SQLite is laid out: a head, and frames of a head and a page each.
const LOG_HEAD: usize = 32;
const FRAME_HEAD: usize = 24;

/// What is on the disk while version 1 is brought up, before anything of it goes into the file itself: the file, and a log
/// that grows at its end.
fn brought_up() -> (Vec<u8>, Vec<u8>, usize) {
    let folder = old();
    let path = folder.path().join("records.db");
    // As long as somebody reads what was there before, the log stays.
    let beside = Connection::open(&path).unwrap();
    let size: usize = beside.pragma_query_value(None, "page_size", |row| row.get(0)).unwrap();
    beside.execute_batch("BEGIN; SELECT count(*) FROM runs").unwrap();
    let before = fs::read(&path).unwrap();
    holds_everything(&RecordStore::new(folder.path()));
    assert!(fs::read(&path).unwrap() == before, "all that is new is in the log");
    let log = fs::read(folder.path().join("records.db-wal")).unwrap();
    drop(beside);
    (before, log, FRAME_HEAD + size)
}

#[test]
fn ended_at_any_write_while_version_1_is_brought_up_everything_is_there_and_it_goes_on() {
    let (file, log, frame) = brought_up();
    let frames = (log.len() - LOG_HEAD) / frame;
    assert!(frames > 18, "a page for each table at least: {frames}");
    let whole = (0..=frames).map(|frames| LOG_HEAD + frames * frame);
    let halves = (0..frames).map(|frames| LOG_HEAD + frames * frame + frame / 2);
    let (mut as_before, mut brought_up) = (0, 0);
    for end in [0, LOG_HEAD / 2].into_iter().chain(whole).chain(halves) {
        let folder = TempDir::new().unwrap();
        fs::write(folder.path().join("records.db"), &file).unwrap();
        fs::write(folder.path().join("records.db-wal"), &log[..end]).unwrap();
        match version(folder.path()) {
            1 => as_before += 1,
            _ => brought_up += 1,
        }
        let records = RecordStore::new(folder.path());
        holds_everything(&records);
        let proposed = records.propose(&agenda(1), None).unwrap();
        drop(records);
        assert_eq!(version(folder.path()), LATEST, "ended after {end} bytes");
        let again = RecordStore::new(folder.path());
        holds_everything(&again);
        assert_eq!(again.agendas(AgendaFilter::All, 2).unwrap(), [proposed]);
    }
    assert!(as_before > frames && brought_up > 0, "{as_before} {brought_up}");
}

#[test]
fn killed_at_any_moment_while_version_1_is_brought_up_nothing_is_lost() {
    let mut random = Random::seeded(5);
    let mut unfinished = 0;
    for kill in 0..if is_long() { 300 } else { 25 } {
        let folder = old();
        let mut child = child_process("records_versions", &folder.path().display().to_string());
        let mut child = child.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        assert!(lines.any(|line| line == "at work"), "it got to work");
        // Some while, which is another one each time.
        (0..random.below(4_000)).for_each(|_| std::thread::yield_now());
        child.kill().unwrap();
        unfinished += usize::from(child.wait().unwrap().code().is_none());
        let records = RecordStore::new(folder.path());
        holds_everything(&records);
        records.propose(&agenda(1), None).unwrap();
        drop(records);
        assert_eq!(version(folder.path()), LATEST, "killed {kill}");
    }
    assert!(unfinished > 0, "none was killed in the midst of it");
}

#[test]
fn a_file_of_version_1_that_is_not_whole_is_set_aside() {
    for damage in ["DROP TRIGGER events_stay", "CREATE TABLE agendas (x)", "PRAGMA user_version = 0"] {
        let folder = old();
        Connection::open(folder.path().join("records.db")).unwrap().execute_batch(damage).unwrap();
        let records = RecordStore::new(folder.path());
        assert_eq!(records.runs("", 10).unwrap(), [], "{damage}");
        assert!(records.take_notice().unwrap().contains("records.damaged-"), "{damage}");
        records.propose(&agenda(1), None).unwrap();
    }
}
