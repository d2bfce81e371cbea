//! Processes that write down a run: one that is killed at any moment, and two that go on with the same one.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::json;
use wellread_adapters::records::RecordStore;
use wellread_core::ErrorKind;
use wellread_core::domain::id::RunId;
use wellread_core::ports::RecordUpkeep as _;
use wellread_core::ports::event::{RunEvent, RunKind};
use wellread_core::ports::{RunLogs, Snapshots};
use wellread_testkit::run_fixtures::{began_event, event_time, run_header};

use crate::children::child_process;
use crate::ground::is_long;
use crate::shelf::Random;

const RUN: &str = "00000000000000";
const CONTESTED: u64 = 60;

fn run() -> RunId {
    RunId::parse(RUN).unwrap()
}

/// What the event of this number says, some of it long.
fn event(number: u64, who: &str) -> RunEvent {
    let length = if number.is_multiple_of(7) { 30_000 } else { 20 };
    RunEvent::Plan { plan: json!({ "number": number, "who": who, "text": "w".repeat(length) }) }
}

/// What the child process does.
pub fn child(order: &str) {
    let mut words = order.splitn(3, ' ');
    let (what, who, folder) = (words.next().unwrap(), words.next().unwrap(), words.next().unwrap());
    let records = RecordStore::new(Path::new(folder));
    println!("\nat work");
    match what {
        "for_ever" => {
            for number in records.runs("", 1).unwrap()[0].events.. {
                records.append(&run(), number, event_time(number), &event(number, "one")).unwrap();
                println!("written {number}");
                records.keep(&format!("page {number}")).unwrap();
            }
        }
        _ => {
            for number in 1..=CONTESTED {
                match records.append(&run(), number, event_time(number), &event(number, who)) {
                    Ok(()) => println!("written {number}"),
                    Err(error) => assert_eq!(error.kind(), ErrorKind::Conflict, "{error}"),
                }
            }
        }
    }
}

fn command(what: &str, who: &str, folder: &Path) -> Command {
    let mut child = child_process("records_crash", &format!("{what} {who} {}", folder.display()));
    child.stdout(Stdio::piped());
    child
}

/// The numbers that a child said it had written.
fn written(line: &str) -> Option<u64> {
    line.strip_prefix("written ")?.parse().ok()
}

fn begun(folder: &Path) {
    let records = RecordStore::new(folder);
    records.begin(&run_header(&run(), RunKind::Ask, "x"), &began_event(RunKind::Ask, "x")).unwrap();
}

#[test]
fn a_process_that_is_killed_at_any_moment_has_lost_nothing_that_was_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    begun(folder.path());
    let mut random = Random::seeded(11);
    let mut acknowledged = 0;
    for kill in 0..if is_long() { 300 } else { 20 } {
        let mut child = command("for_ever", "one", folder.path()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        assert!(lines.any(|line| line == "at work"), "it got to work");
        for _ in 0..=random.below(12) {
            acknowledged = lines.by_ref().find_map(|line| written(&line)).unwrap();
        }
        child.kill().unwrap();
        assert_eq!(child.wait().unwrap().code(), None, "it was killed, and did not end by itself");
        // It may have said more before it was.
        acknowledged = lines.filter_map(|line| written(&line)).last().unwrap_or(acknowledged);

        let records = RecordStore::new(folder.path());
        let events = records.events(&run()).unwrap_or_else(|error| panic!("killed {kill}: {error}"));
        let last = events.last().unwrap().number;
        assert!(last == acknowledged || last == acknowledged + 1, "killed {kill}: {last}, {acknowledged}");
        for (number, found) in (1..).zip(&events[1..]) {
            assert_eq!((found.number, &found.event), (number, &event(number, "one")), "killed {kill}");
        }
        let listed = records.runs("", 2).unwrap();
        assert_eq!((listed.len(), listed[0].events), (1, last + 1));
        assert_eq!(records.take_notice(), None);
    }
    assert!(acknowledged > 20, "{acknowledged}");
}

#[test]
fn of_two_processes_that_go_on_with_one_run_exactly_one_writes_each_event() {
    let folder = tempfile::tempdir().unwrap();
    begun(folder.path());
    let children = ["one", "two"].map(|who| command("contest", who, folder.path()).spawn().unwrap());
    let mut all = Vec::new();
    for (who, child) in ["one", "two"].into_iter().zip(children) {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let said = String::from_utf8(output.stdout).unwrap();
        all.extend(said.lines().filter_map(written).map(|number| (number, who)));
    }
    all.sort_unstable();
    assert_eq!(all.iter().map(|(number, _)| *number).collect::<Vec<_>>(), Vec::from_iter(1..=CONTESTED));
    let events = RecordStore::new(folder.path()).events(&run()).unwrap();
    for ((number, who), found) in all.iter().zip(&events[1..]) {
        assert_eq!(found.event, event(*number, who), "who was told that it wrote it, did");
    }
}

#[test]
fn many_threads_share_the_records() {
    let folder = tempfile::tempdir().unwrap();
    let records = RecordStore::new(folder.path());
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let run = RunId::fresh();
                let kept = records.keep("the same page").unwrap();
                records.begin(&run_header(&run, RunKind::Ask, "x"), &began_event(RunKind::Ask, "x")).unwrap();
                for number in 1..20 {
                    records.append(&run, number, event_time(number), &event(number, run.as_str())).unwrap();
                    assert_eq!(records.events(&run).unwrap().len() as u64, number + 1);
                }
                assert_eq!(records.load(kept).unwrap().as_deref(), Some("the same page"));
            });
        }
    });
    assert_eq!(records.runs("", 100).unwrap().len(), 8);
    assert_eq!(records.totals().unwrap().snapshots, 1);
}

#[test]
fn records_that_many_begin_at_once_are_begun_once() {
    let folder = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let records = RecordStore::new(folder.path());
                let run = RunId::fresh();
                records.begin(&run_header(&run, RunKind::Ask, "x"), &began_event(RunKind::Ask, "x")).unwrap();
                assert_eq!(records.take_notice(), None);
            });
        }
    });
    assert_eq!(RecordStore::new(folder.path()).runs("", 100).unwrap().len(), 8);
    let names = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<_> = names.collect();
    names.sort();
    assert_eq!(names, ["records.db", "records.lock"]);
}
