//! The Model Context Protocol, spoken by hand: what comes back on the wire, in two revisions.

use serde_json::{Value, json};

use crate::desk::Desk;
use crate::talk::{Revision, Talk};

const METHOD_NOT_FOUND: i64 = -32601;
const INVALID_PARAMS: i64 = -32602;
const UNSUPPORTED_VERSION: i64 = -32022;

fn tools(talk: &mut Talk) -> Vec<Value> {
    let listed = talk.ask("tools/list", json!({}));
    assert!(listed["nextCursor"].is_null(), "all in one page");
    listed["tools"].as_array().unwrap().clone()
}

#[test]
fn the_server_names_itself_and_what_it_offers() {
    let desk = Desk::new();
    let mut talk = Talk::silent(&desk, Revision::June2025, &[]);
    let hello = talk.greet();
    assert_eq!(hello["protocolVersion"], "2025-06-18");
    assert_eq!(
        hello["serverInfo"],
        json!({ "name": "wellread", "title": "Wellread", "version": env!("CARGO_PKG_VERSION") })
    );
    let offered = json!({ "tools": {}, "prompts": {}, "resources": { "subscribe": true } });
    assert_eq!(hello["capabilities"], offered);
    assert!(hello["instructions"].as_str().unwrap().contains("vault"));
    assert_eq!(talk.end().0, Some(0));

    let mut talk = Talk::silent(&desk, Revision::July2026, &[]);
    let found = talk.greet();
    assert_eq!(found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "wellread");
    let mut with_tasks = offered;
    with_tasks["extensions"] = json!({ "io.modelcontextprotocol/tasks": {} });
    assert_eq!(found["capabilities"], with_tasks);
    let versions = found["supportedVersions"].as_array().unwrap();
    assert!(
        versions.contains(&json!("2025-06-18")) && versions.contains(&json!("2026-07-28")),
        "{versions:?}"
    );
    assert_eq!(found["resultType"], "complete");
    assert_eq!(talk.end().0, Some(0));
}

#[test]
fn an_unknown_revision_is_answered_with_one_that_is_known() {
    let desk = Desk::new();
    let mut talk = Talk::silent(&desk, Revision::June2025, &[]);
    let hello = json!({ "protocolVersion": "1999-01-01", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
    let version = talk.ask("initialize", hello)["protocolVersion"].as_str().unwrap().to_owned();
    assert!(version.starts_with("202"), "{version}");

    // Without a handshake there is nothing to agree on: it is turned down, with what would be understood.
    let mut talk = Talk::start(&desk, Revision::July2026);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "1999-01-01",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    talk.say(&json!({ "jsonrpc": "2.0", "id": "old", "method": "tools/list", "params": { "_meta": meta } }));
    let answer = talk.next();
    assert_eq!(
        (answer["id"].as_str(), answer["error"]["code"].as_i64()),
        (Some("old"), Some(UNSUPPORTED_VERSION)),
        "{answer}"
    );
    assert!(answer["error"]["data"]["supported"].as_array().unwrap().contains(&json!("2026-07-28")));
}

#[test]
fn both_revisions_list_the_tools_of_the_catalog() {
    let desk = Desk::new();
    let catalog = desk.run(["tool", "--list", "--json"]).done();
    let known = catalog["tools"].as_array().unwrap();
    let mut lists = Vec::new();
    for revision in Revision::BOTH {
        let mut talk = Talk::start(&desk, revision);
        lists.push(tools(&mut talk));
        assert_eq!(talk.end().0, Some(0));
    }
    assert_eq!(lists[0], lists[1]);
    assert_eq!(lists[0].len(), known.len());
    for (listed, known) in lists[0].iter().zip(known) {
        assert_eq!(listed["name"], known["name"]);
        assert_eq!(listed["description"], known["description"]);
        assert_eq!(listed["inputSchema"], known["input_schema"]);
        assert_eq!(listed["outputSchema"], known["output_schema"]);
    }
}

#[test]
fn every_tool_has_schemas_that_any_client_understands() {
    let desk = Desk::new();
    for tool in tools(&mut Talk::start(&desk, Revision::June2025)) {
        let name = &tool["name"];
        let (input, output) = (&tool["inputSchema"], &tool["outputSchema"]);
        assert_eq!(input["type"], "object", "{name}");
        assert_eq!(input["additionalProperties"], false, "{name}");
        assert_eq!(output["type"], "object", "{name}");
        assert!(output["required"].as_array().unwrap().contains(&json!("success")), "{name}");
        for (parameter, schema) in input["properties"].as_object().unwrap() {
            assert!(
                schema["description"].as_str().is_some_and(|about| !about.is_empty()),
                "{name}.{parameter}"
            );
        }
        for required in input["required"].as_array().into_iter().flatten() {
            assert!(input["properties"].get(required.as_str().unwrap()).is_some(), "{name}: {required}");
        }
        let text = tool.to_string();
        for hard in ["\"$ref\"", "\"format\"", "\"null\"", "\"$defs\""] {
            assert!(!text.contains(hard), "{name} has {hard} in its schemas");
        }
    }
}

#[test]
fn every_tool_says_whether_it_reads_adds_or_changes() {
    let desk = Desk::new();
    let known = desk.run(["tool", "--list", "--json"]).done();
    let listed = tools(&mut Talk::start(&desk, Revision::July2026));
    let mut seen = Vec::new();
    for (tool, known) in listed.iter().zip(known["tools"].as_array().unwrap()) {
        let effect = known["effect"].as_str().unwrap();
        let hints = &tool["annotations"];
        let (reads, destroys) = (hints["readOnlyHint"].as_bool(), hints["destructiveHint"].as_bool());
        let expected = match effect {
            "reads" => (Some(true), Some(false)),
            "adds" | "proposes" => (Some(false), Some(false)),
            "writes" | "decides" => (Some(false), Some(true)),
            other => panic!("an effect that no client was told of: {other}"),
        };
        assert_eq!((reads, destroys), expected, "{}", tool["name"]);
        // Research may reach beyond this machine, that of code to a model, and nothing else does.
        let asks = ["code_deep_research", "propose_agenda", "approve_agenda"];
        let reaches = known["group"] == "research" || asks.iter().any(|name| tool["name"] == *name);
        assert_eq!(hints["openWorldHint"], reaches, "{}", tool["name"]);
        // A dry run is offered by every tool that writes, and by no other.
        assert_eq!(
            tool["inputSchema"]["properties"].get("dry_run").is_some(),
            !["reads", "proposes", "decides"].contains(&effect),
            "{}",
            tool["name"]
        );
        seen.push(effect);
    }
    assert!(["reads", "adds", "writes", "proposes", "decides"].iter().all(|effect| seen.contains(effect)));
}

#[test]
fn a_call_answers_with_the_same_object_as_text_and_as_structure() {
    let desk = Desk::new();
    for revision in Revision::BOTH {
        let mut talk = Talk::start(&desk, revision);
        let read = talk.call("read_file", &json!({ "path": "Home", "length": 20 }));
        assert_eq!(read["isError"], false);
        assert_eq!(read["structuredContent"]["path"], "Home.md");
        assert_eq!(read["structuredContent"]["next_offset"], 20);
        assert_eq!(
            read["structuredContent"],
            desk.tool("read_file", &json!({ "path": "Home", "length": 20 })).done()
        );
        assert_eq!(talk.end().0, Some(0));
    }
}

#[test]
fn a_call_that_fails_is_an_answer_with_its_error_and_a_hint() {
    let desk = Desk::new();
    let before = desk.tree();
    for revision in Revision::BOTH {
        let mut talk = Talk::start(&desk, revision);
        for (tool, args, status) in [
            ("read_file", json!({ "path": "Hom" }), 3),
            ("read_file", json!({ "path": "../Home" }), 4),
            ("read_file", json!({}), 2),
            ("read_file", json!({ "path": "Home", "lenght": 3 }), 2),
            ("create_file", json!({ "path": "Home.md" }), 4),
            ("search_by_date_range", json!({ "start_date": "soon", "end_date": "later" }), 2),
        ] {
            let result = talk.call(tool, &args);
            assert_eq!(result["isError"], true, "{result}");
            assert_eq!(result["failure"], desk.tool(tool, &args).failed(status));
        }
        let missing = talk.call("read_file", &json!({ "path": "Hom" }));
        assert_eq!(missing["failure"]["error"], "File not found: Hom");
        assert!(missing["failure"]["hint"].as_str().unwrap().contains("Home.md"));
        assert_eq!(talk.end().0, Some(0));
    }
    assert_eq!(desk.tree(), before);
}

#[test]
fn a_tool_without_parameters_is_called_with_and_without_arguments() {
    let desk = Desk::new();
    for revision in Revision::BOTH {
        let mut talk = Talk::start(&desk, revision);
        for params in [
            json!({ "name": "get_current_date" }),
            json!({ "name": "get_current_date", "arguments": null }),
            json!({ "name": "get_current_date", "arguments": {} }),
        ] {
            assert_eq!(talk.ask("tools/call", params)["isError"], false);
        }
    }
}

#[test]
fn what_does_not_exist_is_an_error_of_the_protocol() {
    let desk = Desk::new();
    for revision in Revision::BOTH {
        let mut talk = Talk::start(&desk, revision);
        let tool = talk.refused("tools/call", json!({ "name": "raed_file", "arguments": {} }));
        assert_eq!(tool["code"], INVALID_PARAMS);
        assert!(tool["message"].as_str().unwrap().contains("did you mean `read_file`?"), "{tool}");
        let method = talk.refused("vault/paint", json!({}));
        assert_eq!(method["code"], METHOD_NOT_FOUND);
        assert!(method["message"].as_str().unwrap().contains("there is no method `vault/paint`"), "{method}");
        let misfit = talk.refused("tools/call", json!({ "name": "read_file", "arguments": ["Home"] }));
        assert_eq!(misfit["code"], INVALID_PARAMS, "{misfit}");
        assert!(misfit["message"].as_str().unwrap().contains("tools/call"), "{misfit}");
        assert_eq!(talk.call("get_current_date", &json!({}))["isError"], false);
    }
}

#[test]
fn what_older_revisions_ask_for_is_answered() {
    let desk = Desk::new();
    let mut talk = Talk::silent(&desk, Revision::June2025, &[]);
    assert_eq!(talk.ask("ping", json!({})), json!({}), "a ping is allowed before the handshake");
    talk.greet();
    assert_eq!(talk.ask("ping", json!({})), json!({}));
    for level in ["debug", "emergency"] {
        assert_eq!(talk.ask("logging/setLevel", json!({ "level": level })), json!({}));
    }
    assert_eq!(talk.end().0, Some(0));
}

#[test]
fn a_request_of_the_newest_revision_must_say_what_it_speaks() {
    let desk = Desk::new();
    let mut talk = Talk::start(&desk, Revision::July2026);
    talk.say(&json!({ "jsonrpc": "2.0", "id": "bare", "method": "tools/list" }));
    let answer = talk.next();
    assert_eq!(
        (answer["id"].as_str(), answer["error"]["code"].as_i64()),
        (Some("bare"), Some(INVALID_PARAMS)),
        "{answer}"
    );
    assert!(answer["error"]["message"].as_str().unwrap().contains("protocolVersion"));
    assert_eq!(talk.call("get_current_date", &json!({}))["isError"], false);
}

#[test]
fn a_broken_line_does_not_end_the_conversation() {
    let desk = Desk::new();
    for revision in Revision::BOTH {
        let mut talk = Talk::start(&desk, revision);
        for broken in [
            "{broken",
            "",
            "\u{0}\u{1}",
            "\"text\"",
            "[]",
            "{}",
            "nul",
            "{\"jsonrpc\":\"2.0\",\"id\":",
            "\u{feff}",
        ] {
            talk.say_raw(format!("{broken}\n").as_bytes());
            assert_eq!(talk.call("get_current_date", &json!({}))["isError"], false, "after {broken:?}");
        }
        talk.say_raw(b"\xff\xfe not even UTF-8 \xc3\n");
        assert_eq!(talk.call("get_current_date", &json!({}))["isError"], false);
        let (status, rest, _) = talk.end();
        assert_eq!(status, Some(0));
        assert!(rest.iter().all(|message| message["error"]["code"].is_i64()), "{rest:?}");
    }
}

#[test]
fn a_huge_line_is_passed_over_and_a_large_one_is_served() {
    let desk = Desk::new();
    let mut talk = Talk::start(&desk, Revision::June2025);
    let huge = json!({ "jsonrpc": "2.0", "id": "huge", "method": "ping", "params": { "pad": "x".repeat(20 << 20) } });
    talk.say(&huge);
    let large = "word ".repeat(1 << 20);
    let made = talk.call("create_file", &json!({ "path": "Large", "content": large }));
    assert_eq!(made["isError"], false);
    assert_eq!(desk.text("Large.md"), large);
    assert_eq!(talk.end().0, Some(0));
}

#[test]
fn calls_run_side_by_side_and_each_gets_its_own_answer() {
    let desk = Desk::new();
    let mut talk = Talk::start(&desk, Revision::June2025);
    let calls: Vec<(u64, usize)> = (1..40)
        .map(|length| {
            let args = json!({ "path": "Home", "length": length });
            (talk.request("tools/call", json!({ "name": "read_file", "arguments": args })), length)
        })
        .collect();
    for (id, length) in calls {
        assert_eq!(talk.answer_to(id)["result"]["structuredContent"]["next_offset"], length);
    }
}

#[test]
fn edits_side_by_side_lose_no_word() {
    let desk = Desk::new();
    let mut talk = Talk::start(&desk, Revision::July2026);
    let ids: Vec<u64> = (0..30)
        .map(|n| {
            let args = json!({ "path": "Home", "content": format!("line number {n} of thirty") });
            talk.request("tools/call", json!({ "name": "append_to_file", "arguments": args }))
        })
        .collect();
    for id in ids {
        let answer = talk.answer_to(id);
        assert_eq!(answer["result"]["isError"], false, "{answer}");
    }
    let text = desk.text("Home.md");
    for n in 0..30 {
        assert_eq!(text.matches(&format!("line number {n} of thirty")).count(), 1, "{n}");
    }
}

#[test]
fn a_client_that_hangs_up_ends_the_server_cleanly() {
    let desk = Desk::new();
    // Before it said anything, after the greeting, in the middle of a line.
    assert_eq!(Talk::silent(&desk, Revision::June2025, &[]).end().0, Some(0));
    for revision in Revision::BOTH {
        let (status, rest, errors) = Talk::start(&desk, revision).end();
        assert_eq!((status, rest.len(), errors.as_str()), (Some(0), 0, ""));
        let mut talk = Talk::start(&desk, revision);
        talk.say_raw(b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/ca");
        assert_eq!(talk.end().0, Some(0));
    }
}

#[test]
fn what_was_asked_before_hanging_up_is_still_done_and_answered() {
    let desk = Desk::new();
    for revision in Revision::BOTH {
        let mut talk = Talk::start(&desk, revision);
        let args = json!({ "path": "Home", "content": format!("the last words, {revision:?}") });
        let id = talk.request("tools/call", json!({ "name": "append_to_file", "arguments": args }));
        let (status, rest, _) = talk.end();
        assert_eq!(status, Some(0));
        assert!(
            rest.iter().any(|answer| answer["id"] == id && answer["result"]["isError"] == false),
            "{rest:?}"
        );
        assert_eq!(desk.text("Home.md").matches(&format!("the last words, {revision:?}")).count(), 1);
    }
}

#[test]
fn groups_of_tools_are_chosen_by_name() {
    let desk = Desk::new();
    let mut talk = Talk::silent(&desk, Revision::June2025, &["--tools", "vault"]);
    talk.greet();
    assert!(tools(&mut talk).iter().any(|tool| tool["name"] == "read_file"));
    let unknown = desk.run(["mcp", "--tools", "vault,garden"]);
    assert!(unknown.complains(2).contains("there is no tool group `garden`"), "{unknown:?}");
    assert!(unknown.stderr.contains("vault"), "{unknown:?}");
    desk.run(["mcp", "--tools", "garden", "--json"]).failed(2);
}

#[test]
fn a_server_without_a_vault_says_so_and_ends() {
    let desk = Desk::bare();
    std::fs::remove_dir(desk.vault()).unwrap();
    assert!(desk.run(["mcp"]).complains(3).contains("there is no vault at"));
}

#[test]
fn the_log_goes_to_standard_error_however_much_is_asked_for() {
    let desk = Desk::new();
    let mut talk = Talk::silent(&desk, Revision::June2025, &["-vvv"]);
    talk.greet();
    talk.call("read_file", &json!({ "path": "Home" }));
    let (status, _, errors) = talk.end();
    assert_eq!(status, Some(0));
    assert!(!errors.is_empty());
}
