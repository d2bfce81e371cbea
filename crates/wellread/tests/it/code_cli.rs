//! `wellread code` without a model: the same short answer each time, every citation with the lines that stand in the file.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use wellread_testkit::skip;

use crate::desk::{Desk, Ran, borne_out, column, copy, repository, tree};
use crate::research_keyless::cut_off;

const QUESTION: &str = "What calls detect_swarms?";

/// A desk with the example code in a folder of its own, which is not added.
fn desk() -> Desk {
    let desk = Desk::bare();
    copy(&repository().join("examples/code/hivelog"), &desk.code());
    desk
}

fn asked(desk: &Desk, question: &str, more: &[&str]) -> Value {
    let answer = desk.run(["--offline", "code", question, "--json"].iter().chain(more)).done();
    whole(&answer, &desk.code());
    answer
}

/// An answer has the shape that every face gives it, and cites what stands in the files.
fn whole(answer: &Value, code: &Path) {
    let fields: Vec<&str> = answer.as_object().unwrap().keys().map(String::as_str).collect();
    for field in ["success", "answer", "citations", "confidence", "run_id"] {
        assert!(fields.contains(&field), "no {field}: {answer}");
    }
    let known = ["success", "answer", "citations", "confidence", "run_id", "notice", "coverage", "steps"];
    assert!(fields.iter().all(|field| known.contains(field)), "{fields:?}");
    let text = answer["answer"].as_str().unwrap();
    assert!(text.len() / 4 < 800, "{} tokens", text.len() / 4);
    assert!(text.ends_with(&format!("\n\nRun: {}", answer["run_id"].as_str().unwrap())), "{text}");
    let confidence = answer["confidence"].to_string();
    assert!(confidence.len() <= 4, "a figure for people: {confidence}");
    for citation in answer["citations"].as_array().unwrap() {
        let mut fields: Vec<&String> = citation.as_object().unwrap().keys().collect();
        fields.sort();
        assert_eq!(fields, ["end_line", "id", "path", "provenance", "start_line", "text"]);
        let (id, path) = (citation["id"].as_str().unwrap(), citation["path"].as_str().unwrap());
        let (first, last) =
            (citation["start_line"].as_u64().unwrap(), citation["end_line"].as_u64().unwrap());
        let file = fs::read_to_string(code.join(path)).unwrap();
        let lines: Vec<&str> = file.split('\n').collect();
        assert_eq!(lines[first as usize - 1..last as usize].join("\n"), citation["text"], "{citation}");
        let listed = format!("[{id}] {path}:{first}-{last} ({})", citation["provenance"].as_str().unwrap());
        assert!(text.contains(&listed), "{listed}: {text}");
    }
}

/// What differs between two runs of the same is the run's id.
fn without_run(answer: &Value) -> String {
    answer.to_string().replace(answer["run_id"].as_str().unwrap(), "RUN")
}

fn runs(desk: &Desk) -> Value {
    desk.run(["runs", "--json"]).done()["runs"].clone()
}

#[test]
fn a_folder_and_an_added_repository_are_answered_alike_and_always_the_same() {
    let mut answers = Vec::new();
    for added in [false, true, false] {
        let desk = desk();
        if added {
            desk.run(["repo", "add", "hivelog", "--json"]).done();
        }
        let before = tree(&desk.code());
        for _ in 0..2 {
            answers.push(without_run(&asked(&desk, QUESTION, &["hivelog"])));
        }
        assert_eq!(tree(&desk.code()), before, "the code is left as it is");
        assert_eq!(runs(&desk).as_array().unwrap().len(), 2);
    }
    answers.dedup();
    let [answer] = answers.as_slice() else { panic!("they differ: {answers:#?}") };
    assert!(answer.contains("`analyse` calls `detect_swarms`"), "{answer}");
    assert!(answer.contains("rust/src/swarm.rs:30"), "{answer}");
}

#[test]
fn words_lead_to_the_lines_that_say_it() {
    let desk = desk();
    for (question, line) in [
        ("How far must the weight drop for a swarm?", "pub const SWARM_DROP_KG: f64 = 1.5;"),
        (
            "Where does \"the checksum does not match\" come from?",
            "raise PayloadError(\"the checksum does not match\")",
        ),
        ("How does `read_log` reach `crc8`?", "return decode(frame)"),
    ] {
        let answer = asked(&desk, question, &["hivelog"]);
        assert!(answer["answer"].as_str().unwrap().contains(line), "{question}: {answer}");
        let coverage = &answer["coverage"];
        assert_eq!(borne_out(coverage), coverage["sentences"], "{answer}");
        assert!(coverage["sentences"].as_u64() > Some(0), "{answer}");
    }
}

#[test]
fn steps_are_told_where_they_are_asked_for() {
    let desk = desk();
    assert_eq!(asked(&desk, QUESTION, &["hivelog"]).get("steps"), None);
    let answer = asked(&desk, QUESTION, &["hivelog", "--debug", "--budget", "20"]);
    let actions = column(&answer["steps"], "action");
    assert_eq!(actions[..3], ["find_symbol", "hybrid_search", "graph_expand"], "{answer}");
    assert_eq!(answer["steps"][0]["input"], json!({ "name": "detect_swarms" }));
    assert_eq!(column(&answer["steps"], "found")[0], "1 definitions");

    let ran = desk.run(["code", QUESTION, "hivelog", "--debug"]);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    assert!(ran.stdout.starts_with("### Called by\n") && ran.stdout.contains("\nCitations:\n["), "{ran:?}");
    assert!(ran.stderr.contains("step 1: find_symbol {\"name\":\"detect_swarms\"}"), "{ran:?}");
}

#[test]
fn nothing_outside_the_scope_or_the_folder_is_cited() {
    let desk = desk();
    let question = "How is the weight of a hive read?";
    let paths = |answer: Value| column(&answer["citations"], "path");
    assert!(paths(asked(&desk, question, &["hivelog"])).iter().any(|path| path.starts_with("rust/")));
    let within = paths(asked(&desk, question, &["hivelog", "--scope", "python/**"]));
    assert!(!within.is_empty() && within.iter().all(|path| path.starts_with("python/")), "{within:?}");
    desk.run(["repo", "add", "hivelog", "--json"]).done();
    assert_eq!(paths(asked(&desk, question, &["hivelog/python"])), within);
    assert_eq!(paths(asked(&desk, question, &["--repo", "hivelog", "--scope", "python"])), within);
    let inside =
        Ran::of(desk.here().current_dir(desk.code().join("rust")).args(["code", QUESTION, "--json"]));
    whole(&inside.done(), &desk.code());
}

#[test]
fn what_nothing_answers_says_where_it_looked() {
    let desk = desk();
    let question = "Where is frobnicate_quux() in the flurbishment?";
    let answer =
        desk.run(["--offline", "code", question, "--json", "hivelog", "--scope", "rust"]).found_nothing();
    whole(&answer, &desk.code());
    let text = answer["answer"].as_str().unwrap();
    assert!(text.starts_with("No answer found in"), "{text}");
    assert!(text.contains("within `rust`. Looked at: find_symbol (0 definitions), hybrid_search"), "{text}");
    assert!(text.contains("- `frobnicate_quux` is not defined in the searched files"), "{text}");
    assert_eq!((&answer["citations"], answer["confidence"].as_f64()), (&json!([]), Some(0.0)));
}

#[test]
fn where_there_is_no_network_at_all_it_works_and_nothing_left() {
    let desk = desk();
    let code = desk.code();
    let answer = match cut_off(&desk, &["code", QUESTION, code.to_str().unwrap(), "--json"]) {
        Ok(ran) => ran.done(),
        Err(why) => {
            skip(&format!("this system lends no network namespace: {why}"));
            return;
        }
    };
    whole(&answer, &code);
    let run = answer["run_id"].as_str().unwrap();
    let trace = desk.run(["runs", "show", run, "trace", "--json"]).done();
    assert_eq!(trace["summary"]["left_the_machine"], json!([]), "{trace}");
}

#[test]
fn a_run_can_be_shown_verified_and_run_again_without_its_folder() {
    let desk = desk();
    let answer = asked(&desk, QUESTION, &["hivelog", "--debug"]);
    let run = answer["run_id"].as_str().unwrap();
    let report = desk.run(["runs", "show", run]).stdout;
    assert!(report.contains("### Called by") && report.contains("- left the machine: nothing"), "{report}");
    let evidence = desk.run(["runs", "show", run, "evidence", "--json"]).done()["evidence"].clone();
    let cited = column(&answer["citations"], "id");
    assert!(cited.iter().all(|id| column(&evidence, "id").contains(id)), "{evidence}");
    let first = &evidence[0];
    assert_eq!(
        (&first["file_path"], &first["provenance"], &first["symbol_id"], &first["symbol_kind"]),
        (
            &json!("rust/src/swarm.rs"),
            &json!("syntax"),
            &json!("rust/src/swarm.rs::detect_swarms"),
            &json!("function")
        )
    );
    let trace = desk.run(["runs", "show", run, "trace", "--json"]).done();
    let steps = trace["steps"].as_array().unwrap().iter().filter(|step| step["step"] == "tool").count();
    assert_eq!(steps, answer["steps"].as_array().unwrap().len(), "{trace}");

    let verified = desk.run(["verify", run, "--json"]).done();
    assert_eq!(verified["coverage"], answer["coverage"], "{verified}");
    assert!(
        column(&verified["sentences"], "verdict")
            .iter()
            .all(|verdict| ["quoted", "supported"].contains(&verdict.as_str()))
    );

    fs::rename(desk.code(), desk.folder().join("elsewhere")).unwrap();
    assert_eq!(desk.run(["--offline", "replay", run, "--json"]).done(), answer);
    // What was cited can't be read any more, and is not taken on trust.
    let gone = desk.run(["verify", run, "--json"]).json();
    assert_eq!(borne_out(&gone["coverage"]), 0, "{gone}");
}

#[test]
fn what_was_cited_is_followed_when_the_code_changes() {
    for added in [false, true] {
        let desk = desk();
        if added {
            desk.run(["repo", "add", "hivelog", "--json"]).done();
        }
        asked(&desk, QUESTION, &["hivelog"]);
        asked(&desk, "How far must the weight drop for a swarm?", &["hivelog"]);
        let count = |standing: &str| {
            desk.run(["recheck", "--json"]).done()["counts"][standing].as_u64().unwrap_or_default()
        };
        let all = count("holds");
        assert!(all > 5, "{all}");
        let file = desk.code().join("rust/src/swarm.rs");
        let text = fs::read_to_string(&file).unwrap();
        fs::write(&file, format!("//! One line more.\n{text}")).unwrap();
        assert!(count("moved") > 3 && count("moved") + count("holds") == all);
        fs::write(&file, text.replace("let drop_kg = drop_within_window", "let fallen = drop_within_window"))
            .unwrap();
        assert!(count("changed") > 0, "{}", desk.run(["recheck", "--json"]).stdout);
        if added {
            check_pages_of_recheck(&desk, all);
        }
    }
}

/// The tool answers in parts, what changed first; all parts together are what the command prints.
fn check_pages_of_recheck(desk: &Desk, all: u64) {
    let page =
        |limit: u64, offset: u64| desk.tool("recheck", &json!({ "limit": limit, "offset": offset })).done();
    let every = desk.run(["recheck", "--json"]).done();
    let mut citations = Vec::new();
    for offset in (0..all).step_by(3) {
        let part = page(3, offset);
        assert_eq!((&part["total"], &part["counts"]), (&json!(all), &every["counts"]), "{part}");
        citations.extend(part["citations"].as_array().unwrap().clone());
    }
    assert_eq!(json!(citations), every["citations"]);
    assert_ne!(citations[0]["standing"], "holds", "{citations:?}");
    assert_eq!(page(3, all)["citations"], json!([]));
    desk.tool("recheck", &json!({ "limit": "all" })).failed(2);
}

#[test]
fn what_can_not_be_asked_says_why_and_leaves_no_run() {
    let desk = desk();
    desk.save("code/a.py", "def a(): pass\n");
    fs::write(desk.folder().join("a file"), "x").unwrap();
    let huge = "why ".repeat(2_000);
    for (args, status, error) in [
        (vec!["", "hivelog"], 2, "the question is empty"),
        (vec![" \n\t", "hivelog"], 2, "the question is empty"),
        (vec![huge.as_str(), "hivelog"], 2, "longer than 4000 characters"),
        (vec![QUESTION, "hivelog", "--budget", "0"], 2, "the budget is 0 steps"),
        (vec![QUESTION, "hivelog", "--budget", "21"], 2, "the budget is 21 steps"),
        (vec![QUESTION, "hivelog", "--budget", "-1"], 2, "-1"),
        (vec![QUESTION, "nowhere"], 3, "there is no folder `nowhere`"),
        (vec![QUESTION, "a file"], 2, "`a file` is not a folder"),
        (vec![QUESTION, "vault"], 4, "is the vault itself"),
        (vec![QUESTION, "vault/code"], 4, "is inside the vault"),
        (vec![QUESTION, "."], 4, "holds the vault"),
        (vec![QUESTION, "hivelog", "--scope", "../x"], 4, "leaves the repository"),
        (vec![QUESTION, "hivelog", "--scope", "a/../../x"], 4, "leaves the repository"),
        (vec![QUESTION, "hivelog", "--scope", "["], 2, "is not understood"),
        (vec![QUESTION, "--repo", "hivelog"], 3, "there is no repository `hivelog`"),
        (vec![QUESTION], 2, "no code was named"),
    ] {
        let ran = desk.run(["code", "--json"].iter().chain(&args));
        let answer = ran.failed(status);
        assert!(answer["error"].as_str().unwrap().contains(error), "{args:?}: {answer}");
    }
    assert_eq!(runs(&desk), json!([]));
    desk.run(["code", QUESTION, "nowhere"]).complains(3);
}

#[test]
fn the_git_repository_of_the_current_folder_is_meant_where_nothing_is_named() {
    let desk = desk();
    fs::create_dir(desk.code().join(".git")).unwrap();
    let here = |folder: &Path| Ran::of(desk.here().current_dir(folder).args(["code", QUESTION, "--json"]));
    whole(&here(&desk.code().join("rust")).done(), &desk.code());
    // Notes are no code, though they are under version control.
    fs::create_dir(desk.vault().join(".git")).unwrap();
    let refused = here(&desk.vault()).failed(2);
    assert!(refused["error"].as_str().unwrap().contains("no code was named"), "{refused}");
}
