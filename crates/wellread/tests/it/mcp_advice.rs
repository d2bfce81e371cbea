//! What answers over MCP advise, and how long they may be kept.

use serde_json::{Value, json};
use wellread_core::domain::id::RunId;
use wellread_core::faces::broad_tools::BROAD_TOOLS;
use wellread_core::faces::tools::catalog;
use wellread_core::ports::event::RunKind;
use wellread_testkit::run_fixtures::{began_event, events, record_run};

use crate::desk::{Desk, column};
use crate::talk::{Revision, Talk};

/// Calls that fail, by the name of the catalog's tool and of the broad one.
fn failing_calls() -> Vec<(&'static str, &'static str, Value)> {
    let id = json!("00000000000009");
    vec![
        ("undo", "undo", json!({ "op": "undo", "operation": "zzzzzz" })),
        ("undo", "undo", json!({ "op": "undo" })),
        ("show_agenda", "agenda", json!({ "op": "show", "id": id })),
        ("show_agenda", "agenda", json!({ "op": "show", "id": "x" })),
        ("show_finding", "inbox", json!({ "op": "show", "id": "x" })),
        ("approve_agenda", "agenda", json!({ "op": "approve", "id": id })),
        ("outline", "inspect_code", json!({ "op": "outline", "path": "a.py" })),
        ("code_deep_research", "research_code", json!({ "question": "How?" })),
        ("recheck", "recheck", json!({ "since": "nonsense" })),
        ("web_search", "search_web", json!({ "query": "bees" })),
        ("read_file", "read_note", json!({ "path": "Nowhere" })),
    ]
}

#[test]
fn a_hint_names_what_this_client_can_do() {
    let desk = Desk::bare();
    desk.save("Home.md", "# Home\n");
    let tools: Vec<&str> = catalog().iter().map(|tool| tool.declaration().name).collect();
    let (mut with_tool, mut with_command) = (0, 0);
    for args in
        [&[][..], &["--read-only"], &["--tools", "all"], &["--tools", "vault"], &["--tools", "code,agenda"]]
    {
        let mut talk = Talk::plain(desk.here(), Revision::July2026, args);
        talk.greet();
        let offered = column(&talk.ask("tools/list", json!({}))["tools"], "name");
        for (own, broad, mut arguments) in failing_calls() {
            let is_broad = !args.contains(&"--tools");
            let name = if is_broad { broad } else { own };
            if !is_broad {
                arguments.as_object_mut().unwrap().shift_remove("op");
            }
            let id = talk.request("tools/call", json!({ "name": name, "arguments": arguments }));
            let answer = talk.answer_to(id);
            let Some(text) = answer["result"]["content"][0]["text"].as_str() else { continue };
            let failure: Value = serde_json::from_str(text).unwrap();
            let Some(hint) = failure["hint"].as_str() else { continue };
            let words: Vec<&str> = hint.split('`').skip(1).step_by(2).collect();
            for (at, word) in words.iter().enumerate() {
                let is_op = at > 0 && words[at - 1] == "op";
                let is_tool = tools.contains(word) || BROAD_TOOLS.iter().any(|tool| tool.name == *word);
                with_tool += usize::from(is_tool && !is_op);
                assert!(
                    is_op || !is_tool || offered.iter().any(|known| known == word),
                    "{args:?} {name}: {hint}"
                );
                if word.starts_with("wellread ") {
                    with_command += 1;
                    assert!(hint.contains("the user"), "{args:?} {name}: {hint}");
                }
            }
        }
        assert_eq!(talk.end().0, Some(0));
    }
    assert!(with_tool > 5 && with_command > 5, "{with_tool} {with_command}");
}

/// Every result says what it is, and what can't change while the server runs may be kept for a while.
#[test]
fn results_say_how_long_they_hold() {
    let desk = Desk::new();
    desk.save("Bees/Honey.md", "Honey keeps for years.\n");
    let (over, open) = (RunId::fresh(), RunId::fresh());
    let records = desk.records();
    record_run(&records, &over, RunKind::Ask, "x", &events(&over, RunKind::Ask, "x"));
    record_run(&records, &open, RunKind::Ask, "x", &[began_event(RunKind::Ask, "x")]);
    let report = |run: &RunId| json!({ "uri": format!("research://runs/{run}/report.md") });
    let requests = [
        ("server/discover", json!({}), Some(true)),
        ("tools/list", json!({}), Some(true)),
        ("prompts/list", json!({}), Some(true)),
        ("resources/templates/list", json!({}), Some(true)),
        ("resources/list", json!({}), Some(false)),
        ("resources/read", json!({ "uri": "vault:///Home.md" }), Some(false)),
        ("resources/read", report(&over), Some(true)),
        ("resources/read", report(&open), Some(false)),
        ("prompts/get", json!({ "name": "ask", "arguments": { "question": "Why?" } }), None),
        ("tools/call", json!({ "name": "get_current_date", "arguments": {} }), None),
        ("tools/call", json!({ "name": "read_file", "arguments": { "path": "Nowhere" } }), None),
    ];
    for revision in Revision::BOTH {
        let mut talk = Talk::start(&desk, revision);
        for (method, params, is_kept) in &requests {
            if revision == Revision::June2025 {
                if *method != "server/discover" {
                    let result = talk.ask(method, params.clone());
                    assert!(result.get("resultType").is_none(), "{method}: {result}");
                }
                continue;
            }
            let result = talk.ask(method, params.clone());
            assert_eq!(result["resultType"], "complete", "{method}: {result}");
            assert_eq!(result["ttlMs"].as_u64().map(|ms| ms > 0), *is_kept, "{method} {params}: {result}");
        }
        assert_eq!(talk.end().0, Some(0));
    }
}
