//! `wellread config get`, `unset` and `edit`, and what `set` looks at before it writes.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use serde_json::json;

use crate::desk::{Desk, Ran, mode_of};

fn config(desk: &Desk, args: &[&str]) -> Ran {
    Ran::of(desk.command().arg("config").args(args))
}

fn file(desk: &Desk) -> PathBuf {
    PathBuf::from(config(desk, &["path"]).stdout.trim_end())
}

fn write(desk: &Desk, text: &str) {
    fs::create_dir_all(file(desk).parent().unwrap()).unwrap();
    fs::write(file(desk), text).unwrap();
}

#[test]
fn get_prints_the_value_alone() {
    let desk = Desk::bare();
    write(&desk, "[vault]\npath = \"/my notes\"\nexcluded = [\"a\", \"b c\"]\n[model]\napi_key = \"sk-1\"\n");
    for (key, value) in [
        ("vault.path", "/my notes\n"),
        ("vault.excluded", "a,b c\n"),
        ("index.interval_minutes", "60\n"),
        ("model.api_key", "********\n"),
        ("model.base_url", "\n"),
    ] {
        let ran = config(&desk, &["get", key]);
        assert_eq!((ran.status, ran.stdout.as_str(), ran.stderr.as_str()), (Some(0), value, ""), "{key}");
    }
    let answer = config(&desk, &["get", "vault.path", "--json"]).done();
    assert_eq!((&answer["value"], &answer["from"]), (&json!("/my notes"), &json!(file(&desk))));
    let said = config(&desk, &["get", "vault.pth", "--json"]).failed(2);
    assert_eq!(said["hint"], "did you mean `vault.path`?");
}

#[test]
fn unset_takes_one_setting_out_and_leaves_every_other_line() {
    let desk = Desk::bare();
    write(
        &desk,
        "# mine\n[vault]\npath = \"/v\" # disk\nexcluded = [\"a\"]\n\n[log]\nlevel = \"info\"\n\n# why\n[model]\nname = \"m\"\n",
    );
    assert_eq!(config(&desk, &["unset", "vault.path", "--json"]).done()["was_set"], true);
    config(&desk, &["unset", "log.level", "--json"]).done();
    config(&desk, &["unset", "model.name", "--json"]).done();
    let left = fs::read_to_string(file(&desk)).unwrap();
    assert_eq!(left, "# mine\n[vault]\nexcluded = [\"a\"]\n\n# why\n[model]\n");
    assert_eq!(config(&desk, &["get", "log.level"]).stdout, "warn\n");
    // What is not there can be removed, and nothing is made for it.
    assert_eq!(config(&desk, &["unset", "data.path", "--json"]).done()["was_set"], false);
    assert_eq!(fs::read_to_string(file(&desk)).unwrap(), left);
    let fresh = Desk::bare();
    assert_eq!(config(&fresh, &["unset", "data.path", "--json"]).done()["was_set"], false);
    assert!(!file(&fresh).exists());
    config(&desk, &["unset", "repos", "--json"]).failed(2);
    let ran = Ran::of(desk.command().env("RUST_LOG", "debug").args(["config", "unset", "log.level"]));
    assert!(ran.stderr.contains("$RUST_LOG still takes precedence"), "{ran:?}");
}

/// An editor that runs this script on the file that it is given.
fn editor(desk: &Desk, script: &str) -> String {
    let path = desk.folder().join("my editor");
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    format!("'{}' --wait", path.display())
}

#[test]
fn edit_replaces_the_file_only_by_one_that_can_be_read() {
    let desk = Desk::bare();
    let edit = |script: &str| {
        let editor = editor(&desk, script);
        Ran::of(desk.command().env("EDITOR", editor).args(["config", "edit", "--json"]))
    };
    // `--wait` is the first word, the file the second.
    assert_eq!(edit("printf '[log]\\nlevel = \"info\"\\n' >> \"$2\"").done()["changed"], true);
    let text = fs::read_to_string(file(&desk)).unwrap();
    assert!(text.starts_with("# Settings of Wellread") && text.ends_with("level = \"info\"\n"), "{text}");
    assert_eq!(mode_of(&file(&desk)), 0o600);
    assert_eq!(edit("true").done()["changed"], false);
    let said = edit("echo 'level = \"loud' > \"$2\"").failed(2);
    let kept = said["hint"].as_str().unwrap().split('`').nth(1).unwrap().to_owned();
    assert_eq!(fs::read_to_string(kept).unwrap(), "level = \"loud\n", "{said}");
    edit("echo '[vault]\npth = 1' > \"$2\"").failed(2);
    edit("exit 3").failed(1);
    assert_eq!(fs::read_to_string(file(&desk)).unwrap(), text);
    let said = config(&desk, &["edit", "--json"]).failed(2);
    assert!(said["hint"].as_str().unwrap().contains("EDITOR"), "{said}");
    // What another program writes while the editor is open is not overwritten.
    let script = format!("echo '# mine' >> \"$2\"; echo '# theirs' >> '{}'", file(&desk).display());
    let said = edit(&script).failed(4);
    let kept = said["hint"].as_str().unwrap().split('`').nth(1).unwrap().to_owned();
    assert_eq!(fs::read_to_string(kept).unwrap(), format!("{text}# mine\n"), "{said}");
    assert_eq!(fs::read_to_string(file(&desk)).unwrap(), format!("{text}# theirs\n"));
}

#[test]
fn set_says_what_will_not_work_and_refuses_what_can_not() {
    let desk = Desk::bare();
    fs::write(desk.folder().join("file"), "").unwrap();
    for (key, value, says) in [
        ("vault.path", "/nowhere/at/all", "there is no folder `/nowhere/at/all` now"),
        ("model.api_key", "env:NO_SUCH_VARIABLE", "`NO_SUCH_VARIABLE`, which is not set"),
        ("http.ca_file", "/nowhere.pem", "there is no file or folder `/nowhere.pem` now"),
    ] {
        let ran = config(&desk, &["set", key, value]);
        assert_eq!(ran.status, Some(0), "{ran:?}");
        assert!(ran.stderr.contains(says), "{ran:?}");
    }
    let before = fs::read_to_string(file(&desk)).unwrap();
    let vault = desk.vault().display().to_string();
    for (key, value, status, says) in [
        ("vault.path", "file", 2, "is not a folder"),
        ("model.base_url", "localhost", 2, "is not a valid endpoint address"),
        ("search.brave.base_url", "ftp://x", 2, "http://"),
        ("vault.private_folders", "../x", 2, "private_folders"),
    ] {
        let said = config(&desk, &["set", key, value, "--json"]).failed(status);
        assert!(said["error"].as_str().unwrap().contains(says), "{said}");
    }
    assert_eq!(fs::read_to_string(file(&desk)).unwrap(), before, "and nothing is written");
    config(&desk, &["set", "vault.path", &vault, "--json"]).done();
    let said = config(&desk, &["set", "data.path", &format!("{vault}/data"), "--json"]).failed(4);
    assert!(said["error"].as_str().unwrap().contains("inside the vault"), "{said}");
    let ran = config(&desk, &["set", "model.base_url", "http://127.0.0.1:11434/v1"]);
    assert_eq!((ran.status, ran.stderr.as_str()), (Some(0), ""));
}
