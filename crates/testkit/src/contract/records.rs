//! The contract of [`RunLogs`], [`Snapshots`] and [`Sessions`].

use serde_json::json;
use wellread_core::ErrorKind;
use wellread_core::domain::corpus::Hash;
use wellread_core::domain::id::RunId;
use wellread_core::ports::event::{RunEvent, RunKind, RunOutcome};
use wellread_core::ports::{RunLogs, Sessions, Snapshots, StoredSession};

use crate::run_fixtures::{
    began_event, code_evidence, ended_event, event_time, events, note_evidence, page_evidence, record_run,
    run_header, stamp_events, tool_event,
};

/// What the contract is asked of, and how an empty one is made.
pub fn check_records<R: RunLogs + Snapshots + Sessions>(make: &dyn Fn() -> R) {
    an_empty_one_has_nothing(&make());
    what_is_written_down_is_read_in_order(&make());
    numbers_come_back_as_they_were(&make());
    an_id_is_taken_once(&make());
    an_event_comes_after_the_last_one(&make());
    a_run_is_under_way_in_one_place(&make());
    a_run_that_is_not_there_is_not_found(&make());
    a_header_says_how_the_run_stands(&make());
    runs_are_listed_newest_first(&make());
    an_event_can_be_large(&make());
    the_notes_that_runs_drew_on_are_told(&make());
    an_event_that_could_not_be_read_back_is_not_written_down(&make());
    a_text_is_kept_by_its_hash(&make());
    conversations_are_found_by_what_they_are_about(&make());
}

fn run_id(text: &str) -> RunId {
    RunId::parse(text).unwrap()
}

fn an_empty_one_has_nothing<R: RunLogs + Snapshots + Sessions>(records: &R) {
    assert_eq!(records.runs("", 10).unwrap(), []);
    assert_eq!(records.load(Hash::compute(b"x")).unwrap(), None);
    assert_eq!(records.session("s").unwrap(), None);
    assert_eq!(records.latest_session_about(None).unwrap(), None);
    assert_eq!(records.sessions(10).unwrap(), []);
    assert!(!records.forget_session("s").unwrap());
}

fn what_is_written_down_is_read_in_order(records: &dyn RunLogs) {
    let (run, other) = (RunId::fresh(), RunId::fresh());
    let of = |run: &RunId, title: &str| events(run, RunKind::Note, title);
    record_run(records, &run, RunKind::Note, "Honey", &of(&run, "Honey"));
    record_run(records, &other, RunKind::Note, "Wax", &of(&other, "Wax"));
    assert_eq!(records.events(&run).unwrap(), stamp_events(of(&run, "Honey")));
    assert_eq!(records.events(&other).unwrap(), stamp_events(of(&other, "Wax")));
}

fn the_notes_that_runs_drew_on_are_told(records: &dyn RunLogs) {
    assert_eq!(records.notes_in_evidence().unwrap().len(), 0);
    let told = || records.notes_in_evidence().unwrap().iter().map(ToString::to_string).collect::<Vec<_>>();
    for paths in [["Wax.md", "a/Ünï \"bees\".md"], ["Hive.md", "Wax.md"]] {
        let run = RunId::fresh();
        let mut events = vec![began_event(RunKind::Ask, "x")];
        events.extend(
            paths.iter().zip(1..).map(|(path, number)| {
                RunEvent::Evidence(Box::new(note_evidence(&run, number, path, "Honey.")))
            }),
        );
        // Neither of these is a note of the vault.
        events.push(RunEvent::Evidence(Box::new(code_evidence(&run, 8, "src/lib.rs", "fn honey() {}"))));
        events.push(RunEvent::Evidence(Box::new(page_evidence(&run, 9, "https://bees.example/", "Honey."))));
        events.push(tool_event("read_file", json!({ "source": { "kind": "note", "path": "Unread.md" } })));
        record_run(records, &run, RunKind::Ask, "x", &events);
    }
    assert_eq!(told(), ["Hive.md", "Wax.md", "a/Ünï \"bees\".md"]);
}

/// Whoever replays a run asks by the hash of what it read: a number that is off in its last digit is another question.
fn numbers_come_back_as_they_were(records: &dyn RunLogs) {
    let run = RunId::fresh();
    let hard = [0.1 + 0.2, 1.0 / 3.0, 5e-324, 1.797e308, 9_007_199_254_740_993.0, 0.305_000_000_000_000_04];
    let event = tool_event("search_vault", json!({ "hard": hard, "large": u64::MAX, "small": i64::MIN }));
    record_run(records, &run, RunKind::Ask, "x", &[began_event(RunKind::Ask, "x"), event.clone()]);
    assert_eq!(records.events(&run).unwrap()[1].event, event);
}

fn an_id_is_taken_once(records: &dyn RunLogs) {
    let run = RunId::fresh();
    record_run(records, &run, RunKind::Ask, "first", &[began_event(RunKind::Ask, "first")]);
    let again =
        records.begin(&run_header(&run, RunKind::Ask, "second"), &began_event(RunKind::Ask, "second"));
    assert_eq!(again.unwrap_err().kind(), ErrorKind::Conflict);
    assert_eq!(records.runs("", 10).unwrap()[0].title, "first");
    assert_eq!(records.events(&run).unwrap().len(), 1);
}

fn an_event_comes_after_the_last_one(records: &dyn RunLogs) {
    let run = RunId::fresh();
    record_run(records, &run, RunKind::Ask, "x", &[began_event(RunKind::Ask, "x"), RunEvent::Resumed]);
    for wrong in [0, 1, 3, 1000] {
        let error = records.append(&run, wrong, event_time(2), &RunEvent::Resumed).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Conflict, "{wrong}: {error}");
    }
    assert_eq!(records.events(&run).unwrap().len(), 2);
    records.append(&run, 2, event_time(2), &RunEvent::Resumed).unwrap();
    assert_eq!(records.events(&run).unwrap().len(), 3);
}

fn a_run_is_under_way_in_one_place(records: &dyn RunLogs) {
    let (one, other) = (RunId::fresh(), RunId::fresh());
    let held = records.lock_run(&one).unwrap();
    let _other = records.lock_run(&other).unwrap();
    assert_eq!(records.lock_run(&one).err().map(|error| error.kind()), Some(ErrorKind::Conflict));
    drop(held);
    drop(records.lock_run(&one).unwrap());
    drop(records.lock_run(&one).unwrap());
}

fn a_run_that_is_not_there_is_not_found(records: &dyn RunLogs) {
    let run = RunId::fresh();
    assert_eq!(records.events(&run).unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(
        records.append(&run, 0, event_time(0), &RunEvent::Resumed).unwrap_err().kind(),
        ErrorKind::NotFound
    );
    record_run(records, &RunId::fresh(), RunKind::Ask, "x", &[began_event(RunKind::Ask, "x")]);
    assert_eq!(records.events(&run).unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(
        records.append(&run, 1, event_time(0), &RunEvent::Resumed).unwrap_err().kind(),
        ErrorKind::NotFound
    );
}

fn a_header_says_how_the_run_stands(records: &dyn RunLogs) {
    let run = RunId::fresh();
    let mut wrong = run_header(&run, RunKind::Code, "what weighs?");
    (wrong.events, wrong.last, wrong.ended) = (77, event_time(99), Some("done".to_owned()));
    records.begin(&wrong, &began_event(RunKind::Code, "what weighs?")).unwrap();
    let begun = run_header(&run, RunKind::Code, "what weighs?");
    assert_eq!(records.runs("", 10).unwrap()[0], begun, "what has happened counts, not what was said");

    records.append(&run, 1, event_time(5), &ended_event(RunOutcome::OutOfBudget, "so far")).unwrap();
    let mut over = begun.clone();
    (over.last, over.events, over.ended) = (event_time(5), 2, Some("out_of_budget".to_owned()));
    assert_eq!(records.runs("", 10).unwrap(), [over]);

    records.append(&run, 2, event_time(6), &RunEvent::Resumed).unwrap();
    let mut again = begun;
    (again.last, again.events) = (event_time(6), 3);
    assert_eq!(records.runs("", 10).unwrap(), [again], "a run that goes on has not ended");
}

fn runs_are_listed_newest_first(records: &dyn RunLogs) {
    let ids = ["0abc0000000000", "0abc0000000001", "0abd0000000000", "zzzzzzzzzzzzzz"].map(run_id);
    for run in [2, 0, 3, 1].map(|at: usize| &ids[at]) {
        record_run(records, run, RunKind::Ask, run.as_str(), &[began_event(RunKind::Ask, "x")]);
    }
    let listed = |beginning: &str, at_most: usize| -> Vec<RunId> {
        records.runs(beginning, at_most).unwrap().into_iter().map(|header| header.id).collect()
    };
    let [first, second, third, last] = &ids;
    assert_eq!(listed("", 10), [last, third, second, first].map(Clone::clone));
    assert_eq!(listed("", 2), [last, third].map(Clone::clone));
    assert_eq!(listed("0abc", 10), [second, first].map(Clone::clone));
    assert_eq!(listed("zz", 10), [last].map(Clone::clone));
    assert_eq!(listed("zzzzzzzzzzzzzz", 10), [last].map(Clone::clone));
    assert_eq!(listed("1", 10), []);
    assert_eq!(listed("%", 10), []);
    assert_eq!(listed("", 0), []);
}

fn an_event_can_be_large(records: &dyn RunLogs) {
    let run = RunId::fresh();
    let large = RunEvent::Plan { plan: json!("\u{0}ä\"".repeat(400_000)) };
    record_run(records, &run, RunKind::Ask, "x", &[began_event(RunKind::Ask, "x"), large.clone()]);
    assert_eq!(records.events(&run).unwrap()[1].event, large);
}

fn an_event_that_could_not_be_read_back_is_not_written_down(records: &dyn RunLogs) {
    let run = RunId::fresh();
    record_run(records, &run, RunKind::Ask, "x", &[began_event(RunKind::Ask, "x")]);
    let deep = (0..200).fold(json!(1), |inner, _| json!([inner]));
    let mut endless = ended_event(RunOutcome::Done, "x");
    if let RunEvent::Ended(ended) = &mut endless {
        ended.spent.seconds = f64::NAN;
    }
    for event in [RunEvent::Plan { plan: deep }, endless] {
        assert_eq!(records.append(&run, 1, event_time(1), &event).unwrap_err().kind(), ErrorKind::Invalid);
    }
    assert_eq!(records.events(&run).unwrap().len(), 1);
    assert_eq!(records.runs("", 1).unwrap()[0].events, 1);
}

fn a_text_is_kept_by_its_hash(snapshots: &dyn Snapshots) {
    let texts = ["", "Wax.\r\n", "Grüße \u{0}\u{1f41d}", &"the same again ".repeat(70_000)];
    for text in texts {
        assert_eq!(snapshots.keep(text).unwrap(), Hash::compute(text.as_bytes()));
        assert_eq!(snapshots.keep(text).unwrap(), Hash::compute(text.as_bytes()), "twice is once");
    }
    for text in texts {
        assert_eq!(snapshots.load(Hash::compute(text.as_bytes())).unwrap().as_deref(), Some(text));
    }
    assert_eq!(snapshots.load(Hash::compute(b"never")).unwrap(), None);
}

fn conversations_are_found_by_what_they_are_about(sessions: &dyn Sessions) {
    let session = |id: &str, file: Option<&str>, at: u64| StoredSession {
        id: id.to_owned(),
        active_file: file.map(str::to_owned),
        last: event_time(at),
        state: json!({ "said": [id, 0.1] }),
    };
    let (home, older, newer) =
        (session("home", None, 5), session("b", Some("Bees.md"), 1), session("a", Some("Bees.md"), 9));
    for one in [&home, &newer, &older] {
        sessions.keep_session(one).unwrap();
    }
    assert_eq!(sessions.session("b").unwrap().as_ref(), Some(&older));
    assert_eq!(sessions.latest_session_about(Some("Bees.md")).unwrap().as_ref(), Some(&newer));
    assert_eq!(sessions.latest_session_about(None).unwrap().as_ref(), Some(&home));
    assert_eq!(sessions.latest_session_about(Some("")).unwrap(), None);
    assert_eq!(sessions.sessions(10).unwrap(), [newer.clone(), home.clone(), older.clone()]);
    assert_eq!(sessions.sessions(1).unwrap(), [newer]);

    let spoken = session("b", Some("Bees.md"), 20);
    sessions.keep_session(&spoken).unwrap();
    assert_eq!(sessions.latest_session_about(Some("Bees.md")).unwrap().as_ref(), Some(&spoken));
    assert_eq!(sessions.sessions(10).unwrap().len(), 3);
    assert!(sessions.forget_session("b").unwrap());
    assert!(!sessions.forget_session("b").unwrap());
    assert_eq!(sessions.session("b").unwrap(), None);
    assert_eq!(sessions.latest_session_about(Some("Bees.md")).unwrap().unwrap().id, "a");
}
