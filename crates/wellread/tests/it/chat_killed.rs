//! A chat whose process is ended without warning, at every request and at every step of a tool: taken up, it ends as it
//! would have, asks nothing twice that was answered, and changes every note once.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};

use serde_json::{Value, json};
use wellread_core::domain::id::RunId;
use wellread_core::ports::RunLogs as _;
use wellread_core::ports::event::{ModelAnswer, RunEvent};
use wellread_testkit::{ModelServer, Turn};

use crate::desk::{Desk, Ran};
use crate::partner::{last_run, with};

const ANSWER: &str = "The log has two lines more.";

/// Three rounds of tools: reads side by side, then edits, one and several at once.
fn script() -> Vec<Turn> {
    let append = |text: &str| ("append_to_file", json!({ "path": "Inbox/Untitled idea", "content": text }));
    vec![
        Turn::calls(&[
            ("read_file", json!({ "path": "Bees/Log" })),
            ("search_vault", json!({ "query": "oxalic acid" })),
        ]),
        Turn::calls(&[append("first")]),
        Turn::calls(&[
            append("second"),
            ("get_current_date", json!({})),
            ("create_file", json!({ "path": "Inbox/Made.md", "content": "made" })),
        ]),
        Turn::says(ANSWER),
    ]
}

const CALLS: usize = 6;

fn start(desk: &Desk, server: &ModelServer) -> Child {
    let mut command = desk.here();
    with(command.args(["chat", "Go"]), server);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

fn end_at_once(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

/// How many requests the log holds an answer to.
fn answered(desk: &Desk) -> usize {
    let run = RunId::parse(last_run(desk)["id"].as_str().unwrap()).unwrap();
    let events = desk.records().events(&run).unwrap();
    let reply = |event: &RunEvent| matches!(event, RunEvent::Model { answer: ModelAnswer::Reply(_), .. });
    events.iter().filter(|stamped| reply(&stamped.event)).count()
}

fn taken_up(desk: &Desk, at: &str) {
    let run = last_run(desk)["id"].as_str().unwrap().to_owned();
    let server = ModelServer::start(script().into_iter().skip(answered(desk)));
    let ran = Ran::of(with(&mut desk.here(), &server).args(["resume", &run, "--json"]));
    assert_eq!(ran.done()["response"], ANSWER, "ended {at}");
    // All that was left was asked, and nothing else.
    server.into_requests();
    ends_as_it_would_have(desk, at);
    let replayed = desk.run(["--offline", "replay", &run, "--json"]).done();
    assert_eq!(replayed, ran.json(), "ended {at}");
}

fn ends_as_it_would_have(desk: &Desk, at: &str) {
    let log = desk.text("Inbox/Untitled idea.md");
    assert!(log.ends_with("\nfirst\nsecond\n"), "ended {at}: {log}");
    assert_eq!(log.matches("first\n").count() + log.matches("second\n").count(), 2, "ended {at}: {log}");
    assert_eq!(desk.text("Inbox/Made.md"), "made", "ended {at}");
    let operations = desk.run(["undo", "--list", "--json"]).done()["operations"].clone();
    assert_eq!(operations.as_array().map(Vec::len), Some(3), "ended {at}: {operations}");
    let runs = desk.run(["runs", "--json"]).done()["runs"].clone();
    let ended: Vec<&Value> = runs.as_array().unwrap().iter().map(|run| &run["ended"]).collect();
    assert_eq!(ended, ["done"], "ended {at}");
}

#[test]
fn ended_at_any_request_it_goes_on_from_there() {
    for at in 1..=script().len() {
        let desk = Desk::new();
        let before = script().into_iter().take(at - 1);
        // Before a word of the answer, and in the middle of one.
        let last = if at % 2 == 0 { Turn::hangs() } else { script().remove(at - 1).stalls_after(150) };
        let server = ModelServer::start(before.chain([last]));
        let child = start(&desk, &server);
        server.wait_for_requests(at);
        end_at_once(child);
        server.into_requests();
        assert_eq!(answered(&desk), at - 1);
        taken_up(&desk, &format!("at request {at}"));
    }
}

#[test]
fn ended_at_any_step_of_a_tool_it_goes_on_from_there() {
    for at in 1..=CALLS {
        let desk = Desk::new();
        // The next request is never answered, so that it is ended where it is meant to be, or shortly after.
        let round = [1, 1, 2, 3, 3, 3][at - 1];
        let server = ModelServer::start(script().into_iter().take(round).chain([Turn::hangs()]));
        let mut child = start(&desk, &server);
        let told = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
        // Each call is told when it begins.
        let begun = told.filter(|line| line.starts_with("  [")).take(at).count();
        assert_eq!(begun, at);
        end_at_once(child);
        assert_eq!(answered(&desk), round);
        taken_up(&desk, &format!("at call {at}"));
    }
}

#[test]
fn nothing_is_lost_where_it_was_not_ended() {
    let desk = Desk::new();
    let server = ModelServer::start(script());
    let ran = Ran::of(with(desk.here().args(["chat", "Go"]), &server));
    assert_eq!((ran.status, ran.stdout.trim_end()), (Some(0), ANSWER), "{ran:?}");
    server.into_requests();
    ends_as_it_would_have(&desk, "nowhere");
}
