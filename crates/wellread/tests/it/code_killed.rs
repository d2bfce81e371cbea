//! An investigation whose process is ended without warning at every request: taken up, it ends as it would have, and asks
//! nothing twice that was answered.

use serde_json::{Value, json};
use wellread_testkit::{ModelServer, Turn};

use crate::desk::{Desk, Ran, borne_out};
use crate::leads::{ANSWER, begun, code, desk, does, ends, opens_them, script};
use crate::partner::{last_run, with};

/// With a memo on the way, which is a request of its own.
fn long_script() -> Vec<Turn> {
    let mut turns = script();
    turns.insert(2, does("summarize_evidence", &json!({ "goal": "the threshold" })));
    turns.insert(3, Turn::says("A memo."));
    turns
}

fn without_run(answer: &Value) -> String {
    answer.to_string().replace(answer["run_id"].as_str().unwrap(), "RUN")
}

fn taken_up(desk: &Desk, server: &ModelServer) -> Value {
    let run = last_run(desk);
    assert!(run["ended"].is_null(), "{run}");
    let run = run["id"].as_str().unwrap().to_owned();
    Ran::of(with(&mut desk.here(), server).args(["resume", &run, "--json"])).done()
}

#[test]
fn ended_at_any_request_it_goes_on_from_there() {
    let untouched = desk();
    let server = ModelServer::start(long_script());
    let expected = without_run(&code(&untouched, &server, &[]).done());
    let count = server.into_requests().len();
    assert_eq!(count, long_script().len());
    for at in 1..=count {
        let desk = desk();
        let before = long_script().into_iter().take(at - 1);
        // Before a word of the answer, and in the middle of one.
        let last = if at % 2 == 0 { Turn::hangs() } else { Turn::says("{\"action\"").stalls_after(40) };
        let server = ModelServer::start(before.chain([last]));
        let mut child = begun(&desk, &server);
        server.wait_for_requests(at);
        child.kill().unwrap();
        child.wait().unwrap();
        server.into_requests();

        let server = ModelServer::start(long_script().into_iter().skip(at - 1));
        let resumed = taken_up(&desk, &server);
        assert_eq!(without_run(&resumed), expected, "ended at request {at}");
        // All that was left was asked, and nothing else.
        assert_eq!(server.into_requests().len(), count - at + 1);
        let run = resumed["run_id"].as_str().unwrap();
        assert_eq!(desk.run(["--offline", "replay", run, "--json"]).done(), resumed, "ended at request {at}");
        let runs = desk.run(["runs", "--json"]).done()["runs"].clone();
        assert_eq!((runs.as_array().unwrap().len(), &runs[0]["ended"]), (1, &json!("done")));
    }
}

#[test]
fn code_that_changed_meanwhile_is_read_as_it_stands_where_it_was_not_read() {
    let desk = desk();
    let server = ModelServer::start([opens_them(), Turn::hangs()]);
    let mut child = begun(&desk, &server);
    server.wait_for_requests(2);
    child.kill().unwrap();
    child.wait().unwrap();
    let file = desk.code().join("rust/src/swarm.rs");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("f64 = 1.5", "f64 = 2.5")).unwrap();
    // What was read before no longer stands there: it bears nothing.
    let server = ModelServer::start([ends(ANSWER), Turn::says("I could not find out.")]);
    let answer = taken_up(&desk, &server);
    assert_eq!(borne_out(&answer["coverage"]), 0, "{answer}");
    assert!(answer["confidence"].as_f64().unwrap() < 0.1, "{answer}");
}
