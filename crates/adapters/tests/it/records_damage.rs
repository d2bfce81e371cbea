//! Records that are damaged, tampered with, or of another version: nothing wrong is handed out, nothing is thrown away.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::LazyLock;

use rusqlite::Connection;
use serde_json::json;
use tempfile::TempDir;
use wellread_adapters::records::RecordStore;
use wellread_core::domain::corpus::Hash;
use wellread_core::domain::id::{FindingId, RunId};
use wellread_core::ports::RecordUpkeep as _;
use wellread_core::ports::agenda::{Agenda, AgendaEvent, Finding, SuppressedTopic};
use wellread_core::ports::event::{LoggedEvent, RunEvent, RunKind};
use wellread_core::ports::{
    AgendaActor, AgendaChange, AgendaFilter, Agendas, EmbeddingModel, FindingFilter, Findings, NewFinding,
    RunHeader, RunLogs, Sessions, Snapshots, StoredSession, SuppressedTopics,
};
use wellread_core::{ErrorKind, Result};
use wellread_testkit::agenda_fixtures::{agenda, new_finding, propose_and_approve};
use wellread_testkit::run_fixtures::{began_event, event_time, events, record_run, run_header, stamp_events};

use crate::ground::is_long;
use crate::shelf::Random;

/// The records of some runs as they were when they were closed.
struct Sample {
    bytes: Vec<u8>,
    runs: BTreeMap<RunId, Vec<LoggedEvent>>,
    headers: Vec<RunHeader>,
    pages: Vec<String>,
    session: StoredSession,
    agenda: Agenda,
    findings: Vec<Finding>,
    topic: SuppressedTopic,
    told: Vec<(u64, AgendaEvent)>,
    compared_by: Vec<(FindingId, Vec<f32>)>,
}

/// Right answers where nothing is wrong: logs, headers, pages, the conversation; the agenda, its findings, the topic, what
/// happened, and what the findings are compared by.
const ALL: usize = 6 + 6 + 8 + 1 + 1 + 3 + 1 + 11 + 3;

static SAMPLE: LazyLock<Sample> = LazyLock::new(|| {
    let folder = TempDir::new().unwrap();
    let records = RecordStore::new(folder.path());
    let mut runs = BTreeMap::new();
    for number in 0..6 {
        let run = RunId::parse(&format!("0000000000000{number}")).unwrap();
        let mut log = events(&run, RunKind::Code, &format!("question {number}"));
        log.push(RunEvent::Plan { plan: json!("w".repeat(9000 * number)) });
        record_run(&records, &run, RunKind::Code, &format!("question {number}"), &log);
        runs.insert(run, stamp_events(log));
    }
    let page = |number: usize| (0..200 * number).map(|n| format!("{} honey. ", n * n)).collect();
    let pages: Vec<String> = (0..8).map(page).collect();
    for page in &pages {
        records.keep(page).unwrap();
    }
    let session = StoredSession {
        id: "s".to_owned(),
        active_file: Some("Bees.md".to_owned()),
        last: event_time(3),
        state: json!({ "said": "much" }),
    };
    records.keep_session(&session).unwrap();
    let headers = records.runs("", 100).unwrap();
    let agenda = propose_and_approve(&records, &agenda(2));
    let add = |change: &mut AgendaChange| {
        for number in 0..3 {
            let found =
                new_finding(&agenda.id, &agenda.tasks[0].id, &format!("https://bees.example/{number}"));
            change.findings.push(NewFinding { embedding: Some((model(), vec![0.1; 64])), ..found });
        }
        Ok(())
    };
    let agenda = records.change_agenda(&agenda.id, AgendaActor::User, &mut { add }).unwrap();
    let topic = SuppressedTopic { topic: "wax".to_owned(), at: event_time(4), finding_id: None };
    let id = FindingId::new(&agenda.tasks[0].id, "https://bees.example/1");
    records
        .decide(&id, None, &mut |finding| finding.dismiss(event_time(4)).map(|()| Some(topic.clone())))
        .unwrap();
    let findings = records.findings(&FindingFilter::default(), 10).unwrap();
    let told = records.events_after(0, 100).unwrap().0;
    let compared_by = records.embeddings(&model()).unwrap();
    drop(records);
    assert!(!folder.path().join("records.db-wal").exists(), "it was closed");
    let bytes = fs::read(folder.path().join("records.db")).unwrap();
    Sample { bytes, runs, headers, pages, session, agenda, findings, topic, told, compared_by }
});

fn model() -> EmbeddingModel {
    EmbeddingModel { name: "m".to_owned(), hash: "h".to_owned(), dimension: 64 }
}

/// The sample in a folder of its own, with these bytes.
fn holding(bytes: &[u8]) -> TempDir {
    let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| TempDir::new()).unwrap();
    fs::write(folder.path().join("records.db"), bytes).unwrap();
    folder
}

/// What was done to the sample by somebody who knows SQL. The rules that stop it are put back afterwards.
fn tampered(sql: &str) -> TempDir {
    let folder = holding(&SAMPLE.bytes);
    let connection = Connection::open(folder.path().join("records.db")).unwrap();
    let mut rules = connection.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").unwrap();
    let rules: Vec<(String, String)> =
        rules.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap().map(Result::unwrap).collect();
    for (name, _) in &rules {
        connection.execute_batch(&format!("DROP TRIGGER {name}")).unwrap();
    }
    assert!(connection.execute(sql, []).unwrap() > 0, "{sql}");
    for (_, rule) in &rules {
        connection.execute_batch(rule).unwrap();
    }
    folder
}

/// The name and the bytes of each file that was set aside.
fn set_aside(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let named = entries.map(|entry| (entry.file_name().into_string().unwrap(), entry.path()));
    let mut found: Vec<_> = named.filter(|(name, _)| name.starts_with("records.damaged-")).collect();
    found.sort();
    found.into_iter().map(|(name, path)| (name, fs::read(path).unwrap())).collect()
}

fn run(number: u64) -> RunId {
    RunId::parse(&format!("0000000000000{number}")).unwrap()
}

/// Whatever was done to the file: what it hands out is what was written, or an error. How many answers were right.
fn hands_out_nothing_wrong(folder: &Path, what: &str) -> usize {
    let records = RecordStore::new(folder);
    let mut right = 0;
    for (run, written) in &SAMPLE.runs {
        if let Ok(found) = records.events(run) {
            assert!(found == *written, "{what}: another log of {run}");
            right += 1;
        }
    }
    for header in records.runs("", 100).unwrap_or_default() {
        assert!(SAMPLE.headers.contains(&header), "{what}: {header:?}");
        right += 1;
    }
    for page in &SAMPLE.pages {
        if let Ok(Some(found)) = records.load(Hash::compute(page.as_bytes())) {
            assert!(found == *page, "{what}: another page");
            right += 1;
        }
    }
    for session in records.sessions(100).unwrap_or_default() {
        assert_eq!(session, SAMPLE.session, "{what}");
        right += 1;
    }
    right + hands_out_nothing_wrong_of_agendas(&records, what)
}

fn hands_out_nothing_wrong_of_agendas(records: &RecordStore, what: &str) -> usize {
    let mut right = 0;
    for agenda in records.agendas(AgendaFilter::All, 100).unwrap_or_default() {
        assert_eq!(agenda, SAMPLE.agenda, "{what}");
        right += 1;
    }
    for finding in records.findings(&FindingFilter::default(), 100).unwrap_or_default() {
        assert!(SAMPLE.findings.contains(&finding), "{what}: {finding:?}");
        right += 1;
    }
    for topic in records.topics().unwrap_or_default() {
        assert_eq!(topic, SAMPLE.topic, "{what}");
        right += 1;
    }
    for told in records.events_after(0, 100).unwrap_or_default().0 {
        assert!(SAMPLE.told.contains(&told), "{what}: {told:?}");
        right += 1;
    }
    for compared_by in records.embeddings(&model()).unwrap_or_default() {
        assert!(SAMPLE.compared_by.contains(&compared_by), "{what}: {compared_by:?}");
        right += 1;
    }
    right
}

/// A new run can be written down whatever happened.
fn goes_on(folder: &Path, what: &str) {
    let records = RecordStore::new(folder);
    let fresh = RunId::fresh();
    record_run(
        &records,
        &fresh,
        RunKind::Ask,
        "next",
        &[began_event(RunKind::Ask, "next"), RunEvent::Resumed],
    );
    assert_eq!(records.events(&fresh).unwrap().len(), 2, "{what}");
}

#[test]
fn a_flipped_byte_hands_out_nothing_wrong() {
    let mut random = Random::seeded(5);
    let described: Vec<usize> = SAMPLE
        .bytes
        .windows(7)
        .enumerate()
        .filter(|(_, bytes)| bytes == b"CREATE ")
        .map(|(at, _)| at)
        .collect();
    let (mut noticed, mut aside) = (0, 0);
    for turn in 0..if is_long() { 5_000 } else { 600 } {
        let mut bytes = SAMPLE.bytes.clone();
        // The head of the file, and where its tables are described, more often: most of what can go wrong is there.
        let at = match turn % 8 {
            0 => random.below(100),
            1 => described[random.below(described.len())] + random.below(100),
            _ => random.below(bytes.len()),
        };
        bytes[at] ^= 1 << random.below(8);
        let folder = holding(&bytes);
        let what = format!("a bit of byte {at} flipped");
        let right = hands_out_nothing_wrong(folder.path(), &what);
        noticed += usize::from(right < ALL);
        for (name, kept) in set_aside(folder.path()) {
            assert!(kept == bytes, "{what}: {name} is not what was there");
            aside += 1;
        }
    }
    assert!(noticed > 100 && aside > 10, "{noticed} noticed, {aside} set aside");
}

#[test]
fn a_file_that_has_lost_its_end_or_holds_something_else_is_kept_and_a_new_one_begun() {
    let bytes = &SAMPLE.bytes;
    let zeros = vec![0; bytes.len()];
    for (damaged, what) in [
        (&bytes[..bytes.len() / 2], "half of it"),
        (&bytes[..5000], "a little of it"),
        (&bytes[..50], "not even its header"),
        (&zeros, "nothing but zeros"),
        (b"no database", "something else"),
    ] {
        let folder = holding(damaged);
        hands_out_nothing_wrong(folder.path(), what);
        goes_on(folder.path(), what);
        let [(_, kept)] = &set_aside(folder.path())[..] else {
            panic!("{what}: it is not set aside, or twice")
        };
        assert!(kept == damaged, "{what}: kept as it was");
    }
}

#[test]
fn a_file_that_is_set_aside_is_reported_once_and_is_for_the_user_alone() {
    let folder = holding(b"no database");
    let records = RecordStore::new(folder.path());
    assert_eq!(records.runs("", 10).unwrap(), []);
    let kept = set_aside(folder.path());
    let [(name, bytes)] = kept.as_slice() else { panic!("{kept:?}") };
    assert_eq!(bytes, b"no database");
    let told = records.take_notice().unwrap();
    assert!(told.contains(name) && told.contains("damaged"), "{told}");
    assert_eq!(records.take_notice(), None);
    goes_on(folder.path(), "after it was set aside");
    assert_eq!(set_aside(folder.path()).len(), 1);
    let mode = fs::metadata(folder.path().join("records.db")).unwrap().permissions().mode();
    assert_eq!(mode & 0o7777, 0o600);
}

#[test]
fn a_file_of_a_version_to_come_is_left_alone() {
    let folder = holding(&SAMPLE.bytes);
    let path = folder.path().join("records.db");
    let connection = Connection::open(&path).unwrap();
    connection.execute_batch("CREATE TABLE more (x); PRAGMA user_version = 99").unwrap();
    connection.close().unwrap();
    let before = fs::read(&path).unwrap();
    let records = RecordStore::new(folder.path());
    let fresh = RunId::fresh();
    let first = began_event(RunKind::Ask, "x");
    for error in [
        records.runs("", 1).unwrap_err(),
        records.begin(&run_header(&fresh, RunKind::Ask, "x"), &first).unwrap_err(),
        records.keep("page").unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::Failed);
        assert!(error.message().contains("newer version"), "{error}");
    }
    drop(records);
    assert!(fs::read(&path).unwrap() == before, "not a byte is changed");
    assert_eq!(set_aside(folder.path()), []);
}

#[test]
fn the_file_itself_keeps_events_and_snapshots_as_they_are() {
    let folder = holding(&SAMPLE.bytes);
    let connection = Connection::open(folder.path().join("records.db")).unwrap();
    for sql in [
        "UPDATE events SET event = '{}' WHERE number = 2",
        "DELETE FROM events WHERE number = 2",
        "DELETE FROM runs",
        "UPDATE snapshots SET packed = x''",
        "INSERT INTO events VALUES ('00000000000001', 99, 0, '{}', x'')",
        "INSERT INTO events VALUES ('00000000000001', 2, 0, '{}', x'')",
    ] {
        assert!(connection.execute(sql, []).is_err(), "{sql}");
    }
    drop(connection);
    assert_eq!(hands_out_nothing_wrong(folder.path(), "refused"), ALL);
}

#[test]
fn what_was_tampered_with_is_named() {
    let first = "WHERE run = '00000000000001'";
    for (sql, named) in [
        (format!("UPDATE events SET event = replace(event, 'honey', 'money') {first} AND number = 3"), "event 3"),
        (format!("UPDATE events SET at = at + 1 {first} AND number = 5"), "event 5"),
        (format!("DELETE FROM events {first} AND number = 4"), "event 4"),
        (format!("DELETE FROM events {first} AND number = 15"), "event 15"),
        (format!("DELETE FROM events {first}"), "event 0"),
        (format!("UPDATE events SET number = 90 {first} AND number = 7"), "event 7"),
        (
            "UPDATE events SET event = (SELECT event FROM events WHERE run = '00000000000002' AND number = 0) \
             WHERE run = '00000000000001' AND number = 0"
                .to_owned(),
            "event 0",
        ),
        (
            "UPDATE runs SET header = replace(header, 'question', 'answer') WHERE id = '00000000000001'".to_owned(),
            "the header",
        ),
    ] {
        let folder = tampered(&sql);
        let records = RecordStore::new(folder.path());
        let error = records.events(&run(1)).unwrap_err();
        assert!(error.message().starts_with(named) && error.message().contains(run(1).as_str()), "{sql}: {error}");
        assert_eq!(records.events(&run(2)).unwrap(), SAMPLE.runs[&run(2)], "the others can be read");
        assert_eq!(records.take_notice(), None);
    }
}

#[test]
fn an_agenda_or_a_finding_that_was_tampered_with_is_named() {
    for (sql, named) in [
        ("UPDATE agendas SET state = replace(state, '\"findings\":3', '\"findings\":0')", "the agenda"),
        ("UPDATE agendas SET status = 'done'", "the agenda"),
        ("UPDATE findings SET state = replace(state, '62', '63')", "the finding"),
        ("UPDATE findings SET status = 'new'", "the finding"),
        ("UPDATE findings SET created = created + 1", "the finding"),
        ("UPDATE suppressed SET topic = 'honey'", "the suppressed topic"),
        ("UPDATE suppressed SET at = at + 1", "the suppressed topic"),
    ] {
        let folder = tampered(sql);
        let records = RecordStore::new(folder.path());
        let errors = [
            records.agendas(AgendaFilter::All, 10).err(),
            records.findings(&FindingFilter::default(), 10).err(),
            records.topics().err(),
        ];
        let [error] = &errors.into_iter().flatten().collect::<Vec<_>>()[..] else {
            panic!("{sql}: one is wrong, the others can be read")
        };
        assert!(error.message().starts_with(named), "{sql}: {error}");
    }
    for sql in [
        "UPDATE embeddings SET vector = zeroblob(256)",
        "UPDATE embeddings SET model = '64 h2 m'",
        "UPDATE happenings SET event = replace(event, 'counts', 'count')",
        "UPDATE happenings SET number = number + 100",
    ] {
        let folder = tampered(sql);
        assert!(hands_out_nothing_wrong(folder.path(), sql) < ALL, "{sql}");
    }
}

#[test]
fn a_snapshot_that_does_not_fit_its_hash_is_an_error_and_can_be_kept_again() {
    let page = &SAMPLE.pages[5];
    let hash = Hash::compute(page.as_bytes());
    let longer = "UPDATE snapshots SET length = 9000000000000";
    let shorter = "UPDATE snapshots SET length = length - 1";
    let other = "UPDATE snapshots SET packed = (SELECT packed FROM snapshots ORDER BY length LIMIT 1)";
    for sql in [longer, shorter, other, "UPDATE snapshots SET packed = x'00'"] {
        let folder = tampered(sql);
        let records = RecordStore::new(folder.path());
        let error = records.load(hash).unwrap_err();
        assert!(error.message().contains(&hash.to_string()), "{sql}: {error}");
        assert_eq!(records.keep(page).unwrap(), hash);
        assert_eq!(records.load(hash).unwrap().as_deref(), Some(page.as_str()), "{sql}");
    }
}

#[test]
fn a_bomb_is_not_unpacked() {
    let bomb = "\0".repeat(50 << 20);
    let folder = TempDir::new().unwrap();
    let records = RecordStore::new(folder.path());
    let hash = records.keep(&bomb).unwrap();
    drop(records);
    let connection = Connection::open(folder.path().join("records.db")).unwrap();
    connection
        .execute_batch("DROP TRIGGER snapshots_are_not_changed; UPDATE snapshots SET length = 10")
        .unwrap();
    let rule = "CREATE TRIGGER snapshots_are_not_changed BEFORE UPDATE ON snapshots BEGIN SELECT RAISE(ABORT, 'a snapshot is never changed'); END";
    connection.execute_batch(rule).unwrap();
    drop(connection);
    assert!(RecordStore::new(folder.path()).load(hash).is_err());
    assert!(RecordStore::new(folder.path()).keep(&"\0".repeat(65 << 20)).is_err(), "longer than any page");
}

#[test]
fn to_ask_is_no_reason_to_begin_records() {
    let folder = TempDir::new().unwrap();
    let records = RecordStore::new(&folder.path().join("data"));
    assert_eq!(records.runs("", 10).unwrap(), []);
    assert_eq!(records.events(&run(1)).unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(records.totals().unwrap().runs, 0);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn records_that_are_deleted_under_a_process_are_begun_anew_and_nothing_is_written_into_the_void() {
    let folder = holding(&SAMPLE.bytes);
    let records = RecordStore::new(folder.path());
    records.append(&run(1), 17, event_time(17), &RunEvent::Resumed).unwrap();
    fs::remove_file(folder.path().join("records.db")).unwrap();
    assert_eq!(records.events(&run(1)).unwrap_err().kind(), ErrorKind::NotFound);
    let error = records.append(&run(1), 18, event_time(18), &RunEvent::Resumed).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound, "{error}");
    goes_on(folder.path(), "another process");
    let fresh = RunId::fresh();
    record_run(&records, &fresh, RunKind::Ask, "x", &[began_event(RunKind::Ask, "x"), RunEvent::Resumed]);
    assert_eq!(RecordStore::new(folder.path()).events(&fresh).unwrap().len(), 2);
    assert_eq!(records.runs("", 10).unwrap().len(), 2);
}

#[test]
fn a_damaged_file_is_set_aside_under_everybodys_hands_once() {
    let folder = holding(&SAMPLE.bytes);
    let all: Vec<RecordStore> = (0..4).map(|_| RecordStore::new(folder.path())).collect();
    for records in &all {
        assert_eq!(records.runs("", 100).unwrap().len(), 6);
    }
    // Damage that is met by whoever writes.
    let path = folder.path().join("records.db");
    let mut bytes = fs::read(&path).unwrap();
    bytes[4096..].fill(0x5a);
    fs::write(&path, &bytes).unwrap();
    std::thread::scope(|scope| {
        for records in &all {
            scope.spawn(|| {
                let fresh = RunId::fresh();
                record_run(records, &fresh, RunKind::Ask, "x", &[began_event(RunKind::Ask, "x")]);
                assert_eq!(records.events(&fresh).unwrap().len(), 1);
            });
        }
    });
    assert_eq!(all[0].runs("", 100).unwrap().len(), 4);
    assert_eq!(all.iter().filter_map(RecordStore::take_notice).count(), 1);
    let kept = set_aside(folder.path());
    assert_eq!(kept.iter().filter(|(name, _)| name.ends_with(".db")).count(), 1);
}
