//! Where links point.

use super::*;

fn vault() -> FileNames {
    FileNames::from_paths([
        "Home.md",
        "a/Bees.md",
        "a/deep/Note.md",
        "b/Note.md",
        "b/c/Note.md",
        "b/v1.2.md",
        "img/x.png",
        "b/img/x.png",
        "img/y.png",
        "b/y.png.md",
        "Index.md",
        "a/Index.md",
        "Cafe\u{301}.md",
    ])
}

fn found(path: &str) -> Resolution {
    Resolution::Found(path.to_owned())
}

#[test]
fn a_link_is_found_by_name_or_by_the_end_of_its_path() {
    for (target, from, path) in [
        ("Home", "a/Bees.md", "Home.md"),
        ("home", "a/Bees.md", "Home.md"),
        ("HOME.MD", "a/Bees.md", "Home.md"),
        ("Bees", "Home.md", "a/Bees.md"),
        ("a/Bees", "b/Note.md", "a/Bees.md"),
        ("a/bees.md", "b/Note.md", "a/Bees.md"),
        ("deep/Note", "Home.md", "a/deep/Note.md"),
        ("c/Note", "Home.md", "b/c/Note.md"),
        ("b/Note", "Home.md", "b/Note.md"),
        ("v1.2", "Home.md", "b/v1.2.md"),
        ("y.png", "Home.md", "img/y.png"),
        ("y.png.md", "Home.md", "b/y.png.md"),
        ("Index", "a/Bees.md", "Index.md"),
        ("Café", "Home.md", "Cafe\u{301}.md"),
        ("CAFÉ", "Home.md", "Cafe\u{301}.md"),
        ("", "Home.md", "Home.md"),
        ("  Home ", "a/Bees.md", "Home.md"),
        ("a//Bees", "Home.md", "a/Bees.md"),
    ] {
        assert_eq!(vault().resolve(target, from), found(path), "{target}");
    }
}

#[test]
fn rooted_and_relative_links_mean_one_place_only() {
    for (target, from, path) in [
        ("/Home", "a/Bees.md", Some("Home.md")),
        ("/Bees", "a/Bees.md", None),
        ("./Note", "b/Note.md", Some("b/Note.md")),
        ("./Bees", "b/Note.md", None),
        ("../Home.md", "a/Bees.md", Some("Home.md")),
        ("../../Index", "a/deep/Note.md", Some("Index.md")),
        ("../../Home", "a/Bees.md", None),
        ("../../a/../../Home", "a/deep/Note.md", None),
        ("..", "a/Bees.md", None),
        ("./c/Note", "b/Note.md", Some("b/c/Note.md")),
    ] {
        assert_eq!(vault().resolve(target, from).path(), path, "{target}");
    }
}

#[test]
fn several_files_that_fit_are_ambiguous_and_the_nearest_is_chosen() {
    for (target, from, chosen, others) in [
        ("Note", "Home.md", "b/Note.md", &["b/c/Note.md", "a/deep/Note.md"][..]),
        ("Note", "a/Bees.md", "a/deep/Note.md", &["b/Note.md", "b/c/Note.md"]),
        ("note", "b/c/Note.md", "b/c/Note.md", &["b/Note.md", "a/deep/Note.md"]),
        ("x.png", "Home.md", "img/x.png", &["b/img/x.png"]),
    ] {
        let expected = Resolution::Ambiguous {
            chosen: chosen.to_owned(),
            others: others.iter().map(|&path| path.to_owned()).collect(),
        };
        assert_eq!(vault().resolve(target, from), expected, "{target} in {from}");
    }
    assert_eq!(vault().resolve("img/x.png", "b/Note.md"), found("img/x.png"));
}

#[test]
fn what_is_not_there_is_missing() {
    for target in ["Nobody", "x", "y", "Bees.txt", "ees", "/", ".", "a", "a/", "b/Bees", "Home/"] {
        let resolved = vault().resolve(target, "Home.md");
        assert_eq!(resolved.path().filter(|_| target != "Home/"), None, "{target}");
    }
}

#[test]
fn names_that_differ_in_case_only_are_told_apart_by_their_case() {
    let names = FileNames::from_paths(["a/Note.md", "a/note.md"]);
    assert_eq!(names.resolve("a/note", "x.md"), found("a/note.md"));
    assert_eq!(names.resolve("a/Note.md", "x.md"), found("a/Note.md"));
    assert!(matches!(names.resolve("a/NOTE", "x.md"), Resolution::Ambiguous { .. }));
}

#[test]
fn the_shortest_link_means_its_file_alone() {
    let names = vault();
    for (path, from, link) in [
        ("Home.md", "a/Bees.md", "Home"),
        ("a/Bees.md", "Home.md", "Bees"),
        ("b/Note.md", "Home.md", "b/Note"),
        ("b/c/Note.md", "Home.md", "c/Note"),
        ("a/Index.md", "a/Bees.md", "a/Index"),
        ("Index.md", "a/Bees.md", "Index"),
        ("img/x.png", "Home.md", "img/x.png"),
        ("b/img/x.png", "Home.md", "b/img/x.png"),
        ("b/y.png.md", "Home.md", "y.png.md"),
        ("b/v1.2.md", "Home.md", "v1.2"),
    ] {
        assert_eq!(names.shortest_link(path, from), link);
        assert_eq!(names.resolve(link, from), found(path));
    }
}

#[test]
fn files_come_and_go() {
    let mut names = vault();
    names.remove("b/Note.md");
    names.remove("b/c/Note.md");
    names.remove("nobody.md");
    assert_eq!(names.resolve("Note", "Home.md"), found("a/deep/Note.md"));
    names.insert("New.md");
    names.insert("New.md");
    assert_eq!(names.resolve("new", "Home.md"), found("New.md"));
    assert!(names.contains("New.md") && !names.contains("new.md"));
}
