//! Canvases: their cards link to files, follow a move, and are named when they can't.

use serde_json::json;
use wellread_core::domain::corpus::CorpusName;
use wellread_core::ports::PassageFilter;
use wellread_testkit::World;
use wellread_text::{link_key, query_terms};

use crate::ask::{ok, strings};

const BOARD: &str = r#"{
	"nodes":[
		{"id":"1","type":"file","file":"Projects/Bees.md","x":0},
		{"id":"2","type":"text","text":"Plan\n[[Bees|the bees]] and [[Wax]] #garden","x":1.50},
		{"id":"3","type":"file","file":"p.png"}
	],
	"edges":[{"id":"e","fromNode":"1","toNode":"2","label":"feeds"}]
}
"#;

fn board() -> World {
    World::with_files([
        ("Boards/Board.canvas", BOARD.as_bytes()),
        ("Projects/Bees.md", b"# Bees\n"),
        ("Wax.md", b"wax\n"),
        ("p.png", b"\x89PNG"),
    ])
}

#[test]
fn cards_follow_a_move_and_nothing_else_of_the_canvas_changes() {
    let world = board();
    let answer =
        ok(&world, "move_file", json!({ "source": "Projects/Bees", "destination": "Old/Apis \"m\"" }));
    let expected =
        BOARD.replace("Projects/Bees.md", "Old/Apis \\\"m\\\".md").replace("[[Bees|", "[[Apis \\\"m\\\"|");
    assert_eq!(world.read_text("Boards/Board.canvas"), expected);
    assert_eq!(answer["updated_notes"], json!(["Boards/Board.canvas"]));
    ok(&world, "move_file", json!({ "source": "p.png", "destination": "img/q.png" }));
    assert!(world.read_text("Boards/Board.canvas").contains("\"file\":\"img/q.png\""));
    for _ in 0..2 {
        world.vault.undo(None).unwrap();
    }
    assert_eq!(world.read_text("Boards/Board.canvas"), BOARD);
}

#[test]
fn a_canvas_that_moves_keeps_its_cards() {
    let world = board();
    ok(&world, "move_file", json!({ "source": "Boards/Board.canvas", "destination": "Board.canvas" }));
    assert_eq!(world.read_text("Board.canvas"), BOARD);
}

#[test]
fn a_canvas_counts_among_backlinks_and_outlinks() {
    let world = board();
    for name in ["Bees", "Wax", "p.png"] {
        let answer = ok(&world, "find_backlinks", json!({ "note_name": name }));
        assert_eq!(strings(&answer["results"]), ["Boards/Board.canvas"], "{name}");
    }
    let answer = ok(&world, "find_outlinks", json!({ "path": "Boards/Board.canvas" }));
    assert_eq!(strings(&answer["results"]), ["Bees", "p.png", "Projects/Bees", "Wax"]);
}

#[test]
fn the_index_knows_the_links_and_the_text_of_a_canvas() {
    let world = board();
    world.index();
    let passages = &world.search.library.passages;
    for target in ["Projects/Bees.md", "Wax.md", "p.png"] {
        let linking = passages.find_linking_files(&CorpusName::Vault, &[link_key(target)]).unwrap();
        assert_eq!(linking, [world.path("Boards/Board.canvas")], "{target}");
    }
    let found = passages.find_matching(&query_terms("feeds"), &PassageFilter::default(), 9).unwrap();
    assert_eq!(found.passages.len(), 1);
}

#[test]
fn a_broken_canvas_is_named_and_never_written() {
    let broken = b"{\"nodes\":[{\"file\":\"Bees.md\"".as_slice();
    let world = World::with_files([("B.canvas", broken), ("Bees.md", b"b\n".as_slice())]);
    let answer = ok(&world, "move_file", json!({ "source": "Bees", "destination": "Apis" }));
    let left = strings(&answer["left_alone"]);
    assert!(left.len() == 1 && left[0].starts_with("B.canvas: not a canvas: "), "{answer}");
    assert_eq!(world.read_bytes("B.canvas").unwrap(), broken);
}

#[test]
fn a_move_without_link_updates_names_every_link_that_it_leaves() {
    let world = World::new(
        "-- A.md\n[[dir/Old]]\n\n%%[x](dir/Old.md)%%\n-- dir/Old.md\no\n-- B.canvas\n{\"nodes\":[{\"file\":\"dir/Old.md\"}]}\n",
    );
    let tree = |world: &World| (world.read_text("A.md"), world.read_text("B.canvas"));
    let before = tree(&world);
    let request = json!({ "source": "dir/Old", "destination": "New", "update_links": false });
    let answer = ok(&world, "move_file", request);
    assert_eq!(
        strings(&answer["left_alone"]),
        [
            "A.md: `[[dir/Old]]` on line 1: links were not to be updated",
            "A.md: `[x](dir/Old.md)` on line 3: links were not to be updated",
            "B.canvas: `dir/Old.md` on line 1: links were not to be updated",
        ]
    );
    assert_eq!((tree(&world), &answer["updated_notes"]), (before, &json!([])));
}

#[test]
fn a_canvas_with_a_private_tag_is_private() {
    let text = r##"{"nodes":[{"type":"text","text":"salary #private/pay"}]}"##;
    let world = World::with_files([
        ("Secret.canvas", text.as_bytes()),
        ("Open.canvas", b"{}".as_slice()),
        ("Broken.canvas", b"{".as_slice()),
    ]);
    let private = ["Secret.canvas", "Open.canvas", "Broken.canvas"]
        .map(|name| world.vault.is_private(&world.vault.locate(name).unwrap()));
    assert_eq!(private, [true, false, true]);
}
