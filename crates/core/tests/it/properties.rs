//! What must hold whatever a note looks like: outside the declared range no byte changes, and undo is exact.

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};
use wellread_testkit::{World, notes};

use crate::between::writing_calls;

/// 256 cases, or 20,000 with `WELLREAD_LONG=1`.
pub fn check<S: Strategy>(strategy: S, test: impl Fn(S::Value)) {
    let long = std::env::var("WELLREAD_LONG").is_ok_and(|value| value == "1");
    let config = ProptestConfig {
        cases: if long { 20_000 } else { 256 },
        failure_persistence: None,
        ..Default::default()
    };
    let outcome = TestRunner::new(config).run(&strategy, |value| {
        test(value);
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}

fn world(text: &str) -> World {
    World::with_files([("A.md", text.as_bytes())])
}

/// Text to put into notes: some of it with odd line breaks and blank ends.
fn content() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "new",
        "one\ntwo",
        "one\r\ntwo\n",
        "\n\nspaced\n\n",
        "## Alpha\n\nnew",
        "- [ ] task",
        "Grüße 😀",
        "trailing  ",
    ])
    .prop_map(str::to_owned)
}

/// How many bytes both texts begin and end with, at most all of the shorter one.
fn common(old: &str, new: &str) -> (usize, usize) {
    let head = old.bytes().zip(new.bytes()).take_while(|(a, b)| a == b).count();
    let tail = old.bytes().rev().zip(new.bytes().rev()).take_while(|(a, b)| a == b).count();
    (head, tail.min(old.len().min(new.len()) - head))
}

/// All of the old text but these bytes is in the new one, before and after.
#[track_caller]
fn check_only(old: &str, new: &str, range: std::ops::Range<usize>) {
    let head = old.bytes().zip(new.bytes()).take_while(|(a, b)| a == b).count();
    let tail = old.bytes().rev().zip(new.bytes().rev()).take_while(|(a, b)| a == b).count();
    assert!(head >= range.start, "bytes before {range:?} changed: {old:?} -> {new:?}");
    assert!(tail >= old.len() - range.end, "bytes after {range:?} changed: {old:?} -> {new:?}");
}

/// Line endings, the byte-order mark and a missing last newline stay.
#[track_caller]
fn check_form(old: &str, new: &str) {
    assert_eq!(new.starts_with('\u{feff}'), old.starts_with('\u{feff}'), "{old:?} -> {new:?}");
    assert_eq!(new.matches('\u{feff}').count(), old.matches('\u{feff}').count());
    if old.contains('\n') {
        let crlf = old.contains("\r\n");
        assert_eq!(
            new.matches("\r\n").count(),
            if crlf { new.matches('\n').count() } else { 0 },
            "{old:?} -> {new:?}"
        );
    }
    if !old.trim_start_matches('\u{feff}').is_empty() {
        assert_eq!(new.ends_with('\n'), old.ends_with('\n'), "the last newline: {old:?} -> {new:?}");
    }
}

/// Undo gives the old bytes back, and undo of undo the new ones.
#[track_caller]
fn check_undo(world: &World, old: &str) {
    let new = world.read_text("A.md");
    let undone = world.vault.undo(None).unwrap();
    assert_eq!(world.read_text("A.md"), old);
    world.vault.undo(Some(&undone[0].operation.to_string())).unwrap();
    assert_eq!(world.read_text("A.md"), new);
}

/// The sections that the note has, by heading, as byte ranges; each with the number of headings like it.
fn sections(world: &World, text: &str) -> Vec<(String, std::ops::Range<usize>, usize)> {
    let info = world.call_tool("get_note_info", json!({ "path": "A" }));
    let headings = info["headings"].as_array().unwrap();
    let bom = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let start_of =
        |line: u64| text.split_inclusive('\n').take(line as usize - 1).map(str::len).sum::<usize>().max(bom);
    let written = |heading: &Value| {
        format!(
            "{} {}",
            "#".repeat(heading["level"].as_u64().unwrap() as usize),
            heading["text"].as_str().unwrap()
        )
    };
    let folded =
        |heading: &Value| written(heading).to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
    (0..headings.len())
        .map(|at| {
            let level = headings[at]["level"].as_u64();
            let next = headings[at + 1..].iter().find(|next| next["level"].as_u64() <= level);
            let end = next.map_or(text.len(), |next| start_of(next["line"].as_u64().unwrap()));
            let like = headings.iter().filter(|other| folded(other) == folded(&headings[at])).count();
            (written(&headings[at]), start_of(headings[at]["line"].as_u64().unwrap())..end, like)
        })
        .collect()
}

#[test]
fn replacing_a_section_changes_nothing_outside_of_it() {
    check((notes::note(), content(), any::<prop::sample::Index>()), |(old, content, pick)| {
        let world = world(&old);
        let sections = sections(&world, &old);
        if sections.is_empty() {
            return;
        }
        let (heading, range, like) = pick.get(&sections).clone();
        let answer = world
            .call_tool("replace_section", json!({ "path": "A", "heading": heading, "content": content }));
        let new = world.read_text("A.md");
        if like > 1 {
            assert!(answer["error"].as_str().unwrap().contains("more than once, on lines "), "{answer}");
            assert_eq!(new, old);
            return;
        }
        assert_eq!(answer["success"], true, "{heading:?} in {old:?}: {answer}");
        if answer.get("operation").is_none() {
            assert_eq!(new, old);
            return;
        }
        check_only(&old, &new, range.clone());
        check_form(&old, &new);
        let eol = if old.contains("\r\n") { "\r\n" } else { "\n" };
        let wanted = content.replace("\r\n", "\n").trim_matches('\n').replace('\n', eol);
        assert!(new[range.start..].starts_with(&wanted), "{old:?} -> {new:?}");
        check_undo(&world, &old);
    });
}

#[test]
fn appending_to_a_section_only_inserts_and_only_there() {
    check((notes::note(), content(), any::<prop::sample::Index>()), |(old, content, pick)| {
        let world = world(&old);
        let sections = sections(&world, &old);
        if sections.is_empty() {
            return;
        }
        let (heading, range, like) = pick.get(&sections).clone();
        let answer = world
            .call_tool("append_to_section", json!({ "path": "A", "heading": heading, "content": content }));
        let new = world.read_text("A.md");
        if like > 1 {
            assert_eq!((answer["success"].as_bool(), &new), (Some(false), &old));
            return;
        }
        assert_eq!(answer["success"], true, "{heading:?} in {old:?}: {answer}");
        let (head, tail) = common(&old, &new);
        assert_eq!(head + tail, old.len(), "nothing is taken away: {old:?} -> {new:?}");
        check_only(&old, &new, range.clone());
        check_form(&old, &new);
        let eol = if old.contains("\r\n") { "\r\n" } else { "\n" };
        let wanted = content.replace("\r\n", "\n").trim_matches('\n').replace('\n', eol);
        assert!(
            new[range.start..].contains(&format!("{eol}{eol}{wanted}")),
            "after a blank line: {old:?} -> {new:?}"
        );
        check_undo(&world, &old);
    });
}

#[test]
fn a_heading_inside_of_something_else_is_never_matched() {
    check((notes::note_without_headings(), notes::heading(), any::<bool>()), |(old, heading, replace)| {
        let world = world(&old);
        let tool = if replace { "replace_section" } else { "append_to_section" };
        let answer = world.call_tool(tool, json!({ "path": "A", "heading": heading, "content": "x" }));
        assert_eq!(answer["success"], false, "{heading:?} in {old:?}");
        assert_eq!(world.read_text("A.md"), old);
    });
}

#[test]
fn appending_and_prepending_only_insert_at_the_ends() {
    check((notes::note(), content(), any::<bool>()), |(old, content, top)| {
        let world = world(&old);
        let tool = if top { "prepend_to_file" } else { "append_to_file" };
        let answer = world.call_tool(tool, json!({ "path": "A", "content": content }));
        assert_eq!(answer["success"], true, "{answer}");
        let new = world.read_text("A.md");
        let (head, tail) = common(&old, &new);
        assert_eq!(head + tail, old.len(), "nothing is taken away: {old:?} -> {new:?}");
        check_form(&old, &new);
        let front = front_end(&old);
        let at = if top { front } else { old.len() };
        check_only(&old, &new, at..at);
        if top {
            assert_eq!(new[..front], old[..front]);
            assert_eq!(new[..front_end(&new)].trim_end(), old[..front].trim_end(), "{old:?} -> {new:?}");
        }
        check_undo(&world, &old);
    });
}

/// Where the frontmatter ends, or the byte-order mark.
fn front_end(text: &str) -> usize {
    let bom = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let mut at = bom;
    for (number, line) in text[bom..].split_inclusive('\n').enumerate() {
        at += line.len();
        match (number, line.trim_end() == "---") {
            (0, false) => return bom,
            (0, true) => {}
            (_, true) => return at,
            (_, false) => {}
        }
    }
    bom
}

fn field() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "title",
        "tags",
        "aliases",
        "date",
        "related",
        "count",
        "done",
        "text",
        "folded",
        "nested",
        "quoted key",
        "list",
        "empty",
        "ünï",
        "new field",
    ])
}

fn value() -> impl Strategy<Value = Value> {
    prop::sample::select(vec![
        json!("plain"),
        json!("with: colon # and hash"),
        json!("it's \"quoted\""),
        json!("[[Bees]]"),
        json!("- dash"),
        json!("two\nlines"),
        json!("日本語 😀"),
        json!(" blank ends "),
        json!("2024-05-01"),
        json!("null and void"),
        json!(3),
        json!(-1.5),
        json!(true),
        json!(["a", "b: c", "[[d]]"]),
        json!([]),
        json!({ "k": ["v"] }),
    ])
}

/// The lines of the frontmatter that are not this field's own, as written.
fn others(front: &str, field: &str) -> Vec<String> {
    let mut inside = false;
    let mut others = Vec::new();
    for line in front.split_inclusive('\n') {
        let word = line.trim_end_matches(['\r', '\n']);
        let key = word.split(':').next().unwrap_or_default().trim_matches(['\'', '"']);
        let continues = word.starts_with([' ', '\t']) || word.starts_with("- ");
        if !continues {
            inside = word.contains(':') && !word.starts_with('#') && key == field;
        }
        if !inside {
            others.push(line.to_owned());
        }
    }
    others
}

#[test]
fn a_field_reads_back_as_set_and_every_other_line_stays_byte_for_byte() {
    let operation = prop::sample::select(vec!["set", "remove", "append"]);
    check((notes::note(), field(), value(), operation), |(old, field, value, operation)| {
        let world = world(&old);
        let before = world.call_tool("get_note_info", json!({ "path": "A" }));
        let had = before["frontmatter"].get(field).cloned();
        let given = if operation == "remove" { Value::Null } else { value.clone() };
        let args = json!({ "path": "A", "field": field, "value": given, "operation": operation });
        let answer = world.call_tool("update_frontmatter", args);
        let new = world.read_text("A.md");
        let context = format!("{operation} {field:?} {value} in {old:?} -> {new:?}: {answer}");
        if answer["success"] == false {
            assert_eq!(new, old, "{context}");
            let missing = operation == "remove" && had.is_none();
            let mapping = operation == "append" && had.as_ref().is_some_and(Value::is_object);
            assert!(missing || mapping, "{context}");
            return;
        }
        assert!(before.get("warning").is_none(), "{context}");
        // The body, the other lines, the other fields.
        let (old_front, new_front) = (front_end(&old), front_end(&new));
        assert_eq!(old[old_front..], new[new_front..], "{context}");
        assert_eq!(old.starts_with('\u{feff}'), new.starts_with('\u{feff}'), "{context}");
        let kept = |text: &str, end: usize| others(text[..end].trim_start_matches('\u{feff}'), field);
        if old_front > 3 {
            assert_eq!(kept(&old, old_front), kept(&new, new_front), "{context}");
        }
        if old.contains('\n') {
            let crlf = old.contains("\r\n");
            assert_eq!(
                new.matches("\r\n").count(),
                if crlf { new.matches('\n').count() } else { 0 },
                "{context}"
            );
        }
        let mut after = world.call_tool("get_note_info", json!({ "path": "A" }))["frontmatter"].clone();
        let mut expected = before["frontmatter"].clone();
        let now = after.as_object_mut().unwrap().remove(field);
        expected.as_object_mut().unwrap().remove(field);
        assert_eq!(after, expected, "{context}");
        match operation {
            "set" => assert_eq!(now, Some(value), "{context}"),
            "remove" => assert_eq!(now, None, "{context}"),
            _ => {
                let list = now.unwrap();
                let items = value.as_array().cloned().unwrap_or_else(|| vec![value]);
                assert!(
                    items
                        .iter()
                        .all(|item| list.as_array().is_some_and(|list| list.contains(item)) || list == *item),
                    "{context}"
                );
            }
        }
        if answer.get("operation").is_some() {
            check_undo(&world, &old);
        } else {
            assert_eq!(new, old, "{context}");
        }
    });
}

#[test]
fn a_note_that_is_not_utf8_is_never_written_by_any_tool() {
    check((notes::invalid_utf8(), any::<prop::sample::Index>(), any::<bool>()), |(bytes, pick, dry_run)| {
        let world = World::with_files([("A.md", bytes.as_slice()), ("Bees.md", b"x".as_slice())]);
        let (tool, args) = pick.get(&writing_calls("A")).clone();
        let answer = world.call_tool(tool, crate::ask::with(args, "dry_run", json!(dry_run)));
        assert_eq!(answer["error"], "`A.md` is not UTF-8 and is never written", "{tool}");
        assert_eq!(answer["path"], "A.md");
        world.call_tool("move_file", json!({ "source": "Bees", "destination": "x/Apis" }));
        world.call_tool("move_file", json!({ "source": "A", "destination": "y/B" }));
        assert_eq!(world.read_bytes("y/B.md"), Some(bytes), "moved, and not written");
    });
}

#[test]
fn dry_runs_show_exactly_what_the_edit_does() {
    check((notes::note(), any::<prop::sample::Index>()), |(old, pick)| {
        let world = world(&old);
        let (tool, args) = pick.get(&writing_calls("A")).clone();
        let shown = world.call_tool(tool, crate::ask::with(args.clone(), "dry_run", json!(true)));
        assert_eq!(world.read_text("A.md"), old, "{tool}");
        let done = world.call_tool(tool, args);
        assert_eq!(shown["success"], done["success"], "{tool}: {shown} {done}");
        if let Some(diff) = shown["diff"].as_str() {
            assert_eq!(patched(&old, diff), world.read_text("A.md"), "{tool}: {diff}");
        } else {
            assert_eq!(world.read_text("A.md"), old, "{tool}");
        }
    });
}

/// What a unified difference makes of a text.
fn patched(old: &str, diff: &str) -> String {
    let mut lines = old.split_inclusive('\n');
    let (mut new, mut at) = (String::new(), 0);
    let mut rows = diff.split_inclusive('\n').skip(2).peekable();
    while let Some(row) = rows.next() {
        let cut = rows.next_if(|next| next.starts_with("\\ No newline")).is_some();
        let text = if cut { &row[1..row.len() - 1] } else { &row[1..] };
        match row.as_bytes()[0] {
            b'@' => {
                let from: Vec<usize> =
                    row[4..].split(' ').next().unwrap().split(',').map(|n| n.parse().unwrap()).collect();
                let start = if from.get(1) == Some(&0) { from[0] } else { from[0] - 1 };
                while at < start {
                    new += lines.next().unwrap();
                    at += 1;
                }
            }
            b' ' => {
                assert_eq!(lines.next(), Some(text));
                new += text;
                at += 1;
            }
            b'-' => {
                assert_eq!(lines.next(), Some(text));
                at += 1;
            }
            b'+' => new += text,
            other => panic!("{}", char::from(other)),
        }
    }
    new + &lines.collect::<String>()
}
