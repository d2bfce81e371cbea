//! list_files_by_frontmatter and search_by_folder.

use serde_json::{Value, json};
use wellread_testkit::World;

use crate::ask::{fails, ok, strings};

fn by_field(world: &World, args: Value) -> Vec<String> {
    strings(&ok(world, "list_files_by_frontmatter", args)["results"])
        .iter()
        .map(|&path| path.to_owned())
        .collect()
}

fn library() -> World {
    World::new(
        "-- a.md\n---\ntags: [garden, Bee]\nstatus: in progress\nn: 30\ndone: true\n---\n\
         -- b.md\n---\ntags: gardening\nstatus: done\nn: 3\nup: \"[[Hive]]\"\n---\n\
         -- c.md\n---\ntags:\n  - garden\nup: [[Hive]]\nn: \"3\"\n---\n\
         -- d.md\n---\nup:\n  - \"[[Hive]]\"\n  - x\nmap:\n  k: v\nempty:\n---\n\
         -- e.md\ntags: garden\n\
         -- f.md\n---\ntags: [\n---\n\
         -- g.png\n---\ntags: garden\n---\n",
    )
}

#[test]
fn contains_means_member_of_a_list_or_part_of_a_string() {
    let world = library();
    for (field, value, found) in [
        ("tags", json!("garden"), &["a.md", "b.md", "c.md"][..]),
        ("tags", json!("gard"), &["b.md"]),
        ("tags", json!("bee"), &["a.md"]),
        ("status", json!("PROGRESS"), &["a.md"]),
        ("status", json!("e"), &["a.md", "b.md"]),
        ("up", json!("[[Hive]]"), &["b.md", "c.md", "d.md"]),
        ("up", json!("Hive"), &["b.md", "c.md"]),
        ("done", json!(true), &["a.md"]),
        ("n", json!(30), &["a.md"]),
        ("Tags", json!("garden"), &[]),
        ("nobody", json!("x"), &[]),
    ] {
        assert_eq!(by_field(&world, json!({ "field": field, "value": value })), found, "{field} {value}");
    }
}

#[test]
fn equals_means_the_whole_value() {
    let world = library();
    for (field, value, found) in [
        ("tags", json!("garden"), &[][..]),
        ("tags", json!("gardening"), &["b.md"]),
        ("tags", json!("[\"garden\"]"), &["c.md"]),
        ("tags", json!(["garden", "Bee"]), &["a.md"]),
        ("status", json!("done"), &["b.md"]),
        ("status", json!("don"), &[]),
        ("n", json!("3"), &["b.md", "c.md"]),
        ("n", json!(3), &["b.md", "c.md"]),
        ("done", json!("true"), &["a.md"]),
        ("up", json!("[[Hive]]"), &["b.md", "c.md"]),
        ("map", json!("{\"k\": \"v\"}"), &["d.md"]),
    ] {
        let args = json!({ "field": field, "value": value, "match_type": "equals" });
        assert_eq!(by_field(&world, args), found, "{field} {value}");
    }
}

#[test]
fn the_list_has_pages_and_a_total() {
    let world = library();
    let args = json!({ "field": "tags", "value": "garden", "limit": 1, "offset": 1 });
    let answer = ok(&world, "list_files_by_frontmatter", args);
    assert_eq!((&answer["results"], &answer["total"]), (&json!(["b.md"]), &json!(3)));
    assert_eq!(
        fails(&world, "list_files_by_frontmatter", json!({ "field": " ", "value": "x" }))["error"],
        "`field` is empty"
    );
}

#[test]
fn a_folder_gives_its_own_files_and_those_below_where_asked() {
    let world = World::new("-- z.md\n-- a/2.md\n-- a/1.md\n-- a/b/3.png\n-- ab/4.md\n-- a.md\n");
    for (folder, recursive, found) in [
        ("", false, &["a.md", "z.md"][..]),
        ("/", false, &["a.md", "z.md"]),
        (".", false, &["a.md", "z.md"]),
        ("/vault", false, &["a.md", "z.md"]),
        ("/vault/", false, &["a.md", "z.md"]),
        ("a", false, &["a/1.md", "a/2.md"]),
        ("a/", false, &["a/1.md", "a/2.md"]),
        ("/vault/a", false, &["a/1.md", "a/2.md"]),
        ("a", true, &["a/1.md", "a/2.md", "a/b/3.png"]),
        ("a/b", true, &["a/b/3.png"]),
        ("", true, &["a.md", "a/1.md", "a/2.md", "a/b/3.png", "ab/4.md", "z.md"]),
    ] {
        let answer = ok(&world, "search_by_folder", json!({ "folder": folder, "recursive": recursive }));
        assert_eq!(strings(&answer["results"]), found, "{folder:?}");
        assert_eq!(answer["total"], found.len());
    }
}

#[test]
fn a_folder_that_is_not_there_is_an_error() {
    let world = World::new("-- Projects/a.md\n");
    let answer = fails(&world, "search_by_folder", json!({ "folder": "projects" }));
    assert_eq!(
        (&answer["error"], &answer["path"]),
        (&json!("Folder not found: projects"), &json!("projects"))
    );
    assert_eq!(answer["hint"], "did you mean `Projects`?");
    for folder in ["Nobody", "Projects/a.md"] {
        assert_eq!(
            fails(&world, "search_by_folder", json!({ "folder": folder }))["error"],
            format!("Folder not found: {folder}")
        );
    }
}
