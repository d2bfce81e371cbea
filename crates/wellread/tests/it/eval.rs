//! `wellread eval`: suites that make no sense, suites whose places are there, and what a run of them gives.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};

use crate::desk::{Desk, Ran, copy, repository};

/// A desk with the example code beside `suite.toml`.
fn desk(suite: &str) -> Desk {
    let desk = Desk::bare();
    copy(&repository().join("examples/code/hivelog"), &desk.code());
    fs::write(desk.folder().join("suite.toml"), suite).unwrap();
    desk
}

/// The suite that is shipped, or the one about a frozen tree of this program's sources.
fn suite_file(name: &str) -> PathBuf {
    repository()
        .join(if name == "wellread" { "tests/samples" } else { "examples/eval" })
        .join(format!("{name}.toml"))
}

fn suite(expect: &str) -> String {
    format!(
        "name = \"s\"\nrepository = \"hivelog\"\n[[question]]\nid = \"a\"\nask = \"Where is the checksum computed?\"\nexpect = {expect}\n"
    )
}

#[test]
fn the_places_that_the_suites_expect_are_there() {
    let desk = Desk::bare();
    for (name, questions) in [("hivelog", 15), ("wellread", 18)] {
        let file = suite_file(name);
        let answer = desk.run(["eval", file.to_str().unwrap(), "--check", "--json"]).done();
        assert_eq!((&answer["suite"], &answer["questions"]), (&json!(name), &json!(questions)), "{answer}");
    }
}

#[test]
fn a_suite_that_makes_no_sense_says_why() {
    for (text, status, why) in [
        ("name = ", 2, "is not a suite: TOML parse error"),
        ("", 2, "missing field `name`"),
        ("name = \"s\"\nrepository = \"hivelog\"\n", 2, "the suite has no questions"),
        ("name = \"s\"\nrepository = \"hivelog\"\nrepo = 1\n", 2, "unknown field `repo`"),
        (&suite("{ file = [\"a\"] }"), 2, "unknown field `file`"),
        (&suite("{}"), 2, "the question `a` expects nothing"),
        (&suite("{ lines = [\"python/payload.py:9-2\"] }"), 2, "are not a range"),
        (
            &suite("{ lines = [\"python/payload.py:9000\"] }"),
            2,
            "question `a`: `python/payload.py:9000-9000`: the file has",
        ),
        (
            &suite("{ files = [\"python/nothing.py\"] }"),
            2,
            "question `a`: there is no file `python/nothing.py`",
        ),
        (&suite("{ files = [\"../x.py\"] }"), 2, "question `a`: "),
        (&suite("{ symbols = [\"no_such_thing\"] }"), 2, "question `a`: there is no symbol `no_such_thing`"),
        (
            &suite("{ files = [\"README.md\"] }").replace("hivelog", "nowhere"),
            3,
            "there is no repository `nowhere`",
        ),
        (&suite("{ files = [\"README.md\"] }").replace("hivelog", "./nowhere"), 3, "there is no folder"),
    ] {
        let desk = desk(text);
        let answer = desk.run(["eval", "suite.toml", "--json"]).failed(status);
        assert!(answer["error"].as_str().unwrap().contains(why), "{text}: {answer}");
    }
    let desk = desk(&suite("{ files = [\"README.md\"] }"));
    for (args, status, why) in [
        (vec!["eval", "nowhere.toml"], 3, "there is no file `nowhere.toml`"),
        (vec!["eval", "hivelog"], 2, "`hivelog` is not a file"),
        (vec!["eval", "suite.toml", "--compare", "nowhere.json"], 3, "there is no file `nowhere.json`"),
        (vec!["eval", "suite.toml", "--compare", "suite.toml"], 2, "contains no evaluation results"),
    ] {
        let answer = desk.run(args.iter().chain(&["--json"])).failed(status);
        assert!(answer["error"].as_str().unwrap().contains(why), "{args:?}: {answer}");
    }
}

/// As long as all questions of a suite may take together, on a machine that does other things besides.
const A_WHOLE_SUITE: Duration = Duration::from_secs(900);

fn ran(desk: &Desk, suite: &str, more: &[&str]) -> Value {
    let file = suite_file(suite);
    let mut command = desk.here();
    command.arg("eval").arg(file).args(more).arg("--json");
    Ran::within(A_WHOLE_SUITE, &mut command, b"").done()
}

#[test]
fn the_suites_run_without_a_model_and_every_citation_holds() {
    let desk = Desk::bare();
    for (name, least) in [("hivelog", 0.5), ("wellread", 0.3)] {
        let answer = ran(&desk, name, &["--out", &format!("{name}.json")]);
        assert_eq!((&answer["model"], &answer["totals"]["failed"]), (&json!("none"), &json!(0)), "{answer}");
        assert_eq!(answer["totals"]["exact"]["mean"], json!(1.0), "{answer}");
        let recall = answer["totals"]["recall"]["mean"].as_f64().unwrap();
        assert!(recall > least, "{name}: {recall}: {answer}");
        let kept = fs::read(desk.folder().join(format!("{name}.json"))).unwrap();
        let kept: Value = serde_json::from_slice(&kept).unwrap();
        assert_eq!(kept["questions"], answer["questions"]);
    }
    // Without a model the same question gives the same answer.
    let again = ran(&desk, "hivelog", &["--compare", "hivelog.json"]);
    let compared = &again["compared"];
    assert_eq!((&compared["verdict"], &compared["common"]), (&json!("none"), &json!(15)), "{compared}");
    assert_eq!((&compared["better"], &compared["worse"]), (&json!([]), &json!([])), "{compared}");
    let file = suite_file("hivelog");
    let refused = desk.run(["eval", file.to_str().unwrap(), "--compare", "wellread.json", "--json"]);
    assert!(refused.failed(2)["error"].as_str().unwrap().contains("two suites"), "{refused:?}");
}
