//! `wellread init` on a clean home: what it finds, what it asks, what it writes, and the first answer.

use std::fs;
use std::path::PathBuf;
use std::process::Stdio;

use serde_json::{Value, json};
use wellread_testkit::scripted_server::{ScriptedServer, http_reply};

use crate::desk::{Desk, Ran, tree};
use crate::terminal::on_terminal;

fn settings_file(desk: &Desk) -> PathBuf {
    desk.home().join(".config/wellread/config.toml")
}

/// `wellread init` with these words, in an environment that knows of no vault.
fn init(desk: &Desk, args: &[&str]) -> Ran {
    let mut command = desk.command();
    command.args(["--data"]).arg(desk.data()).arg("init").args(args);
    Ran::of(&mut command)
}

/// Puts the desk's vault into Obsidian's list, behind one that is gone and one that was used long ago.
fn list_in_obsidian(desk: &Desk) {
    let old = desk.home().join("Old notes");
    fs::create_dir_all(&old).unwrap();
    let list = json!({ "vaults": {
        "1": { "path": old, "ts": 5 },
        "2": { "path": desk.vault(), "ts": 1, "open": true },
        "3": { "path": desk.home().join("gone"), "ts": 9 },
    }});
    fs::create_dir_all(desk.home().join(".config/obsidian")).unwrap();
    fs::write(desk.home().join(".config/obsidian/obsidian.json"), list.to_string()).unwrap();
}

/// The first answer cites lines of a note that contain what is quoted.
fn is_cited(desk: &Desk, first: &Value) {
    let source = first["source"].as_str().unwrap_or_else(|| panic!("no source: {first}"));
    let (path, lines) = source.rsplit_once(':').unwrap();
    let text = desk.text(path);
    let (start, end) = lines.split_once('-').unwrap_or((lines, lines));
    let (start, end): (usize, usize) = (start.parse().unwrap(), end.parse().unwrap());
    assert!(start >= 1 && start <= end && end <= text.lines().count(), "{source}");
    assert!(first["answer"].as_str().unwrap().contains(&format!("Source: {path}:")), "{first}");
}

#[test]
fn a_named_vault_is_set_up_and_answers_with_a_place() {
    let desk = Desk::new();
    let before = desk.tree();
    let vault = desk.vault().display().to_string();
    let answer = init(&desk, &["--vault", &vault, "--json"]).done();
    assert_eq!(answer["changes"], json!([format!("vault.path = {vault:?}")]));
    is_cited(&desk, &answer["first"]);
    assert_eq!(fs::read_to_string(settings_file(&desk)).unwrap(), format!("[vault]\npath = {vault:?}\n"));
    assert_eq!(desk.tree(), before, "the vault is only read");
    // Again, by hand: nothing changes, and the answer is there again.
    let ran = init(&desk, &["--vault", &vault]);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    assert!(ran.stderr.contains("Everything is set up already"), "{ran:?}");
    assert!(ran.stdout.contains("$ wellread ask 'What do my notes say about "), "{ran:?}");
    assert!(ran.stdout.contains("Source: "), "{ran:?}");
    assert_eq!(fs::read_to_string(settings_file(&desk)).unwrap(), format!("[vault]\npath = {vault:?}\n"));
}

#[test]
fn without_a_terminal_nothing_is_asked_and_nothing_is_guessed() {
    let desk = Desk::new();
    list_in_obsidian(&desk);
    let said = init(&desk, &["--json"]).failed(2);
    assert!(said["hint"].as_str().unwrap().contains(desk.vault().to_str().unwrap()), "{said}");
    // A pipe that nobody writes to or closes is not waited for.
    let mut command = desk.command();
    let mut child = command
        .arg("init")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let open = child.stdin.take();
    assert_eq!(child.wait().unwrap().code(), Some(2));
    drop(open);
    for code in ["a/code", "b/code"] {
        fs::create_dir_all(desk.folder().join(code)).unwrap();
    }
    for (args, status) in [
        (vec!["--vault", "nowhere"], 3),
        (vec!["--vault", "home/.config/obsidian/obsidian.json"], 2),
        (vec!["--vault", "vault", "--model", "no such model"], 3),
        (vec!["--vault", "vault", "--repo", "nowhere"], 3),
        (vec!["--vault", "vault", "--repo", "vault/Bees"], 4),
        (vec!["--vault", "vault", "--client", "emacs"], 2),
        // The data folder would be inside the vault, and two repositories would have one name.
        (vec!["--vault", ".", "--client", "cursor"], 4),
        (vec!["--vault", "vault", "--repo", "a/code", "--repo", "b/code", "--client", "cursor"], 4),
    ] {
        let ran = init(&desk, &args);
        assert_eq!(ran.status, Some(status), "{args:?}: {ran:?}");
    }
    assert!(!settings_file(&desk).exists(), "nothing was written");
    assert!(!desk.home().join(".cursor").exists(), "nothing was written");
    let nothing = Desk::bare();
    assert!(init(&nothing, &["--yes"]).complains(3).contains("no vault was found"));
}

#[test]
fn every_suggestion_is_taken_with_yes() {
    let desk = Desk::new();
    list_in_obsidian(&desk);
    let models = r#"{"data":[{"id":"nomic-embed-text"},{"id":"qwen3:4b"}]}"#;
    let server = ScriptedServer::start(vec![http_reply(200, "content-type: application/json\r\n", models)]);
    let host = server.base.trim_start_matches("http://").to_owned();
    fs::create_dir(desk.home().join(".cursor")).unwrap();
    let mut command = desk.command();
    command.env("OLLAMA_HOST", &host).env("BRAVE_API_KEY", "sk-brave").arg("--data").arg(desk.data());
    let ran = Ran::of(command.args(["init", "--yes", "--json"]));
    let answer = ran.done();
    assert_eq!(answer["vault"], json!(desk.vault()), "the vault that is open in Obsidian");
    assert_eq!(answer["found"]["vaults"][1]["path"], json!(desk.home().join("Old notes")));
    assert_eq!(answer["found"]["models"][0]["models"], json!(["qwen3:4b"]));
    assert_eq!(
        answer["found"]["keys"],
        json!([{ "variable": "BRAVE_API_KEY", "setting": "search.brave.api_key" }])
    );
    assert_eq!(answer["found"]["clients"], json!(["cursor"]));
    assert!(!ran.stdout.contains("sk-brave"), "{ran:?}");
    let written = fs::read_to_string(settings_file(&desk)).unwrap();
    assert!(written.contains(&format!("base_url = \"http://{host}/v1\"")), "{written}");
    assert!(
        written.contains("name = \"qwen3:4b\"") && written.contains("provider = \"openai\""),
        "{written}"
    );
    // The model was listed and not asked, and no client was changed without being named.
    assert_eq!(server.into_requests().len(), 1);
    assert!(!desk.home().join(".cursor/mcp.json").exists());
    is_cited(&desk, &answer["first"]);
}

#[test]
fn a_dry_run_shows_what_it_would_write_and_writes_nothing() {
    let desk = Desk::new();
    fs::create_dir(desk.folder().join("code")).unwrap();
    let before = tree(&desk.home());
    let ran = init(
        &desk,
        &["--vault", "vault", "--model", "none", "--repo", "code", "--client", "cursor", "--dry-run"],
    );
    assert_eq!(ran.status, Some(0), "{ran:?}");
    for part in ["Would write", "vault.path = ", "model.provider = \"none\"", "settings of Cursor"] {
        assert!(ran.stderr.contains(part), "{part}: {ran:?}");
    }
    assert_eq!(tree(&desk.home()), before);
    assert!(!desk.data().exists(), "and nothing is indexed");
}

#[test]
fn repositories_and_clients_are_added_once() {
    let desk = Desk::new();
    let code = desk.folder().join("code");
    fs::create_dir(&code).unwrap();
    let args = ["--vault", "vault", "--repo", "code", "--client", "cursor", "--json"];
    let answer = init(&desk, &args).done();
    assert_eq!(answer["changes"].as_array().unwrap().len(), 3, "{answer}");
    let entry: Value =
        serde_json::from_str(&fs::read_to_string(desk.home().join(".cursor/mcp.json")).unwrap()).unwrap();
    let words = entry["mcpServers"]["wellread"]["args"].as_array().unwrap().clone();
    assert!(words.contains(&json!(desk.vault())), "{entry}");
    assert_eq!(init(&desk, &args).done()["changes"], json!([]));
}

#[test]
fn a_vault_without_text_is_no_trouble() {
    let desk = Desk::bare();
    desk.save("2026-02-01.md", "");
    let ran = init(&desk, &["--vault", "vault"]);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("nothing to ask about yet: the vault has no notes with text"), "{ran:?}");
    // A vault with private notes alone has text.
    desk.save("2026-02-01.md", "---\nprivate: true\n---\n\n# Honey\n\nHoney is made by bees.\n");
    let ran = init(&desk, &["--vault", "vault"]);
    assert!(ran.stdout.contains("nothing to ask about yet: every note is private"), "{ran:?}");
}

#[test]
fn on_a_terminal_a_few_questions_lead_to_an_answer() {
    let desk = Desk::new();
    list_in_obsidian(&desk);
    fs::create_dir(desk.home().join(".cursor")).unwrap();
    let mut command = desk.command();
    command.env("OPENAI_API_KEY", "sk-1").env("TERM", "xterm").arg("--data").arg(desk.data()).arg("init");
    let shown = on_terminal(
        &command,
        100,
        &[
            ("Number or path [1]: ", "/nowhere/at/all\n"),
            ("there is no folder", ""),
            ("Number or path [1]: ", "1\n"),
            ("Number or name [1]: ", "\n"),
            ("never be sent there", "Bees\n"),
            ("A folder of code", "\n"),
            ("Numbers, or Enter for none: ", "1\n"),
        ],
    );
    assert_eq!(shown.status, 0, "{shown:?}");
    assert!(shown.text.contains("Source: "), "{shown:?}");
    assert!(!shown.text.contains("sk-1"), "{shown:?}");
    let written = fs::read_to_string(settings_file(&desk)).unwrap();
    assert!(written.contains(&format!("path = {:?}", desk.vault().display().to_string())), "{written}");
    assert!(written.contains("private_folders = [\"Bees\"]") && !written.contains("api_key"), "{written}");
    assert!(desk.home().join(".cursor/mcp.json").exists());
}

#[test]
fn answers_that_can_not_be_used_are_no_consent() {
    let desk = Desk::new();
    list_in_obsidian(&desk);
    let mut command = desk.command();
    command.env("OPENAI_API_KEY", "sk-1").env("TERM", "xterm").arg("--data").arg(desk.data()).arg("init");
    let wrong_vault = [("Number or path [1]: ", "/nowhere/at/all\n"); 3];
    let wrong_model = [("Number or name [1]: ", "no such model\n"); 3];
    let wrong_folder = [("never be sent there", "No such folder\n"); 3];
    let right = [("Number or path [1]: ", "\n"), ("Number or name [1]: ", "\n")];
    for steps in [
        wrong_vault.to_vec(),
        [&right[..1], &wrong_model[..]].concat(),
        [&right[..], &wrong_folder[..]].concat(),
    ] {
        let shown = on_terminal(&command, 100, &steps);
        assert_eq!(shown.status, 2, "{shown:?}");
        assert!(shown.text.contains("nothing was written"), "{shown:?}");
        assert!(!settings_file(&desk).exists(), "{shown:?}");
    }
}

#[test]
fn private_folders_stay_private_when_another_is_named() {
    let desk = Desk::new();
    fs::create_dir_all(desk.vault().join("Diary, old")).unwrap();
    fs::create_dir_all(settings_file(&desk).parent().unwrap()).unwrap();
    fs::write(settings_file(&desk), "[vault]\nprivate_folders = [\"Diary, old\"]\n").unwrap();
    let mut command = desk.command();
    command.env("OPENAI_API_KEY", "sk-1").env("TERM", "xterm").arg("--data").arg(desk.data());
    command.arg("--vault").arg(desk.vault()).arg("init");
    let steps = [
        ("Number or name [1]: ", "\n"),
        ("so they stay: Diary, old", ""),
        ("never be sent there", "Bees\n"),
        ("A folder of code", "\n"),
    ];
    let shown = on_terminal(&command, 100, &steps);
    assert_eq!(shown.status, 0, "{shown:?}");
    let written = fs::read_to_string(settings_file(&desk)).unwrap();
    assert!(written.contains("private_folders = [\"Diary, old\", \"Bees\"]"), "{written}");
}

#[test]
fn enter_alone_answers_every_question_and_the_end_of_input_writes_nothing() {
    let desk = Desk::new();
    list_in_obsidian(&desk);
    let mut command = desk.command();
    command.env("TERM", "xterm").arg("--data").arg(desk.data()).arg("init");
    let shown = on_terminal(&command, 80, &[("Number or path [1]: ", "\u{4}")]);
    assert_eq!(shown.status, 1, "{shown:?}");
    assert!(shown.text.contains("cancelled"), "{shown:?}");
    assert!(!settings_file(&desk).exists());
    let shown = on_terminal(&command, 80, &[("Number or path [1]: ", "\n"), ("A folder of code", "\n")]);
    assert_eq!(shown.status, 0, "{shown:?}");
    assert!(
        shown.text.contains("No language model was found") && shown.text.contains("Source: "),
        "{shown:?}"
    );
    // With nothing to choose from, Enter skips the whole set-up.
    let empty = Desk::bare();
    let mut command = empty.command();
    command.env("TERM", "xterm").arg("init");
    let shown = on_terminal(&command, 80, &[("Enter to skip: ", "\n")]);
    assert_eq!(shown.status, 0, "{shown:?}");
    assert!(shown.text.contains("nothing was written") && shown.text.contains("wellread demo"), "{shown:?}");
}

#[test]
fn without_a_command_a_newcomer_is_led_here() {
    let desk = Desk::bare();
    let ran = Ran::of(&mut desk.command());
    assert_eq!(ran.status, Some(2));
    assert!(ran.stderr.contains("`wellread init`"), "{ran:?}");
    let known = Ran::of(desk.command().env("VAULT_PATH", desk.vault()));
    assert!(!known.stderr.contains("First time"), "{known:?}");
    Ran::of(desk.command().args(["config", "set", "log.level", "info", "--json"])).done();
    assert!(!Ran::of(&mut desk.command()).stderr.contains("First time"));
    // A vault that is not there leads here, too.
    assert!(Ran::of(desk.command().arg("status")).complains(3).contains("wellread init"));
}
