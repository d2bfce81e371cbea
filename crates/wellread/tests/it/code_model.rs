//! `wellread code` with a model: the loop to its end, steps that are used up, choices that are none, language servers.

use serde_json::json;
use wellread_testkit::model_server::ReceivedRequest;
use wellread_testkit::{ModelServer, Turn};

use crate::desk::{Ran, borne_out, column, repository};
use crate::leads::{ANSWER, QUESTION, code, desk, does, ends, opened, opens, opens_them, script, sent};
use crate::partner::{Wire, with};

/// What the model was told last.
fn told(asked: &ReceivedRequest) -> String {
    Wire::OpenAi.said(asked).1.pop().unwrap().1
}

/// What an action gave, as the model was told of it.
fn given(requests: &[ReceivedRequest], action: &str) -> String {
    let begins = format!("What `{action}` gave:");
    let found = requests.iter().map(told).find(|text| text.starts_with(&begins));
    found.unwrap_or_else(|| panic!("no {action} was answered"))
}

#[test]
fn a_model_leads_through_several_steps_to_an_answer_with_its_lines() {
    for wire in Wire::BOTH {
        let (desk, server) = (desk(), ModelServer::start(script()));
        let mut command = desk.here();
        command.envs(wire.variables(&server, "key-of-mine"));
        let answer = Ran::of(command.args(["code", QUESTION, "--debug", "--json"])).done();
        let text = answer["answer"].as_str().unwrap();
        assert!(text.starts_with("`SWARM_DROP_KG` is 1.5:"), "{wire:?}: {text}");
        let [citation] = answer["citations"].as_array().unwrap().as_slice() else { panic!("{answer}") };
        assert_eq!(
            (&citation["path"], &citation["start_line"], &citation["end_line"], &citation["provenance"]),
            (&json!("rust/src/swarm.rs"), &json!(7), &json!(8), &json!("manual"))
        );
        assert_eq!(
            citation["text"],
            "/// A hive that loses at least this much within the window may have swarmed.\npub const SWARM_DROP_KG: f64 = 1.5;"
        );
        assert_eq!(answer["confidence"].as_f64(), Some(0.9), "{answer}");
        assert_eq!(column(&answer["steps"], "action"), ["hybrid_search", "open_span", "graph_expand"]);

        let requests = server.into_requests();
        assert_eq!(requests.len(), 4);
        let (system, said) = wire.said(&requests[3]);
        assert!(system.contains("`graph_trace` (from, to)"), "{system}");
        assert!(said[0].1.contains(QUESTION) && said[0].1.contains("rust/src/swarm.rs"), "{}", said[0].1);
        // Code is shown behind the barrier, as everything that others wrote.
        assert!(
            said.iter()
                .any(|(_, text)| text.contains("What `open_span` gave") && text.contains("SWARM_DROP_KG"))
        );
        let sent = sent(&desk, &answer["run_id"]);
        assert!(sent.len() >= 4, "{sent:?}");
        assert!(sent.iter().all(|one| one["what"] == "model" && one["stays"] == true), "{sent:?}");
        let run = answer["run_id"].as_str().unwrap();
        let verified = desk.run(["verify", run, "--json"]).done();
        assert_eq!(column(&verified["sentences"], "verdict"), ["supported"], "{verified}");
        std::fs::rename(desk.code(), desk.folder().join("elsewhere")).unwrap();
        assert_eq!(desk.run(["--offline", "replay", run, "--json"]).done(), answer);
    }
}

#[test]
fn where_the_steps_are_used_up_the_answer_is_from_the_evidence_by_then() {
    let forced = Turn::from_request(|body| {
        let answer = ANSWER.replace('@', &format!("[{}]", opened(body)));
        Turn::json(&json!({ "answer": answer, "confidence": 0.5 }))
    });
    let more = does("find_symbol", &json!({ "name": "by_hive" }));
    let turns =
        vec![opens_them(), does("outline", &json!({ "file_path": "rust/src/swarm.rs" })), more, forced];
    let (desk, server) = (desk(), ModelServer::start(turns));
    let answer = code(&desk, &server, &["--budget", "2", "--debug"]).done();
    assert!(answer["answer"].as_str().unwrap().starts_with("`SWARM_DROP_KG` is 1.5:"), "{answer}");
    assert!(answer["notice"].as_str().unwrap().contains("2 steps were used up"), "{answer}");
    assert_eq!(column(&answer["steps"], "action"), ["open_span", "outline"], "{answer}");
    assert!(told(server.into_requests().last().unwrap()).contains("steps are used up"));
    let run = answer["run_id"].as_str().unwrap();
    let shown = desk.run(["runs", "show", run]).stdout;
    assert!(shown.contains("a budget was reached"), "{shown}");
    assert_eq!(desk.run(["--offline", "replay", run, "--json"]).done(), answer);
}

#[test]
fn a_model_that_never_answers_leaves_the_telling_lines() {
    let nothing = || Turn::says("I would rather not.");
    let turns = vec![opens_them(), nothing(), nothing(), nothing(), nothing(), nothing(), nothing()];
    let (desk, server) = (desk(), ModelServer::start(turns));
    let ran = code(&desk, &server, &["--budget", "1"]);
    let answer = ran.done();
    assert!(answer["answer"].as_str().unwrap().contains("`pub const SWARM_DROP_KG: f64 = 1.5;`"), "{answer}");
    assert!(answer["notice"].as_str().unwrap().contains("steps were used up"), "{answer}");
}

#[test]
fn a_model_that_can_not_be_reached_leaves_the_brief() {
    let desk = desk();
    let server = ModelServer::start([Turn::status(400, "{\"error\":{\"message\":\"no such model\"}}")]);
    let answer = code(&desk, &server, &[]).done();
    assert!(answer["answer"].as_str().unwrap().contains("SWARM_DROP_KG"), "{answer}");
    assert!(answer["notice"].as_str().unwrap().contains("quoted verbatim"), "{answer}");
    server.into_requests();
}

#[test]
fn what_is_no_choice_is_told_once_and_the_same_twice_is_refused() {
    let (desk, server) = (
        desk(),
        ModelServer::start([
            does("open_file", &json!({ "path": "rust/src/swarm.rs" })),
            opens_them(),
            opens_them(),
            opens("rust/src/swarm.rs", 900, 901),
            does("graph_expand", &json!({ "symbol": "main", "depth": 1, "direction": "in" })),
            ends(ANSWER),
        ]),
    );
    let answer = code(&desk, &server, &["--debug"]).done();
    let found = column(&answer["steps"], "found");
    assert_eq!(found[0], "rust/src/swarm.rs:7-8");
    assert!(found[1].contains("was already done"), "{found:?}");
    assert!(found[3].contains("is the name of 2 symbols"), "{found:?}");
    assert_eq!(answer["citations"].as_array().unwrap().len(), 1, "{answer}");
    assert!(told(&server.into_requests()[1]).contains("there is no action `open_file`"));
}

#[test]
fn what_the_lines_do_not_bear_is_set_apart_and_lowers_the_confidence() {
    let wrong =
        "`SWARM_DROP_KG` is 7.5 kg in winter @. A swarm is also reported by mail [ev-01000000000009-001].";
    let again = Turn::says("`SWARM_DROP_KG` is 7.5 kg in winter.");
    let (desk, server) = (desk(), ModelServer::start([opens_them(), ends(wrong), again]));
    let answer = code(&desk, &server, &[]).done();
    let text = answer["answer"].as_str().unwrap();
    assert!(!text.contains("ev-01000000000009-001"), "{text}");
    assert!(answer["confidence"].as_f64().unwrap() < 0.5, "{answer}");
    assert!(borne_out(&answer["coverage"]).as_u64() < answer["coverage"]["sentences"].as_u64(), "{answer}");
    server.into_requests();
}

#[test]
fn a_language_server_answers_where_it_is_switched_on_and_else_the_syntax() {
    let python = repository().join(".venv/bin/python");
    assert!(python.exists(), "run `./check` once, which installs pyright");
    let server_command = format!("python={} -m pyright.langserver --stdio", python.display());
    let at = json!({ "file_path": "python/export.py", "line": 35, "column": 14 });
    for (servers, by, provenance) in
        [(Some(server_command.as_str()), "language server", "lsp"), (None, "syntax index", "syntax")]
    {
        let (desk, server) = (
            desk(),
            ModelServer::start([
                does("definition", &at),
                does("references", &json!({ "symbol": "decode_hex" })),
                does("hover", &at),
                does("finalize", &json!({ "answer": "Nothing more.", "confidence": 0.1 })),
            ]),
        );
        let mut command = desk.here();
        command.envs(servers.map(|servers| ("WELLREAD_CODE_LANGUAGE_SERVERS", servers)));
        let ran = Ran::of(with(command.args(["code", QUESTION, "--debug", "--json"]), &server));
        let answer = ran.done();
        let found = column(&answer["steps"], "found");
        assert!(found.iter().all(|found| found.ends_with(&format!("from the {by}"))), "{found:?}");
        let requests = server.into_requests();
        let definition = given(&requests, "definition");
        assert!(
            definition.contains("python/payload.py") && definition.contains("def decode_hex"),
            "{definition}"
        );
        let references = given(&requests, "references");
        for path in ["python/export.py", "python/test_hivelog.py"] {
            assert!(references.contains(path), "{by}: {references}");
        }
        assert!(given(&requests, "hover").contains("decode_hex(text: str)"), "{}", given(&requests, "hover"));
        let run = answer["run_id"].as_str().unwrap();
        let evidence = desk.run(["runs", "show", run, "evidence", "--json"]).done()["evidence"].clone();
        assert!(column(&evidence, "provenance").iter().all(|one| one == provenance), "{evidence}");
        assert!(evidence.as_array().is_some_and(|list| !list.is_empty()));
    }
}
