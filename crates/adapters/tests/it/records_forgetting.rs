//! Runs that are forgotten: no byte of their text stays in the file, that they happened does, and the others are whole.

use std::fs;
use std::path::Path;

use serde_json::json;
use tempfile::TempDir;
use wellread_adapters::records::RecordStore;
use wellread_core::ErrorKind;
use wellread_core::domain::corpus::Hash;
use wellread_core::domain::id::RunId;
use wellread_core::ports::agenda::IdempotentRequest;
use wellread_core::ports::event::{RunEvent, RunKind, RunOutcome};
use wellread_core::ports::{
    IdempotencyStore as _, RecordUpkeep as _, RunLogs, Sessions, Snapshots, StoredSession,
};
use wellread_testkit::run_fixtures::{
    began_event, ended_event, event_time, model_event, note_evidence, page_evidence, record_run,
};

const SECRET: &str = "the combination is quillwort";
const PAGE: &str = "A page that only one run has read.";
const SHARED: &str = "A page that two runs have read.";

fn id(number: u32) -> RunId {
    RunId::parse(&format!("0000000000000{number}")).unwrap()
}

/// A run that has read a note and a page.
fn record(records: &RecordStore, number: u32, note: &str, pages: &[&str]) {
    let run = id(number);
    let mut events = vec![
        began_event(RunKind::Ask, note),
        RunEvent::Evidence(Box::new(note_evidence(&run, 1, "Diary.md", note))),
        model_event(note),
    ];
    for (at, page) in pages.iter().enumerate() {
        records.keep(page).unwrap();
        let at = u32::try_from(at).unwrap() + 2;
        events.push(RunEvent::Evidence(Box::new(page_evidence(&run, at, "https://x.example", page))));
    }
    events.push(ended_event(RunOutcome::Done, note));
    record_run(records, &run, RunKind::Ask, note, &events);
}

fn session(name: &str, run: u32) -> StoredSession {
    let state = json!({ "turns": [{ "run": id(run).to_string(), "said": SECRET }] });
    StoredSession { id: name.to_owned(), active_file: None, last: event_time(3), state }
}

/// Whether any file of the folder has these bytes.
fn is_anywhere(folder: &Path, text: &str) -> bool {
    let files =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
    files
        .into_iter()
        .any(|path| fs::read(path).unwrap().windows(text.len()).any(|window| window == text.as_bytes()))
}

fn is_kept(records: &RecordStore, page: &str) -> bool {
    records.load(Hash::compute(page.as_bytes())).unwrap().is_some()
}

#[test]
fn no_text_of_a_forgotten_run_stays_and_that_it_happened_does() {
    let folder = TempDir::new().unwrap();
    let records = RecordStore::new(folder.path());
    record(&records, 1, SECRET, &[PAGE, SHARED]);
    record(&records, 2, "Honey keeps.", &[SHARED]);
    records.keep_session(&session("one", 1)).unwrap();
    records.keep_session(&session("two", 2)).unwrap();
    let once = IdempotentRequest::new("key", "ask", &"a question").unwrap();
    let answer = json!({ "run": id(1).to_string(), "answer": SECRET }).to_string();
    records.keep_answer(&once, &answer).unwrap();
    let others = records.events(&id(2)).unwrap();
    assert!(is_anywhere(folder.path(), SECRET));

    let forgotten = records.forget_runs(&[id(1)], event_time(9)).unwrap();

    assert_eq!((forgotten.runs, forgotten.sessions, forgotten.snapshots), (1, 1, 1));
    assert!(forgotten.in_progress.is_empty());
    records.forget_session("two").unwrap();
    records.forget_runs(&[], event_time(9)).unwrap();
    assert!(!is_anywhere(folder.path(), SECRET));
    assert!(!is_kept(&records, PAGE) && is_kept(&records, SHARED));
    let headers = records.runs("", 10).unwrap();
    let header = headers.iter().find(|run| run.id == id(1)).unwrap();
    assert_eq!((header.title.as_str(), header.forgotten), ("", Some(event_time(9))));
    assert_eq!((header.kind, header.ended.as_deref()), (RunKind::Ask, Some("done")));
    let error = records.events(&id(1)).unwrap_err();
    assert!(error.kind() == ErrorKind::NotFound && error.message().contains("was forgotten"), "{error}");
    assert_eq!(
        records.append(&id(1), header.events, event_time(9), &RunEvent::Resumed).unwrap_err().kind(),
        ErrorKind::NotFound
    );
    assert_eq!(records.events(&id(2)).unwrap(), others);
    drop(records);
    let again = RecordStore::new(folder.path());
    assert_eq!(again.events(&id(2)).unwrap(), others);
    assert_eq!(again.take_notice(), None);
    assert_eq!(again.forget_runs(&[id(1)], event_time(10)).unwrap().runs, 0);
}

#[test]
fn a_run_in_progress_and_what_it_has_read_are_left_alone() {
    let folder = TempDir::new().unwrap();
    let records = RecordStore::new(folder.path());
    record(&records, 1, SECRET, &[PAGE]);
    let run = id(2);
    record_run(&records, &run, RunKind::Ask, "x", &[began_event(RunKind::Ask, "x")]);
    let working = records.lock_run(&run).unwrap();
    records.keep("read and not logged yet").unwrap();
    let forgotten = records.forget_runs(&[id(1), run.clone()], event_time(9)).unwrap();
    assert_eq!((forgotten.runs, forgotten.snapshots), (1, 0));
    assert_eq!(forgotten.in_progress, [run.to_string()]);
    assert!(records.events(&run).is_ok() && is_kept(&records, "read and not logged yet"));
    drop(working);
    let forgotten = records.forget_runs(&[run], event_time(9)).unwrap();
    assert_eq!((forgotten.runs, forgotten.snapshots), (1, 2));
}

#[test]
fn events_of_other_runs_can_still_not_be_deleted() {
    let folder = TempDir::new().unwrap();
    let records = RecordStore::new(folder.path());
    record(&records, 1, SECRET, &[]);
    record(&records, 2, SECRET, &[]);
    records.forget_runs(&[id(1)], event_time(9)).unwrap();
    let connection = rusqlite::Connection::open(records.path()).unwrap();
    assert!(connection.execute("DELETE FROM events", []).is_err());
    assert!(connection.execute("DELETE FROM runs", []).is_err());
    assert!(records.events(&id(2)).is_ok());
}
