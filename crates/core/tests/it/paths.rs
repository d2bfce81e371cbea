//! Every path parameter of every tool refuses what must not be touched.

use serde_json::{Value, json};
use wellread_core::faces::tools::catalog;
use wellread_testkit::World;

use crate::ask::{fails, ok, with};
use crate::catalog::{examples, world};

/// The parameters that name a place in the vault, as the catalog calls them.
const PATHS: [&str; 2] = ["path", "destination"];

/// Each tool's example with one path of it replaced, and whether that path is a folder's.
fn cases(path: &str) -> Vec<(&'static str, String, Value)> {
    let mut cases = Vec::new();
    for (tool, (name, args)) in catalog().iter().zip(examples()) {
        for parameter in tool.declaration().input["properties"].as_object().unwrap().keys() {
            match parameter.as_str() {
                // A file of a repository; `code_research.rs` tries every way out of one.
                "path" if name == "outline" => {}
                one if PATHS.contains(&one) || one == "folder" => {
                    cases.push((name, one.to_owned(), with(args.clone(), one, json!(path))));
                }
                // It stands instead of the query.
                "like" => cases.push((name, "like".to_owned(), json!({ "like": path }))),
                "paths" => cases.push((name, "paths".to_owned(), with(args.clone(), "paths", json!([path])))),
                "moves" => {
                    for part in ["path", "destination"] {
                        let mut args = args.clone();
                        args["moves"][0][part] = json!(path);
                        cases.push((name, format!("moves.{part}"), args));
                    }
                }
                // The log names files and touches none of them.
                "files" => assert_eq!(name, "log_interaction"),
                "query" | "frontmatter" => {}
                other => assert!(
                    !["path", "file", "folder", "note"].iter().any(|word| other.contains(word)),
                    "{name}: {other}"
                ),
            }
        }
    }
    assert_eq!(cases.len(), 26, "{cases:?}");
    cases
}

/// A path as an error shows it.
fn shown(path: &str) -> String {
    let line: String = path.chars().take(200).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if path.chars().count() > 200 { line + "…" } else { line }
}

/// The call fails, nothing changes, and the error names the path.
#[track_caller]
fn check_refused(tool: &str, parameter: &str, args: Value, path: &str, why: &str) {
    let answer = fails(&world(), tool, args);
    let told = match answer["failed"].as_array() {
        Some(failed) => failed[0].clone(),
        None => {
            assert_eq!(answer["path"], shown(path), "{tool} {parameter}: {answer}");
            answer
        }
    };
    let error = told["error"].as_str().unwrap();
    assert!(error.contains(why), "{tool} {parameter} {path:?}: {error}");
    assert!(error.contains(&format!("`{}`", shown(path))), "{tool} {parameter} {path:?}: {error}");
    assert!(!error.chars().any(char::is_control), "{error}");
}

#[test]
fn what_leaves_the_vault_or_enters_an_excluded_folder_is_refused_everywhere() {
    let long_name = "x".repeat(300);
    let long_path = "x/".repeat(3000);
    for (path, why) in [
        ("../x.md", "leaves the vault"),
        ("a/../../x.md", "leaves the vault"),
        ("a/../Bees.md", "leaves the vault"),
        ("..", "leaves the vault"),
        ("/vault/../x.md", "leaves the vault"),
        ("/etc/passwd", "outside the vault"),
        ("/vault2/x.md", "outside the vault"),
        ("//vault/x.md", "outside the vault"),
        (".obsidian/app.json", "excluded folder"),
        (".OBSIDIAN/app.json", "excluded folder"),
        (".Trash/Bees.md", "excluded folder"),
        ("a/.git/config", "excluded folder"),
        ("a/.hidden.md", "excluded folder"),
        (".wellread/x", "excluded folder"),
        ("node_modules/x.md", "excluded folder"),
        ("a/Node_Modules/x.md", "excluded folder"),
        ("/vault/.git/x.md", "excluded folder"),
        ("\u{200b}.git/config", "excluded folder"),
        ("a\0b.md", "control character"),
        ("a\nb.md", "control character"),
        ("a\u{7f}b.md", "control character"),
        ("a\u{85}b.md", "control character"),
        (&long_name, "more than 255 bytes"),
        (&long_path, "too long"),
    ] {
        for (tool, parameter, args) in cases(path) {
            check_refused(tool, &parameter, args, path, why);
        }
    }
}

#[test]
fn a_folder_where_a_file_is_meant_is_an_error_everywhere() {
    for path in ["Projects/", "Projects", "/vault/", "/vault", "."] {
        for (tool, parameter, args) in cases(path) {
            // A name may well be that of a folder and of no note.
            if parameter == "folder" || tool == "find_backlinks" && path == "Projects" {
                ok(&world(), tool, args);
                continue;
            }
            check_refused(tool, &parameter, args, path, "is a folder, not a file");
        }
    }
}

#[test]
fn an_empty_path_is_an_error_everywhere() {
    for (tool, parameter, args) in cases("") {
        match (tool, parameter.as_str()) {
            (_, "folder") => drop(ok(&world(), tool, args)),
            ("find_backlinks", _) => {
                assert_eq!(fails(&world(), tool, args)["error"], "the note's name is empty");
            }
            _ => assert_eq!(fails(&world(), tool, args)["error"], "the path is empty"),
        }
    }
}

/// Every file's text, without the id of the run that wrote a section.
fn but_for_runs(world: &World) -> Vec<(String, String)> {
    let text = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes).into_owned();
        text.split("<!-- wellread: run ").next().unwrap_or_default().to_owned()
    };
    world.files.tree().iter().map(|(path, bytes)| (path.to_string(), text(bytes))).collect()
}

#[test]
fn an_absolute_path_inside_the_vault_is_as_good_as_a_relative_one() {
    // The path of `outline` is one in a repository.
    for (tool, args) in examples().into_iter().filter(|(tool, _)| *tool != "outline") {
        let relative = world();
        ok(&relative, tool, args.clone());
        let mut absolute_args = args.clone();
        for parameter in PATHS.iter().chain(&["folder"]) {
            if let Some(path) = args[parameter].as_str().filter(|path| *path != "Nobody") {
                absolute_args[parameter] = json!(format!("/vault/./{path}"));
            }
        }
        let absolute = world();
        ok(&absolute, tool, absolute_args);
        assert_eq!(but_for_runs(&absolute), but_for_runs(&relative), "{tool}");
    }
}

#[test]
fn names_that_only_look_dangerous_are_served() {
    for name in ["a..b", "x (1)", "Ünïcode 日本", "it's \"quoted\"", "100%", "a\\b", "-rf", "~"] {
        let world = world();
        let path = format!("new/{name}.md");
        ok(&world, "create_file", json!({ "path": path, "content": "x" }));
        assert_eq!(ok(&world, "read_file", json!({ "path": path }))["content"], "x", "{name}");
    }
}
