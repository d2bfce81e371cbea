//! `wellread repo`: codebases are added, listed and removed, and the settings file keeps every other line.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::desk::{Desk, Ran};

fn code(desk: &Desk, name: &str) -> PathBuf {
    let path = desk.folder().join("code").join(name);
    fs::create_dir_all(&path).unwrap();
    path
}

/// A run on this desk's vault and data, with the settings file `settings.toml`.
fn repo(desk: &Desk, args: &[&str]) -> Ran {
    Ran::of(desk.here().args(["--config", "settings.toml", "repo"]).args(args).arg("--json"))
}

fn file(desk: &Desk) -> PathBuf {
    desk.folder().join("settings.toml")
}

fn listed(desk: &Desk) -> Value {
    repo(desk, &["list"]).done()["repos"].clone()
}

#[test]
fn a_codebase_is_added_listed_and_removed() {
    let desk = Desk::bare();
    let (hive, apiary) = (code(&desk, "hive"), code(&desk, "apiary"));
    let added = repo(&desk, &["add", "code/hive"]).done();
    assert_eq!(added, json!({ "success": true, "name": "hive", "path": hive }));
    repo(&desk, &["add", "code/apiary/.", "--name", "my-2.bees_x"]).done();
    assert_eq!(
        fs::read_to_string(file(&desk)).unwrap(),
        format!(
            "[[repos]]\nname = \"hive\"\npath = \"{}\"\n\n[[repos]]\nname = \"my-2.bees_x\"\npath = \"{}\"\n",
            hive.display(),
            apiary.display()
        )
    );
    assert_eq!(
        listed(&desk),
        json!([{ "name": "hive", "path": hive }, { "name": "my-2.bees_x", "path": apiary }])
    );
    let removed = repo(&desk, &["remove", "HIVE"]).done();
    assert_eq!(removed, json!({ "success": true, "name": "hive", "path": hive }));
    repo(&desk, &["remove", "my-2.bees_x"]).done();
    assert_eq!(fs::read_to_string(file(&desk)).unwrap(), "");
    assert_eq!(listed(&desk), json!([]));
    assert!(hive.exists() && apiary.exists());
}

#[test]
fn for_a_person_it_says_what_was_done() {
    let desk = Desk::bare();
    let hive = code(&desk, "hive");
    let run = |args: &[&str]| Ran::of(desk.here().arg("repo").args(args));
    let none = run(&["list"]);
    assert_eq!((none.status, none.stdout.as_str()), (Some(0), ""));
    assert!(none.stderr.contains("wellread repo add DIR"), "{none:?}");
    let added = run(&["add", hive.to_str().unwrap()]);
    assert_eq!((added.stdout, added.stderr.as_str()), (format!("added `hive`: {}\n", hive.display()), ""));
    assert_eq!(run(&["list"]).stdout, format!("hive  {}\n", hive.display()));
    fs::remove_dir(&hive).unwrap();
    assert_eq!(run(&["list"]).stdout, format!("hive  {}  (no such folder)\n", hive.display()));
    assert_eq!(run(&["remove", "hive"]).stdout, "removed `hive`; its files are unchanged\n");
}

#[test]
fn comments_and_every_other_line_stay() {
    let desk = Desk::bare();
    let (hive, apiary) = (code(&desk, "hive"), code(&desk, "apiary"));
    let before = "# mine\n[log]\nlevel = \"info\" # loud\n\n# the first\n[[repos]]\nname = \"old\" # dear\npath = \"/old\"\n";
    fs::write(file(&desk), before).unwrap();
    repo(&desk, &["add", "code/hive"]).done();
    let added = fs::read_to_string(file(&desk)).unwrap();
    assert_eq!(added, format!("{before}\n[[repos]]\nname = \"hive\"\npath = \"{}\"\n", hive.display()));
    repo(&desk, &["remove", "hive"]).done();
    assert_eq!(fs::read_to_string(file(&desk)).unwrap(), before);
    repo(&desk, &["remove", "old"]).done();
    assert_eq!(fs::read_to_string(file(&desk)).unwrap(), "# mine\n[log]\nlevel = \"info\" # loud\n");
    fs::write(file(&desk), "repos = [{ path = \"/old\" }] # all\nlog.level = \"info\"\n").unwrap();
    repo(&desk, &["add", "code/apiary"]).done();
    let inline = format!(
        "repos = [{{ path = \"/old\" }}, {{ name = \"apiary\", path = \"{}\" }}] # all\nlog.level = \"info\"\n",
        apiary.display()
    );
    assert_eq!(fs::read_to_string(file(&desk)).unwrap(), inline);
    repo(&desk, &["remove", "old"]).done();
    repo(&desk, &["remove", "apiary"]).done();
    assert_eq!(fs::read_to_string(file(&desk)).unwrap(), "repos = [] # all\nlog.level = \"info\"\n");
}

#[test]
fn what_is_no_folder_has_no_name_or_is_there_already_is_refused() {
    let desk = Desk::bare();
    let hive = code(&desk, "hive");
    code(&desk, "other/hive");
    code(&desk, "with space");
    fs::write(desk.folder().join("a file"), "").unwrap();
    symlink(&hive, desk.folder().join("linked")).unwrap();
    repo(&desk, &["add", "code/hive"]).done();
    let before = fs::read_to_string(file(&desk)).unwrap();
    for (args, status, error, hint) in [
        (vec!["add", "nowhere"], 3, "there is no folder `nowhere`", ""),
        (vec!["add", "a file"], 2, "is not a folder", ""),
        (vec!["add", "code/with space"], 2, "`with space` is not a valid repository name", "--name"),
        (vec!["add", "code/other", "--name", "../x"], 2, "is not a valid repository name", "--name"),
        (vec!["add", "code/other", "--name", ""], 2, "is not a valid repository name", "--name"),
        (vec!["add", "code/other/hive"], 4, "a repository `hive` already exists", "--name"),
        (vec!["add", "code/other", "--name", "Hive"], 4, "a repository `hive` already exists", "--name"),
        (vec!["add", "code/hive", "--name", "again"], 4, "already exists, as `hive`", ""),
        (vec!["add", "linked", "--name", "again"], 4, "already exists, as `hive`", ""),
        (vec!["remove", "hvie"], 3, "there is no repository `hvie`", "did you mean `hive`?"),
        (vec!["remove", "zzz"], 3, "there is no repository `zzz`", "wellread repo list"),
    ] {
        let said = repo(&desk, &args).failed(status);
        assert!(said["error"].as_str().unwrap().contains(error), "{args:?}: {said}");
        assert!(said["hint"].as_str().unwrap_or_default().contains(hint), "{args:?}: {said}");
    }
    assert_eq!(fs::read_to_string(file(&desk)).unwrap(), before);
}

#[test]
fn the_vault_and_the_data_folder_are_no_codebases() {
    let desk = Desk::bare();
    fs::create_dir_all(desk.vault().join("project")).unwrap();
    fs::create_dir_all(desk.data().join("vaults")).unwrap();
    fs::create_dir_all(desk.data().join("models")).unwrap();
    symlink(desk.vault(), desk.folder().join("linked")).unwrap();
    for (dir, why) in [
        ("vault", "is the vault itself"),
        ("linked", "is the vault itself"),
        ("vault/project", "is inside the vault"),
        (".", "holds the vault"),
        ("data", "holds the data folder"),
        ("data/vaults", "is inside the data folder"),
        ("data/models", "is inside the data folder"),
    ] {
        let said = repo(&desk, &["add", dir]).failed(4);
        assert!(said["error"].as_str().unwrap().contains(why), "{dir}: {said}");
    }
    assert!(!file(&desk).exists());
}

#[test]
fn a_list_in_the_environment_takes_precedence_and_it_says_so() {
    let desk = Desk::bare();
    code(&desk, "hive");
    let run =
        |args: &[&str]| Ran::of(desk.here().env("WELLREAD_REPOS", "other=/other").args(["repo"]).args(args));
    let added = run(&["add", "code/hive"]);
    assert_eq!(added.status, Some(0));
    assert!(added.stderr.contains("$WELLREAD_REPOS still takes precedence"), "{added:?}");
    assert_eq!(run(&["list"]).stdout, "other  /other  (no such folder)\n");
    assert!(run(&["remove", "other"]).complains(4).contains("WELLREAD_REPOS"));
}

#[test]
fn a_settings_file_that_can_not_be_read_stays_as_it_is() {
    let desk = Desk::bare();
    code(&desk, "hive");
    for broken in ["repos = 3\n", "[vault\n", "[vault]\nnonsense = 1\n"] {
        fs::write(file(&desk), broken).unwrap();
        repo(&desk, &["add", "code/hive"]).failed(2);
        assert_eq!(fs::read_to_string(file(&desk)).unwrap(), broken);
    }
}
