//! move_file: where files may go, and what links mean afterwards.

use serde_json::json;
use wellread_testkit::World;

use crate::ask::{dry, fails, ok};

/// Moves a file, gives back the world, and has checked that undo brings the old one back.
#[track_caller]
fn moved(script: &str, source: &str, destination: &str) -> World {
    let (world, twin) = (World::new(script), World::new(script));
    for world in [&world, &twin] {
        ok(world, "move_file", json!({ "source": source, "destination": destination }));
    }
    twin.vault.undo(None).unwrap();
    assert_eq!(twin.files.tree(), World::new(script).files.tree());
    world
}

#[test]
fn a_file_moves_into_folders_that_are_made_for_it() {
    let world = World::new("-- A.md\na\n-- B.md\n[[A]] [x](A.md)\n");
    let answer = ok(&world, "move_file", json!({ "source": "A", "destination": "x/y/C" }));
    assert_eq!(
        (&answer["source"], &answer["destination"], &answer["path"]),
        (&json!("A.md"), &json!("x/y/C.md"), &json!("x/y/C.md"))
    );
    assert_eq!(answer["updated_notes"], json!(["B.md"]));
    assert_eq!(answer["message"], "moved `A.md` to `x/y/C.md`, links in 1 note followed");
    assert_eq!(
        (world.read_text("x/y/C.md"), world.read_text("B.md")),
        ("a\n".to_owned(), "[[C]] [x](x/y/C.md)\n".to_owned())
    );
}

#[test]
fn a_dry_run_shows_the_edits_and_the_move() {
    let world = World::new("-- A.md\na\n-- B.md\n[[A]]\n");
    assert_eq!(
        dry(&world, "move_file", json!({ "source": "A", "destination": "C" })),
        "--- a/B.md\n+++ b/B.md\n@@ -1 +1 @@\n-[[A]]\n+[[C]]\ndiff --git a/A.md b/C.md\nsimilarity index 100%\nrename from A.md\nrename to C.md\n"
    );
}

#[test]
fn a_destination_that_exists_is_never_overwritten() {
    let world = World::new("-- A.md\na\n-- B.md\nb\n-- c/D.md\nd\n");
    let answer = fails(&world, "move_file", json!({ "source": "A", "destination": "B" }));
    assert_eq!(answer["error"], "a file already exists at `B.md`");
    assert_eq!(
        (&answer["path"], &answer["hint"]),
        (&json!("B.md"), &json!("nothing was changed; choose another name"))
    );
    let answer = fails(&world, "move_file", json!({ "source": "A", "destination": "A.md" }));
    assert_eq!((&answer["error"], &answer["path"]), (&json!("`A.md` already exists"), &json!("A.md")));
    for destination in ["c/", "c"] {
        let answer = fails(&world, "move_file", json!({ "source": "A", "destination": destination }));
        assert_eq!(answer["error"], format!("`{destination}` is a folder, not a file"));
        assert!(answer["hint"].as_str().unwrap().starts_with("give the file's "), "{answer}");
    }
    fails(&world, "move_file", json!({ "source": "A", "destination": "B.md/x.md" }));
}

#[test]
fn a_destination_keeps_the_ending_where_none_is_given() {
    for (source, destination, path) in [
        ("p.png", "img/q", "img/q.png"),
        ("p.png", "img/q.jpg", "img/q.jpg"),
        ("N", "M.txt", "M.txt"),
        ("N", "M", "M.md"),
        ("LICENSE", "COPYING", "COPYING"),
    ] {
        let world = moved("-- p.png\nx\n-- N.md\ny\n-- LICENSE\nz\n", source, destination);
        assert!(world.read_bytes(path).is_some(), "{path}");
    }
}

#[test]
fn a_rename_that_differs_in_case_only_is_followed() {
    let world = moved("-- bees.md\nx\n-- B.md\n[[bees]] [x](bees.md)\n", "bees", "Bees");
    assert!(world.read_bytes("bees.md").is_none());
    let links = ok(&world, "find_backlinks", json!({ "note_name": "Bees" }));
    assert_eq!(links["results"], json!(["B.md"]));
}

#[test]
fn a_moved_note_that_never_names_itself_is_looked_into_all_the_same() {
    let world = moved("-- a/A.md\n[x](../B.md)\n-- B.md\nb\n", "a/A", "x/y/A");
    assert_eq!(world.read_text("x/y/A.md"), "[x](../../B.md)\n");
}

#[test]
fn links_of_the_moved_note_lead_where_they_led() {
    let world = moved(
        "-- a/A.md\n[x](../B.md) [[B]] [[A#h]] [[#h]] [y](./C.md) ![p](p.png) [[a/C]] [z](/B.md) [d](Dead.md) [[../B]]\n\
         -- B.md\nb\n-- a/C.md\nc\n-- a/p.png\np\n",
        "a/A",
        "x/y/A",
    );
    assert_eq!(
        world.read_text("x/y/A.md"),
        "[x](../../B.md) [[B]] [[A#h]] [[#h]] [y](../../a/C.md) ![p](p.png) [[a/C]] [z](/B.md) [d](Dead.md) [[../../B]]\n"
    );
}

#[test]
fn a_link_that_the_new_name_would_steal_keeps_its_meaning() {
    // `[[Note]]` means b/Note.md; a new Note.md at the root would be nearer.
    let world = moved(
        "-- a/Link.md\n[[Note]] [x](Note.md) [[b/Note]]\n-- b/Note.md\nn\n-- Other.md\no\n-- a/Both.md\n[[Other]] [[Note]]\n",
        "Other",
        "Note",
    );
    assert_eq!(world.read_text("a/Link.md"), "[[b/Note]] [x](b/Note.md) [[b/Note]]\n");
    assert_eq!(world.read_text("a/Both.md"), "[[Note]] [[b/Note]]\n");
    for (name, total) in [("b/Note", 2), ("/vault/Note.md", 1)] {
        assert_eq!(ok(&world, "find_backlinks", json!({ "note_name": name }))["total"], total, "{name}");
    }
}

#[test]
fn a_dead_link_that_the_new_name_brings_to_life_is_left_as_it_is() {
    let world = moved("-- A.md\n[[Someday]] [[Other]]\n-- Other.md\no\n", "Other", "Someday");
    assert_eq!(world.read_text("A.md"), "[[Someday]] [[Someday]]\n");
}

#[test]
fn an_ambiguous_name_follows_only_where_it_meant_the_moved_note() {
    let world = moved(
        "-- a/Twin.md\n1\n-- b/Twin.md\n2\n-- a/L.md\n[[Twin]]\n-- b/L.md\n[[Twin]]\n-- L.md\n[[b/Twin]] [[Twin]]\n",
        "b/Twin",
        "b/Only",
    );
    assert_eq!(
        (world.read_text("a/L.md").as_str(), world.read_text("b/L.md").as_str()),
        ("[[Twin]]\n", "[[Only]]\n")
    );
    assert_eq!(world.read_text("L.md"), "[[b/Only]] [[Twin]]\n");
}

#[test]
fn attachments_are_followed_too() {
    let world = moved("-- p.png\nx\n-- A.md\n![[p.png|100]] ![](p.png) [[p]]\n", "p.png", "img/a b.png");
    assert_eq!(world.read_text("A.md"), "![[a b.png|100]] ![](img/a%20b.png) [[p]]\n");
}

#[test]
fn a_link_that_cannot_be_written_is_left_alone_and_told() {
    let world = World::new("-- A.md\n[[Old]]\n\n[x](Old.md)\n-- Old.md\no\n");
    let answer = ok(&world, "move_file", json!({ "source": "Old", "destination": "C# and #F" }));
    assert_eq!(world.read_text("A.md"), "[[Old]]\n\n[x](C%23%20and%20%23F.md)\n");
    let left = answer["left_alone"].as_array().unwrap();
    assert_eq!(left, &[json!("A.md: `[[Old]]` on line 1: `C# and #F` cannot be written in a wikilink")]);
}

#[test]
fn a_note_that_is_not_utf8_is_moved_but_never_written() {
    let bad = b"caf\xe9 [[Old]] [x](./Old.md)\n".as_slice();
    let world = World::with_files([("A.md", bad), ("Old.md", b"o\n".as_slice())]);
    let answer = ok(&world, "move_file", json!({ "source": "Old", "destination": "x/New" }));
    assert_eq!(world.read_bytes("A.md").unwrap(), bad);
    assert!(answer["left_alone"][0].as_str().unwrap().starts_with("A.md: `A.md` is not UTF-8"), "{answer}");
    let left = answer["left_alone"].as_array().unwrap();
    for link in ["[[Old]]", "./Old.md"] {
        assert!(left[1..].iter().any(|line| line.as_str().unwrap().contains(link)), "{link}: {answer}");
    }
    let answer = ok(&world, "move_file", json!({ "source": "A", "destination": "y/B" }));
    assert_eq!(
        (world.read_bytes("y/B.md").unwrap().as_slice(), world.read_bytes("A.md")),
        (bad, None),
        "{answer}"
    );
}

#[test]
fn links_that_were_left_alone_are_told_by_a_batch_too() {
    let world = World::new("-- A.md\n[[Old]]\n-- Old.md\no\n");
    let moves = json!({ "moves": [{ "source": "Old", "destination": "C#" }] });
    let answer = ok(&world, "batch_move_files", moves);
    assert!(
        answer["succeeded"][0]["left_alone"][0].as_str().unwrap().starts_with("A.md: `[[Old]]`"),
        "{answer}"
    );
}
