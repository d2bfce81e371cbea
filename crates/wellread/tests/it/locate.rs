//! `wellread locate` over the example code: a trace, an issue, a message; a folder that was added, and one that was not.

use std::fs;

use serde_json::Value;

use crate::desk::{Desk, Ran, column, copy, repository, tree};

/// A desk with the example code in a folder of its own, which is not added.
fn desk() -> Desk {
    let desk = Desk::bare();
    copy(&repository().join("examples/code/hivelog"), &desk.code());
    desk
}

fn located(desk: &Desk, text: &str, more: &[&str]) -> Value {
    desk.run(["locate", text, "hivelog", "--json"].iter().chain(more)).done()
}

fn paths(answer: &Value) -> Vec<String> {
    column(&answer["files"], "path")
}

const TRACE: &str = "Traceback (most recent call last):
  File \"/home/ci/build/hivelog/python/export.py\", line 87, in <module>
    sys.exit(main(sys.argv[1:]))
  File \"/home/ci/build/hivelog/python/export.py\", line 77, in main
    rows, problems = read_log(lines)
  File \"/home/ci/build/hivelog/python/payload.py\", line 64, in decode
    raise PayloadError(\"the checksum does not match\")
payload.PayloadError: the checksum does not match
";

#[test]
fn a_trace_leads_to_its_innermost_frame_and_the_definition_there() {
    let desk = desk();
    let answer = located(&desk, TRACE, &[]);
    assert_eq!(paths(&answer)[..2], ["python/payload.py", "python/export.py"], "{answer}");
    let first = &answer["files"][0];
    assert_eq!(first["reasons"][0], "named in the stack trace, frame 1: line 64 in `decode`");
    let symbol = &first["symbols"][0];
    assert_eq!(
        (&symbol["id"], &symbol["kind"], &symbol["start_line"], &symbol["end_line"]),
        (&"python/payload.py::decode".into(), &"function".into(), &58.into(), &74.into())
    );
    let score = first["score"].as_f64().unwrap();
    assert!(score > 0.95 && score <= 1.0, "{score}");
}

#[test]
fn an_issue_and_a_message_lead_to_where_they_are_about() {
    let desk = desk();
    for (text, path, reason) in [
        (
            "line 2: expected four fields",
            "rust/src/readings.rs",
            "contains the message \"expected four fields\", line 80",
        ),
        (
            "It says \"expected 10 bytes, got 7\" since the update",
            "python/payload.py",
            "contains the message",
        ),
        (
            "A reading is counted twice when two gateways hear the same frame",
            "python/clean.py",
            "its words match",
        ),
        ("`SWARM_DROP_KG` is too low", "rust/src/swarm.rs", "defines `SWARM_DROP_KG`, which the text names"),
        ("thread 'main' panicked at src/flow.rs:48:20:\nno", "rust/src/flow.rs", "line 48 in `detect_flows`"),
    ] {
        let answer = located(&desk, text, &[]);
        assert_eq!(paths(&answer)[0], path, "{text}: {answer}");
        assert!(answer["files"][0]["reasons"].to_string().replace("\\\"", "\"").contains(reason), "{answer}");
    }
}

#[test]
fn a_test_stands_behind_what_it_tests() {
    let desk = desk();
    let found = paths(&located(&desk, "the checksum does not match", &[]));
    let at = |path: &str| found.iter().position(|known| known == path).unwrap();
    assert!(at("python/payload.py") < at("python/test_hivelog.py"), "{found:?}");
}

#[test]
fn for_a_person_each_file_has_its_reasons_and_the_notices_stand_apart() {
    let desk = desk();
    let ran = desk.run(["locate", TRACE, "hivelog", "--limit", "1"]);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    assert!(ran.stdout.starts_with("python/payload.py  ("), "{ran:?}");
    assert!(ran.stdout.contains("    python/payload.py:58-74  decode\n"), "{ran:?}");
    assert!(!ran.stdout.contains("export.py"), "{ran:?}");
    assert!(ran.stderr.contains("note: indexed 18 files of"), "{ran:?}");
    // The second time, the index is there.
    let again = desk.run(["locate", TRACE, "hivelog", "--limit", "1"]);
    assert_eq!(again.stdout, ran.stdout);
    assert!(!again.stderr.contains("indexed"), "{again:?}");
    fs::write(desk.code().join("python/new.py"), "def brand_new_thing():\n    pass\n").unwrap();
    assert_eq!(paths(&located(&desk, "brand_new_thing", &[]))[0], "python/new.py");
}

#[test]
fn standard_input_is_read_with_its_colors_and_line_ends() {
    let desk = desk();
    let colored = TRACE.replace("File", "\u{1b}[35mFile\u{1b}[0m").replace('\n', "\r\n");
    let ran = Ran::fed(desk.here().args(["locate", "-", "hivelog", "--json"]), colored.as_bytes());
    assert_eq!(paths(&ran.done())[0], "python/payload.py");
    let huge = format!("{TRACE}{}", "and so on ".repeat(100_000));
    let ran = Ran::fed(desk.here().args(["locate", "-", "hivelog", "--json"]), huge.as_bytes());
    let answer = ran.done();
    assert_eq!(paths(&answer)[0], "python/payload.py");
    assert!(answer["notice"].as_str().unwrap().contains("only the first 200000 were looked at"), "{answer}");
    let frames = TRACE.repeat(10_000);
    let ran = Ran::fed(desk.here().args(["locate", "-", "hivelog", "--json"]), frames.as_bytes());
    assert_eq!(paths(&ran.done())[0], "python/payload.py");
}

#[test]
fn what_can_not_be_served_says_why() {
    let desk = desk();
    fs::write(desk.folder().join("a file"), "x").unwrap();
    for (args, status, error) in [
        (vec!["locate", "", "hivelog"], 2, "the text is empty"),
        (vec!["locate", "  \n", "hivelog"], 2, "the text is empty"),
        (vec!["locate", "x y", "nowhere"], 3, "there is no folder `nowhere`"),
        (vec!["locate", "x y", "a file"], 2, "`a file` is not a folder"),
        (vec!["locate", "x y", "vault"], 4, "is the vault itself"),
        (vec!["locate", "x y", "."], 4, "holds the vault"),
        (vec!["locate", "x y", "hivelog", "--scope", "../x"], 4, "leaves the repository"),
        (vec!["locate", "x y", "hivelog", "--limit", "0"], 2, "at least one file"),
        (vec!["locate", "x y", "--repo", "hivelog"], 3, "there is no repository `hivelog`"),
        (vec!["locate", "x y"], 2, "no code was named"),
    ] {
        let answer = desk.run(args.iter().chain(&["--json"])).failed(status);
        assert!(answer["error"].as_str().unwrap().contains(error), "{args:?}: {answer}");
    }
    let binary: Vec<u8> = (0..2_000u32).map(|at| (at * 7 % 256) as u8).collect();
    let ran = Ran::fed(desk.here().args(["locate", "-", "hivelog", "--json"]), &binary);
    assert!(ran.failed(2)["error"].as_str().unwrap().contains("binary data"), "{ran:?}");
    assert!(desk.run(["locate", "x y", "hivelog", "--repo", "hivelog"]).status == Some(2));
}

#[test]
fn nothing_outside_the_scope_is_named() {
    let desk = desk();
    let answer = located(&desk, TRACE, &["--scope", "rust"]);
    assert!(paths(&answer).iter().all(|path| path.starts_with("rust/")), "{answer}");
    let answer = located(&desk, "`main` and HEADER", &["--scope", "python/*.py"]);
    assert_eq!(paths(&answer)[0], "python/export.py", "{answer}");
}

#[test]
fn an_added_repository_is_found_by_its_name_its_folder_and_where_we_stand() {
    let desk = Desk::bare();
    desk.add_code();
    let by = |args: &[&str]| paths(&desk.run(["locate", TRACE, "--json"].iter().chain(args)).done());
    assert_eq!(by(&[])[0], "python/payload.py");
    assert_eq!(by(&["--repo", "HIVELOG"])[0], "python/payload.py");
    assert_eq!(by(&["hivelog"])[0], "python/payload.py");
    // A folder in it is the repository within that folder; paths stay those of the repository.
    assert!(by(&["hivelog/rust"]).iter().all(|path| path.starts_with("rust/")));
    assert!(!desk.data().join("folders").exists());
    let inside = Ran::of(desk.here().current_dir(desk.code().join("rust")).args(["locate", TRACE, "--json"]));
    assert_eq!(paths(&inside.done())[0], "python/payload.py");
    // Two of them: one has to be named.
    copy(&desk.code(), &desk.folder().join("other"));
    desk.run(["repo", "add", "other", "--json"]).done();
    let answer = desk.run(["locate", TRACE, "--json"]).failed(2);
    assert!(answer["hint"].as_str().unwrap().contains("--repo: hivelog, other"), "{answer}");
    assert_eq!(by(&["--repo", "other"])[0], "python/payload.py");
}

#[test]
fn no_vault_is_needed_and_the_code_is_left_as_it_is() {
    let desk = desk();
    let before = tree(&desk.code());
    fs::remove_dir(desk.vault()).unwrap();
    assert_eq!(paths(&located(&desk, TRACE, &[]))[0], "python/payload.py");
    assert_eq!(tree(&desk.code()), before);
    assert!(!desk.vault().exists());
    // An added one is looked at as well.
    desk.run(["repo", "add", "hivelog", "--json"]).done();
    assert_eq!(paths(&desk.run(["locate", TRACE, "--json"]).done())[0], "python/payload.py");
}

#[test]
fn the_tool_gives_what_the_command_gives() {
    let desk = Desk::bare();
    desk.add_code();
    let tool = desk.tool("locate", &serde_json::json!({ "text": TRACE, "limit": 3 })).done();
    let command = desk.run(["locate", TRACE, "--limit", "3", "--json"]).done();
    assert_eq!(tool, command);
}
