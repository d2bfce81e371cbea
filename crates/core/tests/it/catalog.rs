//! What holds for every tool: its contract, its schemas, its dry run.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use wellread_core::domain::id::{AgendaId, FindingId, OperationId, TaskId};
use wellread_core::engine::outside::OutsideServices;
use wellread_core::faces::tools::{Declaration, Effect, catalog};
use wellread_core::ports::agenda::{Agenda, Finding};
use wellread_core::ports::{AgendaActor, AgendaChange, Agendas as _, Findings as _, WebFailure};
use wellread_testkit::scripted_web::{paper_result, web_answer};
use wellread_testkit::{ScriptedSpeech, ScriptedWeb, World, agenda_fixtures};

use crate::ask::{ok, with};

/// A vault in which each of the [`examples`] can be served.
pub fn world() -> World {
    let mut world = World::new(
        "-- Bees.md\n---\ntags: [insect]\ndate: 2024-05-01\n---\n# Bees\n\nSee [[Honey]].\n\n## Wax\n\nSoft.\n\
         -- Honey.md\nMade by [[Bees]].\n\
         -- Projects/Plan.md\n# Plan\n\nAsk [the bees](../Bees.md).\n\
         -- Preferences.md\n# Preferences\n\n- Short answers\n\
         -- Hives.md\n# Hives\n\nA hive holds forty thousand bees in a good summer.\n-- Meeting.md\n![[memo.m4a]]\n-- Attachments/memo.m4a\nsound\n",
    );
    let found =
        paper_result("2301.00001v2", "On hives", "Honey is made in a hive by bees that fly three miles.");
    let web = Arc::new(ScriptedWeb::new("brave").otherwise(web_answer([found])).page_fails(
        "https://arxiv.org/abs/2301.00001v2",
        WebFailure::Unreachable { message: "no answer in time".to_owned() },
    ));
    let speech = Arc::new(ScriptedSpeech::new(false, [("memo.m4a", Ok("Buy wax."))]));
    world.reach = Arc::new(OutsideServices { speech, ..web.outside_services() });
    let world = world.with_repository("wax", CODE);
    world.index();
    with_agendas(&world);
    // An edit that can be undone.
    ok(&world, "append_to_file", json!({ "path": "Projects/Plan", "content": "Soon." }));
    world
}

/// How many edits the [`world`] has seen.
pub const EDITS: usize = 1;

const AGENDA: &str = "00000000000001";
const RUNNING: &str = "00000000000002";

/// One agenda that waits, and one that has found something, of which the half was accepted.
fn with_agendas(world: &World) {
    let named = |id: &str| {
        let id = AgendaId::parse(id).unwrap();
        let mut agenda = agenda_fixtures::agenda(2);
        for (task, number) in agenda.tasks.iter_mut().zip(1..) {
            task.id = TaskId::new(&id, number);
        }
        Agenda { id, ..agenda }
    };
    world.agendas.propose(&named(AGENDA), None).unwrap();
    let running = agenda_fixtures::propose_and_approve(&*world.agendas, &named(RUNNING));
    let task = running.tasks[0].id.clone();
    let found = ["new", "kept"].map(|name| agenda_fixtures::new_finding(&running.id, &task, &address(name)));
    let alter = |alteration: &mut AgendaChange| {
        alteration.findings = found.to_vec();
        Ok(())
    };
    world.agendas.change_agenda(&running.id, AgendaActor::User, &mut { alter }).unwrap();
    let kept = FindingId::parse(&finding("kept")).unwrap();
    let accept = |finding: &mut Finding| {
        finding.accept("Kept.md", OperationId::fresh(), finding.created).map(|()| None)
    };
    world.agendas.decide(&kept, None, &mut { accept }).unwrap();
}

fn address(name: &str) -> String {
    format!("https://bees.example/{name}")
}

/// The id of what was found at that address.
fn finding(name: &str) -> String {
    FindingId::new(&TaskId::new(&AgendaId::parse(RUNNING).unwrap(), 1), &address(name)).to_string()
}

const CODE: &str = "-- src/press.py\ndef press(comb):\n    raise ValueError(\"the comb is empty\")\n";

/// A call for each tool of the catalog, in its order.
pub fn examples() -> Vec<(&'static str, Value)> {
    vec![
        ("search_vault", json!({ "query": "who makes honey", "limit": 3, "mode": "keyword" })),
        ("find_notes", json!({ "query": "wax", "tag": "insect", "frontmatter": { "tags": "insect" } })),
        ("read_file", json!({ "path": "Bees.md", "offset": 3, "length": 20 })),
        ("get_note_info", json!({ "path": "Bees" })),
        ("list_files_by_frontmatter", json!({ "field": "tags", "value": "insect" })),
        ("update_frontmatter", json!({ "path": "Bees", "field": "status", "value": "done" })),
        (
            "batch_update_frontmatter",
            json!({ "paths": ["Bees", "Nobody"], "field": "status", "value": "done" }),
        ),
        ("create_file", json!({ "path": "New/Note", "content": "Text.\n", "frontmatter": "{\"a\": 1}" })),
        ("move_file", json!({ "path": "Bees", "destination": "Insects/Apis" })),
        ("batch_move_files", json!({ "moves": [{ "path": "Bees", "destination": "Insects/Apis" }] })),
        ("delete_file", json!({ "path": "Bees" })),
        ("append_to_file", json!({ "path": "Bees", "content": "More." })),
        ("prepend_to_file", json!({ "path": "Bees", "content": "First." })),
        ("replace_section", json!({ "path": "Bees", "heading": "## Wax", "content": "## Wax\n\nHard." })),
        ("append_to_section", json!({ "path": "Bees", "heading": "## Wax", "content": "Yellow." })),
        ("edit_file", json!({ "path": "Bees", "content": "More.", "position": "append" })),
        ("find_backlinks", json!({ "path": "Nobody" })),
        ("find_outlinks", json!({ "path": "Bees" })),
        ("search_by_folder", json!({ "folder": "Projects" })),
        ("search_by_date_range", json!({ "start_date": "2024-01-01", "end_date": "2026-12-31" })),
        ("list_edits", json!({ "limit": 3 })),
        ("undo", json!({})),
        (
            "log_interaction",
            json!({ "task_description": "Bees", "query": "Who?", "summary": "They.", "files": ["Bees"] }),
        ),
        ("save_preference", json!({ "preference": "British spelling" })),
        ("list_preferences", json!({})),
        ("remove_preference", json!({ "line_number": 1 })),
        ("get_current_date", json!({})),
        ("research", json!({ "query": "who makes honey in the hive" })),
        ("research_note", json!({ "path": "Hives", "focus": "honey" })),
        ("summarize_file", json!({ "path": "Hives" })),
        ("check_claims", json!({ "text": "A hive holds 40,000 bees ([[Hives]]:3).", "fetch": false })),
        ("recheck", json!({ "since": "2024-01-01", "limit": 5, "offset": 1 })),
        ("web_search", json!({ "query": "how old are hives" })),
        ("arxiv_search", json!({ "query": "hives", "limit": 2, "offset": 1 })),
        ("transcribe_audio", json!({ "path": "Meeting" })),
        (
            "code_deep_research",
            json!({ "question": "Where is `press` defined?", "scope": "src/**", "debug": true }),
        ),
        ("locate", json!({ "text": "ValueError: the comb is empty", "limit": 3 })),
        ("outline", json!({ "path": "src/press.py" })),
        ("find_symbol", json!({ "symbol": "press", "kind": "function" })),
        ("graph_expand", json!({ "symbol": "press", "depth": 2, "direction": "in", "kinds": ["calls"] })),
        ("graph_pack", json!({ "symbols": ["press"], "token_budget": 300, "question": "an empty comb" })),
        ("graph_trace", json!({ "from": "src/press.py::<module>", "to": "press" })),
        ("propose_agenda", json!({ "path": "Hives" })),
        ("list_agendas", json!({ "status": "pending", "limit": 5 })),
        ("show_agenda", json!({ "id": AGENDA })),
        ("approve_agenda", json!({ "id": AGENDA, "blocked_task_ids": [format!("{AGENDA}-1")] })),
        ("cancel_agenda", json!({ "id": AGENDA })),
        ("list_findings", json!({ "status": "new", "limit": 5 })),
        ("show_finding", json!({ "id": finding("new") })),
        ("accept_finding", json!({ "id": finding("new"), "title": "On wax", "folder": "Later" })),
        ("dismiss_finding", json!({ "id": finding("new"), "suppress_topic": true })),
        ("undo_accept", json!({ "id": finding("kept") })),
        ("kb_health", json!({ "limit": 3 })),
    ]
}

fn declarations() -> Vec<Declaration> {
    catalog().iter().map(|tool| tool.declaration().clone()).collect()
}

/// `path, offset=0`: an optional parameter without a default has a `?`.
fn parameters(declaration: &Declaration) -> String {
    let input = &declaration.input;
    let required =
        |name: &str| input["required"].as_array().is_some_and(|all| all.iter().any(|one| one == name));
    let shown = |(name, schema): (&String, &Value)| match schema.get("default") {
        Some(default) => format!("{name}={}", default.to_string().trim_matches('"')),
        None if required(name) => name.clone(),
        None => format!("{name}?"),
    };
    let shown: Vec<String> = input["properties"].as_object().unwrap().iter().map(shown).collect();
    shown.join(", ")
}

#[test]
fn names_parameters_and_defaults_are_a_contract() {
    let shown: Vec<String> = declarations()
        .iter()
        .map(|declaration| format!("{}: {}", declaration.name, parameters(declaration)))
        .collect();
    assert_eq!(
        shown,
        [
            "search_vault: query, limit=5, mode=hybrid, also=[]",
            "find_notes: query=, mode=hybrid, limit=5, like?, folder?, tag?, frontmatter?, modified_after?, modified_before?",
            "read_file: path, offset=0, length=4000",
            "get_note_info: path",
            "list_files_by_frontmatter: field, value, match_type=contains, limit=100, offset=0",
            "update_frontmatter: path, field, value?, operation=set, dry_run=false",
            "batch_update_frontmatter: paths, field, value?, operation=set, dry_run=false",
            "create_file: path, content=, frontmatter?, dry_run=false",
            "move_file: path, destination, update_links=true, dry_run=false",
            "batch_move_files: moves, dry_run=false",
            "delete_file: path, dry_run=false",
            "append_to_file: path, content, dry_run=false",
            "prepend_to_file: path, content, dry_run=false",
            "replace_section: path, heading, content, dry_run=false",
            "append_to_section: path, heading, content, dry_run=false",
            "edit_file: path, content, position, heading?, mode?, dry_run=false",
            "find_backlinks: path, limit=100, offset=0",
            "find_outlinks: path, limit=100, offset=0",
            "search_by_folder: folder, recursive=false, limit=100, offset=0",
            "search_by_date_range: start_date, end_date, date_type=modified, limit=100, offset=0",
            "list_edits: limit=20",
            "undo: operation?, dry_run=false",
            "log_interaction: task_description, query, summary, files?, full_response?, dry_run=false",
            "save_preference: preference, dry_run=false",
            "list_preferences: ",
            "remove_preference: line_number, dry_run=false",
            "get_current_date: ",
            "research: query",
            "research_note: path, depth=shallow, focus?, dry_run=false, preview_run?",
            "summarize_file: path, focus?, dry_run=false",
            "check_claims: text?, path?, sources?, fetch=false",
            "recheck: since?, limit=100, offset=0",
            "web_search: query",
            "arxiv_search: query, limit=5, offset=0",
            "transcribe_audio: path",
            "code_deep_research: question, scope?, budget=10, debug=false, repository?",
            "locate: text, repository?, scope?, limit=10",
            "outline: path, repository?",
            "find_symbol: symbol, kind?, repository?",
            "graph_expand: symbol, depth=1, direction=both, kinds?, limit=40, offset=0, repository?",
            "graph_pack: symbols, token_budget=2000, question?, repository?",
            "graph_trace: from, to, repository?",
            "propose_agenda: path?",
            "list_agendas: status?, limit?",
            "show_agenda: id",
            "approve_agenda: id, blocked_task_ids=[]",
            "cancel_agenda: id",
            "list_findings: status?, agenda?, limit?",
            "show_finding: id",
            "accept_finding: id, title?, summary?, folder?",
            "dismiss_finding: id, suppress_topic=false",
            "undo_accept: id",
            "kb_health: limit=20, without_private=false",
        ]
    );
}

#[test]
fn choices_are_those_of_the_contract() {
    let choices = |tool: &str, parameter: &str| {
        let declarations = declarations();
        let found = declarations.iter().find(|declaration| declaration.name == tool).unwrap();
        found.input["properties"][parameter]["enum"].clone()
    };
    for tool in ["search_vault", "find_notes"] {
        assert_eq!(choices(tool, "mode"), json!(["hybrid", "semantic", "keyword"]));
    }
    assert_eq!(choices("list_files_by_frontmatter", "match_type"), json!(["contains", "equals"]));
    assert_eq!(choices("update_frontmatter", "operation"), json!(["set", "remove", "append"]));
    assert_eq!(choices("batch_update_frontmatter", "operation"), json!(["set", "remove", "append"]));
    assert_eq!(choices("edit_file", "position"), json!(["append", "prepend", "section"]));
    assert_eq!(choices("edit_file", "mode"), json!(["replace", "append"]));
    assert_eq!(choices("search_by_date_range", "date_type"), json!(["created", "modified"]));
}

#[test]
fn every_tool_says_what_it_is_and_every_parameter_what_it_means() {
    for declaration in declarations() {
        assert!(declaration.about.ends_with('.') && declaration.about.len() > 20, "{}", declaration.name);
        for (name, schema) in declaration.input["properties"].as_object().unwrap() {
            assert!(
                schema["description"].as_str().is_some_and(|text| text.len() > 5),
                "{}: {name}",
                declaration.name
            );
        }
    }
}

#[test]
fn every_tool_that_writes_has_a_dry_run_and_no_other_has() {
    for declaration in declarations() {
        let dry_run = &declaration.input["properties"]["dry_run"];
        if matches!(declaration.effect, Effect::Reads | Effect::Proposes | Effect::Decides) {
            assert!(dry_run.is_null(), "{}", declaration.name);
        } else {
            assert_eq!(
                (&dry_run["type"], &dry_run["default"]),
                (&json!("boolean"), &json!(false)),
                "{}",
                declaration.name
            );
        }
    }
}

#[test]
fn schemas_are_clean() {
    for declaration in declarations() {
        for (side, schema) in [("input", &declaration.input), ("output", &declaration.output)] {
            let at = format!("{} {side}", declaration.name);
            assert_eq!(schema["type"], "object", "{at}");
            assert!(schema["properties"].is_object(), "{at}");
            check_clean(schema, &at);
        }
        check_closed(&declaration.input, declaration.name);
        let required = declaration.output["required"].as_array().unwrap();
        assert!(required.contains(&json!("success")), "{}", declaration.name);
        assert_eq!(declaration.output["properties"]["success"]["const"], true, "{}", declaration.name);
    }
}

/// Nothing in the schema that some client does not understand.
fn check_clean(schema: &Value, at: &str) {
    match schema {
        Value::Object(fields) => {
            for (name, value) in fields {
                assert!(
                    !["format", "$ref", "$defs", "$schema", "title"].contains(&name.as_str()),
                    "{at}: {name}"
                );
                match name.as_str() {
                    "type" => assert!(value.is_string() && value != "null", "{at}: type {value}"),
                    "properties" => {
                        value
                            .as_object()
                            .unwrap()
                            .iter()
                            .for_each(|(name, value)| check_clean(value, &format!("{at}.{name}")));
                    }
                    "enum" => {
                        assert!(value.as_array().unwrap().iter().all(Value::is_string), "{at}: {value}");
                    }
                    "default" | "const" => assert!(!value.is_null(), "{at}: {name}"),
                    _ => check_clean(value, &format!("{at}/{name}")),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| check_clean(item, at)),
        _ => {}
    }
}

/// Every object of the arguments refuses what it does not know.
fn check_closed(schema: &Value, at: &str) {
    // One that has no fields of its own takes names of any kind.
    if schema["type"] == "object" && schema.get("properties").is_some() {
        assert_eq!(schema["additionalProperties"], false, "{at}");
    }
    for (name, value) in schema["properties"].as_object().into_iter().flatten() {
        check_closed(value, &format!("{at}.{name}"));
    }
    if let Some(items) = schema.get("items") {
        check_closed(items, &format!("{at}[]"));
    }
}

#[test]
fn every_answer_fits_its_schema() {
    let declarations = declarations();
    let names: Vec<&str> = declarations.iter().map(|declaration| declaration.name).collect();
    assert_eq!(
        examples().iter().map(|(name, _)| *name).collect::<Vec<_>>(),
        names,
        "an example for each tool"
    );
    for (declaration, (tool, args)) in declarations.iter().zip(examples()) {
        check_fits(&declaration.input, &args, &format!("{tool} input"));
        check_fits(&declaration.output, &ok(&world(), tool, args.clone()), tool);
        if !matches!(declaration.effect, Effect::Reads | Effect::Proposes | Effect::Decides) {
            let shown = ok(&world(), tool, with(args, "dry_run", json!(true)));
            check_fits(&declaration.output, &shown, &format!("{tool}, dry"));
        }
    }
}

/// As much of JSON schema as the catalog uses. A field that the schema does not name is a misfit, too.
fn check_fits(schema: &Value, value: &Value, at: &str) {
    if let Some(choices) = schema["anyOf"].as_array() {
        assert!(choices.iter().any(|choice| fits_type(choice, value)), "{at}: {value}");
        return;
    }
    assert!(
        schema.get("type").is_none() || fits_type(schema, value),
        "{at}: {value} is no {}",
        schema["type"]
    );
    assert!(schema.get("const").is_none_or(|only| only == value), "{at}: {value}");
    assert!(schema["enum"].as_array().is_none_or(|all| all.contains(value)), "{at}: {value}");
    if let (Some(fields), Some(properties)) = (value.as_object(), schema["properties"].as_object()) {
        for (name, value) in fields {
            let known =
                properties.get(name).unwrap_or_else(|| panic!("{at}: the schema does not know `{name}`"));
            check_fits(known, value, &format!("{at}.{name}"));
        }
        for name in schema["required"].as_array().into_iter().flatten() {
            assert!(fields.contains_key(name.as_str().unwrap()), "{at}: {name} is missing");
        }
    }
    for item in value.as_array().into_iter().flatten() {
        check_fits(&schema["items"], item, &format!("{at}[]"));
    }
}

fn fits_type(schema: &Value, value: &Value) -> bool {
    match schema["type"].as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        other => panic!("{other}"),
    }
}

#[test]
fn an_answer_begins_with_success_and_a_failure_says_why() {
    let first = |answer: &Value| answer.as_object().unwrap().keys().next().cloned();
    for (tool, args) in examples() {
        assert_eq!(first(&world().call_tool(tool, args)).as_deref(), Some("success"), "{tool}");
        let failure = world().call_tool(tool, json!({ "nonsense": 1 }));
        let fields: Vec<&str> = failure.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(fields, ["success", "error", "hint"], "{tool}");
    }
}

#[test]
fn a_dry_run_shows_the_difference_and_changes_nothing() {
    for (declaration, (tool, args)) in declarations().iter().zip(examples()) {
        if matches!(declaration.effect, Effect::Reads | Effect::Proposes | Effect::Decides) {
            continue;
        }
        let world = world();
        let before = world.files.tree();
        let answer = ok(&world, tool, with(args.clone(), "dry_run", json!(true)));
        assert_eq!(world.files.tree(), before, "{tool}");
        assert_eq!(world.vault.history(10).unwrap().len(), EDITS, "{tool}");
        for written in written(&answer) {
            let diff = written["diff"].as_str().unwrap_or_else(|| panic!("{tool}: {answer}"));
            let moves = ["move_file", "batch_move_files", "delete_file"].contains(&tool);
            assert!(diff.contains(if moves { "rename to " } else { "\n@@ -" }), "{tool}: {diff}");
            assert_eq!((&written["dry_run"], written.get("operation")), (&json!(true), None), "{tool}");
        }
        assert!(answer.get("group").is_none(), "{tool}");

        let done = ok(&world, tool, args);
        assert_ne!(world.files.tree(), before, "{tool}");
        let history = world.vault.history(10).unwrap();
        assert_eq!((history.len(), history[0].label.as_str()), (EDITS + 1, tool));
        // What was undone is a list.
        let done = if tool == "undo" { done["undone"][0].clone() } else { done };
        for written in written(&done) {
            assert_eq!(written["operation"], history[0].operation.to_string(), "{tool}");
            assert!(written.get("diff").is_none() && written.get("dry_run").is_none(), "{tool}");
        }
    }
}

/// The answers of a batch, or the one answer.
fn written(answer: &Value) -> Vec<&Map<String, Value>> {
    match answer["succeeded"].as_array() {
        Some(all) => all.iter().map(|one| one.as_object().unwrap()).collect(),
        None => vec![answer.as_object().unwrap()],
    }
}

#[test]
fn a_tool_that_reads_changes_nothing() {
    for (declaration, (tool, args)) in declarations().iter().zip(examples()) {
        if declaration.effect == Effect::Reads {
            let world = world();
            let before = world.files.tree();
            ok(&world, tool, args);
            assert_eq!(world.files.tree(), before, "{tool}");
            assert_eq!(world.vault.history(9).unwrap().len(), EDITS, "{tool}");
        }
    }
}

#[test]
fn a_tool_that_only_adds_takes_no_line_away() {
    for (declaration, (tool, args)) in declarations().iter().zip(examples()) {
        if declaration.effect == Effect::Adds {
            let answer = ok(&world(), tool, with(args, "dry_run", json!(true)));
            let diff = answer["diff"].as_str().unwrap();
            let taken: Vec<&str> =
                diff.lines().filter(|line| line.starts_with('-') && !line.starts_with("---")).collect();
            assert!(taken.is_empty(), "{tool}: {diff}");
        }
    }
}

#[test]
fn an_unknown_tool_is_answered_with_the_nearest_name() {
    let tools = catalog();
    let error = |name: &str| wellread_core::faces::tools::find_tool(&tools, name).err().unwrap();
    assert_eq!(error("read_fil").message(), "there is no tool `read_fil`");
    assert_eq!(error("read_fil").hint_text(), Some("did you mean `read_file`?"));
    assert_eq!(error("xyz").hint_text(), Some("`wellread tool --list` shows all of them"));
}
