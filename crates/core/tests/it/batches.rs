//! batch_update_frontmatter and batch_move_files: on after a failure, and a summary.

use serde_json::json;
use wellread_testkit::World;

use crate::ask::{fails, ok};

#[test]
fn a_batch_of_fields_goes_on_after_a_failure_and_says_what_failed_and_why() {
    let world = World::new("-- A.md\na\n-- B.md\n---\nk: [\n---\n-- C.md\n---\nk: v\n---\n");
    let args = json!({ "paths": ["A", "Nobody", "B", "../x", "C"], "field": "k", "value": "v" });
    let answer = ok(&world, "batch_update_frontmatter", args);
    assert_eq!(answer["total"], 5);
    let succeeded: Vec<_> =
        answer["succeeded"].as_array().unwrap().iter().map(|one| (&one["path"], &one["message"])).collect();
    assert_eq!(
        succeeded,
        [
            (&json!("A.md"), &json!("set `k` in `A.md`")),
            (&json!("C.md"), &json!("nothing to change: it is so already")),
        ]
    );
    let failed = answer["failed"].as_array().unwrap();
    assert_eq!(
        failed.iter().map(|one| one["path"].as_str().unwrap()).collect::<Vec<_>>(),
        ["Nobody", "B", "../x"]
    );
    assert_eq!(failed[0]["error"], "File not found: Nobody");
    assert!(failed[1]["error"].as_str().unwrap().starts_with("the frontmatter cannot be read"));
    assert!(failed[2]["error"].as_str().unwrap().contains("leaves the vault"));
    assert_eq!(world.read_text("A.md"), "---\nk: v\n---\na\n");

    let undone = world.vault.undo(Some(answer["group"].as_str().unwrap())).unwrap();
    assert_eq!((undone.len(), world.read_text("A.md").as_str()), (1, "a\n"));
}

#[test]
fn a_batch_of_which_nothing_succeeds_is_a_failure_with_the_reasons() {
    let world = World::new("-- A.md\na\n");
    let answer =
        fails(&world, "batch_update_frontmatter", json!({ "paths": ["X", "Y"], "field": "k", "value": 1 }));
    assert_eq!(answer["error"], "none of the 2 succeeded");
    let failed = &answer["failed"][1];
    assert_eq!((&failed["path"], &failed["error"]), (&json!("Y"), &json!("File not found: Y")));
    assert!(failed["hint"].is_string(), "{failed}");
    let answer =
        fails(&world, "batch_move_files", json!({ "moves": [{ "source": "A", "destination": "A.md" }] }));
    assert_eq!(answer["error"], "`A.md` already exists", "the only failure speaks for itself");
    assert_eq!(answer["failed"][0]["error"], "`A.md` already exists");
}

#[test]
fn an_empty_batch_is_an_error() {
    let world = World::new("-- A.md\na\n");
    for (tool, args) in [
        ("batch_update_frontmatter", json!({ "paths": [], "field": "k", "value": 1 })),
        ("batch_move_files", json!({ "moves": [] })),
    ] {
        assert_eq!(fails(&world, tool, args)["error"], "the list is empty: there is nothing to do");
    }
    let args = json!({ "paths": ["A"], "field": "k" });
    assert_eq!(fails(&world, "batch_update_frontmatter", args)["error"], "this operation needs a `value`");
}

#[test]
fn files_change_places_through_a_third_name_and_links_follow() {
    let world = World::new(
        "-- A.md\nI am A, not [[B]].\n-- B.md\nI am B, not [[A]].\n-- C.md\n[[A]] [[B]] [x](A.md)\n",
    );
    let before = world.files.tree();
    let moves = json!([
        { "source": "A", "destination": "T" },
        { "source": "B", "destination": "A" },
        { "source": "T", "destination": "B" },
    ]);
    let answer = ok(&world, "batch_move_files", json!({ "moves": moves }));
    assert_eq!((&answer["total"], &answer["failed"]), (&json!(3), &json!([])));
    assert_eq!(world.read_text("B.md"), "I am A, not [[A]].\n");
    assert_eq!(world.read_text("A.md"), "I am B, not [[B]].\n");
    assert_eq!(world.read_text("C.md"), "[[B]] [[A]] [x](B.md)\n");
    assert_eq!(answer["succeeded"][2]["message"], "moved `T.md` to `B.md`, links in 2 notes followed");

    let undone = world.vault.undo(None).unwrap();
    assert_eq!(undone.len(), 3, "the batch is undone as one");
    assert_eq!(world.files.tree(), before);
}

#[test]
fn a_dry_run_of_a_batch_sees_the_moves_before() {
    let world = World::new("-- A.md\n[[B]]\n-- B.md\n[[A]]\n-- C.md\n[[A]] [[B]]\n");
    let before = world.files.tree();
    let moves = json!([
        { "source": "A", "destination": "T" },
        { "source": "B", "destination": "A" },
        { "source": "T", "destination": "B" },
        { "source": "T", "destination": "U" },
    ]);
    let shown = ok(&world, "batch_move_files", json!({ "moves": moves, "dry_run": true }));
    assert_eq!(world.files.tree(), before);
    assert_eq!(shown["succeeded"].as_array().unwrap().len(), 3, "{shown}");
    assert_eq!(shown["failed"][0]["error"], "File not found: T");
    assert!(
        shown["succeeded"][1]["diff"].as_str().unwrap().contains("-[[T]] [[B]]\n+[[T]] [[A]]\n"),
        "{shown}"
    );
    let done = ok(&world, "batch_move_files", json!({ "moves": moves }));
    assert_eq!(done["failed"], shown["failed"]);
}

#[test]
fn a_batch_of_moves_goes_on_after_a_failure_in_the_middle() {
    let world = World::new("-- A.md\na\n-- B.md\nb\n-- C.md\nc\n-- D.md\n[[A]] [[B]] [[C]]\n");
    let before = world.files.tree();
    let moves = json!([
        { "source": "A", "destination": "x/A2" },
        { "source": "B", "destination": "C" },
        { "source": "Nobody", "destination": "y" },
        { "source": "C", "destination": "../out" },
        { "source": "C", "destination": "C2" },
    ]);
    let answer = ok(&world, "batch_move_files", json!({ "moves": moves }));
    let failed = answer["failed"].as_array().unwrap();
    assert_eq!(
        failed.iter().map(|one| one["path"].as_str().unwrap()).collect::<Vec<_>>(),
        ["B", "Nobody", "C"]
    );
    assert_eq!(failed[0]["error"], "a file already exists at `C.md`");
    assert_eq!(failed[0]["hint"], "nothing was changed; choose another name");
    assert_eq!(world.read_text("D.md"), "[[A2]] [[B]] [[C2]]\n");
    assert_eq!(world.read_text("B.md"), "b\n");
    world.vault.undo(Some(answer["group"].as_str().unwrap())).unwrap();
    assert_eq!(world.files.tree(), before);
}

#[test]
fn a_dry_run_of_a_batch_of_fields_sees_the_changes_before() {
    let world = World::new("-- A.md\n---\nk: [a]\n---\n");
    let args =
        json!({ "paths": ["A", "A"], "field": "k", "value": "b", "operation": "append", "dry_run": true });
    let shown = ok(&world, "batch_update_frontmatter", args);
    assert!(shown["succeeded"][0]["diff"].as_str().unwrap().contains("\n+k: [a, b]\n"), "{shown}");
    assert_eq!(shown["succeeded"][1]["message"], "nothing to change: it is so already");
    assert_eq!(world.read_text("A.md"), "---\nk: [a]\n---\n");
}

#[test]
fn a_dry_run_of_a_batch_fails_where_the_batch_would() {
    let script = "-- A.md\n[[B]]\n-- B.md\nb\n-- p.png\nx\n-- c/D.md\nd\n";
    let moves = json!([
        { "source": "A", "destination": "n/A" },
        { "source": "B", "destination": "n" },
        { "source": "B", "destination": "n/A" },
        { "source": "A", "destination": "again" },
        { "source": "p.png", "destination": "n/q" },
        { "source": "n/q.png", "destination": "r" },
        { "source": "B", "destination": "c" },
    ]);
    let shown = ok(&World::new(script), "batch_move_files", json!({ "moves": moves, "dry_run": true }));
    let done = ok(&World::new(script), "batch_move_files", json!({ "moves": moves }));
    assert_eq!(shown["failed"], done["failed"]);
    assert_eq!(shown["failed"].as_array().unwrap().len(), 4, "{shown}");
    let paths = |answer: &serde_json::Value| -> Vec<String> {
        answer["succeeded"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["path"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(paths(&shown), paths(&done));
}
