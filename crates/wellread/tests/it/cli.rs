//! Every command and option: exit status, which channel says what, and `--json` on each.

use std::fs;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::desk::{Desk, PATIENCE, Ran, copy, mode_of, repository};

const COMMANDS: [&str; 15] = [
    "demo", "extract", "index", "search", "why", "tool", "undo", "runs", "status", "doctor", "config",
    "model", "repo", "mcp", "acp",
];

#[test]
fn help_lists_every_command_and_option() {
    let desk = Desk::bare();
    let help = Ran::of(desk.command().arg("--help"));
    assert_eq!((help.status, help.stderr.as_str()), (Some(0), ""));
    for command in COMMANDS {
        assert!(help.stdout.contains(&format!("\n  {command} ")), "{command}");
    }
    for option in
        ["--vault", "--data", "--config", "--json", "--quiet", "--verbose", "--no-color", "--offline"]
    {
        assert!(help.stdout.contains(option), "{option}");
    }
    for variable in ["VAULT_PATH", "WELLREAD_DATA", "WELLREAD_CONFIG", "NO_COLOR"] {
        assert!(help.stdout.contains(variable), "{variable}");
    }
}

#[test]
fn every_command_has_help_with_an_example_of_itself() {
    let desk = Desk::bare();
    for command in COMMANDS {
        let help = Ran::of(desk.command().args([command, "--help"]));
        assert_eq!((help.status, help.stderr.as_str()), (Some(0), ""), "{command}");
        let example =
            help.stdout.split_once("Example:\n").unwrap_or_else(|| panic!("{command} has no example")).1;
        assert!(example.contains(&format!("wellread {command}")), "{command}: {example}");
        assert_eq!(Ran::of(desk.command().args(["help", command])).stdout, help.stdout);
    }
    for (command, parts) in [
        ("config", vec!["show", "set", "path"]),
        ("model", vec!["install", "list"]),
        ("repo", vec!["add", "list", "remove"]),
        ("runs", vec!["show", "diff"]),
    ] {
        for part in parts {
            let help = Ran::of(desk.command().args([command, part, "--help"]));
            assert_eq!(help.status, Some(0));
            assert!(help.stdout.contains(&format!("wellread {command} {part}")), "{}", help.stdout);
        }
    }
}

#[test]
fn the_version_is_a_result() {
    let ran = Ran::of(Desk::bare().command().arg("--version"));
    assert_eq!(ran.stdout, format!("wellread {}\n", env!("CARGO_PKG_VERSION")));
    assert_eq!((ran.status, ran.stderr.as_str()), (Some(0), ""));
}

#[test]
fn wrong_usage_is_status_2_and_said_on_standard_error() {
    let desk = Desk::bare();
    for wrong in [
        vec!["paint"],
        vec!["status", "--colour"],
        vec!["tool"],
        vec!["tool", "read_file", "{}", "more"],
        vec!["tool", "--list", "read_file"],
        vec!["tool", "read_file", "--markdown"],
        vec!["undo", "--list", "01990f3c"],
        vec!["undo", "--limit", "3"],
        vec!["undo", "--list", "--limit", "many"],
        vec!["config"],
        vec!["config", "set", "vault.path"],
        vec!["repo"],
        vec!["repo", "add"],
        vec!["repo", "remove"],
        vec!["--vault"],
    ] {
        let ran = Ran::of(desk.command().args(&wrong));
        assert_eq!((ran.status, ran.stdout.as_str()), (Some(2), ""), "{wrong:?}: {ran:?}");
        assert!(ran.stderr.contains("--help"), "{wrong:?}: {ran:?}");
        // A program that asked for JSON reads JSON, whatever went wrong.
        let ran = Ran::of(desk.command().arg("--json").args(&wrong));
        let said = ran.failed(2);
        assert!(said["hint"].as_str().is_some_and(|hint| !hint.is_empty()), "{wrong:?}: {said}");
    }
    assert_eq!(Ran::of(&mut desk.command()).status, Some(2));
}

#[test]
fn a_wrong_word_names_the_right_one() {
    let desk = Desk::new();
    assert!(Ran::of(desk.command().arg("statsu")).stderr.contains("status"));
    let said = desk.run(["tool", "raed_file", "{}"]).failed(3);
    assert_eq!(said["hint"], "did you mean `read_file`?");
    let said = desk.run(["tool", "zzz"]).failed(3);
    assert!(said["hint"].as_str().unwrap().contains("wellread tool --list"));
}

#[test]
fn the_exit_status_follows_from_the_kind_of_trouble() {
    let desk = Desk::new();
    for (tool, args, status) in [
        ("read_file", json!({ "path": "Home" }), 0),
        ("read_file", json!({ "path": "Home", "length": 0 }), 2),
        ("read_file", json!({ "path": "Home", "offset": 99_999 }), 2),
        ("remove_preference", json!({ "line_number": 99 }), 2),
        ("replace_section", json!({ "path": "Home", "heading": "Today", "content": "" }), 2),
        ("read_file", json!({ "path": "Nowhere/At all.md" }), 3),
        ("replace_section", json!({ "path": "Home", "heading": "## Nowhere", "content": "" }), 3),
        ("search_by_folder", json!({ "folder": "Nowhere" }), 3),
        ("read_file", json!({ "path": ".obsidian/app.json" }), 4),
        ("create_file", json!({ "path": "Home.md" }), 4),
        ("move_file", json!({ "source": "Home", "destination": "Glossary" }), 4),
        ("read_file", json!({ "path": "Attachments/hive.png" }), 4),
        ("batch_update_frontmatter", json!({ "paths": ["../a", "/etc/b"], "field": "x", "value": "1" }), 4),
        ("batch_move_files", json!({ "moves": [{ "source": "nope", "destination": "x" }] }), 3),
    ] {
        let ran = desk.tool(tool, &args);
        if status == 0 {
            ran.done()
        } else {
            ran.failed(status)
        };
        assert_eq!(ran.stderr, "", "a tool's failure is an answer: {ran:?}");
    }
    // A failure of the system: nothing can be kept where a file stands.
    fs::write(desk.folder().join("file"), "").unwrap();
    let ran = Ran::of(desk.command().arg("--vault").arg(desk.vault()).args(["--data", "file", "status"]));
    assert!(ran.complains(1).contains("data folder"), "{ran:?}");
    assert!(!ran.stderr.contains("link"), "{ran:?}");
}

#[test]
fn every_command_answers_with_one_json_object_where_asked() {
    let desk = Desk::new();
    desk.tool("append_to_file", &json!({ "path": "Home", "content": "words" })).done();
    for command in [
        vec!["status"],
        vec!["status", "--files"],
        vec!["doctor"],
        vec!["tool", "--list"],
        vec!["tool", "read_file", "{\"path\": \"Home\"}"],
        vec!["undo", "--list"],
        vec!["undo"],
        vec!["runs"],
        vec!["config", "show"],
        vec!["config", "path"],
        vec!["config", "set", "log.level", "error"],
        vec!["repo", "list"],
        vec!["demo"],
    ] {
        for args in [[vec!["--json"], command.clone()].concat(), [command.clone(), vec!["--json"]].concat()] {
            if command == ["undo"] {
                desk.tool("append_to_file", &json!({ "path": "Home", "content": "words" })).done();
            }
            let ran = desk.run(&args);
            ran.done();
            assert_eq!(ran.stderr, "", "{args:?}");
        }
    }
}

#[test]
fn every_failure_is_one_json_object_where_asked() {
    let desk = Desk::bare();
    fs::remove_dir(desk.vault()).unwrap();
    for command in
        [vec!["status"], vec!["undo"], vec!["undo", "--list"], vec!["mcp"], vec!["tool", "get_current_date"]]
    {
        let said = desk.run([vec!["--json"], command.clone()].concat()).failed(3);
        assert!(said["error"].as_str().unwrap().contains("there is no vault"), "{said}");
        assert!(said["hint"].as_str().unwrap().contains("--vault"), "{said}");
        if command[0] != "tool" {
            let ran = desk.run(&command);
            assert!(ran.complains(3).contains("  hint: "), "{ran:?}");
        }
    }
    desk.run(["config", "set", "vault.pth", "x", "--json"]).failed(2);
    assert!(!desk.data().exists(), "nothing is made for a vault that is not there");
}

#[test]
fn a_tool_answers_with_its_object_without_being_asked_and_also_where_it_fails() {
    let desk = Desk::new();
    desk.run(["tool", "get_current_date"]).done();
    let elsewhere = |args: &[&str]| {
        Ran::of(desk.command().args(["--vault", "nowhere", "--data", "data", "tool"]).args(args))
    };
    for (ran, status) in [
        (desk.run(["tool", "read_file", "{"]), 2),
        (desk.run(["tool", "read_file", "[]"]), 2),
        (desk.run(["tool", "read_file", "\"Home\""]), 2),
        (desk.run(["tool", "read_file"]), 2),
        (desk.run(["tool", "raed_file"]), 3),
        (elsewhere(&["get_current_date"]), 3),
    ] {
        let said = ran.failed(status);
        assert_eq!(ran.stderr, "", "{ran:?}");
        assert!(said["hint"].as_str().is_some_and(|hint| !hint.is_empty()), "{said}");
    }
    let said = desk.run(["tool", "read_file", "[]"]).failed(2);
    assert!(said["hint"].as_str().unwrap().contains("`path` (string)"), "{said}");
}

#[test]
fn a_dash_reads_the_arguments_from_standard_input() {
    let desk = Desk::new();
    let fed = |input: &[u8]| Ran::fed(desk.here().args(["tool", "read_file", "-"]), input);
    assert_eq!(fed(b" {\"path\": \"Home\"}\n").done()["path"], "Home.md");
    let content = "x".repeat(3 << 20);
    let large = json!({ "path": "Large", "content": content }).to_string();
    Ran::fed(desk.here().args(["tool", "create_file", "-"]), large.as_bytes()).done();
    assert_eq!(desk.text("Large.md"), content);
    for broken in [b"".as_slice(), b"{", b"\xff\xfe", b"{} {}", b"nonsense"] {
        fed(broken).failed(2);
    }
    let deep = format!("{{\"path\": {}", "[".repeat(200_000));
    fed(deep.as_bytes()).failed(2);
}

#[test]
fn the_list_of_tools_shows_each_with_its_parameters() {
    let desk = Desk::bare();
    let shown = Ran::of(desk.command().args(["tool", "--list"]));
    assert_eq!(shown.status, Some(0));
    assert!(shown.stdout.contains("read_file(path, offset = 0, length = 4000)\n    "), "{}", shown.stdout);
    assert!(shown.stdout.contains("edit_file(path, content, position, heading?, mode?, dry_run = false)"));
    let listed = Ran::of(desk.command().args(["tool", "--list", "--json"])).done();
    assert_eq!(
        listed["tools"].as_array().unwrap().len(),
        shown.stdout.lines().filter(|line| !line.starts_with(' ')).count()
    );
}

#[test]
fn the_contract_of_names_and_defaults_is_kept() {
    let desk = Desk::bare();
    let listed = Ran::of(desk.command().args(["tool", "--list"])).stdout;
    for signature in [
        "read_file(path, offset = 0, length = 4000)",
        "get_note_info(path)",
        "list_files_by_frontmatter(field, value, match_type = \"contains\", limit = 100, offset = 0)",
        "update_frontmatter(path, field, value?, operation = \"set\", dry_run = false)",
        "batch_update_frontmatter(paths, field, value?, operation = \"set\", dry_run = false)",
        "create_file(path, content = \"\", frontmatter?, dry_run = false)",
        "move_file(path, destination, update_links = true, dry_run = false)",
        "batch_move_files(moves, dry_run = false)",
        "append_to_file(path, content, dry_run = false)",
        "prepend_to_file(path, content, dry_run = false)",
        "replace_section(path, heading, content, dry_run = false)",
        "append_to_section(path, heading, content, dry_run = false)",
        "edit_file(path, content, position, heading?, mode?, dry_run = false)",
        "find_backlinks(path, limit = 100, offset = 0)",
        "find_outlinks(path, limit = 100, offset = 0)",
        "search_by_folder(folder, recursive = false, limit = 100, offset = 0)",
        "search_by_date_range(start_date, end_date, date_type = \"modified\", limit = 100, offset = 0)",
        "log_interaction(task_description, query, summary, files?, full_response?, dry_run = false)",
        "save_preference(preference, dry_run = false)",
        "list_preferences()",
        "remove_preference(line_number, dry_run = false)",
        "get_current_date()",
    ] {
        assert!(listed.lines().any(|line| line == signature), "{signature} in\n{listed}");
    }
}

#[test]
fn a_data_folder_inside_the_vault_is_refused_and_not_made() {
    let desk = Desk::new();
    let before = desk.tree();
    std::os::unix::fs::symlink(desk.vault(), desk.folder().join("way in")).unwrap();
    for data in
        ["vault", "vault/data", "vault/.wellread", "vault/Bees/../data", "way in/data", "./vault/x/y/z"]
    {
        for command in [vec!["status"], vec!["undo"], vec!["mcp"]] {
            let ran = Ran::of(desk.command().args(["--vault", "vault", "--data", data]).args(&command));
            assert!(ran.complains(4).contains("inside the vault"), "{ran:?}");
        }
        let ran =
            Ran::of(desk.command().args(["--vault", "way in", "--data", data, "tool", "get_current_date"]));
        ran.failed(4);
    }
    assert_eq!(desk.tree(), before);
}

#[test]
fn a_vault_that_can_not_be_opened_is_named_with_what_to_do() {
    let desk = Desk::new();
    fs::write(desk.folder().join("file"), "").unwrap();
    for (vault, status, says) in [
        ("nowhere", 3, "there is no vault at `nowhere`"),
        ("file", 2, "`file` is not a folder"),
        ("", 2, "no vault is set"),
    ] {
        let ran = Ran::of(desk.command().args(["--data", "data", "--vault", vault, "status"]));
        assert!(ran.complains(status).contains(says), "{ran:?}");
        assert!(ran.stderr.contains("--vault") && ran.stderr.contains("VAULT_PATH"), "{ran:?}");
    }
}

#[test]
fn the_journal_is_for_the_users_eyes_only() {
    let desk = Desk::new();
    desk.tool("append_to_file", &json!({ "path": "Home", "content": "a secret" })).done();
    assert_eq!(mode_of(&desk.data()) & 0o077, 0);
    for entry in fs::read_dir(desk.data().join("vaults")).unwrap() {
        assert_eq!(mode_of(&entry.unwrap().path()) & 0o077, 0);
    }
}

#[test]
fn quiet_leaves_nothing_but_the_result() {
    let desk = Desk::new();
    let loud = desk.run(["undo", "--list"]);
    assert_eq!((loud.status, loud.stdout.as_str()), (Some(0), ""));
    assert!(!loud.stderr.is_empty());
    for quiet in ["-q", "--quiet"] {
        let ran = desk.run([quiet, "undo", "--list"]);
        assert_eq!((ran.status, ran.stdout.as_str(), ran.stderr.as_str()), (Some(0), "", ""));
        assert_eq!(desk.run([quiet, "status"]).stdout, desk.run(["status"]).stdout);
    }
    desk.run(["-q", "undo"]).complains(3);
}

#[test]
fn verbose_adds_to_standard_error_alone() {
    let desk = Desk::new();
    for flags in [vec!["-v"], vec!["-vvv"], vec!["--verbose", "--no-color", "--offline"]] {
        let ran = desk.run([flags, vec!["status", "--json"]].concat());
        ran.done();
        assert!(!ran.stderr.contains('\u{1b}'), "{ran:?}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_trouble() {
    let desk = Desk::new();
    for n in 0..400 {
        desk.save(&format!("Many/Note {n} {}.md", "long name ".repeat(15)), "x");
    }
    for args in [
        vec!["status", "--files"],
        vec!["status", "--files", "--json"],
        vec!["tool", "--list"],
        vec!["--help"],
    ] {
        let mut child =
            desk.here().args(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // As `head` does it, only sooner: the reader is gone before the first word.
        drop(child.stdout.take());
        let (send, done) = std::sync::mpsc::channel();
        std::thread::spawn(move || send.send(child.wait_with_output().unwrap()));
        let output = done.recv_timeout(PATIENCE).expect("it ends");
        assert_eq!(output.status.code(), Some(0), "{args:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{args:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_result_that_can_not_be_written_is_a_failure() {
    let desk = Desk::new();
    for args in
        [vec!["status"], vec!["status", "--json"], vec!["tool", "--list"], vec!["tool", "get_current_date"]]
    {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let output = desk.here().args(&args).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("standard output"), "{args:?}: {said}");
    }
}

#[test]
fn the_status_counts_what_the_vault_holds() {
    let desk = Desk::new();
    let status = desk.run(["status", "--json"]).done();
    let markdown =
        desk.tree().keys().filter(|path| path.extension().is_some_and(|ending| ending == "md")).count();
    assert_eq!(status["notes"], markdown);
    assert_eq!(status["files"], markdown + 1);
    assert_eq!(status["skipped"], json!([]));
    assert_eq!(status["operations"], 0);
    assert_eq!(status["vault"], json!(desk.vault()));
    assert_eq!(status.get("file_list"), None);
    let files = desk.run(["status", "--files", "--json"]).done();
    let rows = files["file_list"].as_array().unwrap();
    assert_eq!(rows.len(), markdown + 1);
    assert!(
        rows.iter().all(|row| row["state"] == "ok" && row["size"].is_u64() && row["modified"].is_string())
    );
    let shown = desk.run(["status", "--files"]);
    assert!(shown.stdout.contains(&format!("notes          {markdown}\n")), "{}", shown.stdout);
    assert!(shown.stdout.contains("Bees/Varroa mite.md  pending  ok\n"), "{}", shown.stdout);
}

#[test]
fn the_doctor_finds_a_healthy_set_up_healthy() {
    let desk = Desk::new();
    let before = desk.tree();
    let ran = desk.run(["doctor", "--json"]).done();
    assert_eq!(ran["healthy"], true);
    let names: Vec<&str> =
        ran["checks"].as_array().unwrap().iter().map(|check| check["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "version",
            "settings",
            "vault",
            "writing",
            "data",
            "journal",
            "index",
            "records",
            "embedding",
            "privacy",
            "web",
            "telemetry",
            "speech",
            "model",
            "client",
        ]
    );
    assert!(ran["checks"].as_array().unwrap().iter().all(|check| check["ok"] == true), "{ran}");
    let shown = desk.run(["doctor"]);
    assert_eq!(shown.stdout.matches("ok  ").count(), names.len(), "{}", shown.stdout);
    assert_eq!(desk.tree(), before, "it takes away what it made");
}

#[test]
fn the_doctor_says_what_is_wrong_and_what_to_do() {
    let desk = Desk::new();
    let fine = fs::read_dir(desk.folder()).unwrap().count();
    fs::write(desk.folder().join("broken.toml"), "[vault\npath = 3").unwrap();
    fs::write(desk.folder().join("wrong.toml"), "[vault]\npth = \"x\"").unwrap();
    for (args, culprit, says) in [
        (vec!["--vault", "nowhere"], "vault", "there is no vault"),
        (vec!["--vault", "broken.toml"], "vault", "is not a folder"),
        (vec!["--vault", "vault", "--data", "vault/data"], "data", "inside the vault"),
        (vec!["--config", "broken.toml"], "settings", "can't be read"),
        (vec!["--config", "wrong.toml"], "settings", "vault.pth"),
        (vec!["--config", "missing.toml"], "settings", "there is no settings file"),
    ] {
        let ran = Ran::of(desk.command().args(&args).args(["doctor", "--json"]));
        assert_eq!(ran.status, Some(1), "{ran:?}");
        let said = ran.json();
        assert_eq!(said["healthy"], false);
        let bad: Vec<&Value> =
            said["checks"].as_array().unwrap().iter().filter(|check| check["ok"] == false).collect();
        let [bad] = bad.as_slice() else { panic!("not one culprit: {said}") };
        assert_eq!(bad["name"], culprit, "{said}");
        assert!(bad["detail"].as_str().unwrap().contains(says), "{bad}");
        assert!(bad["remedy"].as_str().is_some_and(|remedy| !remedy.is_empty()), "{bad}");
        let shown = Ran::of(desk.command().args(&args).arg("doctor"));
        assert!(shown.stdout.contains("!!  ") && shown.stdout.contains("remedy: "), "{shown:?}");
    }
    assert_eq!(fs::read_dir(desk.folder()).unwrap().count(), fine + 2, "nothing was made on the way");
}

#[test]
fn who_has_code_and_no_vault_can_index_and_search_it() {
    let desk = Desk::bare();
    let run = |args: &[&str]| Ran::of(desk.command().arg("--data").arg(desk.data()).args(args));
    let missing = run(&["search", "weight"]);
    assert!(missing.complains(3).contains("there is no vault at"), "{missing:?}");
    copy(&repository().join("examples/code/hivelog"), &desk.code());
    run(&["repo", "add", "hivelog"]).succeeded();
    let indexed = run(&["index", "--no-vectors", "--json"]);
    assert!(indexed.done()["added"].as_u64() > Some(3), "{indexed:?}");
    assert!(indexed.stderr.contains("there is no vault at"), "{indexed:?}");
    let status = run(&["status", "--json"]).done();
    assert_eq!((&status["vault"], &status["notes"]), (&json!("none"), &json!(0)), "{status}");
    let found = run(&["search", "--json", "detect_swarms"]).done();
    assert_eq!(found["results"][0]["repo"], "hivelog", "{found}");
    run(&["--offline", "ask", "--json", "what does detect_swarms return?"]).json();
    // What would change a note needs one.
    for args in [vec!["note", "X", "--apply"], vec!["tool", "create_file", r#"{"path":"X"}"#]] {
        let refused = run(&args);
        assert_eq!(refused.status, Some(3), "{refused:?}");
    }
}
