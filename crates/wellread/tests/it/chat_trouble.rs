//! A model that is not there, says no, or breaks off: what the user is told, what is kept, and how it goes on.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use wellread_testkit::{ModelServer, Turn};

use crate::desk::{Desk, Ran};
use crate::partner::{Wire, last_run, with};

const KEY: &str = "sk-of-nobody-7261";

fn edits() -> Turn {
    Turn::calls(&[("append_to_file", json!({ "path": "Inbox/Untitled idea", "content": "once" }))])
}

fn said(desk: &Desk, wire: Wire, server: &ModelServer, args: &[&str]) -> Ran {
    Ran::of(desk.here().envs(wire.variables(server, KEY)).args(args))
}

/// A turn whose first request is answered with an edit, and whose second fares like this.
fn troubled(wire: Wire, trouble: Vec<Turn>) -> (Desk, Ran) {
    let desk = Desk::new();
    let server = ModelServer::start([edits()].into_iter().chain(trouble));
    let ran = said(&desk, wire, &server, &["chat", "Add a line", "--json"]);
    server.into_requests();
    (desk, ran)
}

/// The run failed and is kept; taken up, it asks only for what was not answered, and does nothing twice.
fn goes_on(desk: &Desk, wire: Wire, failed: &Value) {
    let run = last_run(desk);
    assert_eq!((&run["ended"], &run["id"]), (&json!("failed"), &failed["run_id"]), "{failed}");
    let added = desk.text("Inbox/Untitled idea.md").matches("once").count();
    assert_eq!(added, 1);
    let server = ModelServer::start([Turn::says("It is there.")]);
    let resumed = said(desk, wire, &server, &["resume", run["id"].as_str().unwrap(), "--json"]).done();
    assert_eq!((&resumed["response"], &resumed["run_id"]), (&json!("It is there."), &run["id"]));
    let asked = server.into_requests();
    let (_, messages) = wire.said(&asked[0]);
    assert_eq!(messages.len(), 3, "the message, the call and its answer: {messages:?}");
    assert_eq!(desk.text("Inbox/Untitled idea.md").matches("once").count(), added, "the edit is made once");
    assert_eq!(last_run(desk)["ended"], "done");
    assert_eq!(desk.run(["replay", run["id"].as_str().unwrap(), "--json"]).done(), resumed);
    let again = said(desk, wire, &ModelServer::start([]), &["resume", run["id"].as_str().unwrap(), "--json"]);
    assert!(again.failed(4)["error"].as_str().unwrap().contains("is done"));
    let went_on = ModelServer::start([Turn::says("Yes.")]);
    said(desk, wire, &went_on, &["chat", "Is it?", "--json"]).done();
    let asked = went_on.into_requests();
    assert_eq!(wire.said(&asked[0]).1.len(), 5, "the conversation goes on with the turn that was taken up");
}

#[test]
fn without_a_model_it_says_which_variables_would_set_one_up() {
    let desk = Desk::new();
    let said = desk.run(["chat", "Hello"]);
    let told = said.complains(5);
    for name in ["FIREWORKS_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "model.base_url"] {
        assert!(told.contains(name), "{told}");
    }
    assert!(desk.run(["chat", "Hello", "--json"]).failed(5)["hint"].as_str().unwrap().contains("OPENAI"));
    let lines = Ran::fed(desk.here().arg("chat"), b"Hello\n");
    assert_eq!(lines.status, Some(1), "{lines:?}");
    // A hosted service without its key is told of before anything is sent.
    let hosted = Ran::of(desk.here().env("WELLREAD_MODEL_PROVIDER", "anthropic").args(["chat", "Hello"]));
    assert!(hosted.complains(5).contains("ANTHROPIC_API_KEY"), "{hosted:?}");
}

#[test]
fn a_key_that_is_not_accepted_is_told_by_its_variable_and_stands_nowhere() {
    for (wire, name) in [(Wire::OpenAi, "OPENAI_API_KEY"), (Wire::Anthropic, "ANTHROPIC_API_KEY")] {
        let says = format!("{{\"error\":{{\"message\":\"Incorrect API key provided: {KEY}.\"}}}}");
        let (desk, ran) = troubled(wire, vec![Turn::status(401, &says)]);
        let failed = ran.failed(5);
        assert!(failed["hint"].as_str().unwrap().contains(name), "{failed}");
        assert!(!ran.stdout.contains(KEY) && !ran.stderr.contains(KEY), "{ran:?}");
        goes_on(&desk, wire, &failed);
        let trace = desk.run(["runs", "show", failed["run_id"].as_str().unwrap(), "trace"]).stdout;
        assert!(trace.contains("rejected the key") && !trace.contains(KEY), "{trace}");
        no_file_holds(&desk.data(), KEY);
    }
}

fn no_file_holds(folder: &Path, secret: &str) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            no_file_holds(&path, secret);
        } else {
            let bytes = fs::read(&path).unwrap();
            let found = bytes.windows(secret.len()).any(|part| part == secret.as_bytes());
            assert!(!found, "the key is in {}", path.display());
        }
    }
}

fn busy(status: u16) -> Turn {
    Turn::status(status, "{\"error\":{\"message\":\"later\"}}").with_header("retry-after", "0")
}

#[test]
fn what_may_pass_is_tried_again_and_then_told() {
    for wire in Wire::BOTH {
        for (status, words) in [(429, "rate limit"), (500, "busy or failing"), (529, "busy or failing")] {
            let (desk, ran) = troubled(wire, (0..4).map(|_| busy(status)).collect());
            let failed = ran.failed(5);
            assert!(failed["error"].as_str().unwrap().contains(words), "{failed}");
            goes_on(&desk, wire, &failed);
        }
        let (desk, ran) = troubled(wire, vec![busy(429), busy(503), Turn::says("At last.")]);
        assert_eq!(ran.done()["response"], "At last.");
        assert_eq!(desk.text("Inbox/Untitled idea.md").matches("once").count(), 1);
    }
}

#[test]
fn an_answer_that_makes_no_sense_is_told_as_such() {
    for wire in Wire::BOTH {
        for body in ["{\"choices\": [", "<html>gateway</html>", "[]", "null", "{\"choices\":[]}", "{}"] {
            let (desk, ran) = troubled(wire, vec![Turn::status(200, body)]);
            let failed = ran.failed(1);
            assert!(failed["error"].as_str().unwrap().contains("can't be used"), "{body}: {failed}");
            goes_on(&desk, wire, &failed);
        }
    }
}

#[test]
fn a_model_that_says_nothing_is_asked_once_more_and_asked_again_when_taken_up() {
    for wire in Wire::BOTH {
        let (desk, ran) = troubled(wire, vec![Turn::says(""), Turn::says("Now.")]);
        assert_eq!(ran.done()["response"], "Now.");
        drop(desk);
        let (desk, ran) = troubled(wire, vec![Turn::says(""), Turn::says("")]);
        let failed = ran.failed(1);
        assert!(failed["error"].as_str().unwrap().contains("empty answer, twice"), "{failed}");
        goes_on(&desk, wire, &failed);
    }
}

#[test]
fn a_connection_that_is_cut_is_tried_again_and_nothing_is_said_twice() {
    for wire in Wire::BOTH {
        let answer = "It is there, at the end of the note.";
        let cut = |bytes| Turn::says(answer).cut_after(bytes);
        let (_desk, ran) = troubled(wire, vec![cut(0), cut(300), Turn::says(answer).byte_by_byte()]);
        assert_eq!(ran.done()["response"], answer);
        let (desk, ran) = troubled(wire, vec![cut(0), cut(1), cut(200), cut(300)]);
        let failed = ran.failed(5);
        assert!(failed["error"].as_str().unwrap().contains("no answer from"), "{failed}");
        goes_on(&desk, wire, &failed);
    }
}

#[test]
fn a_model_that_hangs_is_ended_by_the_budget_of_seconds() {
    for trouble in [Turn::hangs(), Turn::says("Half of an answer.").stalls_after(250)] {
        let desk = Desk::new();
        let server = ModelServer::start([edits(), trouble]);
        let mut command = desk.here();
        with(&mut command, &server).env("WELLREAD_BUDGET_SECONDS", "2").args(["chat", "Add", "--json"]);
        let answer = Ran::of(&mut command).done();
        assert_eq!(answer["response"], "[Stopped: the time budget is used up]");
        server.into_requests();
        let run = last_run(&desk);
        assert_eq!(run["ended"], "out_of_budget");
        assert_eq!(desk.text("Inbox/Untitled idea.md").matches("once").count(), 1);
        let id = run["id"].as_str().unwrap();
        assert_eq!(desk.run(["replay", id, "--json"]).done(), answer, "also where a limit ended it");
        assert!(
            desk.run(["resume", id, "--json"]).failed(4)["error"].as_str().unwrap().contains("has ended")
        );
    }
}

#[test]
fn what_the_model_or_the_user_says_does_not_speak_to_the_terminal() {
    let desk = Desk::new();
    let server = ModelServer::start([
        Turn::calls(&[("read_file", json!({ "path": "No\u{1b}[2J\nsuch" }))]),
        Turn::says("Red \u{1b}[31malert\u{7} <script>x</script> ![](https://evil.example/a.png) [[Home]]"),
    ]);
    let ran = Ran::of(with(&mut desk.here(), &server).args(["chat", "What\u{1b}[2J?"]));
    assert_eq!(ran.status, Some(0), "{ran:?}");
    for text in [&ran.stdout, &ran.stderr, &desk.run(["runs"]).stdout] {
        assert!(!text.contains(['\u{1b}', '\u{7}']), "{text:?}");
    }
    assert!(ran.stdout.contains("[[Home]]") && !ran.stdout.contains("evil.example"), "{}", ran.stdout);
    server.into_requests();
}
