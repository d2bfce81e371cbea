//! What agents read of this repository: skills, manifests and guides say what the program is, and nothing else.

use std::fs;
use std::process::{Command, Stdio};

use serde_json::Value;
use wellread_core::faces::broad_tools::BROAD_TOOLS;
use wellread_testkit::check_generated;

use crate::desk::{BINARY, Desk, Ran, repository};

const SKILLS: [&str; 3] = ["research", "verify", "curate"];
const MANIFESTS: [&str; 3] = [".claude-plugin/plugin.json", ".claude-plugin/marketplace.json", "server.json"];

fn read(path: &str) -> String {
    fs::read_to_string(repository().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn manifest(path: &str) -> Value {
    serde_json::from_str(&read(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn guides() -> Vec<(String, String)> {
    let skills = SKILLS.map(|skill| format!("skills/wellread-{skill}/SKILL.md"));
    let others = ["AGENTS.md", "llms.txt"].map(str::to_owned);
    skills.into_iter().chain(others).map(|path| (path.clone(), read(&path))).collect()
}

#[test]
fn manifests_have_the_programs_version_and_one_description() {
    let plugin = manifest(MANIFESTS[0]);
    let market = manifest(MANIFESTS[1]);
    let server = manifest(MANIFESTS[2]);
    let about = plugin["description"].as_str().unwrap();
    assert!(about.len() <= 100, "the registry takes no more");
    assert_eq!(about, env!("CARGO_PKG_DESCRIPTION"));
    for one in [&plugin, &market["plugins"][0], &server] {
        assert_eq!(
            (one["version"].as_str(), one["description"].as_str()),
            (Some(env!("CARGO_PKG_VERSION")), Some(about))
        );
    }
    for one in [&plugin, &market, &market["plugins"][0]] {
        assert_eq!(one["name"], "wellread");
    }
    assert!(read("llms.txt").contains(&format!("\n> {about}\n")));
    let source = market["plugins"][0]["source"].as_str().unwrap();
    assert!(repository().join(source).join(MANIFESTS[0]).exists());
    // The server that the plugin starts is one that there is.
    let server = &plugin["mcpServers"]["wellread"];
    assert_eq!(server["command"], "wellread");
    let args: Vec<&str> =
        server["args"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap()).collect();
    let help = Command::new(BINARY).args(&args).arg("--help").output().unwrap();
    assert!(help.status.success());
}

#[test]
fn a_skill_says_when_it_is_to_be_used() {
    for skill in SKILLS {
        let text = read(&format!("skills/wellread-{skill}/SKILL.md"));
        let head = text.strip_prefix("---\n").and_then(|text| text.split_once("\n---\n")).unwrap().0;
        assert!(head.lines().all(|line| line.matches(": ").count() == 1), "a colon in a plain value: {head}");
        let field = |name: &str| head.lines().find_map(|line| line.strip_prefix(name)).unwrap().to_owned();
        assert_eq!(field("name: "), format!("wellread-{skill}"));
        let about = field("description: ");
        assert!(about.contains("Use ") && about.len() <= 1024, "{about}");
    }
}

/// Each tool that a guide names is offered by default, and the skills name all of them.
#[test]
fn guides_name_the_tools_that_there_are() {
    let names: Vec<&str> = BROAD_TOOLS.iter().map(|tool| tool.name).collect();
    let catalog = wellread_core::faces::tools::catalog();
    let (guides, mut named) = (guides(), Vec::new());
    for (path, text) in &guides {
        let words: Vec<&str> = text.split('`').skip(1).step_by(2).collect();
        for (at, word) in words.iter().enumerate() {
            let is_op = at > 0 && words[at - 1] == "op";
            let is_old = !is_op && catalog.iter().any(|tool| tool.declaration().name == *word);
            assert!(!is_old || names.contains(word), "{path}: `{word}` is not offered by default");
            if is_op {
                let ops = BROAD_TOOLS.iter().flat_map(|tool| tool.operations).map(|operation| operation.op);
                assert!(ops.into_iter().any(|op| op == *word), "{path}: no tool has the op `{word}`");
            }
            if path.starts_with("skills/") && names.contains(word) {
                named.push(*word);
            }
        }
    }
    for tool in BROAD_TOOLS {
        assert!(named.contains(&tool.name) || tool.name == "search_web", "no skill tells of {}", tool.name);
    }
}

/// The tools in `llms.txt` are those that there are, each with the first sentence about it.
#[test]
fn llms_txt_lists_the_tools() {
    let text = read("llms.txt");
    let (before, rest) = text.split_once("by default:\n\n").unwrap();
    let (_, after) = rest.split_once("\n\n").unwrap();
    let rows = BROAD_TOOLS.iter().map(|tool| {
        let about = tool.about.split(['.', ':', ';']).next().unwrap();
        format!("- `{}`: {about}\n", tool.name)
    });
    let made = format!("{before}by default:\n\n{}\n{after}", rows.collect::<String>());
    check_generated("llms.txt", &made);
}

#[test]
fn guides_lead_to_files_and_commands_that_there_are() {
    for (path, text) in guides() {
        for link in text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(link, _)| link) {
            assert!(repository().join(link).exists(), "{path} leads to {link}");
        }
        for command in text.split("`wellread ").skip(1).filter_map(|rest| rest.split(['`', ' ']).next()) {
            let help = Command::new(BINARY).args([command, "--help"]).output().unwrap();
            assert!(help.status.success(), "{path}: there is no `wellread {command}`");
        }
    }
}

/// The hook after a write: silent unless a cited source says something else.
#[test]
fn the_hook_shows_what_a_source_contradicts() {
    let hooks = manifest("hooks/hooks.json");
    let hook = hooks["hooks"]["PostToolUse"][0]["hooks"][0]["command"].as_str().unwrap();
    let script = hook.trim_matches('"').replace("${CLAUDE_PLUGIN_ROOT}", &repository().display().to_string());
    let desk = Desk::new();
    desk.save("Hives.md", "# Hives\n\nA hive holds 40,000 bees in a good summer.\n");
    let run = |name: &str, text: &str| {
        desk.save(name, text);
        let folder = std::path::Path::new(BINARY).parent().unwrap().display().to_string();
        let mut command = Command::new("sh");
        command.arg(&script).env_clear().env("HOME", desk.home()).env("WELLREAD_EMBEDDING_NAME", "none");
        command.env("PATH", format!("{folder}:{}", std::env::var("PATH").unwrap()));
        command.env("VAULT_PATH", desk.vault()).env("WELLREAD_DATA", desk.data()).stdin(Stdio::piped());
        let file = desk.vault().join(name).display().to_string();
        let written =
            serde_json::json!({ "tool_name": "Write", "tool_input": { "file_path": file, "content": text } });
        Ran::within(crate::desk::PATIENCE, &mut command, written.to_string().as_bytes())
    };
    let right = run("Right.md", "A hive holds 40,000 bees in a good summer ([[Hives]]:3).\n");
    assert_eq!((right.status, right.stderr.as_str()), (Some(0), ""), "{right:?}");
    desk.save("Diary.md", "---\nprivate: true\n---\n\nThe hive holds 4711 bees in a good summer.\n");
    let private = run("Curious.md", "The hive holds 9999 bees in a good summer ([[Diary]]:5).\n");
    assert!(!private.stderr.contains("4711"), "private notes do not reach the agent: {private:?}");
    let wrong = run("Say \"wrong\".md", "A hive holds 90,000 bees in a good summer ([[Hives]]:3).\n");
    assert_eq!(wrong.status, Some(2), "{wrong:?}");
    assert!(wrong.stderr.contains("contradicted") && wrong.stderr.contains("90,000"), "{wrong:?}");
    for quiet in [run("Plain.md", "Nothing is cited here.\n"), run("code.rs", "fn main() {}\n")] {
        assert_eq!((quiet.status, quiet.stderr.as_str()), (Some(0), ""), "{quiet:?}");
    }
}
