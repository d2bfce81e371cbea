//! Runs and notes as resources of the Model Context Protocol, and its prompts, on the wire in two revisions.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use wellread_core::domain::id::RunId;
use wellread_core::ports::RunLogs;
use wellread_core::ports::event::{RunEvent, RunKind};
use wellread_testkit::run_fixtures::{began_event, event_time, events, note_evidence, record_run};

use crate::desk::{Desk, column};
use crate::talk::{Revision, Talk};

const RUN: &str = "01000000000001";

fn run() -> RunId {
    RunId::parse(RUN).unwrap()
}

/// The example vault with one run, and the note that it is about.
fn desk() -> Desk {
    let desk = Desk::new();
    desk.save("Bees/Honey.md", "Honey keeps for years.\n");
    record_run(
        &desk.records(),
        &run(),
        RunKind::Ask,
        "What keeps?",
        &events(&run(), RunKind::Ask, "What keeps?"),
    );
    desk
}

/// All pages.
fn listed(talk: &mut Talk) -> Vec<Value> {
    let (mut all, mut cursor) = (Vec::new(), Value::Null);
    loop {
        let params = if cursor.is_null() { json!({}) } else { json!({ "cursor": cursor }) };
        let page = talk.ask("resources/list", params);
        let resources = page["resources"].as_array().unwrap();
        assert!(resources.len() <= 93, "a page of {}", resources.len());
        all.extend(resources.iter().cloned());
        cursor = page["nextCursor"].clone();
        if cursor.is_null() {
            return all;
        }
    }
}

fn read(talk: &mut Talk, uri: &str) -> Value {
    let result = talk.ask("resources/read", json!({ "uri": uri }));
    let [content] = result["contents"].as_array().unwrap().as_slice() else { panic!("{result}") };
    assert_eq!(content["uri"], uri);
    content.clone()
}

#[test]
fn runs_and_notes_are_listed_in_pages_and_every_one_can_be_read() {
    let desk = desk();
    let records = desk.records();
    for number in 0..70 {
        let run = RunId::parse(&format!("020000000000{number:02}")).unwrap();
        record_run(&records, &run, RunKind::Code, "x", &[began_event(RunKind::Code, "x")]);
    }
    for number in 0..110 {
        desk.save(&format!("Many/Note {number} & more.md"), format!("Of {number}."));
    }
    // One of the examples is private.
    desk.run(["config", "set", "mcp.private", "on"]);
    for revision in Revision::BOTH {
        let mut talk = Talk::start(&desk, revision);
        let all = listed(&mut talk);
        let uris = column(&Value::Array(all.clone()), "uri");
        assert_eq!(uris.iter().collect::<BTreeSet<_>>().len(), uris.len(), "each once");
        let runs = uris.iter().filter(|uri| uri.starts_with("research://runs/")).count();
        assert_eq!(runs, 71 * 3);
        assert_eq!(uris[0], "research://runs/02000000000069/trace.json", "newest first");
        let notes: usize = uris.iter().filter(|uri| uri.starts_with("vault:///")).count();
        assert_eq!(runs + notes, uris.len());
        assert_eq!(json!(notes), desk.run(["status", "--json"]).done()["notes"]);
        for resource in all.iter().step_by(17) {
            let content = read(&mut talk, resource["uri"].as_str().unwrap());
            assert_eq!(content["mimeType"], resource["mimeType"]);
        }
        let many = read(&mut talk, "vault:///Many/Note%207%20%26%20more.md");
        assert_eq!((&many["text"], &many["mimeType"]), (&json!("Of 7."), &json!("text/markdown")));
        assert_eq!(talk.end().0, Some(0));
    }
}

#[test]
fn a_runs_documents_are_those_of_the_command_line() {
    let desk = desk();
    for revision in Revision::BOTH {
        let mut talk = Talk::start(&desk, revision);
        for (file, document) in
            [("trace.json", "trace"), ("evidence.json", "evidence"), ("report.md", "report")]
        {
            let content = read(&mut talk, &format!("research://runs/{RUN}/{file}"));
            assert_eq!(content["text"], desk.run(["runs", "show", RUN, document]).stdout);
        }
        let templates = talk.ask("resources/templates/list", json!({}))["resourceTemplates"].clone();
        assert_eq!(
            column(&templates, "uriTemplate"),
            [
                "research://runs/{run_id}/trace.json",
                "research://runs/{run_id}/evidence.json",
                "research://runs/{run_id}/report.md",
                "vault:///{+path}",
            ]
        );
    }
}

#[test]
fn what_is_no_resource_is_an_error_with_a_hint() {
    let desk = desk();
    desk.save("Bees/binary.png", b"\x89PNG\0\0");
    for (revision, code) in [(Revision::June2025, -32002), (Revision::July2026, -32602)] {
        let mut talk = Talk::start(&desk, revision);
        for (uri, says) in [
            ("research://runs/00000000000000/report.md", "wellread runs"),
            ("research://runs/nope/report.md", "an address is"),
            (&format!("research://runs/{RUN}/secrets.json"), "an address is"),
            ("vault:///Hom.md", "Home.md"),
            ("vault:///%2e%2e/%2e%2e/etc/passwd", ""),
            ("vault:////etc/passwd", ""),
            ("vault:///.obsidian/app.json", ""),
            ("vault:///Bees/binary.png", "not a text file"),
            ("vault:///%ff", "percent-encoded"),
            ("file:///etc/passwd", "an address is"),
            ("", "an address is"),
        ] {
            let error = talk.refused("resources/read", json!({ "uri": uri }));
            assert_eq!(error["code"], code, "{uri}: {error}");
            assert!(error["message"].as_str().unwrap().contains(says), "{uri}: {error}");
        }
        for (method, params) in [
            ("resources/list", json!({ "cursor": "yesterday" })),
            ("resources/read", json!({})),
            ("resources/read", json!({ "uri": ["vault:///Home.md"] })),
            ("prompts/get", json!({ "name": "ask", "arguments": ["x"] })),
        ] {
            let error = talk.refused(method, params);
            assert_eq!(error["code"], -32602, "{method}: {error}");
        }
        assert_eq!(talk.end().0, Some(0));
    }
}

#[test]
fn a_run_about_a_private_note_does_not_exist_whatever_becomes_of_the_note_and_of_the_run() {
    let desk = Desk::new();
    desk.save("Diary.md", "---\nprivate: true\n---\nThe safe opens with 5522.\n");
    let summary = desk.run(["tool", "summarize_file", r#"{"path":"Diary","dry_run":true}"#]).done();
    let run = summary["run_id"].as_str().unwrap().to_owned();
    desk.run(["tool", "move_file", r#"{"source":"Diary","destination":"Kept/Anna"}"#]).done();
    let other = "00000000000000";
    let read = |talk: &mut Talk, run: &str| {
        let error =
            talk.refused("resources/read", json!({ "uri": format!("research://runs/{run}/trace.json") }));
        error["message"].as_str().unwrap().replace(run, other)
    };
    for forgets in [false, true] {
        let mut talk = Talk::start(&desk, Revision::June2025);
        if forgets {
            desk.run(["runs", "forget", "--private"]);
            assert!(desk.run(["runs"]).stdout.contains("(forgotten on "), "the user sees it");
        } else {
            let made = json!({ "name": "create_file", "arguments": { "path": "Diary", "content": "hello" } });
            assert_eq!(talk.ask("tools/call", made)["structuredContent"]["success"], true);
        }
        assert_eq!(read(&mut talk, &run), read(&mut talk, other));
        let uris = column(&Value::Array(listed(&mut talk)), "uri");
        assert!(!uris.iter().any(|uri| uri.starts_with("research://runs/")), "{uris:?}");
        assert_eq!(talk.end().0, Some(0));
    }
}

#[test]
fn prompts_take_the_users_words_and_name_only_tools_that_there_are() {
    let desk = Desk::new();
    for revision in Revision::BOTH {
        let mut talk = Talk::start(&desk, revision);
        let tools = column(&talk.ask("tools/list", json!({}))["tools"], "name");
        let prompts = talk.ask("prompts/list", json!({}))["prompts"].clone();
        assert_eq!(column(&prompts, "name"), ["ask", "research_note", "review_run"]);
        for prompt in prompts.as_array().unwrap() {
            let names = column(&prompt["arguments"], "name");
            let given: Value =
                names.iter().map(|name| (name.clone(), json!(format!("my {{{name}}}")))).collect();
            let got = talk.ask("prompts/get", json!({ "name": prompt["name"], "arguments": given }));
            let text = got["messages"][0]["content"]["text"].as_str().unwrap().to_owned();
            assert_eq!(got["messages"][0]["role"], "user");
            for name in &names {
                assert!(
                    text.contains(&format!("my {{{name}}}")),
                    "the user's words stay as they are: {text}"
                );
            }
            let named: Vec<&str> = text
                .split('`')
                .skip(1)
                .step_by(2)
                .filter(|word| {
                    word.contains('_') && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
                })
                .filter(|word| *word != "dry_run")
                .collect();
            assert!(!named.is_empty(), "{text}");
            assert!(named.iter().all(|name| tools.iter().any(|tool| tool == name)), "{named:?}");
        }
        for (params, says) in [
            (json!({ "name": "dream" }), "there are ask"),
            (json!({ "name": "ask" }), "needs `question`"),
            (json!({ "name": "ask", "arguments": { "question": "  " } }), "needs `question`"),
            (json!({ "name": "ask", "arguments": { "question": 3 } }), "must be a string"),
            (json!({ "name": "ask", "arguments": { "question": "x", "mood": "y" } }), "no argument `mood`"),
        ] {
            let error = talk.refused("prompts/get", params);
            assert_eq!(error["code"], -32602, "{error}");
            assert!(error["message"].as_str().unwrap().contains(says), "{error}");
        }
        assert_eq!(talk.end().0, Some(0));
    }
}

/// The address of the next notice that a resource changed.
fn updated(talk: &mut Talk) -> String {
    let message = talk.next();
    assert_eq!(message["method"], "notifications/resources/updated", "{message}");
    message["params"]["uri"].as_str().unwrap().to_owned()
}

fn adds_an_event(desk: &Desk) {
    let records = desk.records();
    let next = records.events(&run()).unwrap().len() as u64;
    records.append(&run(), next, event_time(next), &RunEvent::Resumed).unwrap();
}

#[test]
fn a_subscriber_of_an_older_revision_hears_of_new_events_and_changed_notes() {
    let desk = desk();
    let mut talk = Talk::start(&desk, Revision::June2025);
    let (trace, home) = (format!("research://runs/{RUN}/trace.json"), "vault:///Home.md");
    talk.ask("resources/subscribe", json!({ "uri": trace }));
    talk.ask("resources/subscribe", json!({ "uri": home }));
    adds_an_event(&desk);
    assert_eq!(updated(&mut talk), trace);
    desk.save("Home.md", "Another home.\n");
    assert_eq!(updated(&mut talk), home);
    assert_eq!(read(&mut talk, home)["text"], "Another home.\n");

    talk.ask("resources/unsubscribe", json!({ "uri": trace }));
    adds_an_event(&desk);
    desk.save("Home.md", "And another.\n");
    assert_eq!(updated(&mut talk), home, "what was let go of is not told");
    let error = talk.refused("resources/subscribe", json!({ "uri": "vault:///Nowhere.md" }));
    assert_eq!(error["code"], -32002, "{error}");
    assert_eq!(talk.end().0, Some(0), "an open subscription does not keep the server");
}

#[test]
fn a_listener_of_the_newest_revision_hears_of_new_events_and_changed_notes() {
    let desk = desk();
    let mut talk = Talk::start(&desk, Revision::July2026);
    let (trace, home) = (format!("research://runs/{RUN}/trace.json"), "vault:///Home.md");
    let wanted =
        json!({ "notifications": { "resourceSubscriptions": [trace, home, "vault:///Nowhere.md"] } });
    talk.request("subscriptions/listen", wanted);
    let accepted = talk.next();
    assert_eq!(
        accepted["params"]["notifications"]["resourceSubscriptions"],
        json!([trace, home]),
        "{accepted}"
    );
    adds_an_event(&desk);
    assert_eq!(updated(&mut talk), trace);
    desk.save("Home.md", "Another home.\n");
    assert_eq!(updated(&mut talk), home);
    assert_eq!(talk.end().0, Some(0), "an open subscription does not keep the server");
}

/// Nobody can tell a private note, or a run about one, from what is not there.
#[test]
fn a_client_subscribes_to_nothing_private() {
    let desk = Desk::bare();
    desk.save("Diary.md", "---\nprivate: true\n---\nx\n");
    let evidence = RunEvent::Evidence(Box::new(note_evidence(&run(), 1, "Diary.md", "x")));
    record_run(&desk.records(), &run(), RunKind::Ask, "x", &[began_event(RunKind::Ask, "x"), evidence]);
    let addresses = ["vault:///Diary.md".to_owned(), format!("research://runs/{RUN}/trace.json")];
    let mut talk = Talk::start(&desk, Revision::June2025);
    for uri in &addresses {
        let error = talk.refused("resources/subscribe", json!({ "uri": uri }));
        assert_eq!(error["code"], -32002, "{uri}: {error}");
    }
    assert_eq!(talk.end().0, Some(0));
    desk.run(["config", "set", "mcp.private", "on"]);
    let mut talk = Talk::start(&desk, Revision::June2025);
    for uri in &addresses {
        talk.ask("resources/subscribe", json!({ "uri": uri }));
    }
    assert_eq!(talk.end().0, Some(0));
}

/// What a client hears of a vault with a note, and maybe a private one with a run about it.
fn heard(private: Option<&str>, revision: Revision, sees_private: bool) -> Vec<Value> {
    let desk = Desk::bare();
    desk.save("Open.md", "# Open\n\nHoney keeps. See [[Diary]].\n");
    if let Some(text) = private {
        desk.save("Diary.md", format!("---\nprivate: true\n---\n# Diary\n\nHoney: {text}. [[Open]]\n"));
        let about = [
            began_event(RunKind::Ask, text),
            RunEvent::Evidence(Box::new(note_evidence(&run(), 1, "Diary.md", text))),
        ];
        record_run(&desk.records(), &run(), RunKind::Ask, text, &about);
    }
    if sees_private {
        desk.run(["config", "set", "mcp.private", "on"]);
    }
    let mut talk = Talk::start(&desk, revision);
    let calls = [
        ("search_vault", json!({ "query": "honey" })),
        ("read_file", json!({ "path": "Diary" })),
        ("find_backlinks", json!({ "note_name": "Open" })),
        ("search_by_folder", json!({ "folder": "" })),
    ];
    let mut heard: Vec<Value> =
        calls.map(|(name, args)| talk.ask("tools/call", json!({ "name": name, "arguments": args }))).to_vec();
    heard.extend(listed(&mut talk));
    for uri in ["vault:///Diary.md".to_owned(), format!("research://runs/{RUN}/report.md")] {
        let asked = talk.request("resources/read", json!({ "uri": uri }));
        heard.push(talk.answer_to(asked));
    }
    talk.end();
    heard
}

#[test]
fn for_a_client_private_notes_and_their_runs_do_not_exist_unless_the_user_says_so() {
    for revision in Revision::BOTH {
        let hidden = heard(Some("quillwort"), revision, false);
        assert_eq!(hidden, heard(Some("bogbean and more of it"), revision, false));
        assert_eq!(hidden, heard(None, revision, false));
        let said = format!("{:?}", heard(Some("quillwort"), revision, true));
        assert!(said.matches("quillwort").count() > 3 && said.contains("report.md"), "{said}");
    }
}
