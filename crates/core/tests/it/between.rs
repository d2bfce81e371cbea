//! Somebody saves while a tool works: their words are never overwritten. Changes of our own wait for each other.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use wellread_core::domain::corpus::{Splice, VaultPath};
use wellread_core::library::vault::{ChangeOptions, EditPolicy, Vault};
use wellread_testkit::World;

use crate::ask::{fails, ok};

type Tree = BTreeMap<VaultPath, Vec<u8>>;

/// A world in which somebody does this once, right before the first change is made.
fn world_with(script: &str, act: impl Fn(&mut Tree, &dyn Fn(&str) -> VaultPath) + Send + 'static) -> World {
    let world = World::new(script);
    let mut left = 1;
    world.files.before_each_change(move |tree| {
        if left > 0 {
            left -= 1;
            act(tree, &|path| wellread_testkit::path_rules().parse_file(path).unwrap());
        }
    });
    world
}

fn saving(script: &str, path: &'static str, text: &'static str) -> World {
    world_with(script, move |tree, at| drop(tree.insert(at(path), text.as_bytes().to_vec())))
}

#[test]
fn an_edit_is_applied_to_what_the_user_saved() {
    for (tool, args, after) in [
        ("append_to_file", json!({ "path": "A", "content": "x" }), "## H\n\ntheirs\n\n## New\nx\n"),
        ("prepend_to_file", json!({ "path": "A", "content": "x" }), "x\n\n## H\n\ntheirs\n\n## New\n"),
        (
            "replace_section",
            json!({ "path": "A", "heading": "## New", "content": "x" }),
            "## H\n\ntheirs\n\nx\n",
        ),
        (
            "append_to_section",
            json!({ "path": "A", "heading": "## H", "content": "x" }),
            "## H\n\ntheirs\n\nx\n\n## New\n",
        ),
        (
            "update_frontmatter",
            json!({ "path": "A", "field": "k", "value": "x" }),
            "---\nk: x\n---\n## H\n\ntheirs\n\n## New\n",
        ),
    ] {
        // What was there when the tool looked first.
        let world = saving("-- A.md\n## H\n\nours\n\n## New\n", "A.md", "## H\n\ntheirs\n\n## New\n");
        ok(&world, tool, args);
        assert_eq!(world.read_text("A.md"), after, "{tool}");
        world.vault.undo(None).unwrap();
        assert_eq!(
            world.read_text("A.md"),
            "## H\n\ntheirs\n\n## New\n",
            "{tool}: undo gives back what the user saved"
        );
    }
}

#[test]
fn an_edit_that_no_longer_fits_what_the_user_saved_is_refused() {
    let world = saving("-- A.md\n## H\n\nours\n", "A.md", "## Other\n\ntheirs\n");
    let answer =
        world.call_tool("replace_section", json!({ "path": "A", "heading": "## H", "content": "x" }));
    assert_eq!(answer["error"], "no heading `## H`; the note has `## Other`");
    assert_eq!(world.read_text("A.md"), "## Other\n\ntheirs\n");
}

#[test]
fn a_note_that_becomes_unwritable_in_between_is_not_written() {
    let world = world_with("-- A.md\na\n", |tree, at| drop(tree.insert(at("A.md"), b"caf\xe9".to_vec())));
    let answer = world.call_tool("append_to_file", json!({ "path": "A", "content": "x" }));
    assert_eq!(answer["error"], "`A.md` is not UTF-8 and is never written");
    assert_eq!(world.read_bytes("A.md").unwrap(), b"caf\xe9");
}

#[test]
fn a_note_that_goes_away_in_between_is_not_made_again() {
    let world = world_with("-- A.md\na\n", |tree, at| drop(tree.remove(&at("A.md"))));
    let answer = world.call_tool("append_to_file", json!({ "path": "A", "content": "x" }));
    assert_eq!(answer["error"], "File not found: A.md");
    assert!(world.files.tree().is_empty());
}

#[test]
fn a_file_that_appears_in_between_is_not_overwritten() {
    for (tool, args) in [
        ("create_file", json!({ "path": "New", "content": "ours" })),
        ("move_file", json!({ "source": "A", "destination": "New" })),
    ] {
        let world = saving("-- A.md\na\n", "New.md", "theirs\n");
        let answer = world.call_tool(tool, args);
        assert_eq!(answer["error"], "a file already exists at `New.md`", "{tool}");
        assert_eq!(
            (world.read_text("New.md").as_str(), world.read_text("A.md").as_str()),
            ("theirs\n", "a\n")
        );
    }
}

#[test]
fn a_move_follows_the_links_that_the_user_saved_in_between() {
    let world = saving("-- A.md\na\n-- B.md\n[[A]]\n", "B.md", "typed [[A|more]] and [[A]]\n");
    ok(&world, "move_file", json!({ "source": "A", "destination": "C" }));
    assert_eq!(world.read_text("B.md"), "typed [[C|more]] and [[C]]\n");

    let world =
        world_with("-- A.md\na\n-- B.md\n[[A]]\n-- D.md\n[[A]]\n", |tree, at| drop(tree.remove(&at("B.md"))));
    ok(&world, "move_file", json!({ "source": "A", "destination": "C" }));
    assert_eq!((world.read_bytes("B.md"), world.read_text("D.md").as_str()), (None, "[[C]]\n"));
}

#[test]
fn the_moved_note_itself_may_be_saved_in_between() {
    let world = saving("-- A.md\n[[A]] ours\n", "A.md", "[[A]] theirs\n");
    ok(&world, "move_file", json!({ "source": "A", "destination": "C" }));
    assert_eq!(world.read_text("C.md"), "[[C]] theirs\n");
}

#[test]
fn a_user_who_saves_at_every_attempt_ends_it_with_a_clear_conflict() {
    for (tool, args) in [
        ("append_to_file", json!({ "path": "A", "content": "x" })),
        ("move_file", json!({ "source": "B", "destination": "C" })),
        ("update_frontmatter", json!({ "path": "A", "field": "k", "value": 1 })),
    ] {
        let world = World::new("-- A.md\n[[B]] 0\n-- B.md\nb\n");
        let path = world.path("A.md");
        let mut saves = 0;
        world.files.before_each_change(move |tree| {
            saves += 1;
            tree.insert(path.clone(), format!("[[B]] {saves}\n").into_bytes());
        });
        let answer = world.call_tool(tool, args);
        assert_eq!(answer["success"], false, "{tool}");
        assert_eq!(answer["error"], "`A.md` changed while it was being edited, repeatedly");
        assert_eq!(answer["path"], "A.md");
        assert!(
            answer["hint"].as_str().unwrap().starts_with("nothing was written; another program keeps saving")
        );
        assert!(
            world.read_text("A.md").starts_with("[[B]] ")
                && world.read_text("A.md").ends_with(char::is_whitespace)
        );
        assert!(world.read_bytes("C.md").is_none() && world.vault.history(9).unwrap().is_empty());
    }
}

#[test]
fn the_daily_note_and_the_preferences_may_appear_in_between() {
    let world = saving("-- A.md\na\n", "Daily Notes/2026-03-01.md", "typed\n");
    ok(&world, "log_interaction", json!({ "task_description": "T", "query": "Q", "summary": "S" }));
    assert!(world.read_text("Daily Notes/2026-03-01.md").starts_with("typed\n\n## 09:30 T\n"));

    let world = saving("-- A.md\na\n", "Preferences.md", "- first\n");
    ok(&world, "save_preference", json!({ "preference": "second" }));
    assert_eq!(world.read_text("Preferences.md"), "- first\n- second\n");
}

#[test]
fn a_preference_is_removed_by_what_the_list_is_now() {
    let world = saving("-- Preferences.md\n- one\n- two\n", "Preferences.md", "- zero\n- one\n- two\n");
    let answer = ok(&world, "remove_preference", json!({ "line_number": 2 }));
    // The number is all that was given; the answer says what went.
    assert_eq!(answer["message"], "removed the preference “one”");
    assert_eq!(world.read_text("Preferences.md"), "- zero\n- two\n");
}

#[test]
fn a_failure_before_anything_was_tried_names_the_note() {
    let world = World::with_files([("A.md", b"caf\xe9 ## H\n".as_slice())]);
    for (tool, args) in writing_calls("A") {
        let answer = fails(&world, tool, args);
        assert_eq!(answer["path"], "A.md", "{tool}");
        assert_eq!(answer["error"], "`A.md` is not UTF-8 and is never written", "{tool}");
    }
}

/// A call for each tool that writes into the note at this path.
pub fn writing_calls(path: &str) -> Vec<(&'static str, Value)> {
    vec![
        ("append_to_file", json!({ "path": path, "content": "x" })),
        ("prepend_to_file", json!({ "path": path, "content": "x" })),
        ("replace_section", json!({ "path": path, "heading": "# Alpha", "content": "x" })),
        ("append_to_section", json!({ "path": path, "heading": "# Alpha", "content": "x" })),
        ("edit_file", json!({ "path": path, "position": "append", "content": "x" })),
        ("edit_file", json!({ "path": path, "position": "prepend", "content": "x" })),
        (
            "edit_file",
            json!({ "path": path, "position": "section", "mode": "append", "heading": "# Alpha", "content": "x" }),
        ),
        ("update_frontmatter", json!({ "path": path, "field": "k", "value": "x" })),
        ("update_frontmatter", json!({ "path": path, "field": "tags", "value": "x", "operation": "append" })),
        ("update_frontmatter", json!({ "path": path, "field": "tags", "operation": "remove" })),
    ]
}

#[test]
fn changes_of_one_process_wait_for_each_other_through_whatever_view() {
    const EDITS: usize = 12;
    let world = World::new("-- A.md\n0\n");
    let plans = AtomicUsize::new(0);
    thread::scope(|scope| {
        for number in 0..EDITS {
            let edits = EditPolicy { group: Some(number.to_string()), ..EditPolicy::default() };
            let view = Vault { edits, ..(*world.vault).clone() };
            let (world, plans) = (&world, &plans);
            scope.spawn(move || {
                view.edit(ChangeOptions::new("append_to_file", false), &world.path("A.md"), |note| {
                    plans.fetch_add(1, Ordering::Relaxed);
                    // Time enough for all others to plan, too.
                    thread::sleep(Duration::from_millis(20));
                    let end = note.text.len();
                    Ok(vec![Splice { span: end..end, text: "line\n".to_owned() }])
                })
                .unwrap();
            });
        }
    });
    assert_eq!(plans.into_inner(), EDITS, "none of them had to be planned twice");
    assert_eq!(world.read_text("A.md"), format!("0\n{}", "line\n".repeat(EDITS)));
}
