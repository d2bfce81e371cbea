//! One bad file is no reason to fail for all the others.

use serde_json::json;
use wellread_core::library::judge::PrivateReason;
use wellread_core::library::vault::FileCondition;
use wellread_testkit::World;

use crate::ask::{fails, ok};

fn world() -> World {
    let world = World::new(
        "-- A.md\n---\ntags: x\ndate: 2024-05-01\n---\n[[B]]\n-- Bad.md\n---\ntags: x\n---\n[[B]]\n-- B.md\n---\ntags: x\n---\n-- C.md\n[[B]]\n",
    );
    world.files.make_unreadable(&world.path("Bad.md"));
    world
}

#[test]
fn a_file_that_cannot_be_read_is_passed_over_by_what_looks_at_all() {
    let world = world();
    let answer = ok(&world, "list_files_by_frontmatter", json!({ "field": "tags", "value": "x" }));
    assert_eq!(answer["results"], json!(["A.md", "B.md"]));
    assert_eq!(ok(&world, "find_backlinks", json!({ "note_name": "Bad" }))["total"], 0);
    let answer = ok(&world, "find_backlinks", json!({ "note_name": "B" }));
    assert_eq!(answer["results"], json!(["A.md", "C.md"]));
    assert_eq!(answer["notice"], "1 note could not be read: see `wellread status`");
    let range = json!({ "start_date": "2024-05-01", "end_date": "2024-05-01", "date_type": "created" });
    assert_eq!(ok(&world, "search_by_date_range", range)["results"], json!(["A.md"]));
    ok(&world, "search_by_folder", json!({ "folder": "" }));
    ok(&world, "get_note_info", json!({ "path": "B" }));
    ok(&world, "log_interaction", json!({ "task_description": "T", "query": "Q", "summary": "S" }));
}

#[test]
fn a_move_goes_on_without_the_file_that_cannot_be_read() {
    let world = world();
    let answer = ok(&world, "move_file", json!({ "source": "B", "destination": "New" }));
    assert_eq!(world.read_text("C.md"), "[[New]]\n");
    assert!(
        answer["left_alone"][0].as_str().unwrap().starts_with("Bad.md: "),
        "a link in it may be dead now: {answer}"
    );
}

#[test]
fn the_bad_file_itself_is_moved_and_what_it_links_to_is_told() {
    let world = world();
    let answer = ok(&world, "move_file", json!({ "source": "Bad", "destination": "x/Bad" }));
    assert!(answer["left_alone"][0].as_str().unwrap().contains("could not read `Bad.md`"), "{answer}");
    assert!(world.read_bytes("x/Bad.md").is_some());
}

#[test]
fn a_dry_run_of_a_batch_moves_it_as_the_batch_does() {
    let world = world();
    let moves =
        json!([{ "source": "Bad", "destination": "x/Bad" }, { "source": "x/Bad", "destination": "Back" }]);
    let shown = ok(&world, "batch_move_files", json!({ "moves": moves, "dry_run": true }));
    assert_eq!(shown["failed"], json!([]), "{shown}");
    assert_eq!(ok(&world, "batch_move_files", json!({ "moves": moves }))["failed"], json!([]));
    assert!(world.read_bytes("Back.md").is_some());
}

#[test]
fn what_asks_for_that_very_file_says_what_is_wrong() {
    let world = world();
    for tool in ["read_file", "get_note_info", "find_outlinks"] {
        let answer = fails(&world, tool, json!({ "path": "Bad" }));
        assert_eq!(
            (&answer["error"], &answer["path"]),
            (&json!("could not read `Bad.md`: input/output error"), &json!("Bad.md"))
        );
    }
}

#[test]
fn each_files_condition_is_known() {
    let world = World::with_files([
        ("fine.md", b"text".as_slice()),
        ("odd.md", b"caf\xe9".as_slice()),
        ("broken.md", b"---\na: [\n---\n".as_slice()),
        ("bad.md", b"x".as_slice()),
        ("p.png", b"\x89PNG".as_slice()),
    ]);
    world.files.make_unreadable(&world.path("bad.md"));
    let condition = |path: &str| world.vault.condition(&world.path(path));
    assert_eq!(
        (condition("fine.md"), condition("p.png"), condition("gone.md")),
        (FileCondition::Fine, FileCondition::Fine, FileCondition::Fine)
    );
    assert!(matches!(condition("odd.md"), FileCondition::Limited(why) if why.contains("not UTF-8")));
    assert!(
        matches!(condition("broken.md"), FileCondition::Limited(why) if why.starts_with("the frontmatter can't be read"))
    );
    assert!(
        matches!(condition("bad.md"), FileCondition::Unserved(why) if why.contains("input/output error"))
    );
}

#[test]
fn a_note_is_private_for_the_reason_that_holds() {
    let world = World::with_files([
        ("marked.md", b"---\nprivate: true\n---\n".as_slice()),
        ("broken.md", b"---\nfoo: : bar\n---\nThe heron waits.\n".as_slice()),
        ("open.md", b"---\nfoo: bar\n---\n".as_slice()),
    ]);
    let reason = |path: &str| world.vault.judge().find_private_reason(&world.path(path));
    assert_eq!(reason("marked.md"), Some(PrivateReason::Key));
    assert_eq!(reason("broken.md"), Some(PrivateReason::Frontmatter));
    assert_eq!(reason("open.md"), None);
    let condition = world.vault.condition(&world.path("broken.md"));
    assert!(
        matches!(condition, FileCondition::Limited(why) if why.contains("so the note counts as private"))
    );
}

#[test]
fn hostile_notes_are_served_like_any_other() {
    let deep = "> ".repeat(5000);
    let brackets = "[[".repeat(20_000);
    let fences = "```\n".repeat(5001);
    let line = "x".repeat(1_000_000);
    let yaml = format!("---\na: &a [x,x]\nb: {}\n---\n", "[".repeat(10_000));
    for text in
        [deep, brackets, fences, line, yaml, "\0\0\0".to_owned(), "\u{feff}".to_owned(), "\r\r\r".to_owned()]
    {
        let world = World::with_files([("A.md", text.as_bytes()), ("B.md", b"[[A]]".as_slice())]);
        ok(&world, "get_note_info", json!({ "path": "A" }));
        ok(&world, "read_file", json!({ "path": "A" }));
        ok(&world, "append_to_file", json!({ "path": "A", "content": "tail" }));
        assert!(world.read_text("A.md").starts_with(&text), "nothing before the end changed");
        ok(&world, "move_file", json!({ "source": "A", "destination": "C" }));
        assert_eq!(world.read_text("B.md"), "[[C]]");
        world.vault.undo(None).unwrap();
        world.vault.undo(None).unwrap();
        assert_eq!(world.read_text("A.md"), text);
    }
}
