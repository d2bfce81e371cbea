//! Moves, and what they do to links.

use super::*;

/// Moves files of a vault and gives back the text of the note at `note` after its links have followed.
fn after_move(files: &[&str], moves: &[(&str, &str)], note: &str, text: &str) -> (String, Vec<String>) {
    let moves: HashMap<String, String> =
        moves.iter().map(|&(old, new)| (old.to_owned(), new.to_owned())).collect();
    let before = FileNames::from_paths(files.iter().copied());
    let after = FileNames::from_paths(files.iter().map(|&path| moves.get(path).map_or(path, String::as_str)));
    let new_note = moves.get(note).map_or(note, String::as_str).to_owned();
    let moved = FileMoves { before: &before, after: &after, moves: &moves };
    let followed = update_links(text, &Note::parse(text), note, &new_note, &moved);
    (apply_splices(text, &followed.splices).unwrap(), followed.refused)
}

fn check(files: &[&str], moves: &[(&str, &str)], note: &str, text: &str, expected: &str) {
    let (after, refused) = after_move(files, moves, note, text);
    assert_eq!(after, expected, "{text}");
    assert_eq!(refused, [""; 0], "{text}");
}

#[test]
fn a_renamed_note_is_followed_in_every_style() {
    let files = ["Home.md", "dir/Old.md", "dir/x.md"];
    for (text, expected) in [
        ("[[Old]]", "[[New name]]"),
        ("[[old]]", "[[New name]]"),
        ("[[Old#head|alias]]", "[[New name#head|alias]]"),
        ("![[Old#^b]]", "![[New name#^b]]"),
        ("[[Old.md]]", "[[New name.md]]"),
        ("[[ Old | x ]]", "[[ New name | x ]]"),
        ("[[dir/Old]]", "[[dir/New name]]"),
        ("[[/dir/Old]]", "[[/dir/New name]]"),
        ("[[/dir/Old.md]]", "[[/dir/New name.md]]"),
        ("[[./dir/Old]]", "[[./dir/New name]]"),
        ("[x](Old.md)", "[x](New%20name.md)"),
        ("[x](dir/Old.md#h)", "[x](dir/New%20name.md#h)"),
        ("[x](<dir/Old.md> \"t\")", "[x](<dir/New name.md> \"t\")"),
        ("[x](dir/Old)", "[x](dir/New%20name)"),
        ("[r]: dir/Old.md", "[r]: dir/New%20name.md"),
        ("| [[Old\\|x]] |\n| - |", "| [[New name\\|x]] |\n| - |"),
        ("`[[Old]]` [[Gone]] [[x]]", "`[[Old]]` [[Gone]] [[x]]"),
        ("---\nup: \"[[Old|x]]\"\n---\n", "---\nup: \"[[New name|x]]\"\n---\n"),
        ("---\nup: [[Old]]\n---\n", "---\nup: [[New name]]\n---\n"),
        ("---\nup:\n  - '[[Old]]' # c\n---\n", "---\nup:\n  - '[[New name]]' # c\n---\n"),
        ("---\nup: \"[x](dir/Old.md)\"\n---\n", "---\nup: \"[x](dir/New%20name.md)\"\n---\n"),
    ] {
        check(&files, &[("dir/Old.md", "dir/New name.md")], "Home.md", text, expected);
    }
}

#[test]
fn a_note_that_moves_folder_is_followed_only_where_needed() {
    let files = ["Home.md", "a/Note.md", "b/Other.md"];
    for (text, expected) in [
        ("[[Note]]", "[[Note]]"),
        ("[[a/Note]]", "[[b/Note]]"),
        ("[[/a/Note|x]]", "[[/b/Note|x]]"),
        ("[x](a/Note.md)", "[x](b/Note.md)"),
        ("[x](./a/Note.md)", "[x](./b/Note.md)"),
    ] {
        check(&files, &[("a/Note.md", "b/Note.md")], "Home.md", text, expected);
    }
}

#[test]
fn relative_links_of_the_moved_note_are_kept_relative() {
    let files = ["a/Note.md", "a/pic.png", "a/sub/Deep.md", "Home.md"];
    for (text, expected) in [
        ("[x](../Home.md)", "[x](../../Home.md)"),
        ("![x](./pic.png)", "![x](../../a/pic.png)"),
        ("[x](sub/Deep.md)", "[x](sub/Deep.md)"),
        ("[[../Home]]", "[[../../Home]]"),
        ("[[Home]] [[#here]] [[Note]]", "[[Home]] [[#here]] [[Note]]"),
    ] {
        check(&files, &[("a/Note.md", "b/c/Note.md")], "a/Note.md", text, expected);
    }
}

#[test]
fn a_link_whose_meaning_would_be_stolen_is_made_longer() {
    // A second `Note` moves next to the link's own note, and would be the nearer one.
    check(
        &["a/Link.md", "b/Note.md", "c/Other.md"],
        &[("c/Other.md", "a/Note.md")],
        "a/Link.md",
        "[[Note]] [x](Note.md)",
        "[[b/Note]] [x](b/Note.md)",
    );
    // The exact path at the root is taken by somebody else.
    check(
        &["a/Link.md", "b/Note.md", "x.md"],
        &[("x.md", "Note.md")],
        "a/Link.md",
        "[[Note|n]]",
        "[[b/Note|n]]",
    );
}

#[test]
fn a_bare_name_becomes_a_path_where_it_has_to() {
    let files = ["Home.md", "a/One.md", "b/Two.md"];
    check(&files, &[("a/One.md", "a/Two.md")], "Home.md", "[[One]] [[Two]]", "[[a/Two]] [[b/Two]]");
}

#[test]
fn an_ambiguous_link_stays_as_long_as_the_same_file_is_chosen() {
    let files = ["Home.md", "a/N.md", "b/deep/N.md"];
    check(&files, &[("b/deep/N.md", "b/deeper/N.md")], "Home.md", "[[N]]", "[[N]]");
}

#[test]
fn many_moves_at_once_and_swaps() {
    check(
        &["Home.md", "a.md", "b.md"],
        &[("a.md", "b.md"), ("b.md", "a.md")],
        "Home.md",
        "[[a]] [[b]] [x](a.md)",
        "[[b]] [[a]] [x](b.md)",
    );
    check(
        &["x/Home.md", "x/a.md"],
        &[("x/Home.md", "y/Home.md"), ("x/a.md", "y/a.md")],
        "x/Home.md",
        "[l](./a.md)",
        "[l](./a.md)",
    );
}

#[test]
fn markdown_paths_are_encoded() {
    let files = ["Home.md", "old.md"];
    check(
        &files,
        &[("old.md", "a (1) 50%#?.md")],
        "Home.md",
        "[x](old.md#h)",
        "[x](a%20%281%29%2050%25%23%3F.md#h)",
    );
    check(&files, &[("old.md", "a <b>.md")], "Home.md", "[x](<old.md>)", "[x](<a %3Cb%3E.md>)");
    check(&files, &[("old.md", "ü: x.md")], "Home.md", "[x](old.md)", "[x](ü%3A%20x.md)");
}

#[test]
fn what_cannot_be_written_is_left_alone_and_reported() {
    let files = ["Home.md", "old.md"];
    for (new, text) in [
        ("a#b.md", "[[old]]"),
        ("a|b.md", "[[old|x]]"),
        ("a]b.md", "![[old]]"),
        ("a^b.md", "[[old]]"),
        ("a%%b.md", "%%x%% [[old]] c%%"),
        ("a, b.md", "---\nup: [[old]]\n---\n"),
        ("a: b.md", "---\nup: [[old]]\n---\n"),
        ("a.md", "---\nup: \"[[old]]\"\nbroken: [\n---\n"),
    ] {
        let (after, refused) = after_move(&files, &[("old.md", new)], "Home.md", text);
        assert_eq!(after, text, "{new}");
        assert_eq!(refused.len(), 1, "{new}: {refused:?}");
        assert!(refused[0].contains("on line "), "{refused:?}");
    }
}

#[test]
fn quotes_in_frontmatter_stay_quotes() {
    let files = ["Home.md", "old.md"];
    check(
        &files,
        &[("old.md", "it's.md")],
        "Home.md",
        "---\nk: '[[old]]'\n---\n",
        "---\nk: '[[it''s]]'\n---\n",
    );
    check(
        &files,
        &[("old.md", "a \"b\".md")],
        "Home.md",
        "---\nk: \"[[old]]\"\n---\n",
        "---\nk: \"[[a \\\"b\\\"]]\"\n---\n",
    );
    check(
        &files,
        &[("old.md", "a, b.md")],
        "Home.md",
        "---\nk: [\"[[old]]\"]\n---\n",
        "---\nk: [\"[[a, b]]\"]\n---\n",
    );
    check(
        &["Home.md", "it's.md"],
        &[("it's.md", "b.md")],
        "Home.md",
        "---\nk: '[[it''s]]'\n---\n",
        "---\nk: '[[b]]'\n---\n",
    );
}

#[test]
fn line_endings_and_everything_else_stay() {
    check(
        &["Home.md", "old.md"],
        &[("old.md", "new.md")],
        "Home.md",
        "\u{feff}---\r\nup: '[[old]]'\r\n---\r\n# T\r\n\r\n[[old]] and [[old|x]]",
        "\u{feff}---\r\nup: '[[new]]'\r\n---\r\n# T\r\n\r\n[[new]] and [[new|x]]",
    );
}

#[test]
fn links_in_comments_follow() {
    let files = ["Home.md", "dir/Old.md"];
    for (text, expected) in [
        ("%%[[Old]]%%", "%%[[New name]]%%"),
        (
            "%%\n# x\n[x](dir/Old.md) [[Old#h|a]]\n%%\n",
            "%%\n# x\n[x](dir/New%20name.md) [[New name#h|a]]\n%%\n",
        ),
        ("a %% [[dir/Old]] to the end", "a %% [[dir/New name]] to the end"),
        ("%%`[[Old]]`%%", "%%`[[Old]]`%%"),
    ] {
        check(&files, &[("dir/Old.md", "dir/New name.md")], "Home.md", text, expected);
    }
}

#[test]
fn the_cards_of_a_canvas_follow_and_nothing_else_changes() {
    let text = "{\"nodes\":[\n{\"file\":\"dir\\/Old.md\",\"x\": 1.50},{\"file\":\"dir/Other.md\"},\n{\"text\":\"a\\n\\u00e4 [[Old|\\\"x\\\"]] [[Gone]]\"}]}";
    let moves = HashMap::from([("dir/Old.md".to_owned(), "new/The \"New\" ä.md".to_owned())]);
    let before = FileNames::from_paths(["dir/Old.md", "dir/Other.md", "B.canvas"]);
    let after = FileNames::from_paths(["new/The \"New\" ä.md", "dir/Other.md", "B.canvas"]);
    let moved = FileMoves { before: &before, after: &after, moves: &moves };
    let canvas = Canvas::parse(text).unwrap();
    let followed = update_canvas_links(text, &canvas, "B.canvas", "B.canvas", &moved);
    assert_eq!(followed.refused, [""; 0]);
    assert_eq!(followed.rewritten.len(), 2);
    assert_eq!(
        apply_splices(text, &followed.splices).unwrap(),
        "{\"nodes\":[\n{\"file\":\"new/The \\\"New\\\" ä.md\",\"x\": 1.50},{\"file\":\"dir/Other.md\"},\n{\"text\":\"a\\n\\u00e4 [[The \\\"New\\\" ä|\\\"x\\\"]] [[Gone]]\"}]}"
    );
}
