//! search_by_date_range, get_current_date, and what day it is where the user is.

use jiff::Timestamp;
use serde_json::{Value, json};
use wellread_testkit::World;

use crate::ask::{fails, ok, strings};

fn in_range(world: &World, start: &str, end: &str, date_type: &str) -> Vec<String> {
    let args = json!({ "start_date": start, "end_date": end, "date_type": date_type });
    strings(&ok(world, "search_by_date_range", args)["results"]).iter().map(|&path| path.to_owned()).collect()
}

fn at(moment: &str) -> Timestamp {
    moment.parse().unwrap()
}

#[test]
fn today_is_the_users_day() {
    for (moment, day) in [
        ("2026-03-01T09:30[+00:00]", "2026-03-01"),
        ("2026-03-01T23:59[-11:00]", "2026-03-01"),
        ("2026-03-02T00:01[+14:00]", "2026-03-02"),
        ("2024-02-29T12:00[+01:00]", "2024-02-29"),
    ] {
        assert_eq!(
            ok(&World::new_at(moment, ""), "get_current_date", json!({})),
            json!({ "success": true, "date": day })
        );
    }
}

#[test]
fn both_ends_of_a_range_are_included() {
    let world = World::new("-- a.md\n-- b.md\n-- c.md\n-- d.png\n");
    for (path, day) in
        [("a.md", "2026-01-01"), ("b.md", "2026-01-02"), ("c.md", "2026-01-03"), ("d.png", "2026-01-02")]
    {
        world.files.set_dates(&world.path(path), at(&format!("{day}T12:00Z")), None);
    }
    assert_eq!(in_range(&world, "2026-01-01", "2026-01-02", "modified"), ["a.md", "b.md"]);
    assert_eq!(in_range(&world, "2026-01-03", "2026-01-03", "modified"), ["c.md"]);
    assert_eq!(in_range(&world, "2026-01-04", "2027-01-01", "modified"), [""; 0]);
    let by_default =
        ok(&world, "search_by_date_range", json!({ "start_date": "2026-01-01", "end_date": "2026-01-01" }));
    assert_eq!(by_default["results"], json!(["a.md"]));
}

#[test]
fn a_change_falls_on_the_users_day() {
    for (moment, day) in [
        ("2026-03-01T09:30[+00:00]", "2026-02-28"),
        ("2026-03-01T09:30[+09:00]", "2026-03-01"),
        ("2026-03-01T09:30[-05:00]", "2026-02-28"),
    ] {
        let world = World::new_at(moment, "-- a.md\n");
        world.files.set_dates(&world.path("a.md"), at("2026-02-28T20:00Z"), Some(at("2026-02-28T20:00Z")));
        for date_type in ["modified", "created"] {
            assert_eq!(in_range(&world, day, day, date_type), ["a.md"], "{moment}");
        }
        let info = ok(&world, "get_note_info", json!({ "path": "a" }));
        assert_eq!((&info["created"], &info["modified"]), (&json!(day), &json!(day)));
    }
}

#[test]
fn a_note_was_made_on_the_day_that_its_frontmatter_gives() {
    let day = "2023-08-11";
    for field in [
        "Date: 2023-08-11",
        "date: 2023-08-11",
        "created: 2023-08-11",
        "date: \"2023-08-11\"",
        "date: '[[2023-08-11]]'",
        "Date: \"[[2023-08-11]]\"",
        "Date: [[2023-08-11]]",
        "date: \"[[Daily Notes/2023-08-11|that day]]\"",
        "created: 2023-08-11T23:30:00",
        "created: 2023-08-11 09:30",
        "created: 2023-08-11T23:30:00+02:00",
        "date: sometime\ncreated: 2023-08-11",
        "date:\ncreated: 2023-08-11",
        "Date: 2023-08-11\ndate: 2001-01-01\ncreated: 2002-02-02",
        "date:\n  - \"[[2023-08-11]]\"",
    ] {
        let world = World::new(&format!("-- a.md\n---\n{field}\n---\nx\n"));
        assert_eq!(in_range(&world, day, day, "created"), ["a.md"], "{field}");
        assert_eq!(in_range(&world, day, day, "modified"), [""; 0], "{field}");
        assert_eq!(ok(&world, "get_note_info", json!({ "path": "a" }))["created"], day, "{field}");
    }
}

#[test]
fn else_it_was_made_on_the_day_of_the_files_birth_or_else_of_its_last_change() {
    for note in [
        "x\n",
        "---\ntitle: x\n---\n",
        "---\ndate: sometime\n---\n",
        "---\ndate: 2023-13-45\n---\n",
        "---\ndate: [\n---\n",
    ] {
        let world = World::new(&format!("-- a.md\n{note}-- b.md\n{note}"));
        world.files.set_dates(&world.path("a.md"), at("2026-01-05T12:00Z"), Some(at("2026-01-01T12:00Z")));
        world.files.set_dates(&world.path("b.md"), at("2026-01-05T12:00Z"), None);
        assert_eq!(in_range(&world, "2026-01-01", "2026-01-01", "created"), ["a.md"], "{note}");
        assert_eq!(in_range(&world, "2026-01-05", "2026-01-05", "created"), ["b.md"], "{note}");
        assert_eq!(in_range(&world, "2026-01-05", "2026-01-05", "modified"), ["a.md", "b.md"]);
    }
}

#[test]
fn what_is_no_date_is_an_error_that_says_how_dates_are_written() {
    let world = World::new("-- a.md\n");
    for (start, end, culprit) in [
        ("yesterday", "2026-01-01", "yesterday"),
        ("2026-01-01", "2026-02-30", "2026-02-30"),
        ("", "2026-01-01", ""),
    ] {
        let answer = fails(&world, "search_by_date_range", json!({ "start_date": start, "end_date": end }));
        assert_eq!(answer["error"], format!("`{culprit}` is not a date"));
        assert_eq!(answer["hint"], "dates are written YYYY-MM-DD, as in 2026-03-01");
    }
    let backwards: Value = json!({ "start_date": "2026-01-02", "end_date": "2026-01-01" });
    assert_eq!(
        fails(&world, "search_by_date_range", backwards)["error"],
        "the end date 2026-01-01 is before the start date 2026-01-02"
    );
}

#[test]
fn only_a_whole_day_is_a_date() {
    let world = World::new("-- A.md\ntext\n");
    for day in ["20260301", "2026-03-01T10:00", "2026-3-1", "2026-060"] {
        let answer =
            fails(&world, "search_by_date_range", json!({ "start_date": day, "end_date": "2026-03-02" }));
        assert_eq!(answer["error"], format!("`{day}` is not a date"));
    }
}
