//! What an editor is asked over the Agent Client Protocol, and what comes of its answers: late, twice, to something else, or none.

use serde_json::{Value, json};
use wellread_core::ports::Agendas as _;
use wellread_testkit::{ModelServer, Turn, agenda_fixtures};

use crate::acp_raw::{opens, prompt, talk, text};
use crate::desk::Desk;
use crate::partner::{last_run, with};
use crate::talk::Talk;

/// Waits for a message of this method, and returns it with all that came before.
fn wait_for(talk: &mut Talk, method: &str) -> Vec<Value> {
    let mut heard = vec![talk.next()];
    while heard.last().unwrap()["method"] != method {
        heard.push(talk.next());
    }
    heard
}

/// Waits for a question.
fn question(talk: &mut Talk) -> Value {
    wait_for(talk, "session/request_permission").pop().unwrap()
}

/// The difference, or whatever else the user is asked about.
fn shown(question: &Value) -> &str {
    question["params"]["toolCall"]["content"][0]["content"]["text"].as_str().unwrap()
}

fn answers(talk: &mut Talk, question: &Value, option: &str) {
    let answer = json!({ "outcome": { "outcome": "selected", "optionId": option } });
    talk.say(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": answer }));
}

fn cancels(session: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "method": "session/cancel", "params": { "sessionId": session } })
}

fn edits() -> Turn {
    Turn::calls(&[("append_to_file", json!({ "path": "Bees", "content": "WAX" }))])
}

/// A prompt with a text from outside, after which edits wait.
fn asks_for_edit(talk: &mut Talk, session: &Value) -> u64 {
    let attached = json!({ "type": "resource", "resource": { "uri": "file:///x.txt", "text": "Add WAX." } });
    talk.request("session/prompt", prompt(session, &[text("Do it"), attached]))
}

#[test]
fn an_editor_that_goes_away_cancels_the_turn_and_refuses_the_edit() {
    let desk = Desk::bare();
    desk.save("Bees.md", "# Bees\n");
    let server = ModelServer::start([Turn::hangs(), edits(), Turn::says("It waits.")]);
    let mut hanging = talk(&desk, Some(&server));
    let session = opens(&mut hanging, &desk);
    hanging.request("session/prompt", prompt(&session, &[text("Wait")]));
    server.wait_for_requests(1);
    assert_eq!(hanging.end().0, Some(0));
    assert_eq!(last_run(&desk)["ended"], "cancelled");

    let mut asked = talk(&desk, Some(&server));
    let session = opens(&mut asked, &desk);
    asks_for_edit(&mut asked, &session);
    wait_for(&mut asked, "session/request_permission");
    assert_eq!(asked.end().0, Some(0));
    assert_eq!(desk.text("Bees.md"), "# Bees\n");
    let id = session.as_str().unwrap();
    let stored = desk.run(["chat", "--session", id, "--confirm", "edit-1"]);
    assert!(stored.complains(3).contains("no edit `edit-1` is waiting"), "{stored:?}");
    server.into_requests();
}

#[test]
fn a_question_that_is_cancelled_is_refused_whatever_is_answered_after_that() {
    let desk = Desk::bare();
    desk.save("Bees.md", "# Bees\n");
    let server = ModelServer::start([edits(), Turn::says("It waits."), edits(), Turn::says("It waits.")]);
    let mut talk = talk(&desk, Some(&server));
    let session = opens(&mut talk, &desk);
    let first = asks_for_edit(&mut talk, &session);
    let early = question(&mut talk);
    // Cancelled, and agreed to in the same breath.
    let yes = json!({ "outcome": { "outcome": "selected", "optionId": "allow" } });
    let yes = json!({ "jsonrpc": "2.0", "id": early["id"], "result": yes });
    talk.say_raw(format!("{}\n{yes}\n", cancels(&session)).as_bytes());
    assert_eq!(talk.answer_to(first)["result"]["stopReason"], "cancelled");
    assert_eq!(desk.text("Bees.md"), "# Bees\n");
    // Yes to the question of before is no answer to another one.
    let second = asks_for_edit(&mut talk, &session);
    let late = question(&mut talk);
    talk.say(&yes);
    answers(&mut talk, &late, "reject");
    assert_eq!(talk.answer_to(second)["result"]["stopReason"], "end_turn");
    assert_eq!(desk.text("Bees.md"), "# Bees\n");
    assert_eq!(talk.end().0, Some(0));
    server.into_requests();
}

#[test]
fn a_question_that_is_not_answered_in_time_is_refused() {
    let desk = Desk::bare();
    desk.save("Bees.md", "# Bees\n");
    let server = ModelServer::start([edits(), Turn::says("It waits.")]);
    let mut command = desk.here();
    with(&mut command, &server).env("WELLREAD_MCP_ANSWER_SECONDS", "1");
    let mut talk = Talk::acp(command);
    talk.ask("initialize", json!({ "protocolVersion": 1 }));
    let session = opens(&mut talk, &desk);
    let asked = asks_for_edit(&mut talk, &session);
    assert_eq!(talk.answer_to(asked)["result"]["stopReason"], "end_turn");
    assert_eq!(desk.text("Bees.md"), "# Bees\n");
    assert_eq!(talk.end().0, Some(0));
    server.into_requests();
}

/// Yes is said to what was shown, and to nothing else.
#[test]
fn an_edit_that_changed_while_the_user_thought_is_shown_again() {
    let desk = Desk::bare();
    desk.save("Bees.md", "# Bees\n");
    let server = ModelServer::start([edits(), Turn::says("It waits.")]);
    let mut talk = talk(&desk, Some(&server));
    let session = opens(&mut talk, &desk);
    let asked = asks_for_edit(&mut talk, &session);
    let first = question(&mut talk);
    // In a terminal, the same edit is confirmed after its note has changed: it is kept with another difference.
    desk.save("Bees.md", "# Bees\n\nHoney.\n");
    let elsewhere = desk.run(["chat", "--session", session.as_str().unwrap(), "--confirm", "edit-1"]);
    assert!(elsewhere.stdout.contains("the note has changed"), "{elsewhere:?}");
    answers(&mut talk, &first, "allow");
    let again = question(&mut talk);
    assert_eq!(desk.text("Bees.md"), "# Bees\n\nHoney.\n", "nothing was made of what was not shown");
    assert!(!shown(&first).contains("Honey") && shown(&again).contains("Honey"), "{again}");
    answers(&mut talk, &again, "allow");
    assert_eq!(talk.answer_to(asked)["result"]["stopReason"], "end_turn");
    assert_eq!(desk.text("Bees.md"), "# Bees\n\nHoney.\nWAX\n");
    assert_eq!(talk.end().0, Some(0));
    server.into_requests();
}

#[test]
fn an_edit_that_was_decided_elsewhere_is_told_and_the_next_one_is_asked_about() {
    let desk = Desk::bare();
    desk.save("Bees.md", "# Bees\n");
    let append = |text: &str| ("append_to_file", json!({ "path": "Bees", "content": text }));
    let both = Turn::calls(&[append("WAX"), append("POLLEN")]);
    let server = ModelServer::start([both, Turn::says("They wait.")]);
    let mut talk = talk(&desk, Some(&server));
    let session = opens(&mut talk, &desk);
    let asked = asks_for_edit(&mut talk, &session);
    let first = question(&mut talk);
    let elsewhere = desk.run(["chat", "--session", session.as_str().unwrap(), "--decline", "edit-1"]);
    assert_eq!(elsewhere.status, Some(0), "{elsewhere:?}");
    answers(&mut talk, &first, "allow");
    let mut heard = wait_for(&mut talk, "session/request_permission");
    let next = heard.pop().unwrap();
    assert!(json!(heard).to_string().contains("edit-1 no longer waits"), "{heard:?}");
    assert!(shown(&next).contains("+POLLEN"), "{next}");
    answers(&mut talk, &next, "allow");
    assert_eq!(talk.answer_to(asked)["result"]["stopReason"], "end_turn");
    assert_eq!(desk.text("Bees.md"), "# Bees\nPOLLEN\n");
    assert_eq!(talk.end().0, Some(0));
    server.into_requests();
}

#[test]
fn a_decision_is_put_to_the_user_and_made_as_they_say() {
    let desk = Desk::bare();
    desk.save("Bees.md", "# Bees\n");
    let records = desk.records();
    for (option, status) in [("reject", "pending"), ("allow", "cancelled")] {
        let id = records.propose(&agenda_fixtures::agenda(1), None).unwrap().id.to_string();
        let decides = Turn::calls(&[("cancel_agenda", json!({ "id": id }))]);
        let server = ModelServer::start([decides, Turn::says("You decide.")]);
        let mut talk = talk(&desk, Some(&server));
        let session = opens(&mut talk, &desk);
        let asked = talk.request("session/prompt", prompt(&session, &[text("Cancel it")]));
        let question = question(&mut talk);
        assert_eq!(question["params"]["toolCall"]["kind"], "other", "{question}");
        assert!(shown(&question).starts_with("```text\n") && shown(&question).contains(&id), "{question}");
        answers(&mut talk, &question, option);
        assert_eq!(talk.answer_to(asked)["result"]["stopReason"], "end_turn");
        assert_eq!(talk.end().0, Some(0));
        let shown = desk.run(["agenda", "show", &id, "--json"]).done();
        assert_eq!(shown["status"], status, "{shown}");
        server.into_requests();
    }
}
