//! Two vaults that differ only in their private notes: a client of the Model Context Protocol hears the same of both, byte
//! for byte, from every tool, broad or not.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::time::{Duration, Instant, SystemTime};

use serde_json::json;
use wellread_core::faces::broad_tools::BROAD_TOOLS;
use wellread_testkit::parse_script;
use wellread_testkit::two_vaults::{
    AGENDAS, CODE, PRIVATE, PUBLIC, ToolQuestion, finding_of, questions, seed_agendas, without_ids,
};

use crate::desk::{Desk, PATIENCE};
use crate::talk::{Revision, Talk};

/// Calls of the broad tools, chosen so that private notes would matter.
fn broad_questions() -> Vec<ToolQuestion> {
    let mut all = vec![
        ("search_notes", json!({ "query": "hive honey", "limit": 50 })),
        ("search_notes", json!({ "query": "4711" })),
        ("list_notes", json!({ "folder": "" })),
        ("list_notes", json!({ "folder": "Private" })),
        ("ask", json!({ "query": "What is the hive code?" })),
        ("research_note", json!({ "path": "Bees", "dry_run": true })),
        ("research_code", json!({ "question": "what is the hive code" })),
        ("inspect_code", json!({ "op": "symbol", "symbol": "Diary" })),
        ("check_claims", json!({ "text": "The hive code is 4711 ([[Diary]])." })),
        ("recheck", json!({})),
        ("undo", json!({ "op": "list" })),
        ("undo", json!({ "op": "undo", "dry_run": true })),
        ("health", json!({})),
        ("agenda", json!({ "op": "list" })),
        ("agenda", json!({ "op": "propose", "path": "Diary" })),
        ("inbox", json!({ "op": "list" })),
        ("inspect_code", json!({ "op": "locate", "text": "The hive code is 4711, see Diary" })),
        ("search_web", json!({ "op": "web", "query": "hive" })),
    ];
    for (agenda, _) in AGENDAS {
        all.extend(["show", "approve", "cancel"].map(|op| ("agenda", json!({ "op": op, "id": agenda }))));
        let finding = finding_of(agenda);
        all.extend(["show", "accept", "dismiss"].map(|op| ("inbox", json!({ "op": op, "id": finding }))));
    }
    for path in [
        "Alias",
        "Shelf/Diary",
        "Private/Diary",
        "Diary",
        "Divorce lawyer",
        "Shed/Wintering",
        "Broken",
        "Bees",
    ] {
        all.extend([
            ("read_note", json!({ "path": path })),
            ("read_note", json!({ "op": "info", "path": path })),
            ("read_note", json!({ "op": "backlinks", "path": path })),
            ("edit_note", json!({ "op": "append", "path": path, "content": "x", "dry_run": true })),
        ]);
    }
    all
}

/// A text without how long something took.
fn without_durations(text: &str) -> String {
    let mut parts = text.split("tookMs");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str("tookMs");
        out.extend(part.chars().skip_while(|letter| !matches!(letter, ',' | '}')));
    }
    out
}

/// A text without times of day.
pub fn without_times(text: &str) -> String {
    let is_clock = |at: usize, length: usize| {
        text.get(at..at + length).is_some_and(|part| {
            part.bytes().enumerate().all(|(at, byte)| match at {
                2 | 5 => byte == b':',
                _ => byte.is_ascii_digit(),
            })
        })
    };
    // An entry of a log is headed by the minute.
    let is_time = |at: usize| is_clock(at, 8) || text[..at].ends_with("## ") && is_clock(at, 5);
    let mut out = String::new();
    let mut rest = text.char_indices().peekable();
    while let Some((at, letter)) = rest.next() {
        if is_time(at) {
            out.push_str("TIME");
            while rest.next_if(|(_, letter)| letter.is_ascii_digit() || matches!(letter, ':' | '.')).is_some()
            {
            }
        } else {
            out.push(letter);
        }
    }
    out
}

/// When every note was saved: what is listed by age must not depend on how fast the notes were written.
fn saved_at() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_750_000_000)
}

/// Writes the vault, a repository beside it and agendas about its notes. Private notes have other names: links inside the
/// vault, and a hard link in the repository.
pub fn furnish(desk: &Desk, script: &str) {
    for (path, text) in parse_script(script) {
        desk.save(&path, text);
        fs::File::options()
            .write(true)
            .open(desk.vault().join(&path))
            .unwrap()
            .set_modified(saved_at())
            .unwrap();
    }
    let code = desk.folder().join("hive");
    fs::create_dir_all(code.join(".git")).unwrap();
    for (path, text) in parse_script(CODE) {
        fs::write(code.join(path), text).unwrap();
    }
    for diary in ["Private/Diary.md", "Private/Dairy.md"] {
        if desk.vault().join(diary).exists() {
            symlink(diary, desk.vault().join("Alias.md")).unwrap();
            symlink("Private", desk.vault().join("Shelf")).unwrap();
            fs::hard_link(desk.vault().join(diary), code.join("linked.md")).unwrap();
        }
    }
    desk.run(["config", "set", "vault.private_folders", "Private"]).succeeded();
    desk.run(["repo", "add", code.to_str().unwrap()]).succeeded();
    seed_agendas(&desk.records(), script);
    desk.run(["index"]).succeeded();
}

/// The three vaults that must not be told apart.
pub fn vaults() -> [String; 3] {
    let other = PRIVATE.replace("4711", "815").replace("honey", "wax").replace("Diary", "Dairy");
    [format!("{PUBLIC}{PRIVATE}"), format!("{PUBLIC}{other}"), PUBLIC.to_owned()]
}

/// What a client hears, one text for each call.
fn hear(desk: &Desk, script: &str, args: &[&str], calls: &[ToolQuestion]) -> Vec<String> {
    furnish(desk, script);
    let mut talk = Talk::plain(desk.here(), Revision::June2025, args);
    talk.greet();
    let listed = talk.ask("tools/list", json!({}));
    let rehearses: BTreeSet<&str> = listed["tools"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|tool| tool["inputSchema"]["properties"].get("dry_run").is_some())
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    // None of the answers is about changes that are still to be written.
    let search = if args.contains(&"all") { "search_vault" } else { "search_notes" };
    let begun = Instant::now();
    while talk.call(search, &json!({ "query": "hive" })).to_string().contains("the latest changes") {
        assert!(begun.elapsed() < PATIENCE, "it does not become level");
    }
    let folder = desk.vault().parent().unwrap().to_str().unwrap().to_owned();
    let heard = calls.iter().map(|(name, arguments)| {
        let mut arguments = arguments.clone();
        if rehearses.contains(name) {
            arguments["dry_run"] = json!(true);
        }
        let asked = talk.request("tools/call", json!({ "name": name, "arguments": arguments }));
        let answer = talk.answer_to(asked).to_string().replace(&folder, "FOLDER");
        without_ids(&without_times(&without_durations(&answer)))
    });
    let heard: Vec<String> = heard.collect();
    assert_eq!(talk.end().0, Some(0));
    heard
}

fn compare(desk: fn() -> Desk, args: &[&str], calls: &[ToolQuestion]) {
    let [first, second, without] = vaults().each_ref().map(|vault| hear(&desk(), vault, args, calls));
    let differ: Vec<String> = (0..calls.len())
        .filter(|&at| first[at] != second[at] || first[at] != without[at])
        .map(|at| format!("{:?}\n{}\n{}\n{}", calls[at], first[at], second[at], without[at]))
        .collect();
    assert!(differ.is_empty(), "{} calls differ:\n{}", differ.len(), differ.join("\n\n"));
    let answered = first.iter().filter(|answer| !answer.contains("\"isError\":true")).count();
    assert!(answered * 4 > calls.len(), "{answered} of {} calls were answered", calls.len());
}

#[test]
fn a_client_hears_the_same_from_every_tool_whatever_the_private_notes_are() {
    compare(Desk::bare, &["--tools", "all"], &questions());
}

#[test]
fn a_client_hears_the_same_from_every_broad_tool_whatever_the_private_notes_are() {
    let asked: BTreeSet<&str> = broad_questions().into_iter().map(|(tool, _)| tool).collect();
    assert_eq!(asked, BROAD_TOOLS.iter().map(|tool| tool.name).collect(), "a tool without a question");
    compare(Desk::bare, &[], &broad_questions());
}

#[test]
fn an_answer_by_the_models_inside_is_the_same_whatever_the_private_notes_are() {
    let asked = [
        "What is the hive code?",
        "how many insects live in one box",
        "which number opens the beekeeper's lock",
        "what do colonies need to eat until spring",
        "when do the flowers open",
        "who is handling the separation in court",
    ];
    let calls: Vec<ToolQuestion> = asked.iter().map(|query| ("ask", json!({ "query": query }))).collect();
    compare(|| Desk::bare().with_built_in_model(), &[], &calls);
}
