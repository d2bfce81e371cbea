//! Undo before it is made, and for those who may not see or decide everything: previews of groups, the user's decisions,
//! deletions, canvases, and views without private notes.

use std::sync::Arc;

use serde_json::{Value, json};
use wellread_core::agendas::inbox;
use wellread_core::domain::corpus::{Splice, VaultPath};
use wellread_core::domain::untrusted::Origin;
use wellread_core::faces::tools::{catalog, find_tool};
use wellread_core::library::vault::{ChangeOptions, EditPolicy, Vault};
use wellread_core::ports::Message;
use wellread_core::{Error, ErrorKind, Result};
use wellread_testkit::agenda_fixtures::USER;
use wellread_testkit::chat_world::block_on;
use wellread_testkit::scripted_model::{calls, says};
use wellread_testkit::{ChatWorld, ScriptedModel, World};

use crate::ask::{fails, ok};

const RUN: &str = "a run";

/// Appends a line to a note, as a run does whose changes are undone together.
fn append_in_run(world: &World, path: &str, line: &str) {
    let how = ChangeOptions { label: "append_to_file", group: Some(RUN), dry_run: false };
    let append = |end: usize| vec![Splice { span: end..end, text: format!("{line}\n") }];
    world.vault.edit(how, &world.path(path), |note| Ok(append(note.text.len()))).unwrap();
}

fn create(world: &World, label: &str, path: &str, text: &str) {
    world.vault.create(ChangeOptions::new(label, false), &world.path(path), text).unwrap();
}

fn names(paths: &[VaultPath]) -> Vec<&str> {
    paths.iter().map(VaultPath::as_str).collect()
}

/// What the tool answers a model that calls it by itself.
fn undo_by_model(world: &World, arguments: Value) -> Result<Value> {
    let tools = catalog();
    let ctx = world.ctx();
    block_on(find_tool(&tools, "undo").unwrap().call(&ctx, arguments)).map(|answer| answer.fields)
}

#[track_caller]
fn assert_refused(answer: Result<Value>) {
    let error: Error = answer.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused, "{error:?}");
    assert!(error.hint_text().unwrap().starts_with("nothing was undone"), "{error:?}");
}

#[test]
fn a_preview_shows_every_edit_of_a_group_though_they_are_of_one_note() {
    let world = World::new("-- A.md\n0\n-- B.md\n0\n");
    append_in_run(&world, "A.md", "1");
    append_in_run(&world, "A.md", "2");
    ok(&world, "append_to_file", json!({ "path": "B", "content": "other" }));
    let (before, operations) = (world.files.tree(), world.vault.history(9).unwrap().len());
    let previewed = world.vault.preview_undo(Some(RUN)).unwrap();
    let removed: Vec<(bool, bool)> =
        previewed.iter().map(|one| (one.diff.contains("\n-1\n"), one.diff.contains("\n-2\n"))).collect();
    assert_eq!(removed, [(false, true), (true, false)], "{previewed:?}");
    let shown = ok(&world, "undo", json!({ "operation": RUN, "dry_run": true }));
    let diff = shown["diff"].as_str().unwrap();
    assert!(diff.contains("\n-1\n") && diff.contains("\n-2\n"), "{diff}");
    assert_eq!((world.files.tree(), world.vault.history(9).unwrap().len()), (before, operations));
    ok(&world, "undo", json!({ "operation": RUN }));
    assert_eq!((world.read_text("A.md").as_str(), world.read_text("B.md").as_str()), ("0\n", "0\nother\n"));
}

#[test]
fn a_preview_follows_a_note_that_the_group_created_edited_and_deleted() {
    let world = World::new("-- B.md\nSee [[A]].\n");
    let run = Vault {
        edits: EditPolicy { group: Some(RUN.to_owned()), origin: Origin::User },
        ..(*world.vault).clone()
    };
    let before = world.files.tree();
    run.create(ChangeOptions::new("create_file", false), &world.path("A.md"), "0\n").unwrap();
    append_in_run(&world, "A.md", "1");
    run.trash(ChangeOptions::new("delete_file", false), &world.path("A.md")).unwrap();
    let previewed = world.vault.preview_undo(None).unwrap();
    let labels: Vec<&str> = previewed.iter().map(|one| one.label.as_str()).collect();
    assert_eq!(labels, ["delete_file", "append_to_file", "create_file"]);
    assert!(
        previewed.iter().all(|one| !one.diff.is_empty() && names(&one.paths) == ["A.md"]),
        "{previewed:?}"
    );
    assert_eq!(world.vault.undo_previewed(&previewed).unwrap().len(), 3);
    assert_eq!(world.files.tree(), before);
}

#[test]
fn a_group_of_which_one_edit_cannot_be_undone_is_neither_shown_nor_undone() {
    for (later, text) in [("A.md", "typed\n"), ("New.md", "typed, too\n")] {
        let world = World::new("-- A.md\n0\n-- B.md\n0\n");
        let how = ChangeOptions { label: "create_file", group: Some(RUN), dry_run: false };
        world.vault.create(how, &world.path("New.md"), "new\n").unwrap();
        append_in_run(&world, "A.md", "1");
        append_in_run(&world, "B.md", "1");
        world.save(later, text);
        let error = world.vault.preview_undo(None).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Conflict, "{error:?}");
        assert_eq!(error.details()["path"], later);
        fails(&world, "undo", json!({ "dry_run": true }));
        fails(&world, "undo", json!({}));
    }
}

#[test]
fn a_preview_for_a_run_with_text_from_outside_refuses_instructions_anywhere_in_the_group() {
    let world = World::new("-- AGENTS.md\n0\n-- A.md\n0\n");
    append_in_run(&world, "AGENTS.md", "1");
    append_in_run(&world, "A.md", "1");
    let edits = EditPolicy { group: None, origin: Origin::Outside };
    let outside = Vault { edits, ..(*world.vault).clone() };
    for vault in [outside.clone(), outside.without_private()] {
        let error = vault.preview_undo(None).unwrap_err();
        assert_eq!((error.kind(), &error.details()["path"]), (ErrorKind::Refused, &json!("AGENTS.md")));
    }
    assert_eq!(world.vault.preview_undo(None).unwrap().len(), 2);
}

#[test]
fn a_preview_in_a_view_without_private_notes_shows_none_of_them() {
    let world = World::new("-- A.md\n0\n-- P/Diary.md\nDear [[A]], secret.\n").with_private_folders(&["P"]);
    let request = json!({ "path": "A", "destination": "Moved" });
    ok(&world, "move_file", request);
    let previewed = world.vault.without_private().preview_undo(None).unwrap();
    assert!(previewed[0].diff.contains("rename to A.md"), "{previewed:?}");
    assert!(!format!("{previewed:?}").contains("Diary") && !previewed[0].diff.contains("secret"));
    assert!(world.vault.preview_undo(None).unwrap()[0].diff.contains("secret"));
}

#[test]
fn what_was_previewed_is_undone_and_not_what_came_since() {
    let world = World::new("-- A.md\n0\n-- B.md\n0\n");
    ok(&world, "append_to_file", json!({ "path": "A", "content": "1" }));
    let previewed = world.vault.preview_undo(None).unwrap();
    ok(&world, "append_to_file", json!({ "path": "B", "content": "later" }));
    let undone = world.vault.undo_previewed(&previewed).unwrap();
    assert_eq!((undone.len(), undone[0].undid), (1, previewed[0].undid));
    assert_eq!((world.read_text("A.md").as_str(), world.read_text("B.md").as_str()), ("0\n", "0\nlater\n"));
    let error = world.vault.undo_previewed(&previewed).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
    assert!(error.message().ends_with("was already undone"), "{error}");
}

/// An undo is journaled as such, so an acceptance is recognized by the operation at its root.
#[test]
fn only_the_user_undoes_an_acceptance_and_only_the_user_restores_it() {
    let world = World::new("-- A.md\n0\n");
    create(&world, inbox::LABEL, "Inbox/Wax.md", "wax\n");
    let accepted = world.vault.history(1).unwrap()[0].operation.to_string();
    assert_refused(undo_by_model(&world, json!({})));
    assert_refused(undo_by_model(&world, json!({ "operation": accepted, "dry_run": true })));
    let mut last = world.vault.undo(None).unwrap()[0].operation.to_string();
    for _ in 0..2 {
        let before = world.files.tree();
        assert_refused(undo_by_model(&world, json!({ "operation": last })));
        assert_eq!(world.files.tree(), before);
        // The user may.
        let tools = catalog();
        let ctx = world.ctx().with_decision(USER);
        let tool = find_tool(&tools, "undo").unwrap();
        let answer = block_on(tool.call(&ctx, json!({ "operation": last }))).unwrap().fields;
        assert_ne!(world.files.tree(), before);
        last = answer["undone"][0]["operation"].as_str().unwrap().to_owned();
    }
    // Other edits are a model's to undo and to restore.
    ok(&world, "append_to_file", json!({ "path": "A", "content": "1" }));
    let edit = world.vault.history(1).unwrap()[0].operation.to_string();
    let undone = undo_by_model(&world, json!({ "operation": edit })).unwrap();
    undo_by_model(&world, json!({ "operation": undone["undone"][0]["operation"] })).unwrap();
    assert_eq!(world.read_text("A.md"), "0\n1\n");
}

#[test]
fn a_canvas_that_is_gone_is_judged_by_the_tags_of_its_cards() {
    let world = World::new("-- A.md\n0\n");
    for (path, text) in [
        ("Secret.canvas", r##"{"nodes":[{"type":"text","text":"#private salary"}]}"##),
        ("Broken.canvas", r#"{"nodes":["#),
        ("Open.canvas", r##"{"nodes":[{"type":"text","text":"#garden"}]}"##),
    ] {
        create(&world, "create_file", path, text);
        world.vault.undo(None).unwrap();
    }
    let seen = world.vault.without_private().history(9).unwrap();
    let seen: Vec<(&str, Vec<&str>)> =
        seen.iter().map(|entry| (entry.label.as_str(), names(&entry.paths))).collect();
    assert_eq!(seen, [("undo", vec!["Open.canvas"])]);
    assert_eq!(world.vault.history(9).unwrap().len(), 6);
}

#[test]
fn a_deletion_is_named_by_the_place_that_it_is_restored_to() {
    let world = World::new("-- x/B.md\n0\n");
    ok(&world, "delete_file", json!({ "path": "x/B" }));
    for vault in [(*world.vault).clone(), world.vault.without_private()] {
        assert_eq!(names(&vault.history(1).unwrap()[0].paths), ["x/B.md"]);
        assert_eq!(names(&vault.preview_undo(None).unwrap()[0].paths), ["x/B.md"]);
    }
    let undone = ok(&world, "undo", json!({}));
    assert_eq!(undone["undone"][0]["paths"], json!(["x/B.md"]));
    // Undoing that deletes it again, and it is named as before.
    let again = ok(&world, "undo", json!({ "operation": undone["undone"][0]["operation"] }));
    assert_eq!((&again["undone"][0]["paths"], world.read_bytes("x/B.md")), (&json!(["x/B.md"]), None));
    assert_eq!(names(&world.vault.history(1).unwrap()[0].paths), ["x/B.md"]);
}

#[test]
fn a_move_that_was_undone_is_named_by_where_its_file_is() {
    let world = World::new("-- A.md\n0\n");
    ok(&world, "move_file", json!({ "source": "A", "destination": "C" }));
    assert_eq!(names(&world.vault.history(1).unwrap()[0].paths), ["C.md"]);
    assert_eq!(ok(&world, "undo", json!({}))["undone"][0]["paths"], json!(["A.md"]));
}

#[test]
fn a_conversation_elsewhere_goes_on_after_a_deletion_was_listed_or_undone() {
    for (tool, arguments) in
        [("list_edits", json!({})), ("undo", json!({ "dry_run": true })), ("undo", json!({}))]
    {
        let talking = ChatWorld::without_index(World::new("-- B.md\n0\n-- C.md\n0\n"));
        ok(&talking.world, "delete_file", json!({ "path": "B" }));
        let mut model =
            ScriptedModel::new([calls(&[(tool, arguments.clone())]), says("Done."), says("Still here.")]);
        model.identity.is_local = false;
        let model = Arc::new(model);
        let first = talking.say(&model, "Go").unwrap();
        let Some(Message::Tool { text, .. }) = model.requests()[1].messages.last().cloned() else {
            panic!("no answer")
        };
        assert!(text.contains("B.md") && !text.contains(".trash/B.md\"]"), "{tool} {arguments}: {text}");
        assert!(!talking.session().private, "{tool} {arguments}");
        let second = talking.say(&model, "And now?").unwrap();
        assert_eq!(first.session_id, second.session_id, "{tool} {arguments}");
    }
}

#[test]
fn an_operation_is_hidden_by_what_its_note_was_and_by_what_it_is_now() {
    const MARKED: &str = "---\nprivate: true\n---\n0\n";
    let append = |path| ("append_to_file", json!({ "path": path, "content": "1" }));
    let rename = |from, to| ("move_file", json!({ "source": from, "destination": to }));
    let create = || ("create_file", json!({ "path": "New", "content": "1" }));
    for ((tool, arguments), later, is_seen) in [
        (append("Open"), None, true),
        (append("Open"), Some(("Open.md", MARKED)), false),
        (append("Marked"), Some(("Marked.md", "0\n")), false),
        (create(), None, true),
        (create(), Some(("New.md", MARKED)), false),
        (rename("Open", "New"), None, true),
        (rename("Marked", "New"), None, false),
        (rename("P/Diary", "New"), None, false),
    ] {
        let script = format!("-- Open.md\n0\n-- P/Diary.md\n0\n-- Marked.md\n{MARKED}");
        let world = World::new(&script).with_private_folders(&["P"]);
        ok(&world, tool, arguments.clone());
        if let Some((path, text)) = later {
            world.save(path, text);
        }
        let view = world.vault.without_private();
        assert_eq!(view.history(9).unwrap().len(), usize::from(is_seen), "{tool} {arguments} {later:?}");
        assert_eq!(world.vault.history(9).unwrap().len(), 1);
    }
}

#[test]
fn a_private_note_that_is_gone_since_a_move_is_not_named() {
    let world = World::new("-- A.md\n0\n-- P/Diary.md\nDear [[A]].\n").with_private_folders(&["P"]);
    ok(&world, "move_file", json!({ "path": "A", "destination": "Moved" }));
    world.files.remove(&world.path("P/Diary.md"));
    assert!(format!("{:?}", world.vault.undo(None).unwrap_err()).contains("Diary"));
    let view = world.vault.without_private();
    for error in [view.undo(None).unwrap_err(), view.preview_undo(None).unwrap_err()] {
        assert_eq!(error.kind(), ErrorKind::Conflict);
        assert!(!format!("{error:?}").contains("Diary"), "{error:?}");
    }
}

/// The undo of an edit that marked a note is itself hidden, since it removed a private text.
#[test]
fn what_was_undone_counts_as_undone_though_the_undo_is_hidden() {
    let world = World::new("-- A.md\n0\n");
    ok(&world, "update_frontmatter", json!({ "path": "A", "field": "private", "value": true }));
    world.vault.undo(None).unwrap();
    let public = world.vault.without_private();
    let seen = public.history(9).unwrap();
    assert_eq!((seen.len(), seen[0].undone), (1, true), "{seen:?}");
    for error in [public.undo(None).unwrap_err(), public.preview_undo(None).unwrap_err()] {
        assert_eq!((error.kind(), error.message()), (ErrorKind::NotFound, "there is nothing to undo"));
    }
    let error = public.undo(Some(&seen[0].operation.to_string())).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
}
