//! Research over MCP: how far it has come is told, and it can be called off.

use serde_json::{Value, json};
use wellread_testkit::Turn;

use crate::study::{NOTE, Study, of_hives, thinks, web};
use crate::talk::{Revision, Talk};

fn talk(study: &Study) -> Talk {
    let mut talk = Talk::of(study.here(), Revision::June2025, &[]);
    talk.greet();
    talk
}

fn begin(talk: &mut Talk, token: &Value) -> u64 {
    let arguments = json!({ "path": "Bees" });
    talk.request(
        "tools/call",
        json!({ "name": "research_note", "arguments": arguments, "_meta": { "progressToken": token } }),
    )
}

#[test]
fn progress_is_told_in_order_to_who_asked_for_it() {
    let study = Study::usual(4);
    let mut talk = talk(&study);
    let id = begin(&mut talk, &json!("mine"));
    let mut told = Vec::new();
    let answer = loop {
        let message = talk.next();
        if message["id"] == id {
            break message;
        }
        assert_eq!(message["method"], "notifications/progress", "{message}");
        told.push(message["params"].clone());
    };
    assert_eq!(answer["result"]["structuredContent"]["success"], true, "{answer}");
    assert!(told.iter().all(|one| one["progressToken"] == "mine"), "{told:?}");
    let steps: Vec<f64> = told.iter().map(|one| one["progress"].as_f64().unwrap()).collect();
    assert!(steps.len() >= 5 && steps.windows(2).all(|two| two[0] < two[1]), "{steps:?}");
    let messages: Vec<&str> = told.iter().map(|one| one["message"].as_str().unwrap()).collect();
    let at = |words: &str| {
        messages
            .iter()
            .position(|message| message.contains(words))
            .unwrap_or_else(|| panic!("{words}: {messages:?}"))
    };
    assert!(at("finding topics") < at("gathering, 1 of 1: hive size"), "{messages:?}");
    assert!(
        at("gathering, 1 of 1: hive size") < at("writing up") && at("writing up") < at("checking"),
        "{messages:?}"
    );
    // Who did not ask hears nothing of it.
    let quiet =
        talk.request("tools/call", json!({ "name": "research_note", "arguments": { "path": "Bees" } }));
    assert_eq!(talk.next()["id"], quiet);
    assert_eq!(study.text().matches("## Research").count(), 1);
    assert_eq!(talk.end().0, Some(0));
}

#[test]
fn a_cancellation_calls_it_off() {
    let study = Study::new(web(), thinks(1, &["hive size"], of_hives).into_iter().chain([Turn::hangs()]));
    let mut talk = talk(&study);
    let id = begin(&mut talk, &json!(7));
    study.model.wait_for_requests(2);
    let cancel = json!({ "requestId": id, "reason": "the user changed their mind" });
    talk.say(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancel }));
    // The conversation goes on, and the run has an end.
    assert_eq!(talk.call("get_current_date", &json!({}))["isError"], false);
    while study.last_run()["ended"].is_null() {}
    assert_eq!(study.last_run()["ended"], "cancelled");
    assert_eq!(study.text(), NOTE);
    assert_eq!(talk.end().0, Some(0));
}

#[test]
fn a_client_that_hangs_up_ends_the_server_although_the_model_hangs() {
    let study = Study::new(web(), [Turn::hangs()]);
    let mut talk = talk(&study);
    begin(&mut talk, &json!(7));
    study.model.wait_for_requests(1);
    let (status, _, errors) = talk.end();
    assert_eq!(status, Some(0), "{errors}");
    assert_eq!(study.text(), NOTE);
}

#[test]
fn what_is_wrong_with_a_call_is_told() {
    let study = Study::new(web(), []);
    let mut talk = talk(&study);
    let wide = talk.call("research_note", &json!({ "path": "Bees", "depth": "wide" }));
    let told = wide["failure"].to_string();
    assert!(wide["isError"] == true && told.contains("shallow") && told.contains("deep"), "{wide}");
    let missing = talk.call("research_note", &json!({ "path": "Bee" }));
    assert!(missing["failure"]["hint"].as_str().unwrap().contains("Bees.md"), "{missing}");
    let broad = talk.call("research", &json!({ "query": "bees" }));
    assert_eq!(broad["structuredContent"]["kind"], "clarify", "{broad}");
    let found = talk.call("web_search", &json!({ "query": "hives" }));
    assert_eq!(found["structuredContent"]["results"][0]["url"], study.web.url("/hive"), "{found}");
    assert_eq!(talk.end().0, Some(0));
}

#[test]
fn research_is_a_group_of_tools_of_its_own() {
    let study = Study::new(web(), []);
    let names = |args: &[&str]| {
        let mut talk = Talk::of(study.here(), Revision::June2025, args);
        talk.greet();
        let listed = talk.ask("tools/list", json!({}))["tools"].clone();
        crate::desk::column(&listed, "name")
    };
    let research = names(&["--tools", "research"]);
    for name in
        ["research_note", "research", "summarize_file", "web_search", "arxiv_search", "transcribe_audio"]
    {
        assert!(research.iter().any(|known| known == name), "{name}: {research:?}");
    }
    assert!(!research.iter().any(|name| name == "read_file"), "{research:?}");
    assert!(!names(&["--tools", "vault"]).iter().any(|name| name == "research_note"));
    let all = names(&["--tools", "vault,research,code,agenda"]);
    assert_eq!(all.len(), names(&[]).len());
}
