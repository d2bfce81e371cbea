//! Reading and changing the frontmatter: tables of notes before and after.

use serde_json::{Value, json};

use super::*;
use crate::{EditErrorKind, apply_splices};

fn set(value: Value) -> FrontmatterChange {
    FrontmatterChange::Set(value)
}

fn append(value: Value) -> FrontmatterChange {
    FrontmatterChange::Append(value)
}

/// The note after the change, or the note itself where nothing changes.
fn changed(text: &str, name: &str, change: &FrontmatterChange) -> String {
    match change_frontmatter(text, name, change).unwrap_or_else(|error| panic!("{text:?}: {error}")) {
        Some(change) => apply_splices(text, &[change]).unwrap(),
        None => text.to_owned(),
    }
}

/// Changes the field `k` of this YAML.
fn field(yaml: &str, change: &FrontmatterChange) -> String {
    let text = format!("---\n{yaml}---\nbody\n");
    let after = changed(&text, "k", change);
    after.strip_prefix("---\n").unwrap().strip_suffix("---\nbody\n").unwrap().to_owned()
}

#[test]
fn the_block_is_at_the_very_top_and_closed() {
    for (text, inner) in [
        ("---\na: 1\n---\nx", Some("a: 1\n")),
        ("---\n---", Some("")),
        ("---  \r\na: 1\r\n---\t\r\nx", Some("a: 1\r\n")),
        ("\u{feff}---\na: 1\n---", Some("a: 1\n")),
        ("---\na: 1\n", None),
        ("---", None),
        ("\n---\na: 1\n---\n", None),
        (" ---\na: 1\n---\n", None),
        ("----\na: 1\n---\n", None),
        ("---\na: 1\n ---\n", None),
        ("", None),
    ] {
        let found = Frontmatter::parse(text);
        assert_eq!(found.as_ref().map(|found| &text[found.inner.clone()]), inner, "{text:?}");
    }
    let text = "\u{feff}---\r\na: 1\r\n---\r\nbody";
    assert_eq!(&text[Frontmatter::parse(text).unwrap().span], "---\r\na: 1\r\n---\r\n");
}

#[test]
fn a_block_of_more_than_256_kib_is_not_read() {
    let text = format!("---\na: {}\n---\n", "x".repeat(300 * 1024));
    assert_eq!(
        Frontmatter::parse(&text).unwrap().fields,
        Err("the frontmatter is larger than 256 KiB".to_owned())
    );
}

#[test]
fn setting_replaces_the_fields_own_lines() {
    for (yaml, value, after) in [
        ("k: 1\nb: 2\n", json!(3), "k: 3\nb: 2\n"),
        ("a: 1\nk: old # why\nb: 2\n", json!("new"), "a: 1\nk: new # why\nb: 2\n"),
        ("k:    old\n", json!("new"), "k: new\n"),
        ("k:\n", json!("new"), "k: new\n"),
        ("k: # c\nb: 1\n", json!(1), "k: 1 # c\nb: 1\n"),
        ("k: # c\n  - a\n", json!(["b"]), "k: # c\n  - b\n"),
        ("k: 'a # b' # c\n", json!("x"), "k: x # c\n"),
        ("k:\n  - a\n  # inner\n  - b\n  # after\nb: 1\n", json!("x"), "k: x\n  # after\nb: 1\n"),
        ("k:\n- a\n- b\nb: 1\n", json!(["c"]), "k:\n  - c\nb: 1\n"),
        ("k: |\n  a\n  # b\n\n# c\nb: 1\n", json!("x"), "k: x\n\n# c\nb: 1\n"),
        ("k: >-\n  a\n  b\nb: 1\n", json!("x"), "k: x\nb: 1\n"),
        ("k: a\n  b\n  c\nb: 1\n", json!("x"), "k: x\nb: 1\n"),
        ("k: \"a\n  b\"\nb: 1\n", json!("x"), "k: x\nb: 1\n"),
        ("k: {a: 1,\n  b: 2}\nb: 1\n", json!("x"), "k: x\nb: 1\n"),
        ("\"k\" : 1\nb: 2\n", json!(2), "\"k\" : 2\nb: 2\n"),
        ("'k': 1\n", json!(2), "'k': 2\n"),
        ("  k: 1\n  b: 2\n", json!([1]), "  k:\n    - 1\n  b: 2\n"),
        (
            "a: 1\n\n# about k\nk: 1\n\n# about b\nb: 2\n",
            json!(2),
            "a: 1\n\n# about k\nk: 2\n\n# about b\nb: 2\n",
        ),
        ("k: &x 1\nb: 2\n", json!(5), "k: 5\nb: 2\n"),
        ("k: 1\n", json!(null), "k:\n"),
        ("k: 1\n", json!([]), "k: []\n"),
        ("k: 1\n", json!({"a": 1, "b": ["x"]}), "k:\n  a: 1\n  b:\n    - x\n"),
        ("k: 1\n", json!([["a"], {"b": 1}]), "k:\n  - [a]\n  - b: 1\n"),
        ("a: 1\n", json!("x"), "a: 1\nk: x\n"),
        ("# only a comment\n", json!("x"), "# only a comment\nk: x\n"),
        ("", json!("x"), "k: x\n"),
        ("  a: 1\n", json!("x"), "  a: 1\n  k: x\n"),
        ("a: |\n  x\n", json!("x"), "a: |\n  x\nk: x\n"),
        ("k: same\n", json!("same"), "k: same\n"),
        ("k: [[Note]]\n", json!("[[Other]]"), "k: \"[[Other]]\"\n"),
    ] {
        assert_eq!(field(yaml, &set(value)), after, "{yaml:?}");
    }
}

#[test]
fn strings_in_a_mapping_are_no_dates_or_numbers_for_other_programs() {
    for (value, written) in [
        ("2026-01-05", "\"2026-01-05\""),
        ("2026-01-05t08-00-00z", "\"2026-01-05t08-00-00z\""),
        ("2026-01-05 Tea", "\"2026-01-05 Tea\""),
        ("12:30", "\"12:30\""),
        ("3 bees", "\"3 bees\""),
        ("+1:30", "\"+1:30\""),
        ("2026-01-05T08:00:00Z", "2026-01-05T08:00:00Z"),
        ("2026-01-05T08:00:00.5+02:00", "2026-01-05T08:00:00.5+02:00"),
        ("bees-2", "bees-2"),
    ] {
        assert_eq!(field("", &set(json!({ "a": value }))), format!("k:\n  a: {written}\n"));
        assert_eq!(field("", &set(json!([{ "a": value }]))), format!("k:\n  - a: {written}\n"));
    }
}

#[test]
fn strings_are_quoted_where_yaml_would_read_them_otherwise() {
    for (value, written) in [
        ("plain words", "plain words"),
        ("2024-01-01", "2024-01-01"),
        ("2024-01-01T10:00:00", "2024-01-01T10:00:00"),
        ("12:30", "12:30"),
        ("a:b", "a:b"),
        ("C#", "C#"),
        ("é 日本", "é 日本"),
        ("true", "\"true\""),
        ("No", "\"No\""),
        ("3", "\"3\""),
        ("1.5", "\"1.5\""),
        ("1_000", "\"1_000\""),
        ("0x1f", "\"0x1f\""),
        ("-1", "\"-1\""),
        (".inf", "\".inf\""),
        ("null", "\"null\""),
        ("~", "\"~\""),
        ("", "\"\""),
        (" x", "\" x\""),
        ("x ", "\"x \""),
        ("[[Link]]", "\"[[Link]]\""),
        ("a: b", "\"a: b\""),
        ("a:", "\"a:\""),
        ("a #b", "\"a #b\""),
        ("#b", "\"#b\""),
        ("- a", "\"- a\""),
        ("@a", "\"@a\""),
        ("`a", "\"`a\""),
        ("{{x}}", "\"{{x}}\""),
        ("*a", "\"*a\""),
        ("say \"hi\"", "say \"hi\""),
        ("\"hi\"", "\"\\\"hi\\\"\""),
        ("a\nb", "\"a\\nb\""),
        ("a\tb", "\"a\\tb\""),
        ("back\\slash\n", "\"back\\\\slash\\n\""),
        ("---", "\"---\""),
        ("\u{0}\u{85}\u{2028}", "\"\\u0000\\u0085\\u2028\""),
    ] {
        assert_eq!(field("", &set(json!(value))), format!("k: {written}\n"), "{value:?}");
        assert_eq!(field("", &set(json!([value]))), format!("k:\n  - {written}\n"), "{value:?}");
    }
}

#[test]
fn removing_takes_the_fields_own_lines() {
    for (yaml, after) in [
        ("a: 1\nk: 2\nb: 3\n", "a: 1\nb: 3\n"),
        ("k:\n  - a\n  - b\n", ""),
        ("# c\nk: |\n  a\n\n# d\nb: 1\n", "# c\n\n# d\nb: 1\n"),
        ("k:\n- a\nb: 1\n", "b: 1\n"),
    ] {
        assert_eq!(field(yaml, &FrontmatterChange::Remove), after, "{yaml:?}");
    }
    for text in ["---\na: 1\n---\n", "no frontmatter"] {
        let error = change_frontmatter(text, "k", &FrontmatterChange::Remove).unwrap_err();
        assert_eq!(
            (error.kind(), error.message()),
            (EditErrorKind::NotFound, "no field `k` in the frontmatter")
        );
    }
}

#[test]
fn appending_adds_to_the_list_as_it_is_written() {
    for (yaml, value, after) in [
        ("k:\n  - a\nb: 1\n", json!("c"), "k:\n  - a\n  - c\nb: 1\n"),
        ("k:\n- a\n- b\nb: 1\n", json!("c"), "k:\n- a\n- b\n- c\nb: 1\n"),
        (
            "k:\n    - a # one\n    # two\n    - b\n    # three\n",
            json!("c"),
            "k:\n    - a # one\n    # two\n    - b\n    - c\n    # three\n",
        ),
        ("k: # c\n  - a\n", json!("c"), "k: # c\n  - a\n  - c\n"),
        ("k:\n  - a: 1\n    b: 2\n", json!("c"), "k:\n  - a: 1\n    b: 2\n  - c\n"),
        ("k:\n  - |\n    # text\n", json!("c"), "k:\n  - |\n    # text\n  - c\n"),
        ("k: [a, b] # c\n", json!("c"), "k: [a, b, c] # c\n"),
        ("k: []\n", json!("c"), "k: [c]\n"),
        ("k: [a, ]\n", json!("c"), "k: [a, c ]\n"),
        ("k: [ a ]\n", json!("x, y"), "k: [ a, \"x, y\" ]\n"),
        ("k: [\n  a,\n  b\n]\n", json!("c"), "k: [\n  a,\n  b, c\n]\n"),
        ("k: a\n", json!("c"), "k:\n  - a\n  - c\n"),
        ("k: a # c\n", json!("c"), "k: # c\n  - a\n  - c\n"),
        ("k:\n", json!("c"), "k:\n  - c\n"),
        ("k: null\n", json!("c"), "k:\n  - c\n"),
        ("b: 1\n", json!("c"), "b: 1\nk:\n  - c\n"),
        ("k: [a, c]\n", json!("c"), "k: [a, c]\n"),
        ("k: c\n", json!("c"), "k: c\n"),
        ("k: [1]\n", json!("1"), "k: [1, \"1\"]\n"),
        ("k: [a]\n", json!(["a", "b", "c"]), "k: [a, b, c]\n"),
        ("k: [a]\n", json!("[[L]]"), "k: [a, \"[[L]]\"]\n"),
        ("k:\n  - a\n", json!("[[L]]"), "k:\n  - a\n  - \"[[L]]\"\n"),
        ("b: &x [a]\nk: *x\n", json!("c"), "b: &x [a]\nk:\n  - a\n  - c\n"),
    ] {
        assert_eq!(field(yaml, &append(value)), after, "{yaml:?}");
    }
}

#[test]
fn a_note_without_frontmatter_gets_a_block_at_the_very_top() {
    assert_eq!(changed("# Hi\n", "k", &set(json!("x"))), "---\nk: x\n---\n# Hi\n");
    assert_eq!(changed("", "k", &append(json!("x"))), "---\nk:\n  - x\n---\n");
    assert_eq!(changed("\u{feff}a\r\n", "k", &set(json!(1))), "\u{feff}---\r\nk: 1\r\n---\r\na\r\n");
}

#[test]
fn line_endings_stay_and_new_lines_take_them_on() {
    let text = "---\r\na: 1\r\nk:\r\n  - x\r\n---\r\nbody";
    assert_eq!(changed(text, "k", &append(json!("y"))), "---\r\na: 1\r\nk:\r\n  - x\r\n  - y\r\n---\r\nbody");
    assert_eq!(changed(text, "a", &set(json!([1]))), "---\r\na:\r\n  - 1\r\nk:\r\n  - x\r\n---\r\nbody");
    assert_eq!(changed("---\na: 1\n---", "b", &set(json!(1))), "---\na: 1\nb: 1\n---");
}

#[test]
fn what_could_do_damage_is_refused() {
    for (yaml, change) in [
        ("a: [\n", set(json!(1))),
        ("k: 1\nk: 2\n", set(json!(1))),
        ("{k: 1, b: 2}\n", set(json!(3))),
        ("{a: 1}\n", set(json!(3))),
        ("- a\n", set(json!(1))),
        ("k: &x [a]\nb: *x\n", append(json!("c"))),
        ("k: &x 1\nb: *x\n", set(json!(2))),
        ("? k\n: 1\n", set(json!(2))),
        ("k: {a: 1}\n", append(json!(1))),
        ("k: [\n  a # one\n]\n", append(json!("b"))),
        ("!!map\nk: &k 1\nb: *k\n", FrontmatterChange::Remove),
    ] {
        let error = change_frontmatter(&format!("---\n{yaml}---\n"), "k", &change).unwrap_err();
        assert_eq!(error.kind(), EditErrorKind::Refused, "{yaml:?}: {error}");
        assert!(!error.message().contains('\n'), "{error}");
    }
}

#[test]
fn a_fields_name_is_one_line_of_text() {
    for name in ["", " ", "a\nb", "a\u{0}", " a", "a "] {
        let error = change_frontmatter("x", name, &set(json!(1))).unwrap_err();
        assert_eq!(error.kind(), EditErrorKind::Invalid, "{name:?}");
    }
    for name in ["a b", "a: b", "#x", "[x]", "\"q\"", "3", "true", "ключ", "- x", "a:"] {
        let after = changed("---\nold: 1\n---\n", name, &set(json!("v")));
        assert_eq!(Frontmatter::parse(&after).unwrap().field(name), Some(&json!("v")), "{name:?}");
        assert_eq!(changed(&after, name, &FrontmatterChange::Remove), "---\nold: 1\n---\n", "{name:?}");
    }
}

#[test]
fn a_new_notes_block_is_written_as_obsidian_does() {
    let fields =
        json!({"title": "A: b", "tags": ["x", "y"], "date": "2024-01-01", "n": 1, "none": null, "e": []});
    let Value::Object(fields) = fields else { unreachable!() };
    let block = "---\ntitle: \"A: b\"\ntags:\n  - x\n  - y\ndate: 2024-01-01\nn: 1\nnone:\ne: []\n---\n";
    assert_eq!(frontmatter_block(&fields, "\n").unwrap(), block);
    assert_eq!(frontmatter_block(&fields, "\r\n").unwrap(), block.replace('\n', "\r\n"));
    assert_eq!(frontmatter_block(&Default::default(), "\n").unwrap(), "---\n---\n");
}
