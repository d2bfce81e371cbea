//! Questions that a client puts to its user: agreed to, declined, canceled, answered with nonsense, and never answered.

use std::process::Command;

use serde_json::{Value, json};
use wellread_core::ports::{AgendaActor, AgendaChange, Agendas as _};
use wellread_testkit::agenda_fixtures;

use crate::desk::Desk;
use crate::talk::{Revision, Talk};

/// What comes back when the user is asked.
#[derive(Debug, Clone)]
enum Says {
    Result(Value),
    Error,
    Nothing,
}

fn accepts(content: &Value) -> Says {
    Says::Result(json!({ "action": "accept", "content": content }))
}

fn agrees() -> Says {
    accepts(&json!({ "agree": true }))
}

/// Everything that is no consent.
fn disagrees() -> Vec<Says> {
    vec![
        Says::Result(json!({ "action": "decline" })),
        Says::Result(json!({ "action": "cancel" })),
        Says::Result(json!({ "action": "decline", "content": { "agree": true } })),
        accepts(&json!({ "agree": false })),
        accepts(&json!({ "agree": "true" })),
        accepts(&json!({ "yes": true })),
        Says::Result(json!({ "action": "accept" })),
        Says::Result(json!({ "action": "maybe", "content": { "agree": true } })),
        Says::Result(json!({})),
        Says::Error,
    ]
}

fn talk(command: Command, revision: Revision, capabilities: Value) -> Talk {
    let mut talk = Talk::of(command, revision, &[]).declaring(capabilities);
    talk.greet();
    talk
}

fn asking(command: Command, revision: Revision) -> Talk {
    talk(command, revision, json!({ "elicitation": {} }))
}

/// Calls a tool with a client whose user says this; the result, and what the user was asked.
fn call(talk: &mut Talk, revision: Revision, name: &str, args: &Value, says: &Says) -> (Value, Vec<String>) {
    let mut params = json!({ "name": name, "arguments": args });
    if revision == Revision::July2026 {
        let result = talk.ask("tools/call", params.clone());
        if result["resultType"] != "input_required" {
            return (result, Vec::new());
        }
        let (key, question) = result["inputRequests"].as_object().unwrap().iter().next().unwrap();
        let asked = vec![question["params"]["message"].as_str().unwrap().to_owned()];
        params["requestState"] = result["requestState"].clone();
        params["inputResponses"] = match says {
            Says::Result(answer) => json!({ key: answer }),
            Says::Error | Says::Nothing => json!({}),
        };
        return (talk.ask("tools/call", params), asked);
    }
    let id = talk.request("tools/call", params);
    let mut asked = Vec::new();
    loop {
        let message = talk.next();
        match message["method"].as_str() {
            Some("elicitation/create") => {
                asked.push(message["params"]["message"].as_str().unwrap().to_owned());
                let id = message["id"].clone();
                match says {
                    Says::Result(answer) => {
                        talk.say(&json!({ "jsonrpc": "2.0", "id": id, "result": answer }));
                    }
                    Says::Error => {
                        let error = json!({ "code": -32603, "message": "no window" });
                        talk.say(&json!({ "jsonrpc": "2.0", "id": id, "error": error }));
                    }
                    Says::Nothing => {}
                }
            }
            // What is no longer waited for is taken back.
            Some("notifications/cancelled") => assert!(matches!(says, Says::Nothing), "{message}"),
            _ => {
                assert_eq!(message["id"], id, "{message}");
                return (message["result"].clone(), asked);
            }
        }
    }
}

fn confirming(desk: &Desk) -> Command {
    let mut command = desk.here();
    command.env("WELLREAD_MCP_CONFIRM_EDITS", "on");
    command
}

#[test]
fn an_edit_waits_until_the_user_has_seen_it() {
    for revision in Revision::BOTH {
        let desk = Desk::new();
        let before = desk.tree();
        let edit = json!({ "path": "Home", "content": "Words of a model." });
        let mut talk = asking(confirming(&desk), revision);
        for says in disagrees() {
            let (refused, asked) = call(&mut talk, revision, "append_to_file", &edit, &says);
            assert_eq!(refused["isError"], true, "{says:?}: {refused}");
            assert!(asked.len() == 1 && asked[0].contains("+Words of a model."), "{asked:?}");
            assert_eq!(desk.tree(), before, "{says:?}");
        }
        // What changes nothing, and what can't be done, is no question.
        for (name, args) in [
            ("append_to_file", json!({ "path": "Home", "content": "x", "dry_run": true })),
            ("read_file", json!({ "path": "Home" })),
            ("append_to_file", json!({ "path": "Nowhere", "content": "x" })),
            ("append_to_file", json!({ "path": "Home" })),
        ] {
            assert_eq!(call(&mut talk, revision, name, &args, &agrees()).1, Vec::<String>::new(), "{name}");
        }
        assert_eq!(desk.tree(), before);
        let (done, asked) = call(&mut talk, revision, "append_to_file", &edit, &agrees());
        assert_eq!((&done["isError"], asked.len()), (&json!(false), 1), "{done}");
        assert_eq!(desk.text("Home.md").matches("Words of a model.").count(), 1);
        assert_eq!(talk.end().0, Some(0));
        // A client that can't ask makes no edit, and sees what it would be.
        let mut mute = self::talk(confirming(&desk), revision, json!({}));
        let refused = mute.call("append_to_file", &edit);
        assert!(refused["failure"]["error"].as_str().unwrap().contains("can't ask the user"), "{refused}");
        let shown = mute.call("append_to_file", &json!({ "path": "Home", "content": "x", "dry_run": true }));
        assert_eq!(shown["isError"], false, "{shown}");
        assert_eq!(mute.end().0, Some(0));
        // Without the setting, edits are made at once, as the client's own settings allow.
        let mut trusted = asking(desk.here(), revision);
        assert_eq!(trusted.call("append_to_file", &edit)["isError"], false);
        assert_eq!(trusted.end().0, Some(0));
    }
}

/// The user agreed to what was shown. If something else would be done by then, nothing is.
#[test]
fn what_changes_while_the_user_thinks_is_not_done() {
    let desk = Desk::new();
    desk.tool("append_to_file", &json!({ "path": "Home", "content": "The first edit." })).done();
    let mut talk = asking(confirming(&desk), Revision::July2026);
    for (name, args) in [
        ("undo", json!({})),
        (
            "replace_section",
            json!({ "path": "Bees/Swarming", "heading": "# Swarming", "content": "# Swarming\n" }),
        ),
    ] {
        let mut params = json!({ "name": name, "arguments": args });
        let asked = talk.ask("tools/call", params.clone());
        assert_eq!(asked["resultType"], "input_required", "{asked}");
        let path = if name == "undo" { "Home" } else { "Bees/Swarming" };
        desk.tool("append_to_file", &json!({ "path": path, "content": "A later edit." })).done();
        let before = desk.tree();
        let key = asked["inputRequests"].as_object().unwrap().keys().next().unwrap().clone();
        params["requestState"] = asked["requestState"].clone();
        params["inputResponses"] = json!({ key: { "action": "accept", "content": { "agree": true } } });
        let refused = talk.ask("tools/call", params.clone());
        assert_eq!(refused["isError"], true, "{name}: {refused}");
        // An answer counts once, too.
        assert_eq!(talk.ask("tools/call", params)["isError"], true);
        assert_eq!(desk.tree(), before, "{name}");
    }
    assert_eq!(talk.end().0, Some(0));
}

/// Also if it changes where the question had no more room for it.
#[test]
fn what_changes_beyond_the_shown_part_is_not_done() {
    let desk = Desk::new();
    let note = |last: &str| format!("# Long\n\n{}{last}\n", "A line of many.\n".repeat(1000));
    desk.save("Long.md", note("the end"));
    let mut talk = asking(confirming(&desk), Revision::July2026);
    let args = json!({ "path": "Long", "heading": "# Long", "content": "# Long\n" });
    let mut params = json!({ "name": "replace_section", "arguments": args });
    let asked = talk.ask("tools/call", params.clone());
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let (key, question) = asked["inputRequests"].as_object().unwrap().iter().next().unwrap();
    assert!(!question.to_string().contains("the end"), "{question}");
    desk.save("Long.md", note("new end"));
    params["requestState"] = asked["requestState"].clone();
    params["inputResponses"] = json!({ key: { "action": "accept", "content": { "agree": true } } });
    let refused = talk.ask("tools/call", params);
    assert_eq!(refused["isError"], true, "{refused}");
    assert_eq!(desk.text("Long.md"), note("new end"));
    assert_eq!(talk.end().0, Some(0));
}

/// Also a call without arguments is only shown until the user has agreed.
#[test]
fn an_undo_without_arguments_waits_for_the_user() {
    let desk = Desk::new();
    let first = desk.tree();
    for content in ["The first edit.", "The second edit."] {
        desk.tool("append_to_file", &json!({ "path": "Home", "content": content })).done();
    }
    let before = desk.tree();
    let mut talk = asking(confirming(&desk), Revision::July2026);
    let mut params = json!({ "name": "undo" });
    let asked = talk.ask("tools/call", params.clone());
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    assert_eq!(desk.tree(), before, "nobody has agreed");
    let key = asked["inputRequests"].as_object().unwrap().keys().next().unwrap().clone();
    params["requestState"] = asked["requestState"].clone();
    params["inputResponses"] = json!({ key: { "action": "accept", "content": { "agree": true } } });
    let done = talk.ask("tools/call", params);
    assert_eq!(done["isError"], false, "{done}");
    assert!(desk.text("Home.md").contains("The first edit."), "one edit is undone");
    assert!(desk.tree() != before && desk.tree() != first);
    assert_eq!(talk.end().0, Some(0));
}

#[test]
fn a_decision_is_the_users_answer() {
    for revision in Revision::BOTH {
        let desk = Desk::new();
        desk.save("Bees.md", "# Bees\n");
        let records = desk.records();
        let id = records.propose(&agenda_fixtures::agenda(2), None).unwrap().id.to_string();
        let args = json!({ "id": id });
        let mut talk = asking(desk.here(), revision);
        for says in disagrees() {
            let (refused, asked) = call(&mut talk, revision, "cancel_agenda", &args, &says);
            assert_eq!((&refused["isError"], asked.len()), (&json!(true), 1), "{says:?}: {refused}");
            assert_eq!(talk.call("show_agenda", &args)["structuredContent"]["status"], "pending");
        }
        let (done, _) = call(&mut talk, revision, "cancel_agenda", &args, &agrees());
        assert_eq!(done["structuredContent"]["status"], "cancelled", "{done}");
        assert_eq!(talk.end().0, Some(0));
    }
}

/// Taking back what the user accepted is the user's decision, too.
#[test]
fn undoing_what_the_user_accepted_is_put_to_the_user() {
    for revision in Revision::BOTH {
        let desk = Desk::new();
        desk.save("Bees.md", "# Bees\n");
        let (records, agenda) = (desk.records(), agenda_fixtures::agenda(1));
        records.propose(&agenda, None).unwrap();
        let found = agenda_fixtures::new_finding(&agenda.id, &agenda.tasks[0].id, "https://wax.example/1");
        let id = found.finding.id.to_string();
        let add = |change: &mut AgendaChange| {
            change.findings = vec![found.clone()];
            Ok(())
        };
        records.change_agenda(&agenda.id, AgendaActor::User, &mut { add }).unwrap();
        desk.run(["inbox", "accept", id.as_str(), "--json"]).done();
        let before = desk.tree();
        let mut mute = self::talk(desk.here(), revision, json!({}));
        let refused = mute.call("undo", &json!({}));
        assert!(refused["failure"]["error"].as_str().unwrap().contains("the user accepted"), "{refused}");
        assert_eq!(mute.end().0, Some(0));
        let mut talk = asking(desk.here(), revision);
        for says in disagrees() {
            let (refused, asked) = call(&mut talk, revision, "undo", &json!({}), &says);
            assert_eq!(refused["isError"], true, "{says:?}: {refused}");
            assert!(asked.len() == 1 && asked[0].contains("Undo what you decided?"), "{asked:?}");
            assert_eq!(desk.tree(), before, "{says:?}");
        }
        let (done, asked) = call(&mut talk, revision, "undo", &json!({}), &agrees());
        assert_eq!((&done["isError"], asked.len()), (&json!(false), 1), "{done}");
        assert_ne!(desk.tree(), before);
        assert_eq!(talk.end().0, Some(0));
    }
}

#[test]
fn a_user_who_never_answers_agreed_to_nothing() {
    let desk = Desk::new();
    desk.save("Bees.md", "# Bees\n");
    let id = desk.records().propose(&agenda_fixtures::agenda(2), None).unwrap().id.to_string();
    let before = desk.tree();
    let mut command = confirming(&desk);
    command.env("WELLREAD_MCP_ANSWER_SECONDS", "1");
    let revision = Revision::June2025;
    let mut talk = asking(command, revision);
    for (name, args) in [
        ("cancel_agenda", json!({ "id": id })),
        ("append_to_file", json!({ "path": "Home", "content": "Words of a model." })),
        ("delete_file", json!({ "path": "Home" })),
    ] {
        let (refused, asked) = call(&mut talk, revision, name, &args, &Says::Nothing);
        assert_eq!(asked.len(), 1);
        let text = refused["content"][0]["text"].as_str().unwrap();
        assert!(refused["isError"] == true && text.contains("did not answer within 1 s"), "{refused}");
    }
    assert_eq!(desk.tree(), before);
    let shown = talk.call("show_agenda", &json!({ "id": id }));
    assert_eq!(shown["structuredContent"]["status"], "pending");
    assert_eq!(talk.end().0, Some(0));
}

#[test]
fn a_question_that_is_too_broad_is_put_to_the_user() {
    for revision in Revision::BOTH {
        let desk = Desk::new();
        desk.run(["index", "--json"]).done();
        let broad = json!({ "query": "varroa" });
        let mut talk = asking(desk.here(), revision);
        let says = accepts(&json!({ "answer": "how is the varroa mite treated in winter?" }));
        let (answer, asked) = call(&mut talk, revision, "research", &broad, &says);
        assert!(
            asked.len() == 1 && asked[0].contains("What would you like to know about varroa"),
            "{asked:?}"
        );
        let answer = &answer["structuredContent"];
        assert!(answer["kind"] != "clarify" && answer["run_id"].is_string(), "{answer}");
        // A clear question is not asked about.
        let clear = json!({ "query": "how is the varroa mite treated in winter?" });
        assert_eq!(call(&mut talk, revision, "research", &clear, &says).1, Vec::<String>::new());
        for says in [
            Says::Result(json!({ "action": "decline" })),
            Says::Result(json!({ "action": "cancel" })),
            accepts(&json!({ "answer": "  " })),
            accepts(&json!({ "answer": 3 })),
            accepts(&json!({ "agree": true })),
        ] {
            // As where nobody can be asked: the model gets the question.
            let (answer, asked) = call(&mut talk, revision, "research", &broad, &says);
            assert_eq!(
                (&answer["structuredContent"]["kind"], asked.len()),
                (&json!("clarify"), 1),
                "{says:?}: {answer}"
            );
        }
        assert_eq!(talk.end().0, Some(0));
        let mut mute = self::talk(desk.here(), revision, json!({}));
        assert_eq!(mute.call("research", &broad)["structuredContent"]["kind"], "clarify");
        assert_eq!(mute.end().0, Some(0));
    }
}
