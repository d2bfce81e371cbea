//! A model that lies, over the command line, HTTP and MCP: what nobody checked says so, and no source is named for it.

use serde_json::{Value, json};
use wellread_testkit::{ModelServer, Turn};

use crate::desk::Desk;
use crate::partner::{chat, cites, reads, with};
use crate::served::Served;
use crate::talk::{Revision, Talk};

const LIE: &str = "The Linden hive weighed 44 kg on 1 November 2024.";
const HEADING: &str = "Not supported by the evidence";

/// The note is read; then the lie is told, cited or not, and once more when it is refused.
fn turns() -> Vec<Turn> {
    let cited = || cites(&format!("{LIE} [id]"));
    vec![reads("Bees/Hive weight"), Turn::says(LIE), reads("Bees/Hive weight"), cited(), cited()]
}

#[track_caller]
fn is_marked(answer: &Value) {
    let (said, unchecked) = (answer["response"].as_str().unwrap(), answer["unchecked"].to_string());
    let checked = said.split(HEADING).next().unwrap();
    assert!(!checked.contains(LIE) || unchecked.contains(LIE), "{answer:#}");
    assert!(answer.get("citations").is_none(), "{answer:#}");
}

#[test]
fn a_lie_in_the_chat_is_marked_on_the_terminal_and_over_http() {
    let desk = Desk::new();
    let server = ModelServer::start(turns());
    let uncited = chat(&desk, &server, &["How heavy?", "--json"]).done();
    assert_eq!(uncited["unchecked"], json!([LIE]));
    is_marked(&uncited);
    is_marked(&chat(&desk, &server, &["And now?", "--json"]).done());
    server.into_requests();
    // For people.
    let server = ModelServer::start([Turn::says(LIE)]);
    let ran = chat(&desk, &server, &["How heavy?"]);
    let line = format!("not checked: 1 sentence cites no source\n  - {LIE}");
    assert!(ran.stderr.contains(&line), "{ran:?}");
    server.into_requests();
    let server = ModelServer::start(turns());
    let served = Served::with(&desk, &[], |command| with(command, &server));
    let ask = || served.post("/chat", &json!({ "message": "How heavy?", "new": true })).done();
    let (uncited, cited) = (ask(), ask());
    is_marked(&uncited);
    is_marked(&cited);
    // And still when the conversation is opened again.
    let past = served.get(&format!("/api/sessions/{}", uncited["session_id"].as_str().unwrap())).done();
    let last = past["messages"].as_array().and_then(|messages| messages.last()).unwrap();
    assert_eq!(last["unchecked"], json!([LIE]), "{past:#}");
    served.end();
    server.into_requests();
}

#[test]
fn one_text_has_the_same_verdicts_by_command_http_and_mcp() {
    let desk = Desk::new();
    let text = format!(
        "{LIE} ([[Hive weight]])\n\nThe Linden hive weighed 38.5 kg on 1 November 2024. ([[Hive weight]])\n"
    );
    let path = desk.folder().join("draft.md");
    std::fs::write(&path, &text).unwrap();
    let ran = desk.run(["verify", path.to_str().unwrap(), "--json"]);
    assert_eq!(ran.status, Some(6), "{ran:?}");
    let by_command = ran.json();
    let verdicts = |answer: &Value| -> Vec<Value> {
        answer["sentences"].as_array().unwrap().iter().map(|one| one["verdict"].clone()).collect()
    };
    assert_eq!(verdicts(&by_command), [json!("contradicted"), json!("quoted")], "{by_command:#}");
    assert_eq!((&by_command["passed"], &by_command["sentences"][1]["line"]), (&json!(false), &json!(3)));
    let served = Served::start(&desk);
    let body = json!({ "text": text });
    for answer in [served.post("/api/verify", &body).done(), served.tool("check_claims", &body).done()] {
        assert_eq!(answer["sentences"], by_command["sentences"], "{answer:#}");
    }
    served.post("/api/verify", &json!({ "text": text, "path": "Home" })).problem(400);
    served.post("/api/verify", &json!({ "text": "Nothing is cited here at all." })).problem(400);
    served.end();
    let mut talk = Talk::start(&desk, Revision::BOTH[0]);
    let answer = talk.call("check_claims", &json!({ "text": text }));
    assert_eq!(answer["structuredContent"]["sentences"], by_command["sentences"], "{answer:#}");
}
