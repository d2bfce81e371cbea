//! Undo: the exact bytes, unless somebody has worked on them since.

use serde_json::json;
use wellread_core::ErrorKind;
use wellread_core::domain::corpus::VaultPath;
use wellread_testkit::World;

use crate::ask::{fails, ok};
use crate::catalog::{EDITS, examples, world};

#[test]
fn what_any_tool_wrote_is_undone_to_the_byte_and_an_undo_is_undone_too() {
    for (tool, args) in examples().into_iter().filter(|(tool, _)| *tool != "undo") {
        let world = world();
        let before = world.files.tree();
        ok(&world, tool, args);
        let after = world.files.tree();
        if after == before {
            continue;
        }
        let undone = world.vault.undo(None).unwrap();
        assert_eq!(undone.len(), 1, "{tool}");
        assert_eq!((undone[0].label.as_str(), &world.files.tree()), (tool, &before));
        let redone = world.vault.undo(Some(&undone[0].operation.to_string())).unwrap();
        assert_eq!(world.files.tree(), after, "{tool}: undo of undo brings the edit back");
        world.vault.undo(Some(&redone[0].operation.to_string())).unwrap();
        assert_eq!(world.files.tree(), before, "{tool}: and so on");
    }
}

#[test]
fn undo_walks_back_one_operation_at_a_time() {
    let world = World::new("-- A.md\n0\n");
    for n in 1..=3 {
        ok(&world, "append_to_file", json!({ "path": "A", "content": n.to_string() }));
    }
    for text in ["0\n1\n2\n", "0\n1\n", "0\n"] {
        world.vault.undo(None).unwrap();
        assert_eq!(world.read_text("A.md"), text);
    }
    let error = world.vault.undo(None).unwrap_err();
    assert_eq!((error.kind(), error.message()), (ErrorKind::NotFound, "there is nothing to undo"));
}

#[test]
fn an_edit_that_was_brought_back_can_be_undone_again() {
    let world = World::new("-- A.md\n0\n");
    ok(&world, "append_to_file", json!({ "path": "A", "content": "1" }));
    let undone = world.vault.undo(None).unwrap();
    world.vault.undo(Some(&undone[0].operation.to_string())).unwrap();
    assert_eq!(world.read_text("A.md"), "0\n1\n");
    let again = world.vault.undo(None).unwrap();
    assert_eq!((again[0].undid, world.read_text("A.md").as_str()), (undone[0].undid, "0\n"));
}

#[test]
fn undo_twice_is_refused() {
    let world = World::new("-- A.md\n0\n");
    let answer = ok(&world, "append_to_file", json!({ "path": "A", "content": "1" }));
    let id = answer["operation"].as_str().unwrap();
    world.vault.undo(Some(id)).unwrap();
    let error = world.vault.undo(Some(id)).unwrap_err();
    assert_eq!(
        (error.kind(), error.message()),
        (ErrorKind::Conflict, format!("operation `{id}` was already undone").as_str())
    );
    assert_eq!(world.read_text("A.md"), "0\n");
}

#[test]
fn undo_refuses_after_a_later_change_and_changes_nothing() {
    for (tool, args) in examples().into_iter().filter(|(tool, _)| *tool != "undo") {
        let world = world();
        let before = world.files.tree();
        ok(&world, tool, args);
        let Some(entry) = world.vault.history(1).unwrap().pop().filter(|entry| entry.label == tool) else {
            continue;
        };
        // A move leaves the file's own text alone, so that a later edit of it is no reason to refuse.
        if tool == "delete_file" {
            continue;
        }
        let path = entry.paths[0].as_str();
        world.save(path, &format!("{}typed later\n", world.read_text(path)));
        let later = world.files.tree();
        assert_ne!(later, before);
        let error = world.vault.undo(None).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Conflict, "{tool}: {error}");
        assert_eq!(error.message(), format!("`{path}` was changed after `{tool}` wrote it"));
        assert_eq!(error.details()["path"], path);
        assert!(error.hint_text().unwrap().starts_with("nothing was undone"), "{tool}");
        assert_eq!(world.files.tree(), later, "{tool}");
        assert_eq!(world.vault.history(9).unwrap().len(), EDITS + 1, "{tool}");
    }
}

#[test]
fn undo_refuses_where_somebody_saves_at_that_very_moment() {
    let world = World::new("-- A.md\n0\n");
    ok(&world, "append_to_file", json!({ "path": "A", "content": "1" }));
    let path = world.path("A.md");
    world.files.before_each_change(move |tree| drop(tree.insert(path.clone(), b"typed\n".to_vec())));
    let error = world.vault.undo(None).unwrap_err();
    assert_eq!(error.message(), "`A.md` was changed after `append_to_file` wrote it");
    assert_eq!(world.read_text("A.md"), "typed\n");
}

#[test]
fn undo_of_what_is_gone_says_so() {
    for (tool, args, gone) in [
        ("append_to_file", json!({ "path": "A", "content": "1" }), "A.md"),
        ("create_file", json!({ "path": "B" }), "B.md"),
        ("move_file", json!({ "source": "A", "destination": "B" }), "B.md"),
    ] {
        let world = World::new("-- A.md\n0\n");
        ok(&world, tool, args);
        let path = world.path(gone);
        let mut first = true;
        // The user takes it away: through the back door, since the world has no other.
        world.files.before_each_change(move |tree| {
            if std::mem::take(&mut first) {
                drop(tree.remove(&path));
            }
        });
        let _ = world.call_tool("create_file", json!({ "path": "unrelated" }));
        let before = world.files.tree();
        let id = world.vault.history(9).unwrap()[1].operation.to_string();
        let error = world.vault.undo(Some(&id)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Conflict, "{tool}: {error}");
        assert_eq!(
            error.message(),
            format!("File not found: {gone}: it was moved or deleted after `{tool}`")
        );
        assert_eq!(error.hint_text(), Some("nothing was undone; put the file back first"));
        assert_eq!(world.files.tree(), before);
    }
}

#[test]
fn a_move_is_undone_though_the_moved_note_was_worked_on() {
    let world = World::new("-- A.md\na\n-- B.md\n[[A]]\n");
    ok(&world, "move_file", json!({ "source": "A", "destination": "x/C" }));
    world.save("x/C.md", "a, and more\n");
    world.vault.undo(None).unwrap();
    assert_eq!(
        (world.read_text("A.md").as_str(), world.read_text("B.md").as_str()),
        ("a, and more\n", "[[A]]\n")
    );
}

#[test]
fn a_move_is_not_undone_onto_another_file() {
    let world = World::new("-- A.md\na\n");
    ok(&world, "move_file", json!({ "source": "A", "destination": "C" }));
    world.save("A.md", "another\n");
    let before = world.files.tree();
    assert_eq!(world.vault.undo(None).unwrap_err().kind(), ErrorKind::Conflict);
    assert_eq!(world.files.tree(), before);
}

#[test]
fn a_deletion_is_undone_by_bringing_the_file_back() {
    let world = World::with_files([("x/A.md", b"caf\xe9".as_slice())]);
    ok(&world, "delete_file", json!({ "path": "x/A" }));
    assert!(world.read_bytes("x/A.md").is_none());
    world.vault.undo(None).unwrap();
    assert_eq!(world.read_bytes("x/A.md").unwrap(), b"caf\xe9");
    assert_eq!(world.files.tree().len(), 1);
}

#[test]
fn a_group_is_undone_together_newest_first() {
    let world = World::new("-- A.md\na\n-- B.md\nb\n-- C.md\nc\n");
    let before = world.files.tree();
    let args = json!({ "paths": ["A", "B", "A"], "field": "k", "value": ["x"], "operation": "append" });
    ok(&world, "batch_update_frontmatter", args);
    ok(&world, "append_to_file", json!({ "path": "C", "content": "later" }));
    assert_eq!(world.vault.undo(None).unwrap().len(), 1, "the last operation is no part of the batch");
    assert_eq!(world.vault.undo(None).unwrap().len(), 2);
    assert_eq!(world.files.tree(), before);
    assert!(world.vault.history(9).unwrap().iter().all(|entry| entry.undone || entry.undoes.is_some()));
}

#[test]
fn a_group_that_was_undone_in_part_tells_what_was_undone() {
    let world = World::new("-- A.md\na\n-- B.md\nb\n-- C.md\nc\n");
    let answer =
        ok(&world, "batch_update_frontmatter", json!({ "paths": ["A", "B", "C"], "field": "k", "value": 1 }));
    world.save("B.md", "typed\n");
    let error = world.vault.undo(None).unwrap_err();
    assert_eq!(error.message(), "`B.md` was changed after `batch_update_frontmatter` wrote it");
    assert_eq!(error.details()["undone"], json!([answer["succeeded"][2]["operation"]]));
    let hint = error.hint_text().unwrap();
    assert!(!hint.contains("nothing was undone") && hint.contains("1 of 3"), "{hint}");
    assert_eq!((world.read_text("B.md").as_str(), world.read_text("C.md").as_str()), ("typed\n", "c\n"));
    // What is left of the group can still be named on its own.
    world.vault.undo(answer["succeeded"][0]["operation"].as_str()).unwrap();
    assert_eq!(world.read_text("A.md"), "a\n");
}

#[test]
fn an_operation_is_named_by_the_beginning_or_the_end_of_its_id() {
    for part in [0..6, 0..13, 0..36, 30..36, 24..36] {
        let world = World::new("-- A.md\n0\n");
        let answer = ok(&world, "append_to_file", json!({ "path": "A", "content": "1" }));
        let id = answer["operation"].as_str().unwrap();
        let undone = world.vault.undo(Some(&id[part].to_uppercase())).unwrap();
        assert_eq!((undone[0].undid.to_string().as_str(), world.read_text("A.md").as_str()), (id, "0\n"));
    }
}

#[test]
fn a_beginning_that_is_too_short_or_fits_none_or_several_is_an_error() {
    let world = World::new("-- A.md\n0\n");
    ok(&world, "append_to_file", json!({ "path": "A", "content": "1" }));
    let answer = ok(&world, "append_to_file", json!({ "path": "A", "content": "2" }));
    let id = answer["operation"].as_str().unwrap();
    for which in ["", "0", &id[..5], "zzzzzzzz", "ffffffff-ffff"] {
        let error = world.vault.undo(Some(which)).unwrap_err();
        let message = format!("no operation `{which}` in the journal");
        assert_eq!((error.kind(), error.message()), (ErrorKind::NotFound, message.as_str()));
    }
    // Ids begin with the time, and both were made just now.
    let error = world.vault.undo(Some(&id[..6])).unwrap_err();
    assert_eq!(error.message(), format!("several operations match `{}`", &id[..6]));
    assert_eq!(error.hint_text(), Some("give more of the id"));
    assert_eq!(world.read_text("A.md"), "0\n1\n2\n");
}

#[test]
fn the_history_tells_what_was_done_and_undone_newest_first() {
    let world = World::new("-- A.md\n0\n-- B.md\n[[A]]\n");
    ok(&world, "append_to_file", json!({ "path": "A", "content": "1" }));
    ok(&world, "move_file", json!({ "source": "A", "destination": "C" }));
    world.vault.undo(None).unwrap();
    let history = world.vault.history(9).unwrap();
    let told: Vec<_> =
        history.iter().map(|entry| (entry.label.as_str(), entry.undone, entry.undoes)).collect();
    assert_eq!(
        told,
        [
            ("undo", false, Some(history[1].operation)),
            ("move_file", true, None),
            ("append_to_file", false, None)
        ]
    );
    let paths: Vec<&str> = history[1].paths.iter().map(VaultPath::as_str).collect();
    assert_eq!(paths, ["B.md", "C.md"]);
    assert_eq!(world.vault.history(1).unwrap().len(), 1);
}

#[test]
fn what_was_undone_together_is_brought_back_together() {
    let world = World::new("-- A.md\n0\n-- B.md\n0\n");
    let both = json!({ "paths": ["A", "B"], "field": "k", "value": "v" });
    ok(&world, "batch_update_frontmatter", both);
    let undone = world.vault.undo(None).unwrap();
    assert_eq!(
        (undone.len(), world.read_text("A.md"), world.read_text("B.md")),
        (2, "0\n".to_owned(), "0\n".to_owned())
    );
    let group = world.vault.history(1).unwrap()[0].group.clone().unwrap();
    assert_eq!(world.vault.undo(Some(&group)).unwrap().len(), 2);
    assert!(world.read_text("A.md").contains("k: v") && world.read_text("B.md").contains("k: v"));
}

#[test]
fn the_tool_undoes_what_it_lists_and_shows_it_before() {
    let world = World::new("-- A.md\n0\n");
    ok(&world, "append_to_file", json!({ "path": "A", "content": "1" }));
    ok(&world, "append_to_file", json!({ "path": "A", "content": "2" }));
    let listed = ok(&world, "list_edits", json!({}));
    let ids: Vec<&str> = listed["operations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["operation"].as_str().unwrap())
        .collect();
    assert_eq!((ids.len(), &listed["operations"][0]["paths"]), (2, &json!(["A.md"])));
    let shown = ok(&world, "undo", json!({ "dry_run": true }));
    assert_eq!((&shown["dry_run"], &shown["undone"][0]["undid"]), (&json!(true), &json!(ids[0])));
    assert!(shown["diff"].as_str().unwrap().contains("\n-2\n"), "{shown}");
    assert_eq!(world.read_text("A.md"), "0\n1\n2\n");
    fails(&world, "undo", json!({ "operation": ids[1] }));
    let undone = ok(&world, "undo", json!({ "operation": ids[0] }));
    assert_eq!(
        (&undone["undone"][0]["label"], world.read_text("A.md").as_str()),
        (&json!("append_to_file"), "0\n1\n")
    );
    assert_eq!(ok(&world, "list_edits", json!({}))["operations"][1]["undone"], json!(true));
}

/// For a model elsewhere, edits of private notes do not exist; a move that rewrote a link in one can still be undone.
#[test]
fn a_view_without_private_notes_lists_and_undoes_public_edits_only() {
    let world = World::new(
        "-- A.md\n0\n-- P/Diary.md\nSee [[A]].\n-- B.md\n0\n-- Marked.md\n---\nprivate: true\n---\n0\n",
    )
    .with_private_folders(&["P"]);
    let public = world.vault.without_private();
    ok(&world, "append_to_file", json!({ "path": "B", "content": "1" }));
    ok(&world, "delete_file", json!({ "path": "B" }));
    ok(&world, "move_file", json!({ "path": "A", "destination": "Moved" }));
    assert_eq!(world.read_text("P/Diary.md"), "See [[Moved]].\n");
    ok(&world, "append_to_file", json!({ "path": "P/Diary", "content": "dear" }));
    ok(&world, "append_to_file", json!({ "path": "Marked", "content": "1" }));
    ok(&world, "create_file", json!({ "path": "P/Secret", "content": "x" }));
    ok(&world, "move_file", json!({ "path": "Marked", "destination": "Still marked" }));
    let seen: Vec<String> = public
        .history(50)
        .unwrap()
        .iter()
        .map(|entry| format!("{} {:?}", entry.label, entry.paths))
        .collect();
    assert_eq!(seen.len(), 2, "{seen:?}");
    assert!(seen[0].starts_with("move_file") && !seen[0].contains("Diary"), "{seen:?}");
    assert!(seen[1].starts_with("delete_file"), "{seen:?}");
    // The diary was changed since: it says so without its name.
    let error = public.undo(None).unwrap_err();
    assert!(error.kind() == ErrorKind::Conflict && !format!("{error:?}").contains("Diary"), "{error:?}");
    let newest = world.vault.history(50).unwrap();
    let diary = newest
        .iter()
        .find(|entry| entry.paths[0].as_str() == "P/Diary.md" && entry.label == "append_to_file");
    let id = diary.unwrap().operation.to_string();
    assert_eq!(public.undo(Some(&id)).unwrap_err().kind(), ErrorKind::NotFound);
    world.vault.undo(Some(&id)).unwrap();
    let undone = public.undo(None).unwrap();
    assert_eq!(
        (undone[0].label.as_str(), world.read_text("P/Diary.md").as_str()),
        ("move_file", "See [[A]].\n")
    );
    public.undo(None).unwrap();
    assert_eq!(world.read_text("B.md"), "0\n1\n");
}
