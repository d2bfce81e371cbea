//! `wellread demo`: the first thing that a new user types.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::desk::{BINARY, Desk, Ran, borne_out};

/// Nothing in the environment but where temporary files go: no HOME, no PATH.
fn demo(desk: &Desk) -> Command {
    let temporary = desk.folder().join("tmp");
    fs::create_dir_all(&temporary).unwrap();
    let mut command = Command::new(BINARY);
    command.env_clear().env("TMPDIR", temporary).current_dir(desk.vault()).arg("demo");
    command
}

#[test]
fn the_demo_works_in_an_empty_environment_and_shows_real_output() {
    let desk = Desk::bare();
    let ran = Ran::of(&mut demo(&desk));
    assert_eq!((ran.status, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
    for shown in [
        "The example vault is in ",
        "$ wellread note 'Bees/Varroa mite' --apply",
        "## Research",
        "$ wellread verify 'Bees/Varroa mite'",
        "  quoted ",
        "Nothing left this machine.",
        "$ wellread ask 'What is the treatment threshold",
        "Source: ",
        "$ wellread undo",
        "undid research_note: Bees/Varroa mite.md is restored byte for byte",
        "Try next:",
    ] {
        assert!(ran.stdout.contains(shown), "{shown:?} is not in\n{}", ran.stdout);
    }
    for unsupported in ["contradicted ", "unknown ", "uncited ", "Not supported by the evidence"] {
        assert!(!ran.stdout.contains(unsupported), "{unsupported:?} is in\n{}", ran.stdout);
    }
    Ran::of(
        Command::new(BINARY)
            .env_clear()
            .args(["demo", "--offline", "-q"])
            .current_dir(desk.vault())
            .env("TMPDIR", desk.folder().join("tmp")),
    );
}

#[test]
fn the_demo_leaves_its_own_folder_and_nothing_else() {
    let desk = Desk::bare();
    let ran = Ran::of(demo(&desk).env("HOME", desk.home()).arg("--json")).done();
    let made: Vec<PathBuf> =
        fs::read_dir(desk.folder().join("tmp")).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(made, [PathBuf::from(ran["folder"].as_str().unwrap())]);
    assert_eq!(desk.tree().len(), 0);
    assert_eq!(fs::read_dir(desk.home()).unwrap().count(), 0);
    for part in ["vault/Home.md", "code/hivelog/README.md", "data"] {
        assert!(made[0].join(part).exists(), "{part}");
    }
}

#[test]
fn the_demo_as_json_holds_every_call_and_its_answer() {
    let desk = Desk::bare();
    let answer = Ran::of(demo(&desk).arg("--json")).done();
    let calls = answer["calls"].as_array().unwrap();
    let names: Vec<&str> = calls.iter().filter_map(|call| call["tool"].as_str()).collect();
    assert_eq!(names, ["research_note", "research", "research"]);
    let verified = calls.iter().find_map(|call| call.get("verified")).unwrap();
    let coverage = &verified["coverage"];
    assert!(coverage["sentences"].as_u64().unwrap() >= 5, "{coverage}");
    assert_eq!(borne_out(coverage), coverage["sentences"]);
    for call in calls.iter().filter(|call| call["tool"] == "research") {
        assert_eq!(call["answer"]["kind"], "answer", "{call:#}");
    }
}

/// What the demo says to try next is true.
#[test]
fn the_demos_advice_can_be_followed() {
    let desk = Desk::bare();
    let ran = Ran::of(&mut demo(&desk));
    let exports = ran.stdout.lines().find_map(|line| line.trim().strip_prefix("export ")).unwrap();
    let next = |args: &[&str]| {
        let mut command = desk.command();
        for export in exports.split(' ') {
            let (name, value) = export.split_once('=').unwrap();
            command.env(name, value);
        }
        Ran::of(command.args(args))
    };
    let listed = next(&["undo", "--list", "--json"]).done();
    assert_eq!(listed["operations"].as_array().unwrap().len(), 2);
    assert_eq!(next(&["doctor", "--json"]).done()["healthy"], true);
    let difference = next(&["note", "Bees/Winter losses", "--dry-run"]);
    assert!(difference.stdout.contains("+## Research"), "{difference:?}");
    let answer = next(&["ask", "why do colonies die in winter", "--json"]).done();
    assert_eq!(answer["kind"], "answer", "{answer:#}");
    let undone: Value =
        next(&["undo", listed["operations"][0]["operation"].as_str().unwrap(), "--json"]).done();
    assert_eq!(undone["undone"][0]["label"], "undo");
}

#[test]
fn the_users_own_settings_do_not_touch_the_demo() {
    let desk = Desk::bare();
    fs::write(desk.folder().join("broken.toml"), "[vault\n").unwrap();
    let mut command = demo(&desk);
    command.env("WELLREAD_CONFIG", desk.folder().join("broken.toml")).env("VAULT_PATH", desk.vault());
    command.env("WELLREAD_VAULT_EXCLUDED", "Bees").env("RUST_LOG", "nonsense");
    Ran::of(command.arg("--json")).done();
    assert_eq!(desk.tree().len(), 0);
}

#[test]
fn a_place_that_can_not_be_written_is_named() {
    let desk = Desk::bare();
    let ran = Ran::of(demo(&desk).env("TMPDIR", desk.folder().join("nowhere")));
    assert!(ran.complains(1).contains("nowhere"), "{ran:?}");
}
