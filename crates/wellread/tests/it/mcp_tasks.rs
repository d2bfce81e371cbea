//! Research as tasks of the protocol: begun, polled, called off, and taken up again after the server was killed.

use serde_json::{Value, json};
use wellread_testkit::{Turn, agenda_fixtures};

use crate::agenda_bench::{Bench, Trap};
use crate::served::Served;
use crate::study::{NOTE, Study, of_hives, thinks, web, with_web};
use crate::talk::{Revision, Talk};

const INVALID_PARAMS: i64 = -32602;
const INVALID_REQUEST: i64 = -32600;
const MISSING_CAPABILITY: i64 = -32021;

fn extension() -> Value {
    json!({ "io.modelcontextprotocol/tasks": {} })
}

fn tasks_only() -> Value {
    json!({ "extensions": extension() })
}

fn tasks_and_questions() -> Value {
    json!({ "extensions": extension(), "elicitation": { "form": {} } })
}

fn talk(study: &Study, capabilities: Value) -> Talk {
    let mut talk = Talk::of(study.here(), Revision::July2026, &[]).declaring(capabilities);
    talk.greet();
    talk
}

/// Has a note researched; the task that this is.
fn begin(talk: &mut Talk) -> String {
    let begun = talk.ask("tools/call", json!({ "name": "research_note", "arguments": { "path": "Bees" } }));
    assert_eq!((&begun["resultType"], &begun["status"]), (&json!("task"), &json!("working")), "{begun}");
    assert!(begun["ttlMs"].is_null() && begun["pollIntervalMs"].as_u64() > Some(0), "{begun}");
    assert!(begun["createdAt"].as_str().unwrap().ends_with('Z'), "{begun}");
    begun["taskId"].as_str().unwrap().to_owned()
}

fn get(talk: &mut Talk, task: &str) -> Value {
    let got = talk.ask("tasks/get", json!({ "taskId": task }));
    assert_eq!((&got["resultType"], &got["taskId"]), (&json!("complete"), &json!(task)), "{got}");
    got
}

/// The task once it is no longer worked on.
fn settled(talk: &mut Talk, task: &str) -> Value {
    loop {
        let got = get(talk, task);
        if got["status"] != "working" {
            return got;
        }
    }
}

fn agrees() -> Value {
    json!({ "action": "accept", "content": { "agree": true } })
}

fn update(talk: &mut Talk, task: &str, responses: &Value) {
    let done = talk.ask("tasks/update", json!({ "taskId": task, "inputResponses": responses }));
    assert_eq!(done, json!({ "resultType": "complete" }));
}

/// A model that has found the topics, and hangs before it writes; then it would write as often as it is asked.
fn stuck() -> Study {
    let turns = thinks(1, &["hive size"], of_hives).into_iter().chain([Turn::hangs()]);
    Study::new(web(), turns.chain(thinks(4, &["hive size"], of_hives)))
}

#[test]
fn research_is_a_task_whose_id_is_its_run() {
    let study = Study::usual(4);
    let mut first = talk(&study, tasks_only());
    let task = begin(&mut first);
    assert_eq!(study.last_run()["id"], json!(task));
    let done = settled(&mut first, &task);
    assert_eq!(done["status"], "completed", "{done}");
    let answer = &done["result"]["structuredContent"];
    assert_eq!((&answer["success"], &answer["path"]), (&json!(true), &json!("Bees.md")), "{done}");
    assert_eq!(done["result"]["isError"], false);
    assert_eq!(study.text().matches("## Research").count(), 1);
    // It is over: nothing changes that.
    first.ask("tasks/cancel", json!({ "taskId": task }));
    update(&mut first, &task, &json!({ "resume-1": { "action": "accept", "content": { "agree": true } } }));
    assert_eq!(get(&mut first, &task), done);
    // What fails before there is a run is an answer like any other.
    let missing = first.call("research_note", &json!({ "path": "Nowhere" }));
    assert_eq!(missing["isError"], true, "{missing}");
    assert_eq!(first.end().0, Some(0));
    // Another server knows it by its log.
    let mut second = talk(&study, tasks_only());
    let again = get(&mut second, &task);
    assert_eq!(again["status"], "completed");
    assert_eq!(again["result"]["structuredContent"]["success"], true, "{again}");
    assert_eq!(again["result"]["structuredContent"]["path"], "Bees.md", "{again}");
    assert_eq!(second.end().0, Some(0));
}

#[test]
fn a_task_says_how_far_it_is_and_is_called_off() {
    let study = stuck();
    let mut talk = talk(&study, tasks_only());
    let task = begin(&mut talk);
    study.model.wait_for_requests(2);
    let under_way = get(&mut talk, &task);
    assert_eq!(under_way["status"], "working");
    assert!(under_way["statusMessage"].as_str().unwrap().contains("writing up"), "{under_way}");
    assert_eq!(talk.ask("tasks/cancel", json!({ "taskId": task })), json!({ "resultType": "complete" }));
    assert_eq!(settled(&mut talk, &task)["status"], "cancelled");
    assert_eq!(study.last_run()["ended"], "cancelled");
    assert_eq!(study.text(), NOTE);
    assert_eq!(talk.call("get_current_date", &json!({}))["isError"], false);
    assert_eq!(talk.end().0, Some(0));
}

#[test]
fn an_interrupted_task_goes_on_when_the_user_agrees() {
    let study = stuck();
    let mut killed = talk(&study, tasks_and_questions());
    let task = begin(&mut killed);
    study.model.wait_for_requests(2);
    drop(killed);
    let mut cannot_ask = talk(&study, tasks_only());
    let failed = get(&mut cannot_ask, &task);
    assert_eq!(failed["status"], "failed", "{failed}");
    assert!(failed["error"].to_string().contains(&format!("wellread resume {task}")), "{failed}");
    assert_eq!(cannot_ask.end().0, Some(0));
    let mut talk = talk(&study, tasks_and_questions());
    let asked = get(&mut talk, &task);
    assert_eq!(asked["status"], "input_required", "{asked}");
    let (key, question) = asked["inputRequests"].as_object().unwrap().iter().next().unwrap();
    assert_eq!(question["method"], "elicitation/create");
    let text = question["params"]["message"].as_str().unwrap();
    assert!(text.contains("Go on with it? It will write the section `## Research` of `Bees.md`."), "{text}");
    // The question has a name that nobody can guess, and the same one as long as it is open.
    assert_eq!(get(&mut talk, &task)["inputRequests"], asked["inputRequests"]);
    let guesses = (0..40).map(|number| (format!("resume-{number}"), agrees()));
    update(&mut talk, &task, &Value::Object(guesses.collect()));
    assert_eq!(get(&mut talk, &task)["status"], "input_required");
    // Nonsense is no answer.
    for nonsense in [
        json!({}),
        json!({ "another": { "action": "accept", "content": { "agree": true } } }),
        json!({ key: { "action": "accept" } }),
        json!({ key: { "action": "accept", "content": { "agree": "yes" } } }),
        json!({ key: { "action": "cancel" } }),
        json!({ key: "yes" }),
        json!({ key: null }),
    ] {
        update(&mut talk, &task, &nonsense);
        assert_eq!(get(&mut talk, &task)["status"], "input_required", "{nonsense}");
    }
    assert_eq!(study.model.requests_so_far().len(), 2, "nothing was asked for");
    update(&mut talk, &task, &json!({ key: { "action": "accept", "content": { "agree": true } } }));
    let done = settled(&mut talk, &task);
    assert_eq!(done["result"]["structuredContent"]["success"], true, "{done}");
    assert_eq!(study.text().matches("## Research").count(), 1);
    assert_eq!(talk.end().0, Some(0));
}

/// Only a client that may call the tool, of a server that has what the run began with, goes on with it or ends it.
#[test]
fn an_interrupted_task_waits_for_a_client_that_may_go_on() {
    let study = stuck();
    let mut killed = talk(&study, tasks_and_questions());
    let task = begin(&mut killed);
    study.model.wait_for_requests(2);
    drop(killed);
    let mut without_web = study.here();
    without_web.env_remove("WELLREAD_SEARCH_SERVICES");
    for (command, args) in [
        (study.here(), &["--read-only"][..]),
        (study.here(), &["--tools", "vault,code"][..]),
        (without_web, &["--tools", "all"][..]),
    ] {
        let mut other = Talk::of(command, Revision::July2026, args).declaring(tasks_and_questions());
        other.greet();
        let failed = get(&mut other, &task);
        assert_eq!(failed["status"], "failed", "{args:?}: {failed}");
        assert!(failed["error"].to_string().contains(&format!("wellread resume {task}")), "{failed}");
        update(&mut other, &task, &json!({ "question": agrees(), "resume-3": agrees() }));
        let refused = other.refused("tasks/cancel", json!({ "taskId": task }));
        assert_eq!(refused["code"], INVALID_REQUEST, "{args:?}: {refused}");
        assert_eq!(other.end().0, Some(0));
    }
    let mut talk = talk(&study, tasks_and_questions());
    assert_eq!(get(&mut talk, &task)["status"], "input_required");
    assert_eq!((study.text().as_str(), study.model.requests_so_far().len()), (NOTE, 2));
    assert_eq!(talk.end().0, Some(0));
}

#[test]
fn a_task_about_a_note_that_has_become_private_is_not_shown() {
    let study = Study::usual(4);
    let mut talk = talk(&study, tasks_only());
    let task = begin(&mut talk);
    assert_eq!(settled(&mut talk, &task)["status"], "completed");
    study.desk.save("Bees.md", format!("---\nprivate: true\n---\n{}", study.text()));
    for method in ["tasks/get", "tasks/update"] {
        let refused = talk.refused(method, json!({ "taskId": task, "inputResponses": {} }));
        assert_eq!(refused["code"], INVALID_PARAMS, "{method}: {refused}");
    }
    assert_eq!(talk.end().0, Some(0));
}

#[test]
fn an_interrupted_task_that_nobody_wants_is_over() {
    for declined in [false, true] {
        let study = stuck();
        let mut killed = talk(&study, tasks_and_questions());
        let task = begin(&mut killed);
        study.model.wait_for_requests(2);
        drop(killed);
        let mut talk = talk(&study, tasks_and_questions());
        let asked = get(&mut talk, &task);
        let key = asked["inputRequests"].as_object().unwrap().keys().next().unwrap().clone();
        if declined {
            update(&mut talk, &task, &json!({ key: { "action": "decline" } }));
        } else {
            talk.ask("tasks/cancel", json!({ "taskId": task }));
        }
        assert_eq!(settled(&mut talk, &task)["status"], "cancelled");
        assert_eq!(study.last_run()["ended"], "cancelled");
        assert_eq!((study.text().as_str(), study.model.requests_so_far().len()), (NOTE, 2));
        assert_eq!(talk.end().0, Some(0));
    }
}

#[test]
fn only_clients_that_declare_tasks_get_them() {
    let study = Study::usual(8);
    // Declared in a revision that has none.
    let mut old = Talk::of(study.here(), Revision::June2025, &[]).declaring(tasks_only());
    assert!(old.greet()["capabilities"].get("extensions").is_none());
    let answer = old.call("research_note", &json!({ "path": "Bees" }));
    assert_eq!(answer["structuredContent"]["success"], true, "{answer}");
    assert_eq!(old.end().0, Some(0));
    let mut silent = Talk::of(study.here(), Revision::July2026, &[]);
    assert_eq!(silent.greet()["capabilities"]["extensions"], extension());
    let answer = silent.call("research_note", &json!({ "path": "Bees" }));
    assert_eq!(answer["structuredContent"]["success"], true, "{answer}");
    let task = study.last_run()["id"].clone();
    for method in ["tasks/get", "tasks/cancel", "tasks/update"] {
        let refused = silent.refused(method, json!({ "taskId": task, "inputResponses": {} }));
        assert_eq!(refused["code"], MISSING_CAPABILITY, "{method}: {refused}");
    }
    assert_eq!(silent.end().0, Some(0));
}

#[test]
fn a_task_that_there_is_not_is_an_error() {
    let study = Study::new(web(), [Turn::says("Good.")]);
    // A conversation is a run, and no task.
    study.run(&["chat", "Well?", "--json"]).done();
    let chat = study.last_run()["id"].as_str().unwrap().to_owned();
    let mut talk = talk(&study, tasks_and_questions());
    for id in ["", "x", "../../etc/passwd", "00000000000009", "\u{202e}", chat.as_str()] {
        for method in ["tasks/get", "tasks/cancel", "tasks/update"] {
            let refused = talk.refused(method, json!({ "taskId": id, "inputResponses": {} }));
            assert_eq!(refused["code"], INVALID_PARAMS, "{method} {id}: {refused}");
            assert!(refused["message"].as_str().unwrap().contains("no task"), "{refused}");
        }
    }
    for (method, params) in [
        ("tasks/get", json!({})),
        ("tasks/get", json!({ "taskId": 3 })),
        ("tasks/cancel", json!({ "taskId": null })),
        ("tasks/update", json!({ "taskId": "00000000000009" })),
        ("tasks/update", json!({ "taskId": "00000000000009", "inputResponses": [] })),
    ] {
        let refused = talk.refused(method, params.clone());
        assert_eq!(refused["code"], INVALID_PARAMS, "{method} {params}: {refused}");
        assert!(refused["message"].as_str().unwrap().contains("`taskId`"), "{refused}");
    }
    assert_eq!(talk.end().0, Some(0));
}

/// One request of the newest revision over HTTP, as a client sends it that declares these capabilities.
fn post(served: &Served, method: &str, name: Option<&str>, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "tests", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": tasks_and_questions(),
    });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
    let name = name.map(|name| format!("Mcp-Name: {name}\r\n")).unwrap_or_default();
    let more = format!(
        "Connection: close\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
         MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\n{name}Content-Length: {}\r\n",
        body.len()
    );
    let reply = served.raw((served.head("POST /mcp", &more) + &body).as_bytes());
    let mut data = reply.body.lines().filter_map(|line| line.strip_prefix("data: "));
    let message = data.rfind(|data| !data.is_empty()).unwrap_or(&reply.body);
    let message: Value = serde_json::from_str(message).unwrap_or_else(|_| panic!("no JSON: {reply:?}"));
    assert_eq!(message["id"], 1, "{message}");
    message
}

#[test]
fn a_task_is_begun_and_polled_over_http() {
    let study = stuck();
    let served = Served::with(&study.desk, &[], |command| {
        crate::partner::with(with_web(command, &study.web), &study.model)
    });
    let call = json!({ "name": "research_note", "arguments": { "path": "Bees" } });
    let begin = || post(&served, "tools/call", Some("research_note"), call.clone())["result"].clone();
    let get =
        |task: &str| post(&served, "tasks/get", Some(task), json!({ "taskId": task }))["result"].clone();
    let settled = |task: &str| loop {
        let got = get(task);
        if got["status"] != "working" {
            return got;
        }
    };
    let begun = begin();
    let task = begun["taskId"].as_str().unwrap_or_else(|| panic!("{begun}"));
    study.model.wait_for_requests(2);
    // Another connection knows of it, and calls it off.
    assert_eq!(get(task)["status"], "working");
    let done = post(&served, "tasks/cancel", Some(task), json!({ "taskId": task }));
    assert_eq!(done["result"]["resultType"], "complete", "{done}");
    assert_eq!(settled(task)["status"], "cancelled");
    assert_eq!(study.text(), NOTE);
    let again = begin();
    let done = settled(again["taskId"].as_str().unwrap());
    assert_eq!(done["result"]["structuredContent"]["success"], true, "{done}");
    assert_eq!(study.text().matches("## Research").count(), 1);
    let unknown = post(&served, "tasks/get", Some("x"), json!({ "taskId": "x" }));
    assert_eq!(unknown["error"]["code"], INVALID_PARAMS, "{unknown}");
    served.end();
}

#[test]
fn an_approved_agenda_is_a_task_that_outlives_the_server() {
    let bench = Bench::new(Trap::nowhere());
    let id = bench.proposed(&bench.desk.records(), &["heather honey"]).to_string();
    let start = |capabilities: Value| {
        let mut talk = Talk::of(bench.here(), Revision::July2026, &[]).declaring(capabilities);
        talk.greet();
        talk
    };
    let mut talk = start(tasks_and_questions());
    // What waits for approval is no task.
    assert_eq!(talk.refused("tasks/get", json!({ "taskId": id }))["code"], INVALID_PARAMS);
    let approve = json!({ "name": "approve_agenda", "arguments": { "id": id } });
    let asked = talk.ask("tools/call", approve.clone());
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let question = asked["inputRequests"].as_object().unwrap().keys().next().unwrap().clone();
    let mut again = approve;
    again["inputResponses"] = json!({ question: agrees() });
    again["requestState"] = asked["requestState"].clone();
    let begun = talk.ask("tools/call", again);
    assert_eq!((&begun["resultType"], &begun["taskId"]), (&json!("task"), &json!(id)), "{begun}");
    let done = settled(&mut talk, &id);
    assert_eq!(done["status"], "completed", "{done}");
    let answer = &done["result"]["structuredContent"];
    assert_eq!((&answer["status"], &answer["id"]), (&json!("done"), &json!(id)), "{done}");
    // It is over: nothing changes that.
    talk.ask("tasks/cancel", json!({ "taskId": id }));
    assert_eq!(talk.end().0, Some(0));
    let mut second = start(tasks_only());
    assert_eq!(get(&mut second, &id), done);
    assert_eq!(second.end().0, Some(0));
}

#[test]
fn a_client_does_not_cancel_an_agenda_by_its_task() {
    let bench = Bench::new(Trap::nowhere());
    let records = bench.desk.records();
    // Without a search service it waits.
    let agenda = agenda_fixtures::propose_and_approve(&records, &agenda_fixtures::agenda(1));
    let mut talk = Talk::of(bench.desk.here(), Revision::July2026, &[]).declaring(tasks_only());
    talk.greet();
    let under_way = get(&mut talk, agenda.id.as_str());
    assert_eq!(under_way["status"], "working", "{under_way}");
    assert!(under_way["statusMessage"].as_str().unwrap().contains("of 1 task"), "{under_way}");
    let refused = talk.refused("tasks/cancel", json!({ "taskId": agenda.id.as_str() }));
    assert!(refused["message"].as_str().unwrap().contains("only the user"), "{refused}");
    assert_eq!(talk.end().0, Some(0));
}
