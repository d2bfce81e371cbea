//! Code research over MCP and HTTP: the same answer by every way, progress, runs as resources, called off.

use std::process::Command;
use std::thread;

use serde_json::{Value, json};
use wellread_testkit::{ModelServer, Turn};

use crate::desk::{BINARY, Desk, Ran, column, repository};
use crate::leads::{QUESTION, desk, opens_them, script};
use crate::partner::{last_run, with};
use crate::served::{Reply, Served, events};
use crate::talk::{Revision, Talk};

/// A POST with these lines more in its head.
fn post(served: &Served, more: &str, body: &Value) -> Reply {
    let body = body.to_string();
    let head = format!(
        "Connection: close\r\n{more}Content-Type: application/json\r\nContent-Length: {}\r\n",
        body.len()
    );
    served.raw((served.head("POST /api/code/research", &head) + &body).as_bytes())
}

const STREAM: &str = "Accept: text/event-stream\r\n";
const LATER: &str = "Prefer: respond-async\r\n";

fn outcome(served: &Served, run: &str) -> Value {
    loop {
        let run = served.get(&format!("/api/runs/{run}")).done();
        if !run["outcome"].is_null() {
            return run;
        }
        thread::yield_now();
    }
}

fn without_run(answer: &Value) -> String {
    answer.to_string().replace(answer["run_id"].as_str().unwrap(), "RUN")
}

fn serve(desk: &Desk, server: &ModelServer) -> Served {
    Served::with(desk, &[], |command| with(command, server))
}

#[test]
fn the_python_client_asks_about_code_and_reads_the_run() {
    let root = repository();
    let python = root.join(".venv/bin/python");
    assert!(python.exists(), "run `./check` once, which installs the MCP client that this test drives");
    let desk = desk();
    let mut command = Command::new(python);
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("HOME", desk.home());
    command.arg(root.join("tests/mcp_code.py")).arg(BINARY).arg(desk.vault()).arg(desk.data());
    let ran = Ran::of(&mut command);
    assert!(ran.status == Some(0) && ran.stdout.ends_with("all good\n"), "{}\n{}", ran.stdout, ran.stderr);
}

#[test]
fn over_mcp_a_model_is_followed_and_called_off() {
    let desk = desk();
    let server = ModelServer::start(script().into_iter().chain([opens_them(), Turn::hangs()]));
    let mut command = desk.here();
    with(&mut command, &server);
    let mut talk = Talk::of(command, Revision::June2025, &[]);
    talk.greet();
    let call = json!({
        "name": "code_deep_research",
        "arguments": { "question": QUESTION, "budget": 8 },
        "_meta": { "progressToken": "mine" },
    });
    let id = talk.request("tools/call", call.clone());
    let mut told = Vec::new();
    let answer = loop {
        let message = talk.next();
        if message["id"] == id {
            break message["result"]["structuredContent"].clone();
        }
        assert_eq!(message["params"]["progressToken"], "mine", "{message}");
        told.push(message["params"].clone());
    };
    assert!(answer["answer"].as_str().unwrap().starts_with("`SWARM_DROP_KG` is 1.5"), "{answer}");
    let progress: Vec<f64> = told.iter().map(|one| one["progress"].as_f64().unwrap()).collect();
    assert!(progress.windows(2).all(|two| two[0] < two[1]), "{progress:?}");
    let messages: Vec<&str> = told.iter().map(|one| one["message"].as_str().unwrap()).collect();
    for words in ["investigating, step 1: hybrid_search", "open_span", "graph_expand", "checking"] {
        assert!(messages.iter().any(|message| message.contains(words)), "{words}: {messages:?}");
    }

    let id = talk.request("tools/call", call);
    server.wait_for_requests(6);
    talk.say(
        &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } }),
    );
    assert_eq!(talk.call("get_current_date", &json!({}))["isError"], false);
    while last_run(&desk)["ended"].is_null() {}
    assert_eq!(last_run(&desk)["ended"], "cancelled");
    assert_eq!(talk.end().0, Some(0));
}

#[test]
fn over_http_it_is_answered_at_once_as_it_comes_and_later() {
    let desk = desk();
    let server = ModelServer::start(script().into_iter().chain(script()).chain(script()));
    let served = serve(&desk, &server);
    let request = json!({ "question": QUESTION });
    let at_once = served.post("/api/code/research", &request).done();
    assert_eq!(column(&at_once["citations"], "path"), ["rust/src/swarm.rs"], "{at_once}");

    let heard = events(&post(&served, STREAM, &request));
    let names: Vec<&str> = heard.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!((names[0], *names.last().unwrap()), ("run", "done"), "{heard:?}");
    let stages: Vec<&str> = heard.iter().filter_map(|(_, data)| data["stage"].as_str()).collect();
    assert_eq!(stages, ["investigate", "investigate", "investigate", "check"], "{heard:?}");
    let done = &heard.last().unwrap().1;
    assert_eq!(done["run_id"], heard[0].1["run_id"]);
    assert_eq!(without_run(done), without_run(&at_once));

    let begun =
        post(&served, LATER, &json!({ "question": QUESTION, "repository": "hivelog", "debug": true }));
    assert_eq!((begun.status, begun.header("preference-applied")), (202, Some("respond-async")), "{begun:?}");
    let run = begun.json()["run_id"].as_str().unwrap().to_owned();
    assert_eq!(outcome(&served, &run)["outcome"], "done");
    let shown = desk.run(["runs", "show", &run]).stdout;
    assert!(shown.contains("`SWARM_DROP_KG` is 1.5"), "{shown}");
    served.end();
    server.into_requests();
}

#[test]
fn without_a_model_http_and_the_tool_and_the_command_give_the_same() {
    let desk = desk();
    let question = "What calls detect_swarms?";
    let command = desk.run(["code", question, "--json"]).done();
    let tool = desk.tool("code_deep_research", &json!({ "question": question })).done();
    let served = Served::start(&desk);
    let over_http = served.post("/api/code/research", &json!({ "question": question })).done();
    served.end();
    assert_eq!(without_run(&tool), without_run(&command));
    assert_eq!(without_run(&over_http), without_run(&command));
}

#[test]
fn over_http_it_is_called_off_by_its_run() {
    let desk = desk();
    let server = ModelServer::start([opens_them(), Turn::hangs()]);
    let served = serve(&desk, &server);
    let begun = post(&served, LATER, &json!({ "question": QUESTION }));
    assert_eq!(begun.status, 202, "{begun:?}");
    let run = begun.json()["run_id"].as_str().unwrap().to_owned();
    server.wait_for_requests(2);
    served.post(&format!("/api/runs/{run}/cancel"), &json!({})).done();
    assert_eq!(outcome(&served, &run)["outcome"], "cancelled");
    served.end();
}

#[test]
fn what_is_no_request_is_told_and_leaves_no_run() {
    let desk = desk();
    let served = Served::start(&desk);
    for (body, status) in [
        (json!({}), 400),
        (json!({ "question": "" }), 400),
        (json!({ "question": 7 }), 400),
        (json!({ "question": QUESTION, "budget": 0 }), 400),
        (json!({ "question": QUESTION, "budget": 21 }), 400),
        (json!({ "question": QUESTION, "budget": -1 }), 400),
        (json!({ "question": QUESTION, "path": "/etc" }), 400),
        (json!({ "question": QUESTION, "scope": "../x" }), 403),
        (json!({ "question": QUESTION, "repository": "nowhere" }), 404),
        (json!({ "question": QUESTION, "repository": "/etc" }), 404),
        (json!({ "question": "why ".repeat(2_000) }), 400),
    ] {
        served.post("/api/code/research", &body).problem(status);
    }
    let heard = events(&post(&served, STREAM, &json!({ "question": QUESTION, "repository": "nowhere" })));
    assert_eq!(
        (heard.last().unwrap().0.as_str(), &heard.last().unwrap().1["status"]),
        ("error", &json!(404))
    );
    assert_eq!(served.get("/api/runs").done()["runs"], json!([]));
    served.end();
    // Where there is no code at all, it says how to add some.
    let served = Served::new();
    let problem = served.post("/api/code/research", &json!({ "question": QUESTION })).problem(404);
    assert!(problem["hint"].as_str().unwrap().contains("repo add"), "{problem}");
    served.end();
}
