//! Moves in vaults made at random: links keep their meaning, and undo is exact.

use proptest::prelude::*;
use serde_json::json;
use wellread_testkit::{World, notes};
use wellread_text::{FileNames, Note};

use crate::ask::strings;
use crate::properties::check;

#[test]
fn a_move_and_its_undo_give_every_byte_back() {
    check(
        (notes::note(), notes::note(), prop::sample::select(vec!["x/Apis", "Honey", "a b/C (1)", "Zür ich"])),
        |(one, other, to)| {
            let world = World::with_files([
                ("Bees.md", one.as_bytes()),
                ("n/B.md", other.as_bytes()),
                ("C.md", b"none\n".as_slice()),
            ]);
            let before = world.files.tree();
            let count =
                |name: &str| world.call_tool("find_backlinks", json!({ "note_name": name }))["total"].clone();
            let links = count("Bees.md");
            let answer = world.call_tool("move_file", json!({ "source": "Bees", "destination": to }));
            assert_eq!(answer["success"], true, "{answer}");
            assert!(answer.get("left_alone").is_none(), "{answer}");
            assert_eq!(count(&format!("{to}.md")), links, "{one:?} {other:?}");
            for path in strings(&answer["updated_notes"]) {
                assert_ne!(path, "C.md");
            }
            let undone = world.vault.undo(None).unwrap();
            assert_eq!(world.files.tree(), before);
            world.vault.undo(Some(&undone[0].operation.to_string())).unwrap();
            assert_eq!(count(&format!("{to}.md")), links);
        },
    );
}

const PLACES: [&str; 12] = [
    "A.md",
    "B.md",
    "a.md",
    "x/A.md",
    "x/B.md",
    "x/y/A.md",
    "y/A.md",
    "y/x/B.md",
    "x/A.png",
    "A.png",
    "A.png.md",
    "x/v1.2.md",
];

/// A link by name, by path, from the root, relative, with an ending or without, in either form.
fn link() -> impl Strategy<Value = String> {
    let target = prop::sample::select(vec![
        "A",
        "a",
        "B",
        "A.md",
        "x/A",
        "x/B.md",
        "y/A",
        "/A",
        "/x/A.md",
        "./A",
        "../A",
        "../x/A.md",
        "x/y/A",
        "A.png",
        "x/A.png",
        "v1.2",
        "New",
        "n/New",
        "Dead",
        "../../B",
    ]);
    (target, 0..5).prop_map(|(target, form)| match form {
        0 => format!("[[{target}]]"),
        1 => format!("![[{target}#h|alias]]"),
        2 => format!("[text]({target})"),
        3 => format!("[text](<{target}#h> \"title\")"),
        _ => format!("| [[{target}\\|x]] |"),
    })
}

/// Where each link of each note leads, by the note's number; dead links lead nowhere.
fn meanings(world: &World, moved: (&str, &str)) -> Vec<(String, Option<String>)> {
    let tree = world.files.tree();
    let names = FileNames::from_paths(tree.keys().map(ToString::to_string));
    let after = |path: &str| if path == moved.0 { moved.1.to_owned() } else { path.to_owned() };
    let mut meanings: Vec<(String, Option<String>)> = tree
        .iter()
        .filter(|(path, _)| path.is_note())
        .flat_map(|(path, bytes)| {
            let links = Note::parse(std::str::from_utf8(bytes).unwrap()).links;
            let mean =
                links.into_iter().map(|link| names.resolve(&link.target, path.as_str()).path().map(after));
            mean.enumerate()
                .map(|(n, means)| (format!("{} {n:03}", after(path.as_str())), means))
                .collect::<Vec<_>>()
        })
        .collect();
    meanings.sort();
    meanings
}

#[test]
fn after_any_move_every_link_leads_where_it_led() {
    let vault = prop::sample::subsequence(PLACES.to_vec(), 2..PLACES.len());
    let links = prop::collection::vec(prop::collection::vec(link(), 0..6), PLACES.len());
    let to = prop::sample::select(vec!["New", "n/New", "x/New", "A", "x/A", "y/B", "x/y/B", "n/A"]);
    check((vault, links, any::<prop::sample::Index>(), to), |(vault, links, pick, to)| {
        let texts: Vec<String> = links.iter().map(|links| links.join("\n\n")).collect();
        let world = World::with_files(vault.iter().zip(&texts).map(|(path, text)| (*path, text.as_bytes())));
        let from = *pick.get(&vault);
        let before = world.files.tree();
        let answer = world.call_tool("move_file", json!({ "source": from, "destination": to }));
        if answer["success"] == false {
            assert_eq!(world.files.tree(), before);
            return;
        }
        let to = answer["destination"].as_str().unwrap().to_owned();
        let after = meanings(&world, ("", ""));
        world.vault.undo(None).unwrap();
        assert_eq!(world.files.tree(), before);
        let expected = meanings(&world, (from, &to));
        assert_eq!(expected.len(), after.len());
        for ((link, must), (_, means)) in expected.iter().zip(&after) {
            // A dead link may come to life: the user wrote it for a note of that name.
            if must.is_some() {
                assert_eq!(means, must, "{link} after {from} -> {to} in {vault:?} {texts:?}: {answer}");
            }
        }
    });
}
