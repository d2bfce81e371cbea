//! create_file, append_to_file, prepend_to_file: a note's beginning and its end.

use serde_json::json;
use wellread_testkit::World;

use crate::ask::{dry, error, fails, ok};

#[test]
fn a_new_file_gets_its_folders_and_its_ending() {
    let world = World::new("-- A.md\na\n");
    let answer = ok(&world, "create_file", json!({ "path": "x/y/New", "content": "Text" }));
    assert_eq!((&answer["path"], &answer["message"]), (&json!("x/y/New.md"), &json!("created `x/y/New.md`")));
    assert_eq!(world.read_text("x/y/New.md"), "Text");
    ok(&world, "create_file", json!({ "path": "Empty" }));
    assert_eq!(world.read_text("Empty.md"), "");
    ok(&world, "create_file", json!({ "path": "data.json", "content": "{}" }));
    assert_eq!(world.read_text("data.json"), "{}");
}

#[test]
fn a_dot_in_a_name_is_no_ending_where_no_ending_follows() {
    for (path, made) in [
        ("Dr. Smith", "Dr. Smith.md"),
        ("Release 1.2", "Release 1.2.md"),
        ("a. b", "a. b.md"),
        ("end.", "end..md"),
        ("x.canvas", "x.canvas"),
        ("x.mp3", "x.mp3"),
        ("x.MD", "x.MD"),
    ] {
        let world = World::new("-- Old.md\n");
        assert_eq!(ok(&world, "create_file", json!({ "path": path }))["path"], made);
        let answer = ok(&world, "move_file", json!({ "source": "Old", "destination": format!("to/{path}") }));
        assert_eq!(answer["destination"], format!("to/{made}"));
    }
}

#[test]
fn a_new_file_never_overwrites() {
    let world = World::new("-- A.md\na\n");
    let answer = fails(&world, "create_file", json!({ "path": "A", "content": "b" }));
    assert_eq!(answer["error"], "a file already exists at `A.md`");
    assert_eq!(
        (&answer["path"], &answer["hint"]),
        (&json!("A.md"), &json!("nothing was changed; choose another name"))
    );
    fails(&world, "create_file", json!({ "path": "A.md/x.md" }));
}

#[test]
fn the_frontmatter_of_a_new_file_is_json_in_a_string_or_an_object() {
    let fields = json!({ "tags": ["a", "b c"], "n": 3, "done": true, "when": "2024-05-01", "note": "a: b", "nothing": null });
    let expected = "---\ntags:\n  - a\n  - b c\nn: 3\ndone: true\nwhen: 2024-05-01\nnote: \"a: b\"\nnothing:\n---\nBody\n";
    for given in [json!(fields.to_string()), fields.clone()] {
        let world = World::new("-- A.md\n");
        ok(&world, "create_file", json!({ "path": "B", "content": "Body\n", "frontmatter": given }));
        assert_eq!(world.read_text("B.md"), expected);
        assert_eq!(ok(&world, "get_note_info", json!({ "path": "B" }))["frontmatter"], fields);
    }
    let world = World::new("-- A.md\n");
    ok(&world, "create_file", json!({ "path": "B", "content": "Body\n", "frontmatter": " " }));
    ok(&world, "create_file", json!({ "path": "C", "content": "Body\n", "frontmatter": "{}" }));
    assert_eq!(
        (world.read_text("B.md"), world.read_text("C.md")),
        ("Body\n".to_owned(), "Body\n".to_owned())
    );
}

#[test]
fn a_frontmatter_that_is_none_is_an_error() {
    let world = World::new("-- A.md\n");
    for (given, message) in [
        ("tags: a", "`frontmatter` is not JSON: "),
        ("[1]", "`frontmatter` must be a JSON object"),
        ("\"x\"", "`frontmatter` must be a JSON object"),
        ("{\"\": 1}", "a frontmatter field needs a name"),
        ("{\"a\\nb\": 1}", "a frontmatter field's name is one line"),
    ] {
        let answer = fails(&world, "create_file", json!({ "path": "B", "frontmatter": given }));
        assert!(answer["error"].as_str().unwrap().starts_with(message), "{given}: {answer}");
        assert_eq!(answer["path"], "B.md", "{given}");
    }
    let twice = json!({ "path": "B", "content": "---\na: 1\n---\n", "frontmatter": "{\"b\": 2}" });
    let answer = fails(&world, "create_file", twice);
    assert_eq!(answer["error"], "`content` has a frontmatter of its own");
    assert!(answer["hint"].as_str().unwrap().starts_with("give the fields in one place"));
}

#[test]
fn the_frontmatter_of_a_new_file_takes_the_line_ending_of_its_content() {
    let world = World::new("-- A.md\n");
    ok(&world, "create_file", json!({ "path": "B", "content": "a\r\nb\r\n", "frontmatter": "{\"k\": 1}" }));
    assert_eq!(world.read_text("B.md"), "---\r\nk: 1\r\n---\r\na\r\nb\r\n");
}

#[test]
fn appending_puts_text_on_a_line_of_its_own() {
    for (before, content, after) in [
        ("", "new", "new\n"),
        ("a\n", "new", "a\nnew\n"),
        ("a\n", "new\n", "a\nnew\n"),
        ("a", "new\n", "a\nnew"),
        ("a\r\nb\r\n", "one\ntwo", "a\r\nb\r\none\r\ntwo\r\n"),
        ("a\r\nb", "new", "a\r\nb\r\nnew"),
        ("\u{feff}a\n", "new", "\u{feff}a\nnew\n"),
        ("---\nk: 1\n---", "new", "---\nk: 1\n---\nnew"),
    ] {
        let world = World::with_files([("A.md", before.as_bytes())]);
        let answer = ok(&world, "append_to_file", json!({ "path": "A", "content": content }));
        assert_eq!(
            (world.read_text("A.md").as_str(), &answer["message"]),
            (after, &json!("added at the end of `A.md`"))
        );
        let same = World::with_files([("A.md", before.as_bytes())]);
        ok(&same, "edit_file", json!({ "path": "A", "content": content, "position": "append" }));
        assert_eq!(same.read_text("A.md"), after);
    }
}

#[test]
fn prepending_goes_after_the_frontmatter_or_to_the_very_top() {
    for (before, after) in [
        ("", "new\n"),
        ("a\n", "new\n\na\n"),
        ("\u{feff}a", "\u{feff}new\n\na"),
        ("---\nk: 1\n---\na\n", "---\nk: 1\n---\n\nnew\n\na\n"),
        ("---\nk: 1\n---\n\na\n", "---\nk: 1\n---\n\nnew\n\na\n"),
        ("---\nk: 1\n---\n", "---\nk: 1\n---\n\nnew\n"),
        ("---\r\nk: 1\r\n---\r\na", "---\r\nk: 1\r\n---\r\n\r\nnew\r\n\r\na"),
        ("---\nnever closed\n", "new\n\n---\nnever closed\n"),
    ] {
        let world = World::with_files([("A.md", before.as_bytes())]);
        let answer = ok(&world, "prepend_to_file", json!({ "path": "A", "content": "new" }));
        assert_eq!(
            (world.read_text("A.md").as_str(), &answer["message"]),
            (after, &json!("added at the top of `A.md`"))
        );
        let same = World::with_files([("A.md", before.as_bytes())]);
        ok(&same, "edit_file", json!({ "path": "A", "content": "new", "position": "prepend" }));
        assert_eq!(same.read_text("A.md"), after);
    }
}

#[test]
fn nothing_to_add_is_an_error() {
    let world = World::new("-- A.md\n## H\n");
    for (tool, args) in [
        ("append_to_file", json!({ "path": "A", "content": "" })),
        ("prepend_to_file", json!({ "path": "A", "content": "" })),
        ("append_to_section", json!({ "path": "A", "content": "", "heading": "## H" })),
        ("edit_file", json!({ "path": "A", "content": "", "position": "append" })),
    ] {
        let answer = fails(&world, tool, args);
        assert_eq!(
            (&answer["error"], &answer["path"]),
            (&json!("`content` is empty: there is nothing to add"), &json!("A.md"))
        );
    }
    let answer = ok(&world, "append_to_file", json!({ "path": "A", "content": "\n\n" }));
    assert_eq!(answer["message"], "nothing to change: it is so already");
    assert!(world.vault.history(1).unwrap().is_empty());
}

#[test]
fn a_file_that_is_not_there_is_not_made_by_an_edit() {
    let world = World::new("-- Bees.md\n");
    for (tool, args) in [
        ("append_to_file", json!({ "path": "Beees", "content": "x" })),
        ("prepend_to_file", json!({ "path": "Beees", "content": "x" })),
        ("replace_section", json!({ "path": "Beees", "content": "x", "heading": "# A" })),
        ("update_frontmatter", json!({ "path": "Beees", "field": "a", "value": 1 })),
        ("delete_file", json!({ "path": "Beees" })),
        ("move_file", json!({ "source": "Beees", "destination": "x" })),
    ] {
        let answer = fails(&world, tool, args);
        assert_eq!(answer["error"], "File not found: Beees");
        assert_eq!((&answer["hint"], &answer["path"]), (&json!("did you mean `Bees.md`?"), &json!("Beees")));
    }
}

#[test]
fn dry_runs_show_a_unified_difference() {
    let world = World::new("-- A.md\na\nb\n");
    assert_eq!(
        dry(&world, "append_to_file", json!({ "path": "A", "content": "c" })),
        "--- a/A.md\n+++ b/A.md\n@@ -1,2 +1,3 @@\n a\n b\n+c\n"
    );
    assert_eq!(
        dry(&world, "prepend_to_file", json!({ "path": "A", "content": "c" })),
        "--- a/A.md\n+++ b/A.md\n@@ -1,2 +1,4 @@\n+c\n+\n a\n b\n"
    );
    assert_eq!(
        dry(&world, "create_file", json!({ "path": "n/B", "content": "x\n" })),
        "--- /dev/null\n+++ b/n/B.md\n@@ -0,0 +1 @@\n+x\n"
    );
    assert_eq!(
        dry(&world, "create_file", json!({ "path": "E" })),
        "diff --git a/E.md b/E.md\nnew file mode 100644\n"
    );
    assert_eq!(
        dry(&world, "delete_file", json!({ "path": "A" })),
        "diff --git a/A.md b/.trash/A.md\nsimilarity index 100%\nrename from A.md\nrename to .trash/A.md\n"
    );
}

#[test]
fn a_dry_run_fails_where_the_edit_would() {
    let world = World::new("-- A.md\na\n");
    assert_eq!(
        error(&world, "create_file", json!({ "path": "A", "dry_run": true })),
        "a file already exists at `A.md`"
    );
    assert!(
        error(&world, "append_to_file", json!({ "path": "B", "content": "x", "dry_run": true }))
            .starts_with("File not found")
    );
}

#[test]
fn a_deleted_file_goes_to_the_trash_and_never_over_another() {
    let world = World::new("-- A.md\nfirst [[B]]\n-- x/A.md\nsecond\n-- B.md\n[[A]]\n");
    let answer = ok(&world, "delete_file", json!({ "path": "A" }));
    assert_eq!(answer["message"], "moved `A.md` to the trash");
    ok(&world, "delete_file", json!({ "path": "x/A" }));
    let paths: Vec<String> = world.files.tree().keys().map(ToString::to_string).collect();
    assert_eq!(paths, [".trash/A 1.md", ".trash/A.md", "B.md"]);
    assert_eq!(world.read_text("B.md"), "[[A]]\n", "links to it stay as they are");
    assert_eq!(
        ok(&world, "search_by_folder", json!({ "folder": "", "recursive": true }))["results"],
        json!(["B.md"])
    );
    world.vault.undo(None).unwrap();
    world.vault.undo(None).unwrap();
    assert_eq!(
        (world.read_text("A.md"), world.read_text("x/A.md")),
        ("first [[B]]\n".to_owned(), "second\n".to_owned())
    );
}

#[test]
fn what_is_added_neither_joins_a_list_or_quote_nor_makes_a_heading_of_a_paragraph() {
    for (old, content, new) in [
        ("- one\n", "Prose.", "- one\n\nProse.\n"),
        ("- one\n  more\n", "Prose.", "- one\n  more\n\nProse.\n"),
        ("> [!note] Title\n> words\n", "Prose.", "> [!note] Title\n> words\n\nProse.\n"),
        ("Last words\n", "---\nLogged", "Last words\n\n---\nLogged\n"),
        ("Last words", "===", "Last words\n\n==="),
        ("Last words\r\n", "---", "Last words\r\n\r\n---\r\n"),
        ("- one\n", "- two", "- one\n- two\n"),
        ("1. one\n", "2. two", "1. one\n2. two\n"),
        ("> a\n", "> b", "> a\n> b\n"),
        ("- one\n", "## New", "- one\n## New\n"),
        ("- one\n\n", "Prose.", "- one\n\nProse.\n"),
        ("words\n", "more", "words\nmore\n"),
    ] {
        let world = World::with_files([("A.md", old.as_bytes())]);
        ok(&world, "append_to_file", json!({ "path": "A", "content": content }));
        assert_eq!(world.read_text("A.md"), new, "{old:?} + {content:?}");
    }
}
