//! Research over HTTP: at once, as it comes, or later; called off; and the skills for bots.

use std::sync::mpsc;
use std::thread;

use serde_json::{Value, json};
use wellread_testkit::web_server::WebServerReply as WebReply;
use wellread_testkit::{Turn, WebServer};

use crate::desk::one_clear_line;
use crate::partner::with;
use crate::served::{Reply, Served, events};
use crate::study::{NOTE, Study, of_hives, thinks, web, with_web};

fn serve(study: &Study) -> Served {
    Served::with(&study.desk, &[], |command| with(with_web(command, &study.web), &study.model))
}

/// A POST with these lines more in its head.
fn post(served: &Served, path: &str, more: &str, body: &Value) -> Reply {
    let body = body.to_string();
    let head = format!(
        "Connection: close\r\n{more}Content-Type: application/json\r\nContent-Length: {}\r\n",
        body.len()
    );
    served.raw((served.head(&format!("POST {path}"), &head) + &body).as_bytes())
}

const STREAM: &str = "Accept: text/event-stream\r\n";
const LATER: &str = "Prefer: respond-async\r\n";

/// Waits for the end of a run.
fn outcome(served: &Served, run: &str) -> Value {
    loop {
        let run = served.get(&format!("/api/runs/{run}")).done();
        if !run["outcome"].is_null() {
            return run;
        }
        thread::yield_now();
    }
}

/// What differs between two runs of the same.
fn without_ids(answer: &Value) -> Value {
    let mut answer = answer.clone();
    for name in ["run_id", "operation", "left", "diff"] {
        answer.as_object_mut().unwrap().remove(name);
    }
    answer
}

#[test]
fn a_note_is_researched_at_once_as_it_comes_and_later() {
    let study = Study::usual(6);
    let served = serve(&study);
    let request = json!({ "path": "Bees", "depth": "shallow", "dryRun": true });
    let at_once = served.post("/api/note/research", &request).done();
    assert!(at_once["diff"].as_str().unwrap().contains("+## Research"), "{at_once}");
    assert_eq!(study.text(), NOTE);

    let heard = events(&post(&served, "/api/note/research", STREAM, &request));
    let names: Vec<&str> = heard.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!((names[0], *names.last().unwrap()), ("run", "done"), "{heard:?}");
    let stages: Vec<&str> = heard.iter().filter_map(|(_, data)| data["stage"].as_str()).collect();
    assert_eq!(stages, ["topics", "gather", "gather", "write_up", "check", "write"]);
    let gathered: Vec<&Value> =
        heard.iter().filter(|(_, data)| data["stage"] == "gather").map(|(_, data)| data).collect();
    assert_eq!(
        (&gathered[1]["done"], &gathered[1]["of"], &gathered[1]["about"]),
        (&json!(1), &json!(1), &json!("hive size"))
    );
    let done = &heard.last().unwrap().1;
    assert_eq!(done["run_id"], heard[0].1["run_id"]);
    assert_eq!(without_ids(done), without_ids(&at_once));

    let begun = post(&served, "/api/note/research", LATER, &json!({ "path": "Bees" }));
    assert_eq!((begun.status, begun.header("preference-applied")), (202, Some("respond-async")), "{begun:?}");
    let run = begun.json()["run_id"].as_str().unwrap().to_owned();
    assert_eq!(outcome(&served, &run)["outcome"], "done");
    assert!(study.text().contains(&run), "{}", study.text());
    served.post(&format!("/api/runs/{run}/cancel"), &json!({})).problem(404);
    served.end();
}

#[test]
fn research_is_called_off_by_its_run() {
    let study = Study::new(web(), thinks(1, &["hive size"], of_hives).into_iter().chain([Turn::hangs()]));
    let served = serve(&study);
    let begun = post(&served, "/api/note/research", LATER, &json!({ "path": "Bees" }));
    assert_eq!(begun.status, 202, "{begun:?}");
    let run = begun.json()["run_id"].as_str().unwrap().to_owned();
    study.model.wait_for_requests(2);
    assert!(served.get(&format!("/api/runs/{run}")).done()["outcome"].is_null());
    served.post(&format!("/api/runs/{run}/cancel"), &json!({})).done();
    assert_eq!(outcome(&served, &run)["outcome"], "cancelled");
    assert_eq!(study.text(), NOTE);
    served.post("/api/runs/01000000000009/cancel", &json!({})).problem(404);
    served.end();
}

#[test]
fn a_client_that_hangs_up_leaves_research_that_is_completed() {
    let (open, gate) = mpsc::channel();
    let mut turns = thinks(2, &["hive size"], of_hives);
    let last = turns.pop().unwrap().with_gate(gate);
    let study = Study::new(web(), turns.into_iter().chain([last]));
    let served = serve(&study);
    let body = json!({ "path": "Bees" }).to_string();
    let more = format!("{STREAM}Content-Type: application/json\r\nContent-Length: {}\r\n", body.len());
    let mut stream = served.connect();
    std::io::Write::write_all(
        &mut stream,
        (served.head("POST /api/note/research", &more) + &body).as_bytes(),
    )
    .unwrap();
    study.model.wait_for_requests(2);
    drop(stream);
    open.send(()).unwrap();
    let run = served.get("/api/runs").done()["runs"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(outcome(&served, &run)["outcome"], "done");
    assert!(study.text().contains(&run));
    served.end();
}

#[test]
fn a_question_is_answered_the_same_way_by_every_way() {
    let study = Study::new(WebServer::start(), []);
    let served = Served::start(&study.desk);
    let request = json!({ "query": "How many bees does a hive hold in winter?" });
    let at_once = served.post("/api/ask", &request).done();
    assert_eq!(at_once["kind"], "answer", "{at_once}");
    let heard = events(&post(&served, "/api/ask", STREAM, &request));
    assert_eq!(heard[0].0, "run");
    let (name, done) = heard.last().unwrap();
    assert_eq!((name.as_str(), without_ids(done)), ("done", without_ids(&at_once)));
    let later = post(&served, "/api/ask", LATER, &request);
    let (status, answer) = (later.status, later.json());
    assert!(status == 202 || status == 200, "{later:?}");
    let run = outcome(&served, answer["run_id"].as_str().unwrap());
    assert_eq!(run["outcome"], "done", "{run}");
    assert_eq!(without_ids(&served.tool("research", &request).done()), without_ids(&at_once));
    let broad = served.post("/api/ask", &json!({ "query": "bees" })).done();
    assert_eq!(broad["kind"], "clarify", "{broad}");
    served.end();
}

#[test]
fn what_is_no_request_is_told() {
    let study = Study::new(WebServer::start(), []);
    let served = serve(&study);
    for (path, body, status) in [
        ("/api/note/research", json!({}), 400),
        ("/api/note/research", json!({ "path": "Bees", "depth": "wide" }), 400),
        ("/api/note/research", json!({ "path": "Bees", "deep": true }), 400),
        ("/api/note/research", json!({ "path": "Nowhere" }), 404),
        ("/api/note/research", json!({ "path": "../Bees" }), 403),
        ("/api/ask", json!({}), 400),
        ("/api/ask", json!({ "query": 7 }), 400),
        ("/api/ask", json!({ "query": "why ".repeat(25_000) }), 400),
        ("/api/skills/research", json!({ "query": 7 }), 400),
    ] {
        served.post(path, &body).problem(status);
        if path != "/api/skills/research" && body.get("path").is_some_and(|path| path == "Nowhere") {
            let heard = events(&post(&served, path, STREAM, &body));
            assert_eq!(
                (heard.last().unwrap().0.as_str(), &heard.last().unwrap().1["status"]),
                ("error", &json!(404))
            );
            post(&served, path, LATER, &body).problem(404);
        }
    }
    let wide = served.post("/api/note/research", &json!({ "path": "Bees", "depth": "wide" })).problem(400);
    assert!(wide["detail"].as_str().unwrap().contains("shallow"), "{wide}");
    assert_eq!(served.get("/api/runs").done()["runs"], json!([]));
    assert_eq!(study.text(), NOTE);
    served.end();
}

#[test]
fn skills_answer_bots_in_sentences() {
    let study = Study::new(web(), []);
    let served = Served::start(&study.desk);
    let listed = served.get("/api/skills").done();
    assert_eq!(listed["skills"][0]["name"], "research", "{listed}");
    let asked = json!({
        "user_id": "u1", "raw_text": "How many bees does a hive hold in winter?", "user_tz": "Europe/Paris",
    });
    let said = served.post("/api/skills/research", &asked).done()["text"].as_str().unwrap().to_owned();
    assert!(said.contains("10,000 bees in winter") && said.contains("\n\nSource: Wintering.md"), "{said}");
    let query = json!({ "query": "bees", "raw_text": "How many bees does a hive hold in winter?" });
    let back = served.post("/api/skills/research", &query).done();
    assert!(back["text"].as_str().unwrap().ends_with('?'), "{back}");
    assert!(served.post("/api/skills/research", &json!({})).done()["text"].as_str().unwrap().ends_with('?'));
    let unknown = served.post("/api/skills/dance", &asked).problem(404);
    assert!(unknown["hint"].as_str().unwrap().contains("research"), "{unknown}");
    served.end();

    // Whatever goes wrong is a sentence.
    study.web.add_reply("/hive", WebReply::status(404));
    study.web.add_reply("/html/", WebReply::status(500));
    let served = Served::with(&study.desk, &[], |command| with_web(command, &study.web));
    served.post("/api/skills/research", &asked).done();
    let failed = served.post("/api/skills/research", &asked).done();
    let said = failed["text"].as_str().unwrap();
    one_clear_line(said);
    assert!(said.contains("couldn't look that up") && !said.contains("500"), "{said}");
    served.end();
}
