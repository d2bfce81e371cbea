//! The path rules through every door, for every tool and every parameter that is a path.
//!
//! The tools and their parameters come from the catalog; a parameter whose name says nothing to this test fails it,
//! so that no new path goes unguarded.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use serde_json::{Map, Value, json};

use crate::desk::{Desk, Ran, Tree, fifo, one_clear_line, tree};
use crate::talk::{Revision, Talk};

/// Stands in every file that no tool may read.
pub const CANARY: &str = "canary-4f1d";

/// What a parameter takes.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Takes {
    /// A file that is there.
    File,
    /// A file that is not there yet.
    NewFile,
    /// A note's name or its path.
    Name,
    Folder,
    /// A note or a folder that is there.
    Source,
    /// Words that are no path.
    Words,
}

fn takes(tool: &str, parameter: &str) -> Takes {
    match (tool, parameter) {
        ("create_file", "path") | (_, "destination") => Takes::NewFile,
        ("find_backlinks", "path") => Takes::Name,
        // Neither has a rehearsal; the core tries every path with both.
        ("accept_finding", "folder") | ("propose_agenda", "path") => Takes::Words,
        // A file of a repository, as below.
        ("outline", "path") => Takes::Words,
        ("find_notes", "like") | (_, "path" | "paths") => Takes::File,
        (_, "folder") => Takes::Folder,
        ("check_claims", "sources") => Takes::Source,
        (_, "id" | "status" | "agenda" | "title" | "blocked_task_ids" | "suppress_topic") => Takes::Words,
        // What a log entry names is shown as it is written; `nothing_outside_is_read_for_the_log` sees to it.
        ("log_interaction", "files") => Takes::Words,
        // What is looked at in a repository is of the repository, and never of the vault; `code_attacks` sees to it.
        (
            _,
            "symbol" | "symbols" | "from" | "to" | "scope" | "repository" | "question" | "budget" | "debug"
            | "kind" | "kinds" | "direction" | "token_budget" | "text",
        ) => Takes::Words,
        (
            _,
            "offset" | "length" | "field" | "value" | "match_type" | "limit" | "operation" | "dry_run"
            | "content" | "frontmatter" | "update_links" | "heading" | "position" | "mode" | "recursive"
            | "start_date" | "end_date" | "date_type" | "task_description" | "query" | "summary"
            | "full_response" | "preference" | "line_number" | "since" | "tag" | "modified_after"
            | "modified_before" | "depth" | "focus" | "without_private" | "preview_run" | "fetch" | "also",
        ) => Takes::Words,
        _ => panic!("is `{parameter}` of {tool} a path? say so in this test"),
    }
}

/// A place in a call where a path is written, and the rest of the call around it.
struct Spot {
    tool: String,
    name: String,
    takes: Takes,
    call: Box<dyn Fn(&str) -> Value>,
}

/// Every such place of the catalog.
fn spots(desk: &Desk) -> Vec<Spot> {
    let listed = desk.run(["tool", "--list", "--json"]).done();
    let mut found = Vec::new();
    for declared in listed["tools"].as_array().unwrap() {
        let tool = declared["name"].as_str().unwrap().to_owned();
        let input = &declared["input_schema"];
        let required: Vec<&str> =
            input["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let needed = |name: &&String| {
            name.as_str() != "moves" && (required.contains(&name.as_str()) || *name == "value")
        };
        let fields = input["properties"].as_object().unwrap().keys();
        let mut rest: Map<String, Value> =
            fields.filter(needed).map(|name| (name.clone(), filler(&tool, name))).collect();
        // It needs something to check, and something to check it against.
        if tool == "check_claims" {
            rest.insert("text".to_owned(), json!("Words of a sentence."));
            rest.insert("sources".to_owned(), json!(["Home.md"]));
        }
        for (name, schema) in input["properties"].as_object().unwrap() {
            let rest = rest.clone();
            if name == "moves" {
                for inner in schema["items"]["properties"].as_object().unwrap().keys() {
                    let key = inner.clone();
                    found.push(Spot {
                        takes: takes(&tool, inner),
                        name: format!("moves.{inner}"),
                        tool: tool.clone(),
                        call: Box::new(move |path| {
                            let mut one = json!({ "path": "Home.md", "destination": "New place.md" });
                            one[&key] = json!(path);
                            json!({ "moves": [one] })
                        }),
                    });
                }
                continue;
            }
            let (name, list) = (name.clone(), schema["type"] == "array");
            let takes = takes(&tool, &name);
            if takes != Takes::Words {
                let key = name.clone();
                let call = move |path: &str| {
                    let mut args = rest.clone();
                    args.insert(key.clone(), if list { json!([path]) } else { json!(path) });
                    Value::Object(args)
                };
                found.push(Spot { tool: tool.clone(), name, takes, call: Box::new(call) });
            }
        }
    }
    assert!(found.len() >= 19, "{} places", found.len());
    found
}

fn filler(tool: &str, name: &str) -> Value {
    match (takes(tool, name), name) {
        (Takes::File, "paths") => json!(["Home.md"]),
        (Takes::File | Takes::Name, _) => json!("Home.md"),
        (Takes::NewFile, _) => json!("New place.md"),
        (Takes::Folder, _) => json!("Bees"),
        (Takes::Source, _) => json!(["Home.md"]),
        (Takes::Words, "heading") => json!("## Bees"),
        (Takes::Words, "position") => json!("append"),
        (Takes::Words, _) => json!("words"),
    }
}

/// The example vault with every sort of trap in it, and what lies outside.
fn trapped() -> Desk {
    let desk = Desk::new();
    let (vault, outside) = (desk.vault(), desk.folder().join("outside"));
    fs::create_dir_all(outside.join("deep")).unwrap();
    for path in ["secret.md", "deep/secret.md"] {
        fs::write(outside.join(path), format!("# Secret\n\n## Bees\n\n{CANARY} [[Home]]\n")).unwrap();
    }
    fs::create_dir(desk.folder().join("vault2")).unwrap();
    fs::write(desk.folder().join("vault2/secret.md"), CANARY).unwrap();
    for path in [
        ".obsidian/app.json",
        ".obsidian/note.md",
        ".git/config",
        ".trash/old.md",
        "Bees/.hidden/x.md",
        "Private/diary.md",
    ] {
        desk.save(path, format!("{CANARY}\n"));
    }
    symlink(outside.join("secret.md"), vault.join("Out.md")).unwrap();
    symlink("../outside/secret.md", vault.join("Out by the parent.md")).unwrap();
    symlink(&outside, vault.join("Way out")).unwrap();
    symlink("../../outside", vault.join("Bees/Way out")).unwrap();
    symlink("Way out", vault.join("Way to the way out")).unwrap();
    symlink("../outside/not there.md", vault.join("Nothing outside.md")).unwrap();
    symlink(".obsidian/note.md", vault.join("Plugin.md")).unwrap();
    symlink(".obsidian", vault.join("Config")).unwrap();
    symlink("Private/diary.md", vault.join("Peek.md")).unwrap();
    symlink("/dev/zero", vault.join("Zero.md")).unwrap();
    symlink("Round.md", vault.join("Round.md")).unwrap();
    fs::create_dir(vault.join("Folder.md")).unwrap();
    fifo(&vault.join("Pipe.md"));
    device(&vault.join("Device.md"));
    desk
}

/// A device needs root, and a system that lets root make one.
fn device(path: &Path) {
    use rustix::fs::{CWD, FileType, Mode, makedev, mknodat};
    let _ = mknodat(CWD, path, FileType::CharacterDevice, Mode::from_raw_mode(0o666), makedev(1, 5));
}

/// Every path that must be refused at such a place.
fn refused(desk: &Desk, takes: Takes) -> Vec<String> {
    let vault = desk.vault().display().to_string();
    let outside = desk.folder().join("outside").display().to_string();
    let mut paths: Vec<String> = [
        // out of the vault by its words
        "../outside/secret.md",
        "..",
        "Bees/../../outside/secret.md",
        "Bees/../Home.md",
        "/etc/passwd",
        "/etc",
        "/",
        "//etc/passwd",
        // out of the vault by a link
        "Way out/secret.md",
        "Way out/deep/secret.md",
        "Way out/new.md",
        "Way out/deep/new/new.md",
        "Bees/Way out/secret.md",
        "Way to the way out/secret.md",
        "Out.md",
        "Out by the parent.md",
        "Nothing outside.md",
        "Zero.md",
        "Round.md",
        // into a folder to stay out of
        ".obsidian/app.json",
        ".OBSIDIAN/app.json",
        "./.Obsidian/note.md",
        ".git/config",
        ".Git/new",
        ".trash/old.md",
        ".wellread-temporary.md",
        "Bees/.hidden/x.md",
        "Private/diary.md",
        "pRIVATE/diary.md",
        "Plugin.md",
        "Config/app.json",
        "Config/new.md",
        "Peek.md",
        // what no name has
        "a\0b.md",
        "Home.md\0",
        "a\nb.md",
        "\u{1b}[2J.md",
        "a\u{7f}.md",
        // what is no file
        "Pipe.md",
        "Device.md",
    ]
    .map(str::to_owned)
    .to_vec();
    paths.extend([
        format!("{outside}/secret.md"),
        format!("{vault}/../outside/secret.md"),
        format!("{vault}2/secret.md"),
        format!("{vault}/Way out/secret.md"),
        "x".repeat(300) + ".md",
        "x/".repeat(3000) + "x.md",
    ]);
    match takes {
        // A folder where a file is meant.
        Takes::File | Takes::NewFile => {
            paths.extend(["", ".", "Bees/", "Folder.md", "Bees/.", "Home.md/x.md"].map(str::to_owned));
        }
        Takes::Name => paths.push(String::new()),
        // The vault itself is a folder, and may be named so; the folder that leads out may not.
        Takes::Folder => {
            paths.retain(|path| path != "/");
            paths.extend(
                ["Way out", "Bees/Way out", "Config", "Home.md", "Private", ".obsidian", "Folder.md/x"]
                    .map(str::to_owned),
            );
        }
        // The vault itself is a source, too.
        Takes::Source => {
            paths.retain(|path| path != "/");
            paths.extend(["Way out", "Bees/Way out", "Config", "Private", ".obsidian"].map(str::to_owned));
        }
        Takes::Words => {}
    }
    // Where no device could be made, there is nothing of that name, and making something there is allowed.
    if takes == Takes::NewFile && !desk.vault().join("Device.md").exists() {
        paths.retain(|path| path != "Device.md");
    }
    paths
}

fn command(desk: &Desk) -> Command {
    let mut command = desk.here();
    command.env("WELLREAD_VAULT_EXCLUDED", "Private");
    command
}

fn surroundings(desk: &Desk) -> (Tree, Tree, Tree) {
    (desk.tree(), tree(&desk.folder().join("outside")), tree(&desk.folder().join("vault2")))
}

#[test]
fn the_command_line_refuses_every_bad_path_and_changes_nothing() {
    let desk = trapped();
    let before = surroundings(&desk);
    for spot in spots(&desk) {
        for path in refused(&desk, spot.takes) {
            let args = (spot.call)(&path);
            let ran = Ran::of(command(&desk).args(["tool", &spot.tool, &args.to_string()]));
            let what = format!("{}.{} = {path:?}", spot.tool, spot.name);
            assert!(matches!(ran.status, Some(2..=4)), "{what}: {ran:?}");
            let said = ran.failed(ran.status.unwrap());
            assert!(!ran.stdout.contains(CANARY) && !ran.stderr.contains(CANARY), "{what}: {ran:?}");
            let error = said["error"].as_str().unwrap();
            assert!(!error.contains("repeatedly") && !error.contains("do not fit"), "{what}: {said}");
        }
        assert!(surroundings(&desk) == before, "{}.{} changed something", spot.tool, spot.name);
    }
}

#[test]
fn mcp_refuses_every_bad_path_and_changes_nothing() {
    for sees_private in [true, false] {
        let desk = trapped();
        fs::create_dir_all(desk.home().join(".config/wellread")).unwrap();
        let switch = if sees_private { "on" } else { "off" };
        let settings = format!("[vault]\nexcluded = [\"Private\"]\n[mcp]\nprivate = \"{switch}\"\n");
        fs::write(desk.home().join(".config/wellread/config.toml"), settings).unwrap();
        let before = surroundings(&desk);
        let mut talk = Talk::start(&desk, Revision::June2025);
        for spot in spots(&desk) {
            for path in refused(&desk, spot.takes) {
                let result = talk.call(&spot.tool, &(spot.call)(&path));
                let what = format!("{}.{} = {path:?}: {result}", spot.tool, spot.name);
                assert!(!result.to_string().contains(CANARY), "{what}");
                // Who sees no private notes is told of a link out what is told of any other name that no note has.
                let notice = result["structuredContent"]["notice"].as_str().unwrap_or_default();
                if !sees_private && spot.takes == Takes::Name && notice.starts_with("there is no note") {
                    continue;
                }
                assert_eq!(result["isError"], true, "{what}");
                one_clear_line(result["failure"]["error"].as_str().unwrap());
            }
            assert!(surroundings(&desk) == before, "{}.{} changed something", spot.tool, spot.name);
        }
        assert_eq!(talk.end().0, Some(0));
    }
}

#[test]
fn an_absolute_path_inside_the_vault_is_served_under_every_name_that_the_vault_has() {
    let desk = trapped();
    // By words alone, something is found about every note of this vault.
    desk.run(["config", "set", "embedding.provider", "none"]);
    symlink(desk.vault(), desk.folder().join("my notes")).unwrap();
    let named = desk.folder().join("my notes");
    for root in [desk.vault(), named.clone()] {
        let mut talk = {
            let mut talk = Talk::silent(&desk, Revision::June2025, &["--vault", named.to_str().unwrap()]);
            talk.greet();
            talk
        };
        for spot in spots(&desk) {
            let inside = match spot.takes {
                Takes::File | Takes::Name | Takes::Source => root.join("Home.md"),
                Takes::NewFile => root.join("Bees/A new place.md"),
                Takes::Folder => root.join("Bees"),
                Takes::Words => continue,
            };
            let mut args = (spot.call)(inside.to_str().unwrap());
            let reads = [
                "read_file",
                "get_note_info",
                "find_backlinks",
                "find_outlinks",
                "search_by_folder",
                "find_notes",
                "transcribe_audio",
                "check_claims",
            ];
            if !reads.contains(&spot.tool.as_str()) {
                args["dry_run"] = json!(true);
            }
            let result = talk.call(&spot.tool, &args);
            assert_eq!(result["isError"], false, "{}.{}: {result}", spot.tool, spot.name);
        }
    }
}

#[test]
fn what_was_refused_says_why_in_the_users_words() {
    let desk = trapped();
    for (path, says) in [
        ("../x.md", "leaves the vault"),
        ("/etc/passwd", "outside the vault"),
        ("Out.md", "leads out of the vault"),
        ("Way out/secret.md", "leads out of the vault"),
        (".obsidian/app.json", "excluded folder (`.obsidian`)"),
        ("Private/diary.md", "excluded folder (`Private`)"),
        ("Plugin.md", "a link into an excluded folder"),
        ("Peek.md", "excluded folder"),
        ("a\0b.md", "control character"),
        ("Pipe.md", "not a regular file"),
        ("Folder.md", "is a folder, not a file"),
        ("Bees", "is a folder, not a file"),
        ("Round.md", "too many links"),
    ] {
        let ran = Ran::of(command(&desk).args(["tool", "read_file", &json!({ "path": path }).to_string()]));
        let said = ran.failed(ran.status.unwrap());
        assert!(said["error"].as_str().unwrap().contains(says), "{path}: {said}");
        assert!(said["path"].is_string(), "the culprit is named: {said}");
    }
}

#[test]
fn a_batch_goes_on_past_a_refused_path() {
    let desk = trapped();
    let paths = json!(["Out.md", "Home.md", "../x.md", "Glossary"]);
    let ran = desk
        .tool("batch_update_frontmatter", &json!({ "paths": paths, "field": "seen", "value": "1" }))
        .done();
    assert_eq!(ran["succeeded"].as_array().unwrap().len(), 2);
    assert_eq!(ran["failed"][0]["path"], "Out.md");
    let moves = json!([{ "source": "Home", "destination": "Way out/Home" }, { "source": "Home", "destination": "Bees/Home" }]);
    let ran = desk.tool("batch_move_files", &json!({ "moves": moves })).done();
    assert_eq!((ran["succeeded"].as_array().unwrap().len(), ran["failed"].as_array().unwrap().len()), (1, 1));
    assert!(!desk.folder().join("outside/Home.md").exists());
}

#[test]
fn nothing_outside_is_read_for_the_log() {
    let desk = trapped();
    for path in refused(&desk, Takes::File) {
        let args = json!({ "task_description": "t", "query": "q", "summary": "s", "files": [path], "dry_run": true });
        let ran = Ran::of(command(&desk).args(["tool", "log_interaction", &args.to_string()]));
        let diff = ran.done()["diff"].as_str().unwrap().to_owned();
        assert!(!diff.contains(CANARY), "{diff}");
        assert!(!diff.contains("[["), "no link to what is not there: {diff}");
        assert!(!diff.contains(|c: char| c.is_control() && c != '\n' && c != '\t'), "{diff:?}");
    }
}

#[test]
fn notes_that_wellread_writes_itself_follow_the_same_rules() {
    let desk = trapped();
    let log = json!({ "task_description": "t", "query": "q", "summary": "s" }).to_string();
    let before = surroundings(&desk);
    for folder in ["../outside", "/etc", ".obsidian", "Way out", "Config", "Private", "Home.md", "a\nb"] {
        let ran = Ran::of(command(&desk).env("WELLREAD_VAULT_DAILY_NOTES", folder).args([
            "tool",
            "log_interaction",
            &log,
        ]));
        assert!(matches!(ran.status, Some(2..=4)), "{folder}: {ran:?}");
    }
    fs::remove_file(desk.vault().join("Preferences.md")).unwrap();
    symlink("../outside/secret.md", desk.vault().join("Preferences.md")).unwrap();
    desk.tool("save_preference", &json!({ "preference": "x" })).failed(4);
    desk.tool("list_preferences", &json!({})).failed(4);
    fs::remove_file(desk.vault().join("Preferences.md")).unwrap();
    fs::write(desk.vault().join("Preferences.md"), &before.0[Path::new("Preferences.md")].1).unwrap();
    assert!(surroundings(&desk) == before);
}
