//! replace_section, append_to_section, edit_file.

use serde_json::{Value, json};
use wellread_testkit::World;

use crate::ask::{dry, error, fails, ok};

const NOTE: &str =
    "-- A.md\n---\nk: 1\n---\n# Top\n\nintro\n\n## One\n\nfirst\n\n### Deep\n\ndeep\n\n## Two\n\nsecond\n";

/// The note after an edit of a section, the same by either tool.
#[track_caller]
fn edited(script: &str, mode: &str, heading: &str, content: &str) -> String {
    let tool = if mode == "replace" { "replace_section" } else { "append_to_section" };
    let (world, same) = (World::new(script), World::new(script));
    ok(&world, tool, json!({ "path": "A", "heading": heading, "content": content }));
    let args =
        json!({ "path": "A", "position": "section", "mode": mode, "heading": heading, "content": content });
    ok(&same, "edit_file", args);
    assert_eq!(world.read_text("A.md"), same.read_text("A.md"));
    world.read_text("A.md")
}

#[test]
fn replacing_takes_heading_and_body_up_to_the_next_heading_of_its_level_or_higher() {
    assert_eq!(
        edited(NOTE, "replace", "## One", "## Uno\n\nprimo"),
        "---\nk: 1\n---\n# Top\n\nintro\n\n## Uno\n\nprimo\n\n## Two\n\nsecond\n"
    );
    assert_eq!(
        edited(NOTE, "replace", "### Deep", "flat"),
        "---\nk: 1\n---\n# Top\n\nintro\n\n## One\n\nfirst\n\nflat\n\n## Two\n\nsecond\n"
    );
    assert_eq!(edited(NOTE, "replace", "# Top", "gone\n"), "---\nk: 1\n---\ngone\n");
    assert_eq!(
        edited(NOTE, "replace", "## Two", ""),
        "---\nk: 1\n---\n# Top\n\nintro\n\n## One\n\nfirst\n\n### Deep\n\ndeep\n\n"
    );
}

#[test]
fn appending_goes_to_the_sections_end_after_a_blank_line() {
    assert_eq!(
        edited(NOTE, "append", "## One", "more"),
        "---\nk: 1\n---\n# Top\n\nintro\n\n## One\n\nfirst\n\n### Deep\n\ndeep\n\nmore\n\n## Two\n\nsecond\n"
    );
    assert_eq!(edited("-- A.md\n## X\nx", "append", "## X", "y\n"), "## X\nx\n\ny");
    assert_eq!(
        edited("-- A.md\n## X\r\n## Y\r\n", "append", "## X", "y\nz"),
        "## X\r\n\r\ny\r\nz\r\n\r\n## Y\r\n"
    );
}

#[test]
fn headings_match_whatever_their_case_but_not_whatever_their_level() {
    for heading in ["## one", "## ONE", "##  One  ", "## One ##"] {
        assert!(edited(NOTE, "append", heading, "more").contains("deep\n\nmore\n"), "{heading}");
    }
    let world = World::new(NOTE);
    for heading in ["# One", "### One", "## On", "## One more"] {
        let message =
            error(&world, "replace_section", json!({ "path": "A", "heading": heading, "content": "x" }));
        assert_eq!(
            message,
            format!("no heading `{heading}`; the note has `# Top`, `## One`, `### Deep`, `## Two`")
        );
    }
}

#[test]
fn a_heading_without_marks_is_an_error() {
    let world = World::new(NOTE);
    for (heading, message) in [
        ("One", "a heading is given with its marks, such as `## One`"),
        ("", "a heading is given with its marks, such as `## Research`"),
        ("##One", "`##One` is not a heading: one to six `#`, a space, and its text"),
        ("####### One", "`####### One` is not a heading: one to six `#`, a space, and its text"),
    ] {
        for tool in ["replace_section", "append_to_section"] {
            let answer = fails(&world, tool, json!({ "path": "A", "heading": heading, "content": "x" }));
            assert_eq!((&answer["error"], &answer["path"]), (&json!(message), &json!("A.md")));
        }
    }
}

#[test]
fn several_matches_are_an_error_with_their_lines() {
    let world = World::new("-- A.md\n# A\n\n## Log\n\n# B\n\n```\n## Log\n```\n## LOG\n");
    let answer =
        fails(&world, "append_to_section", json!({ "path": "A", "heading": "## log", "content": "x" }));
    assert_eq!(answer["error"], "the heading `## log` appears more than once, on lines 3, 10");
    assert_eq!(answer["path"], "A.md");
}

#[test]
fn a_note_without_headings_says_so() {
    let world = World::new("-- A.md\ntext\n");
    let message =
        error(&world, "append_to_section", json!({ "path": "A", "heading": "## Log", "content": "x" }));
    assert_eq!(message, "no heading `## Log`: the note has no headings");
}

#[test]
fn what_only_looks_like_a_heading_is_none() {
    for hidden in [
        "```\n## Log\n```",
        "~~~\n## Log\n~~~",
        "````\n```\n## Log\n```\n````",
        "```\n## Log\nnever closed",
        "%%\n## Log\n%%",
        "<!--\n## Log\n-->",
        "$$\n## Log\n$$",
        "> ## Log",
        "> [!note]\n> ## Log",
        "- ## Log",
        "    ## Log",
        "\\## Log",
        "`## Log`",
        "text ## Log",
    ] {
        let world = World::with_files([("A.md", hidden.as_bytes())]);
        error(&world, "replace_section", json!({ "path": "A", "heading": "## Log", "content": "x" }));
        let with_real = format!("{}\n\n## Log\n\nreal\n", hidden.trim_end_matches("never closed"));
        if !hidden.ends_with("never closed") {
            let world = World::with_files([("A.md", with_real.as_bytes())]);
            ok(&world, "replace_section", json!({ "path": "A", "heading": "## Log", "content": "gone" }));
            assert_eq!(world.read_text("A.md"), format!("{hidden}\n\ngone\n"));
        }
    }
}

#[test]
fn underlined_headings_are_headings() {
    assert_eq!(
        edited("-- A.md\nTop\n===\n\none\n\nLog\n---\n\nx\n", "append", "## Log", "y"),
        "Top\n===\n\none\n\nLog\n---\n\nx\n\ny\n"
    );
    assert_eq!(edited("-- A.md\nLog\n---\n\nx\n\nEnd\n===\n", "replace", "## Log", "y"), "y\n\nEnd\n===\n");
}

#[test]
fn editing_a_section_needs_heading_and_mode() {
    let world = World::new(NOTE);
    let call = |args: Value| fails(&world, "edit_file", args);
    let answer = call(json!({ "path": "A", "content": "x", "position": "section", "mode": "append" }));
    assert_eq!(answer["error"], "`position` is `section`, so `heading` is needed");
    let answer = call(json!({ "path": "A", "content": "x", "position": "section", "heading": "## One" }));
    assert_eq!(
        (&answer["error"], &answer["hint"]),
        (&json!("`position` is `section`, so `mode` is needed"), &json!("`replace` or `append`"))
    );
}

#[test]
fn a_replacement_that_is_there_already_changes_nothing_and_is_not_journaled() {
    let world = World::new("-- A.md\n## One\n\nfirst\n\n## Two\n");
    let answer = ok(
        &world,
        "replace_section",
        json!({ "path": "A", "heading": "## One", "content": "## One\n\nfirst" }),
    );
    assert_eq!(answer["message"], "nothing to change: it is so already");
    assert!(world.vault.history(1).unwrap().is_empty());
}

#[test]
fn the_answers_name_section_and_note() {
    let world = World::new(NOTE);
    let args = json!({ "path": "A", "heading": "## One ", "content": "x" });
    assert_eq!(ok(&world, "append_to_section", args.clone())["message"], "added to `## One` in `A.md`");
    assert_eq!(
        dry(
            &world,
            "replace_section",
            json!({ "path": "A", "heading": "## Two", "content": "## Two\n\nother" })
        ),
        "--- a/A.md\n+++ b/A.md\n@@ -17,4 +17,4 @@\n \n ## Two\n \n-second\n+other\n"
    );
    assert_eq!(ok(&world, "replace_section", args)["message"], "replaced `## One` in `A.md`");
}

#[test]
fn content_that_leaves_something_open_does_not_swallow_what_comes_after() {
    let script = "-- A.md\n## One\n\nold\n\n## Two\n\nmine\n";
    for open in ["## One\n\n```rust\nlet x;", "## One\n\n~~~~\ntext", "%%\nhidden", "<!-- never closed"] {
        for (tool, extra) in [
            ("replace_section", json!({ "heading": "## One" })),
            ("append_to_section", json!({ "heading": "## One" })),
            ("prepend_to_file", json!({})),
            ("edit_file", json!({ "position": "section", "heading": "## One", "mode": "replace" })),
            ("edit_file", json!({ "position": "prepend" })),
        ] {
            let world = World::new(script);
            let mut args = json!({ "path": "A", "content": open });
            args.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
            ok(&world, tool, args);
            ok(
                &world,
                "append_to_section",
                json!({ "path": "A", "heading": "## Two", "content": "still mine" }),
            );
            assert!(world.read_text("A.md").ends_with("## Two\n\nmine\n\nstill mine\n"), "{tool} {open:?}");
        }
    }
}

#[test]
fn a_heading_where_no_section_is_edited_is_an_error() {
    let world = World::new("-- A.md\ntext\n");
    let args = json!({ "path": "A", "content": "x", "position": "append", "heading": "## One" });
    let answer = world.call_tool("edit_file", args);
    assert_eq!(answer["error"], "`heading` and `mode` go with `position` `section`");
    assert_eq!(world.read_text("A.md"), "text\n");
}
