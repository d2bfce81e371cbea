//! `wellread runs`: listing, showing and comparing what is kept.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;
use wellread_core::domain::id::RunId;
use wellread_core::engine::log;
use wellread_core::ports::agenda::{
    Finding, FindingEvidence, FindingPart, FindingSentence, IdempotentRequest,
};
use wellread_core::ports::event::{RunEvent, RunKind, RunOutcome};
use wellread_core::ports::{
    AgendaActor, AgendaChange, AgendaFilter, Agendas as _, Findings as _, IdempotencyStore as _,
    Sessions as _, StoredSession,
};
use wellread_testkit::agenda_fixtures;
use wellread_testkit::run_fixtures::{
    began_event, ended_event, event_time, events, note_evidence, record_run, stamp_events, tool_event,
};

use crate::desk::{Desk, column};

const DONE: &str = "01000000000001";
const OTHER: &str = "01000000000002";
const UNFINISHED: &str = "02000000000003";

/// A desk on which three runs were made.
fn desk() -> Desk {
    let desk = Desk::new();
    let records = desk.records();
    let id = |text: &str| RunId::parse(text).unwrap();
    let honey = events(&id(DONE), RunKind::Ask, "What keeps?");
    record_run(&records, &id(DONE), RunKind::Ask, "What keeps?", &honey);
    let wax = [
        began_event(RunKind::Ask, "What keeps?"),
        tool_event("search_vault", json!({ "query": "wax" })),
        RunEvent::Evidence(Box::new(note_evidence(&id(OTHER), 1, "Home.md", "Wax."))),
        ended_event(RunOutcome::OutOfBudget, "Wax keeps.\n"),
    ];
    record_run(&records, &id(OTHER), RunKind::Ask, "What keeps?", &wax);
    let title = "Weighs\u{1b}[2J\nwhat?";
    record_run(&records, &id(UNFINISHED), RunKind::Code, title, &[began_event(RunKind::Code, title)]);
    desk
}

#[test]
fn where_there_are_no_runs_the_list_is_empty() {
    let desk = Desk::new();
    assert_eq!(desk.run(["runs", "--json"]).done()["runs"], json!([]));
    let shown = desk.run(["runs"]);
    assert_eq!((shown.status, shown.stdout.as_str()), (Some(0), ""));
    assert!(shown.stderr.contains("no such runs"), "{shown:?}");
    assert!(!desk.records().path().exists(), "to ask is no reason to make the file");
    desk.run(["runs", "show", DONE, "--json"]).failed(3);
}

#[test]
fn runs_are_listed_newest_first_with_how_they_stand() {
    let desk = desk();
    let runs = desk.run(["runs", "--json"]).done()["runs"].clone();
    assert_eq!(column(&runs, "id"), [UNFINISHED, OTHER, DONE]);
    assert_eq!(
        runs[1],
        json!({
            "id": OTHER, "kind": "ask", "title": "What keeps?", "began": "2026-02-25T06:13:20Z",
            "last": "2026-02-25T06:13:23Z", "events": 4, "ended": "out_of_budget",
        })
    );
    assert!(runs[0].get("ended").is_none());
    let ids = |args: &[&str]| column(&desk.run(["runs", "--json"].iter().chain(args)).done()["runs"], "id");
    assert_eq!(ids(&["-n", "1"]), [UNFINISHED]);
    assert_eq!(ids(&["--kind", "ask"]), [OTHER, DONE]);
    assert_eq!(ids(&["--kind", "ask", "-n", "1"]), [OTHER]);
    assert_eq!(ids(&["--kind", "note"]), [] as [&str; 0]);
    assert_eq!(desk.run(["runs", "--kind", "dream"]).status, Some(2));
    let shown = desk.run(["runs"]).stdout;
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines.len(), 3);
    assert!(!shown.contains('\u{1b}'), "{shown:?}");
    assert_eq!(lines[2], format!("{DONE}  2026-02-25 06:13:20Z  ask      done           What keeps?"));
    assert!(lines[0].contains("  not finished  "), "{shown}");
}

#[test]
fn a_run_is_shown_as_report_evidence_or_trace() {
    let desk = desk();
    let id = RunId::parse(DONE).unwrap();
    let log = stamp_events(events(&id, RunKind::Ask, "What keeps?"));
    let report = log::render_report(&id, &log);
    assert_eq!(desk.run(["runs", "show", DONE]).stdout, report);
    assert_eq!(desk.run(["runs", "show", DONE, "report"]).stdout, report);
    let answer = desk.run(["runs", "show", DONE, "--json"]).done();
    assert_eq!((&answer["report"], &answer["outcome"]), (&json!(report), &json!("done")));
    assert_eq!(answer["left_the_machine"][0]["to"], "https://search.example");
    assert_eq!((&answer["spent"]["steps"], &answer["budget"]["steps"]), (&json!(3), &json!(8)));
    assert_eq!(answer["coverage"], 0.5);
    assert_eq!(answer["evidence"], json!({ "found": 3, "shown": 2 }));

    let evidence = desk.run(["runs", "show", DONE, "evidence", "--json"]).done();
    assert_eq!(column(&evidence["evidence"], "provenance"), ["hybrid", "manual", "syntax"]);
    assert_eq!(desk.run(["runs", "show", DONE, "evidence"]).json()["run_id"], DONE);
    let trace = desk.run(["runs", "show", DONE, "trace"]).json();
    assert_eq!(trace["events"].as_array().unwrap().len(), log.len());
    assert_eq!(desk.run(["runs", "show", DONE, "secrets"]).status, Some(2));
}

#[test]
fn the_beginning_of_an_id_is_enough_where_it_is_one_runs() {
    let desk = desk();
    assert_eq!(desk.run(["runs", "show", "02", "--json"]).done()["run_id"], UNFINISHED);
    let several = desk.run(["runs", "show", "01", "--json"]).failed(2);
    assert!(several["hint"].as_str().unwrap().contains(OTHER), "{several}");
    assert!(desk.run(["runs", "show", "nowhere"]).complains(3).contains("wellread runs"));
}

#[test]
fn a_run_that_has_not_ended_says_how_to_go_on_and_nothing_speaks_to_the_terminal() {
    let shown = desk().run(["runs", "show", UNFINISHED]).stdout;
    assert!(shown.contains(&format!("`wellread resume {UNFINISHED}`")), "{shown}");
    assert!(!shown.contains('\u{1b}'), "{shown:?}");
}

#[test]
fn two_runs_are_compared() {
    let desk = desk();
    let same = desk.run(["runs", "diff", DONE, DONE]);
    assert!(same.stdout.contains("no difference in"), "{same:?}");
    let answer = desk.run(["runs", "diff", DONE, OTHER, "--json"]).done();
    assert_eq!((&answer["same"], &answer["request"]["same"]), (&json!(false), &json!(true)));
    assert_eq!(answer["evidence"]["only_b"], json!(["Home.md:3-4"]));
    assert_eq!(answer["b"]["outcome"], "out_of_budget");
    let shown = desk.run(["runs", "diff", DONE, OTHER]).stdout;
    for line in [
        "request: the same",
        "-tool search_vault {\"query\":\"honey\"}",
        "+tool search_vault {\"query\":\"wax\"}",
        "evidence: 3 only in a, 1 only in b, 0 in both",
        "+ Home.md:3-4",
        "coverage: 0.5 and null",
        "-Honey keeps for years.",
        "+Wax keeps.",
    ] {
        assert!(shown.lines().any(|found| found == line), "{line}\n{shown}");
    }
    desk.run(["runs", "diff", DONE, "nowhere", "--json"]).failed(3);
}

#[test]
fn the_doctor_counts_the_runs_and_tells_of_damage() {
    let desk = desk();
    let told = |desk: &Desk| {
        let checks = desk.run(["doctor", "--json"]).json()["checks"].as_array().unwrap().clone();
        checks.into_iter().find(|check| check["name"] == "records").unwrap()
    };
    assert!(told(&desk)["detail"].as_str().unwrap().starts_with("3 runs, "), "{}", told(&desk));
    assert!(told(&Desk::new())["detail"].as_str().unwrap().contains("no run yet"));

    let path = desk.records().path();
    fs::write(&path, "scribbled over").unwrap();
    let damaged = told(&desk);
    assert_eq!(damaged["ok"], false);
    let kept = damaged["detail"].as_str().unwrap().split('`').nth(1).unwrap().to_owned();
    assert_eq!(fs::read_to_string(path.with_file_name(kept)).unwrap(), "scribbled over");
    assert_eq!(told(&desk)["ok"], true, "told once, and sound from then on");

    fs::write(&path, "scribbled over").unwrap();
    let listed = desk.run(["runs"]);
    assert_eq!(listed.status, Some(0));
    assert!(listed.stderr.contains("note: the records were damaged"), "{listed:?}");
}

#[test]
fn runs_are_forgotten_by_id_by_note_by_age_or_all() {
    let forgotten = |desk: &Desk| -> Vec<String> {
        let runs = desk.run(["runs", "--json"]).done()["runs"].clone();
        let gone = runs.as_array().unwrap().iter().filter(|run| run["forgotten"].is_string());
        gone.map(|run| run["id"].as_str().unwrap().to_owned()).collect()
    };
    for (arguments, gone) in [
        (&["runs", "forget", "0100000000000", "--json"][..], None),
        (&["runs", "forget", OTHER, "--json"], Some(vec![OTHER])),
        (&["runs", "forget", "--note", "Home.md", "--json"], Some(vec![OTHER])),
        (&["runs", "forget", "--older", "1", "--json"], Some(vec![UNFINISHED, OTHER, DONE])),
        (&["runs", "forget", "--older", "36500", "--json"], Some(vec![])),
        (&["runs", "forget", "--all", "--json"], Some(vec![UNFINISHED, OTHER, DONE])),
        (&["runs", "forget", "--json"], None),
        (&["runs", "forget", "--all", "--older", "3", "--json"], None),
    ] {
        let desk = desk();
        let answer = desk.run(arguments);
        match gone {
            None => assert_eq!(answer.status, Some(2), "{arguments:?}: {answer:?}"),
            Some(gone) => {
                assert_eq!(answer.done()["runs"], gone.len(), "{arguments:?}");
                assert_eq!(forgotten(&desk), gone, "{arguments:?}");
            }
        }
    }
}

#[test]
fn a_note_is_forgotten_by_all_its_names() {
    for name in ["Alias.md", "Second name.md"] {
        let desk = desk();
        let (vault, records) = (desk.vault(), desk.records());
        symlink("Home.md", vault.join("Alias.md")).unwrap();
        fs::hard_link(vault.join("Home.md"), vault.join("Second name.md")).unwrap();
        let id = RunId::parse("03000000000004").unwrap();
        let read = RunEvent::Evidence(Box::new(note_evidence(&id, 1, name, "Wax.")));
        record_run(&records, &id, RunKind::Ask, "Wax?", &[began_event(RunKind::Ask, "Wax?"), read]);
        assert_eq!(desk.run(["runs", "forget", "--note", "Home.md", "--json"]).done()["runs"], 2, "{name}");
        // And the other way around.
        let desk = self::desk();
        symlink("Home.md", desk.vault().join("Alias.md")).unwrap();
        assert_eq!(desk.run(["runs", "forget", "--note", "Alias.md", "--json"]).done()["runs"], 1);
    }
}

#[test]
fn prose_in_other_formats_is_forgotten_like_a_note() {
    for note in ["Plan.org", "Plan.rst", "Board.canvas", "List.base"] {
        let desk = desk();
        let id = RunId::parse("03000000000004").unwrap();
        let read = tool_event("read_file", json!({ "path": note }));
        record_run(&desk.records(), &id, RunKind::Chat, "Hi", &[began_event(RunKind::Chat, "Hi"), read]);
        desk.save(note, "x\n");
        assert_eq!(desk.run(["runs", "forget", "--note", note, "--json"]).done()["runs"], 1, "{note}");
    }
}

#[test]
fn text_of_notes_that_are_private_or_deleted_leaves_the_records_by_one_command() {
    let desk = desk();
    let private = || desk.run(["runs", "forget", "--private", "--json"]).done();
    let note = desk.vault().join("Home.md");
    let before = private()["runs"].as_u64().unwrap();
    let text = fs::read_to_string(&note).unwrap();
    assert!(desk.run(["runs", "show", OTHER, "--json"]).status == Some(0), "{before} forgotten");
    fs::write(&note, format!("---\nprivate: true\n---\n{text}")).unwrap();
    assert_eq!(private()["runs"], 1);
    let shown = desk.run(["runs", "show", OTHER, "--json"]).failed(3);
    assert!(shown["error"].as_str().unwrap().contains("was forgotten"), "{shown}");
    let listed = desk.run(["runs"]).stdout;
    assert!(listed.contains("(forgotten on "), "{listed}");
}

#[test]
fn text_of_a_deleted_note_leaves_the_records_and_the_conversations() {
    let desk = desk();
    let private = || desk.run(["runs", "forget", "--private", "--json"]).done();
    private();
    let state = json!({ "said": "Home.md says that wax keeps." });
    let talk = StoredSession { id: "talk".to_owned(), active_file: None, last: event_time(3), state };
    desk.records().keep_session(&talk).unwrap();
    fs::remove_file(desk.vault().join("Home.md")).unwrap();
    let answer = private();
    assert_eq!((&answer["runs"], &answer["sessions"]), (&json!(1), &json!(1)), "{answer}");
    assert_eq!(desk.records().sessions(9).unwrap().len(), 0);
}

#[test]
fn cached_pages_are_forgotten_with_the_runs_that_may_have_fetched_them() {
    let desk = desk();
    let pages = desk.data().join("pages");
    fs::create_dir_all(&pages).unwrap();
    fs::write(pages.join("page"), "What a page says.").unwrap();
    desk.run(["runs", "forget", "--older", "36500", "--json"]).done();
    assert!(pages.join("page").exists(), "no run was forgotten");
    desk.run(["runs", "forget", OTHER, "--json"]).done();
    assert!(!pages.exists());
}

#[test]
fn the_settings_say_how_long_runs_are_kept_and_status_how_much_there_is() {
    let desk = desk();
    let status = desk.run(["status", "--json"]).done()["records"].clone();
    assert_eq!((&status["runs"], &status["kept_days"]), (&json!(3), &json!(null)));
    assert!(status["bytes"].as_u64().unwrap() > 0);
    desk.run(["config", "set", "data.keep_runs_days", "30"]);
    let status = desk.run(["status", "--json"]);
    assert!(status.stderr.contains("forgot 3 runs"), "{status:?}");
    assert_eq!(status.done()["records"]["kept_days"], 30);
    desk.run(["runs", "show", DONE, "--json"]).failed(3);
}

/// The files below a folder that hold these bytes.
fn files_holding(folder: &std::path::Path, needle: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files_holding(&path, needle));
        } else if fs::read(&path).unwrap().windows(needle.len()).any(|bytes| bytes == needle.as_bytes()) {
            found.push(path.strip_prefix(folder).unwrap().display().to_string());
        }
    }
    found
}

#[test]
fn no_word_of_a_deleted_note_is_left_in_the_data_folder() {
    const WORD: &str = "qwzxvbn";
    let desk = desk();
    for (note, title) in [("Gone.md", "Gone"), ("Moved.md", "Moved")] {
        let text = format!("# {title} {WORD}\n\n{WORD} is the name of the hive.\n");
        fs::write(desk.vault().join(note), text).unwrap();
    }
    desk.run(["search", WORD, "--json"]).done();
    let append = |path: &str| {
        let arguments = json!({ "path": path, "content": "More." }).to_string();
        desk.run(["tool", "append_to_file", &arguments, "--json"]).done();
    };
    append("Gone");
    append("Moved");
    let moved = json!({ "source": "Moved", "destination": "Kept.md" }).to_string();
    desk.run(["tool", "move_file", &moved, "--json"]).done();
    fs::remove_file(desk.vault().join("Gone.md")).unwrap();
    let answer = desk.run(["runs", "forget", "--private", "--json"]).done();
    assert_eq!(answer["edits"], 1, "a note that was moved is not gone: {answer}");
    assert_eq!(desk.run(["undo", "--list", "--json"]).done()["operations"].as_array().unwrap().len(), 2);

    let held = files_holding(&desk.data(), WORD);
    assert!(held.iter().any(|file| file.contains("index.db")), "the other note is in the index: {held:?}");
    fs::remove_file(desk.vault().join("Kept.md")).unwrap();
    let answer = desk.run(["runs", "forget", "--private", "--json"]).done();
    assert_eq!(answer["edits"], 1, "{answer}");
    assert_eq!(files_holding(&desk.data(), WORD), Vec::<String>::new());
    let again = desk.run(["runs", "forget", "--private"]);
    assert!(!again.stdout.contains("can't be undone"), "{again:?}");
}

/// A finding about wax that rests on a note, too, which has this word.
fn finding_with(note: &str, word: &str, agenda: &wellread_core::ports::agenda::Agenda) -> Finding {
    let mut finding =
        agenda_fixtures::finding(&agenda.id, &agenda.tasks[0].id, "https://wax.example/melting");
    let own = FindingEvidence {
        id: "ev-2".to_owned(),
        quote: format!("The hive is called {word}."),
        url: format!("{note}:3-3"),
        ..finding.evidence[0].clone()
    };
    finding.bearing = format!("It is warmer than {word}.");
    finding.sentences.push(FindingSentence {
        part: FindingPart::Bearing,
        text: finding.bearing.clone(),
        evidence: vec!["ev-1".to_owned(), "ev-2".to_owned()],
        ..finding.sentences[0].clone()
    });
    finding.evidence.push(own);
    finding.related_notes = vec![note.to_owned()];
    (finding.motivation, finding.query) = (format!("{word} is unclear"), format!("{word} wax"));
    finding
}

#[test]
fn what_the_inbox_and_agendas_say_of_a_note_is_forgotten_with_it() {
    const WORD: &str = "qwzxvbn";
    let desk = desk();
    fs::write(desk.vault().join("Gone.md"), format!("# Gone\n\nThe hive is called {WORD}.\n")).unwrap();
    let mut agenda = agenda_fixtures::agenda(1);
    let task = &mut agenda.tasks[0];
    task.related_notes = vec!["Gone.md".to_owned()];
    (task.motivation, task.query) = (format!("{WORD} is unclear"), format!("{WORD} wax"));
    let finding = finding_with("Gone.md", WORD, &agenda);
    let records = desk.records();
    records.propose(&agenda, None).unwrap();
    let found = |change: &mut AgendaChange| {
        change.findings =
            vec![wellread_core::ports::NewFinding { finding: finding.clone(), embedding: None }];
        Ok(())
    };
    records.change_agenda(&agenda.id, AgendaActor::User, &mut { found }).unwrap();
    let once = IdempotentRequest::new("key", "accept", &"it").unwrap();
    records.keep_answer(&once, &serde_json::to_string(&finding).unwrap()).unwrap();

    let forget = || desk.run(["runs", "forget", "--note", "Gone", "--json"]).done();
    let answer = forget();
    assert_eq!((&answer["findings"], &answer["agendas"]), (&json!(1), &json!(0)), "{answer}");
    assert_eq!(answer["open_agendas"], json!([agenda.id.as_str()]), "it waits for a decision: {answer}");
    let told = desk.run(["runs", "forget", "--note", "Gone"]);
    assert!(told.stderr.contains(&format!("wellread agenda cancel {}", agenda.id)), "{told:?}");
    desk.run(["agenda", "cancel", agenda.id.as_str(), "--json"]).done();
    let answer = forget();
    assert_eq!((&answer["findings"], &answer["agendas"]), (&json!(0), &json!(1)), "{answer}");

    let left = records.finding(&finding.id).unwrap().unwrap();
    assert_eq!((left.summary.as_str(), left.bearing.as_str()), ("Wax melts at 62 degrees.", ""));
    assert_eq!(left.evidence, finding.evidence[..1]);
    assert_eq!(
        records.agendas(AgendaFilter::All, 9).unwrap()[0].tasks[0].related_notes,
        Vec::<String>::new()
    );
    fs::remove_file(desk.vault().join("Gone.md")).unwrap();
    desk.run(["runs", "forget", "--private", "--json"]).done();
    assert_eq!(files_holding(&desk.data(), WORD), Vec::<String>::new());
    let shown = desk.run(["inbox", "--json"]).done();
    assert_eq!(shown["findings"][0]["query"], "(forgotten)", "{shown}");
}
