//! Runs of research: ended at once at any point they are taken up without asking twice, run again they give the same, and
//! Ctrl-C ends them cleanly.

use std::process::{Child, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use wellread_testkit::web_server::{ReplyGate, WebServerReply};
use wellread_testkit::{Turn, WebServer};

use crate::desk::{Ran, borne_out};
use crate::study::{NOTE, Study, of_hives, results, thinks, web};

fn end_at_once(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Takes the last run up, and looks at what it wrote.
fn taken_up(study: &Study, at: &str) {
    assert_eq!(study.text(), NOTE, "ended {at}");
    let run = study.last_run();
    assert!(run["ended"].is_null(), "{run}");
    let run = run["id"].as_str().unwrap().to_owned();
    let resumed = study.run(&["resume", &run, "--json"]).done();
    let text = study.text();
    assert_eq!(text.matches("## Research").count(), 1, "ended {at}: {text}");
    assert!(text.starts_with(NOTE) && text.contains(&run), "ended {at}: {text}");
    assert_eq!(borne_out(&resumed["coverage"]), 2, "ended {at}: {resumed}");
    let again = study.run(&["resume", &run, "--json"]);
    assert_ne!(again.status, None);
    assert_eq!(study.text(), text, "a run that has ended writes nothing more");
    assert_eq!(borne_out(&study.run(&["verify", "Bees", "--json"]).done()["coverage"]), 2);
    let replayed = study.desk.run(["--offline", "replay", &run, "--json"]).done();
    assert_eq!(replayed, resumed, "ended {at}");
}

#[test]
fn ended_at_any_request_to_the_model_it_goes_on_from_there() {
    for at in [1, 2] {
        let mut turns = thinks(at, &["hive size"], of_hives);
        turns.pop();
        turns.push(Turn::hangs());
        let study = Study::new(web(), turns);
        let child = study.begun();
        study.model.wait_for_requests(at);
        end_at_once(child);
        study.model.push_turns(thinks(3 - at, &["hive size"], of_hives));
        taken_up(&study, &format!("at request {at}"));
        assert_eq!(study.model.requests_so_far().len(), 3, "only what was not answered is asked again");
        assert_eq!(study.searches(), 1);
        study.model.into_requests();
    }
}

#[test]
fn ended_while_it_searches_it_searches_again_and_asks_for_no_topics() {
    let (web, gate) = (WebServer::start(), ReplyGate::default());
    web.add_reply("/html/", results(&web));
    web.add_reply("/html/", results(&web).with_gate(&gate));
    web.add_reply("/html/", results(&web));
    let study = Study::new(web, thinks(2, &["hive size", "hive weight"], of_hives));
    let child = study.begun();
    study.web.wait_for_requests(2);
    // One of the two is answered, or not yet written down.
    end_at_once(child);
    gate.open();
    taken_up(&study, "at a search");
    assert!((3..=4).contains(&study.searches()), "{:?}", study.web.request_lines());
    study.model.into_requests();
}

#[test]
fn run_again_without_model_and_web_it_gives_the_same() {
    let study = Study::usual(2);
    let done = study.note(&[]).done();
    let run = done["run_id"].as_str().unwrap();
    let question = "How many bees does a strong hive hold?";
    study.web.add_reply("/hive", WebServerReply::status(404));
    study.model.push_turns(thinks(1, &[], |prompt| {
        format!(
            "A strong hive holds 60,000 bees at midsummer [{}].",
            crate::study::id_of(prompt, crate::study::FOUND)
        )
    }));
    let answered = study.run(&["ask", "--json", question]).done();
    let Study { desk, web, model } = study;
    model.into_requests();
    drop(web);
    let text = desk.text("Bees.md");
    desk.save("Wintering.md", "Rewritten since.\n");
    assert_eq!(desk.run(["replay", run, "--json"]).done(), done);
    assert_eq!(desk.run(["replay", answered["run_id"].as_str().unwrap(), "--json"]).done(), answered);
    assert_eq!(desk.text("Bees.md"), text, "a replay writes nothing");
}

#[test]
fn ctrl_c_calls_it_off_and_the_note_stays() {
    for asked in [1, 2] {
        let mut turns = thinks(asked, &["hive size"], of_hives);
        turns.pop();
        turns.push(Turn::hangs());
        let study = Study::new(web(), turns);
        let child = study.begun();
        study.model.wait_for_requests(asked);
        kill_process(Pid::from_child(&child), Signal::INT).unwrap();
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        let answer: serde_json::Value = serde_json::from_str(&said).unwrap();
        assert_eq!(answer["success"], false, "{answer}");
        assert!(answer["error"].as_str().unwrap().starts_with("cancelled"), "{answer}");
        assert!(output.status.code().is_some_and(|status| status != 0), "{:?}", output.status);
        assert_eq!(study.text(), NOTE);
        let run = study.last_run();
        assert_eq!((&run["ended"], &run["id"]), (&json!("cancelled"), &answer["run_id"]));
        study.model.into_requests();
    }
}

#[test]
fn a_run_that_was_begun_with_the_web_for_one_call_is_taken_up_with_it() {
    let gate = ReplyGate::default();
    let web = WebServer::start();
    web.add_reply("/html/", results(&web).with_gate(&gate));
    web.add_reply("/html/", results(&web));
    let study = Study::new(web, thinks(2, &["hive size"], of_hives));
    let mut begin = study.here();
    begin.env_remove("WELLREAD_SEARCH_SERVICES").args(["note", "Bees", "--web", "--apply"]);
    let child = begin.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    study.web.wait_for_requests(1);
    end_at_once(child);
    gate.open();
    let run = study.last_run()["id"].as_str().unwrap().to_owned();
    let mut resume = study.here();
    resume.env_remove("WELLREAD_SEARCH_SERVICES").args(["resume", &run, "--json"]);
    let resumed = Ran::of(&mut resume).done();
    assert_eq!((study.searches(), &borne_out(&resumed["coverage"])), (2, &json!(2)), "{resumed}");
}

#[test]
fn what_drew_on_a_note_that_is_private_by_now_is_not_taken_up() {
    let note: &[&str] = &["note", "Bees", "--apply", "--json"];
    let ask: &[&str] = &["ask", "How much honey does a hive eat in winter?", "--json"];
    for (args, asked, private) in [(note, 2, true), (note, 2, false), (ask, 1, true), (ask, 1, false)] {
        let mut turns = thinks(asked, &["hive in winter"], of_hives);
        turns.pop();
        turns.push(Turn::hangs());
        let study = Study::new(web().with_reply("/hive", WebServerReply::status(404)), turns);
        let mut command = study.here();
        let quiet = command.args(args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = quiet.spawn().unwrap();
        study.model.wait_for_requests(asked);
        end_at_once(child);
        if private {
            let text = study.desk.text("Wintering.md");
            study.desk.save("Wintering.md", format!("---\nprivate: true\n---\n{text}"));
        } else {
            study.model.push_turns(thinks(1, &[], of_hives));
        }
        let run = study.last_run()["id"].as_str().unwrap().to_owned();
        let resumed = study.run(&["resume", &run, "--json"]).stdout;
        assert_eq!(resumed.contains("was made private since"), private, "{args:?}: {resumed}");
        if private {
            assert_eq!(study.text(), NOTE);
            assert!(study.last_run()["ended"].is_null(), "it can go on once the note is no longer private");
        }
        study.model.into_requests();
    }
}
