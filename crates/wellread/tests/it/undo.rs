//! `wellread undo`, end to end: the exact bytes come back, and nobody's later words are lost.

use serde_json::json;

use crate::desk::Desk;

fn operations(desk: &Desk) -> Vec<serde_json::Value> {
    desk.run(["undo", "--list", "--json"]).done()["operations"].as_array().unwrap().clone()
}

/// One edit of every kind, and back.
#[test]
fn every_edit_can_be_taken_back_to_the_byte() {
    let desk = Desk::new();
    let whole = desk.tree();
    for (tool, args) in [
        ("append_to_file", json!({ "path": "Home", "content": "more" })),
        ("prepend_to_file", json!({ "path": "Home", "content": "first" })),
        ("update_frontmatter", json!({ "path": "Home", "field": "seen", "value": "[1, 2]" })),
        ("batch_update_frontmatter", json!({ "paths": ["Home", "Glossary"], "field": "seen", "value": "x" })),
        ("create_file", json!({ "path": "New/Folder/Note", "content": "text", "frontmatter": "{\"a\": 1}" })),
        ("move_file", json!({ "source": "Bees/Varroa mite", "destination": "New/Varroa destructor" })),
        (
            "batch_move_files",
            json!({ "moves": [{ "source": "Home", "destination": "A/Home" }, { "source": "Glossary", "destination": "B/Words" }] }),
        ),
        ("delete_file", json!({ "path": "Home" })),
        ("save_preference", json!({ "preference": "tea" })),
        ("remove_preference", json!({ "line_number": 1 })),
        (
            "log_interaction",
            json!({ "task_description": "t", "query": "q", "summary": "s", "files": ["Home"] }),
        ),
        ("edit_file", json!({ "path": "Home", "content": "end", "position": "append" })),
    ] {
        desk.tool(tool, &args).done();
        let edited = desk.tree();
        assert_ne!(edited, whole, "{tool} changed nothing");
        let undone = desk.run(["undo", "--json"]).done();
        assert_eq!(undone["undone"][0]["label"], tool);
        let mut now = desk.tree();
        // The trash folder stays, empty, as Obsidian leaves it.
        now.retain(|path, _| !path.starts_with(".trash") || path.components().count() > 1);
        assert_eq!(now, whole, "{tool} was not taken back whole");
    }
}

#[test]
fn the_list_shows_what_was_done_and_what_was_taken_back() {
    let desk = Desk::new();
    assert_eq!(operations(&desk).len(), 0);
    desk.tool("append_to_file", &json!({ "path": "Home", "content": "one" })).done();
    let second = desk.tool("append_to_file", &json!({ "path": "Glossary", "content": "two" })).done();
    let listed = operations(&desk);
    assert_eq!(listed.len(), 2);
    assert_eq!(listed[0]["operation"], second["operation"], "newest first");
    assert_eq!(listed[0]["paths"], json!(["Glossary.md"]));
    assert_eq!(
        (listed[0]["label"].as_str(), listed[0]["undone"].as_bool()),
        (Some("append_to_file"), Some(false))
    );
    desk.run(["undo"]);
    let listed = operations(&desk);
    assert_eq!((listed.len(), listed[0]["undoes"].clone()), (3, second["operation"].clone()));
    assert_eq!(listed[1]["undone"], true);
    assert_eq!(
        desk.run(["undo", "--list", "--limit", "1", "--json"]).done()["operations"].as_array().unwrap().len(),
        1
    );
    let shown = desk.run(["undo", "--list"]);
    assert_eq!(shown.stdout.lines().count(), 3, "{}", shown.stdout);
    assert!(shown.stdout.contains("append_to_file (undone)  Glossary.md"), "{}", shown.stdout);
}

#[test]
fn an_operation_is_named_by_its_id_or_the_beginning_of_it() {
    let desk = Desk::new();
    let before = desk.text("Home.md");
    let first = desk.tool("append_to_file", &json!({ "path": "Home", "content": "one" })).done();
    desk.tool("append_to_file", &json!({ "path": "Glossary", "content": "two" })).done();
    let id = first["operation"].as_str().unwrap();
    let ran = desk.run(["undo", id]);
    assert_eq!(ran.stdout, "undid append_to_file of Home.md\n");
    assert_eq!(desk.text("Home.md"), before);
    assert!(desk.text("Glossary.md").contains("two"), "the later edit of another note stays");
    assert!(desk.run(["undo", id]).complains(4).contains("already undone"));

    // Undoing is an edit too: it can be taken back by its own id.
    let by = operations(&desk)[0]["operation"].as_str().unwrap().to_owned();
    desk.run(["undo", &by, "--json"]).done();
    assert!(desk.text("Home.md").contains("one"));
}

#[test]
fn a_batch_is_taken_back_as_one() {
    let desk = Desk::new();
    let whole = desk.tree();
    let args = json!({ "paths": ["Home", "Glossary", "nowhere"], "field": "seen", "value": "x" });
    let batch = desk.tool("batch_update_frontmatter", &args).done();
    assert_eq!(
        (batch["succeeded"].as_array().unwrap().len(), batch["failed"].as_array().unwrap().len()),
        (2, 1)
    );
    desk.tool("append_to_file", &json!({ "path": "Bees/Log", "content": "later" })).done();
    let undone = desk.run(["undo", batch["group"].as_str().unwrap(), "--json"]).done();
    assert_eq!(undone["undone"].as_array().unwrap().len(), 2);
    desk.run(["undo", "--json"]).done();
    assert_eq!(desk.tree(), whole);
}

#[test]
fn an_edit_that_somebody_worked_on_since_is_not_taken_back() {
    let desk = Desk::new();
    desk.tool("append_to_file", &json!({ "path": "Home", "content": "ours" })).done();
    let theirs = desk.text("Home.md") + "theirs\n";
    desk.save("Home.md", &theirs);
    let said = desk.run(["undo", "--json"]).failed(4);
    assert_eq!(said["path"], "Home.md");
    assert!(said["hint"].as_str().unwrap().contains("nothing was undone"), "{said}");
    assert_eq!(desk.text("Home.md"), theirs);
    std::fs::remove_file(desk.vault().join("Home.md")).unwrap();
    desk.run(["undo"]).complains(4);
    assert!(!desk.vault().join("Home.md").exists());
}

#[test]
fn there_may_be_nothing_to_undo() {
    let desk = Desk::new();
    assert!(desk.run(["undo"]).complains(3).contains("nothing to undo"));
    for unknown in ["01990f3c", "x", "", "../../journal", "01990f3c-0000-7000-8000-000000000000"] {
        let said = desk.run(["undo", "--json", unknown]).failed(3);
        assert!(said["hint"].as_str().unwrap().contains("--list"), "{said}");
    }
}

/// Whether any file below this folder has these bytes.
fn is_anywhere(folder: &std::path::Path, text: &str) -> bool {
    std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).any(|path| {
        if path.is_dir() {
            return is_anywhere(&path, text);
        }
        std::fs::read(path).unwrap().windows(text.len()).any(|window| window == text.as_bytes())
    })
}

#[test]
fn the_old_text_of_edits_can_be_forgotten() {
    let desk = Desk::bare();
    for (path, old) in [("One.md", "quillwort"), ("Two.md", "bogbean")] {
        desk.save(path, format!("## Plant\n\n{old}\n"));
        let edit = json!({ "path": path, "heading": "## Plant", "content": "## Plant\n\nnone" });
        desk.tool("replace_section", &edit).done();
    }
    let journal = || {
        let data = desk.run(["status", "--json"]).done()["data"].as_str().unwrap().to_owned();
        ["quillwort", "bogbean"].map(|old| is_anywhere(&std::path::Path::new(&data).join("journal"), old))
    };
    let ids: Vec<String> =
        operations(&desk).iter().map(|one| one["operation"].as_str().unwrap().to_owned()).collect();
    assert_eq!((journal(), ids.len()), ([true, true], 2));
    desk.run(["undo", "--forget", "nothing-of-that-name", "--json"]).failed(3);
    assert_eq!(desk.run(["undo", "--forget", &ids[1], "--json"]).done()["forgotten"], 1);
    assert_eq!(journal(), [false, true]);
    assert_eq!(operations(&desk).len(), 1);
    let said = desk.run(["undo", "--forget"]);
    assert_eq!(said.stdout, "forgot 1 edit; what is forgotten can't be undone\n", "{said:?}");
    assert_eq!((journal(), operations(&desk).len()), ([false, false], 0));
    desk.run(["undo", "--json"]).failed(3);
    assert_eq!(desk.text("Two.md"), "## Plant\n\nnone\n");
    // Edits go on, and can be undone.
    desk.tool("append_to_file", &json!({ "path": "Two", "content": "more" })).done();
    assert_eq!(desk.run(["undo", "--json"]).done()["undone"].as_array().unwrap().len(), 1);
}
