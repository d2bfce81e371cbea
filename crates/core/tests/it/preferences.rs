//! save_preference, list_preferences, remove_preference.

use serde_json::json;
use wellread_testkit::World;

use crate::ask::{dry, fails, ok};

const PATH: &str = "Preferences.md";

fn listed(world: &World) -> Vec<(u64, String)> {
    let answer = ok(world, "list_preferences", json!({}));
    let results = answer["results"].as_array().unwrap();
    assert_eq!(answer["total"], results.len());
    results
        .iter()
        .map(|one| (one["line_number"].as_u64().unwrap(), one["preference"].as_str().unwrap().to_owned()))
        .collect()
}

fn texts(world: &World) -> Vec<String> {
    listed(world).into_iter().map(|(_, text)| text).collect()
}

#[test]
fn a_preference_is_a_bullet_in_a_note_that_is_made_where_missing() {
    let world = World::new("-- A.md\n");
    assert_eq!(listed(&world), []);
    let answer = ok(&world, "save_preference", json!({ "preference": "Short answers" }));
    assert_eq!((&answer["path"], &answer["message"]), (&json!(PATH), &json!("saved the preference")));
    assert_eq!(world.read_text(PATH), "# Preferences\n\n- Short answers\n");
    ok(&world, "save_preference", json!({ "preference": " - British\n  spelling " }));
    assert_eq!(world.read_text(PATH), "# Preferences\n\n- Short answers\n- British spelling\n");
    assert_eq!(listed(&world), [(1, "Short answers".to_owned()), (2, "British spelling".to_owned())]);
}

#[test]
fn a_bullet_goes_after_the_last_one_and_all_else_stays() {
    for (before, after) in [
        ("", "- new\n"),
        ("# P\n", "# P\n- new\n"),
        ("- a\n", "- a\n- new\n"),
        ("- a", "- a\n- new"),
        ("- a\r\n\r\ntext\r\n", "- a\r\n- new\r\n\r\ntext\r\n"),
        ("\u{feff}- a\n", "\u{feff}- a\n- new\n"),
        ("* a\n+ b\n\nend", "* a\n+ b\n- new\n\nend"),
        ("- a\n  more of a\n\nend\n", "- a\n  more of a\n- new\n\nend\n"),
        ("- a\n  - below a\n", "- a\n  - below a\n- new\n"),
        ("- a\nlazy line of a\n", "- a\nlazy line of a\n- new\n"),
        ("- a\n\n  second paragraph of a\n", "- a\n\n  second paragraph of a\n- new\n"),
        ("- a\n# H\n", "- a\n- new\n# H\n"),
    ] {
        let world = World::with_files([(PATH, before.as_bytes())]);
        ok(&world, "save_preference", json!({ "preference": "new" }));
        assert_eq!(world.read_text(PATH), after);
        assert_eq!(texts(&world).last().map(String::as_str), Some("new"), "{after:?}");
        let number = listed(&world).len();
        ok(&world, "remove_preference", json!({ "line_number": number }));
        assert_eq!(world.read_text(PATH), before, "taking it away again");
    }
}

#[test]
fn bullets_in_code_and_frontmatter_are_no_preferences() {
    let world = World::new(
        "-- Preferences.md\n---\nlist:\n- front\n---\n- a\n\n```\n- code\n```\n\n%%\n- comment\n%%\n\n* b\n  - nested\n-\n+ c\n",
    );
    let found = texts(&world);
    assert_eq!(found, ["a", "b - nested", "c"]);
}

#[test]
fn a_preference_is_removed_by_its_number_with_all_its_lines() {
    for (before, number, after) in [
        ("- a\n- b\n- c\n", 2, "- a\n- c\n"),
        ("- a\n- b", 2, "- a"),
        ("- a\n- b", 1, "- b"),
        ("- a", 1, ""),
        ("- a\n  more\n- b\n", 1, "- b\n"),
        ("- a\n  - deep\n    deeper\n- b\n", 1, "- b\n"),
        ("# P\r\n\r\n- a\r\n- b\r\n\r\nend", 2, "# P\r\n\r\n- a\r\n\r\nend"),
        ("\u{feff}- a\n- b\n", 1, "\u{feff}- b\n"),
        ("```\n- code\n```\n- a\n", 1, "```\n- code\n```\n"),
    ] {
        let world = World::with_files([(PATH, before.as_bytes())]);
        ok(&world, "remove_preference", json!({ "line_number": number }));
        assert_eq!(world.read_text(PATH), after, "{before:?}");
        world.vault.undo(None).unwrap();
        assert_eq!(world.read_text(PATH), before);
    }
}

#[test]
fn a_number_out_of_range_is_an_error() {
    let world = World::new("-- Preferences.md\n- a\n- b\n");
    for number in [0, 3, 99] {
        let answer = fails(&world, "remove_preference", json!({ "line_number": number }));
        assert_eq!(answer["error"], format!("there is no preference {number}"));
        assert_eq!(answer["hint"], "there are 2, numbered from 1: see list_preferences");
        assert_eq!(answer["path"], PATH);
    }
    let answer = fails(&World::new("-- A.md\n"), "remove_preference", json!({ "line_number": 1 }));
    assert_eq!(
        (&answer["error"], &answer["hint"]),
        (&json!("there is no preference 1"), &json!("there are 0, numbered from 1: see list_preferences"))
    );
}

#[test]
fn the_answer_tells_what_was_removed() {
    let world = World::new("-- Preferences.md\n- a\n- b\n");
    assert_eq!(
        ok(&world, "remove_preference", json!({ "line_number": 2 }))["message"],
        "removed the preference “b”"
    );
}

#[test]
fn an_empty_preference_is_an_error() {
    let world = World::new("-- A.md\n");
    for preference in ["", "  \n ", "- ", "-"] {
        let answer = fails(&world, "save_preference", json!({ "preference": preference }));
        assert_eq!(answer["error"], "the preference is empty", "{preference:?}");
    }
}

#[test]
fn a_preference_never_hides_those_after_it() {
    for preference in [
        "use %% for comments",
        "<!-- x",
        "``` fences",
        "# no heading",
        "> quote",
        "1. one",
        "$$ x",
        "| a |",
        "[[A]]",
    ] {
        let world = World::new("-- Preferences.md\n- a\n\n%%\nhidden\n%%\n\nend\n");
        let answer = world.call_tool("save_preference", json!({ "preference": preference }));
        if answer["success"] == true {
            ok(&world, "save_preference", json!({ "preference": "last" }));
            assert_eq!(texts(&world), ["a", preference, "last"]);
        } else {
            assert!(answer["error"].as_str().unwrap().contains("does not close"), "{answer}");
            assert_eq!(texts(&world), ["a"]);
        }
    }
}

#[test]
fn dry_runs_show_the_bullet() {
    let world = World::new("-- Preferences.md\n- a\n");
    assert_eq!(
        dry(&world, "save_preference", json!({ "preference": "b" })),
        "--- a/Preferences.md\n+++ b/Preferences.md\n@@ -1 +1,2 @@\n - a\n+- b\n"
    );
    assert_eq!(
        dry(&world, "remove_preference", json!({ "line_number": 1 })),
        "--- a/Preferences.md\n+++ b/Preferences.md\n@@ -1 +0,0 @@\n-- a\n"
    );
    assert_eq!(
        dry(&World::new("-- A.md\n"), "save_preference", json!({ "preference": "b" })),
        "--- /dev/null\n+++ b/Preferences.md\n@@ -0,0 +1,3 @@\n+# Preferences\n+\n+- b\n"
    );
}

#[test]
fn a_preferences_note_that_is_not_utf8_is_read_and_never_written() {
    let world = World::with_files([(PATH, b"- caf\xe9\n".as_slice())]);
    assert_eq!(texts(&world), ["caf\u{fffd}"]);
    for (tool, args) in [
        ("save_preference", json!({ "preference": "x" })),
        ("remove_preference", json!({ "line_number": 1 })),
    ] {
        assert_eq!(fails(&world, tool, args)["error"], "`Preferences.md` is not UTF-8 and is never written");
    }
}
