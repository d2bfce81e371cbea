//! What a conversation leaves behind: runs that are listed, shown and run again, the gate on their answers, and what became
//! of what they cite.

use std::fs;

use serde_json::{Value, json};
use wellread_testkit::{ModelServer, Turn};

use crate::desk::{Desk, Ran, borne_out, column};
use crate::partner::{chat, cites, last_run, reads, with};
use crate::talk::{Revision, Talk};

const WEIGHS: &str = "The Linden hive weighed 38.5 kg on 1 November 2024.";

/// A desk with one turn that cites the note on the hives' weight, and its answer.
fn cited() -> (Desk, Value) {
    let desk = Desk::new();
    let says = format!("Good question. {WEIGHS} [id]");
    let server = ModelServer::start([reads("Bees/Hive weight"), cites(&says)]);
    let answer = chat(&desk, &server, &["How heavy is the Linden hive?", "--json"]).done();
    server.into_requests();
    assert_eq!(borne_out(&answer["coverage"]), 1, "{answer}");
    (desk, answer)
}

fn id(answer: &Value) -> &str {
    answer["run_id"].as_str().unwrap()
}

#[test]
fn a_run_is_listed_shown_and_replayed_without_model_and_network() {
    let (desk, answer) = cited();
    let run = last_run(&desk);
    assert_eq!(
        (&run["id"], &run["kind"], &run["ended"]),
        (&answer["run_id"], &json!("chat"), &json!("done"))
    );
    assert_eq!(run["title"], "How heavy is the Linden hive?");
    let shown = desk.run(["runs", "show", id(&answer), "--json"]).done();
    assert_eq!((&shown["spent"]["requests"], &shown["outcome"]), (&json!(2), &json!("done")), "{shown}");
    assert!(shown["report"].as_str().unwrap().contains(WEIGHS), "{shown}");
    let evidence = desk.run(["runs", "show", id(&answer), "evidence", "--json"]).done();
    assert!(!evidence["evidence"].as_array().unwrap().is_empty(), "{evidence}");

    // Neither a server, nor the settings of one, nor the notes are needed.
    fs::remove_file(desk.vault().join("Bees/Hive weight.md")).unwrap();
    let gone = {
        let server = ModelServer::start([]);
        server.base_url()
    };
    for args in [&["replay"][..], &["--offline", "replay"]] {
        for address in [None, Some(&gone)] {
            let again = || {
                let mut command = desk.here();
                command.args(args).arg(id(&answer));
                if let Some(address) = address {
                    command.env("WELLREAD_MODEL_BASE_URL", address).env("LLM_MODEL", "scripted");
                }
                command
            };
            assert_eq!(Ran::of(again().arg("--json")).done(), answer);
            let told = Ran::of(&mut again());
            assert_eq!(told.stdout.trim_end(), answer["response"].as_str().unwrap().trim_end(), "{told:?}");
        }
    }
    assert_eq!(last_run(&desk), run, "a replay writes nothing");
    desk.run(["replay", "01zzzz", "--json"]).failed(3);
    desk.run(["resume", "01zzzz", "--json"]).failed(3);
    assert!(desk.run(["resume", id(&answer)]).complains(4).contains("nothing to resume"));
}

#[test]
fn a_run_is_read_by_the_model_context_protocol() {
    let (desk, answer) = cited();
    let report = desk.run(["runs", "show", id(&answer)]).stdout;
    for revision in Revision::BOTH {
        let mut talk = Talk::start(&desk, revision);
        let uri = format!("research://runs/{}/report.md", id(&answer));
        let read = talk.ask("resources/read", json!({ "uri": uri }));
        assert_eq!(read["contents"][0]["text"], json!(report));
        assert!(report.contains(WEIGHS), "{report}");
    }
}

#[test]
fn the_gate_is_run_again_on_a_run_and_on_a_note_that_holds_its_answer() {
    let (desk, answer) = cited();
    // The answer shows the place; the note cites by the id, as the run's own report does.
    let (said, _) = answer["response"].as_str().unwrap().split_once(" (`Bees/Hive weight.md:").unwrap();
    let kept = format!("{said} [{}]\n", answer["citations"][0]["id"].as_str().unwrap());
    desk.save("Inbox/Kept.md", &kept);
    let verdicts =
        |what: &str| column(&desk.run(["verify", what, "--json"]).json()["sentences"], "verdict").join(" ");
    assert_eq!(verdicts(id(&answer)), "uncited quoted");
    assert_eq!(verdicts("Inbox/Kept.md"), "uncited quoted");
    let shown = desk.run(["verify", id(&answer)]).stdout;
    assert!(shown.contains("quoted        The Linden hive"), "{shown}");
    assert!(shown.contains("Bees/Hive weight.md:"), "{shown}");
    assert!(
        shown.ends_with("2 sentences: 1 quoted, 0 supported, 0 contradicted, 0 unknown, 1 uncited\n"),
        "{shown}"
    );

    let note = desk.text("Bees/Hive weight.md");
    desk.save("Inbox/Kept.md", kept.replace("38.5", "39.5"));
    assert_eq!(verdicts("Inbox/Kept.md"), "uncited contradicted");
    assert_eq!(desk.run(["verify", "Inbox/Kept.md"]).status, Some(6));
    desk.save("Bees/Hive weight.md", note.replace("38.5 kg", "41 kg"));
    assert_ne!(verdicts(id(&answer)), "uncited quoted", "the place no longer holds what was cited");
    desk.save("Bees/Hive weight.md", &note);
    assert_eq!(verdicts(id(&answer)), "uncited quoted");
    let own = desk.run(["verify", id(&answer), "--source", "Home", "--json"]).failed(2);
    assert!(own["error"].as_str().unwrap().contains("its own evidence"), "{own}");
}

#[test]
fn a_text_is_judged_by_sources_and_bad_ones_are_told() {
    let desk = Desk::new();
    let file = |name: &str, text: &[u8]| {
        let path = desk.folder().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let draft = file("draft.md", b"The Linden hive weighed 38.5 kg. The Linden hive weighed 44 kg.\n");
    let judged = desk.run(["verify", &draft, "--source", "Bees/Hive weight", "--json"]).json();
    assert_eq!(column(&judged["sentences"], "verdict"), ["quoted", "contradicted"], "{judged}");
    let source = file("source.txt", b"The Linden hive weighed 44 kg.\n");
    let judged = desk.run(["verify", "draft.md", "--source", &source, "--json"]).json();
    assert_eq!(column(&judged["sentences"], "verdict"), ["contradicted", "quoted"], "{judged}");

    let empty = file("empty.md", b"");
    desk.run(["verify", &empty, "--source", &source, "--json"]).failed(2);
    let binary = file("binary.md", b"\xff\x00\xfe");
    desk.run(["verify", &binary, "--source", &source, "--json"]).failed(2);
    desk.run(["verify", &draft, "--source", &binary, "--json"]).failed(2);
    let huge = file("huge.md", &vec![b'x'; 17 << 20]);
    desk.run(["verify", &huge, "--source", &source, "--json"]).failed(2);
    for nowhere in ["01zzzz", "Nowhere at all.md", "", "../outside.md", "/no/such/file"] {
        let told = desk.run(["verify", nowhere, "--json"]);
        assert!(matches!(told.status, Some(2 | 3)), "{nowhere}: {told:?}");
        told.failed(told.status.unwrap());
    }
    let uncited = desk.run(["verify", &draft, "--json"]).failed(2);
    assert!(uncited["hint"].as_str().unwrap().contains("--source"), "{uncited}");
    desk.run(["verify", &draft, "--source", "/no/such/file", "--json"]).failed(3);
    // Long, and still answered.
    let long = file("long.md", "The Linden hive weighed 38.5 kg. ".repeat(400).as_bytes());
    let judged = desk.run(["verify", &long, "--source", "Bees/Hive weight", "--json"]).done();
    assert_eq!(borne_out(&judged["coverage"]), 400);
}

#[test]
fn what_was_cited_is_followed_when_the_note_changes_moves_or_goes() {
    let (desk, answer) = cited();
    let recheck = || {
        let rechecked = desk.run(["recheck", "--json"]).done();
        let told = desk.run(["recheck"]);
        assert_eq!(told.status, Some(0), "{told:?}");
        (rechecked, told.stdout)
    };
    let standings = |rechecked: &Value| rechecked["counts"].clone();
    let (first, told) = recheck();
    assert_eq!(standings(&first), json!({ "holds": 1 }));
    assert_eq!(first["citations"][0]["run_id"], answer["run_id"]);
    assert_eq!(told, "1 citation: 1 holds\n");

    let note = desk.text("Bees/Hive weight.md");
    desk.save("Bees/Hive weight.md", format!("A line more.\n\n{note}"));
    let (moved, told) = recheck();
    assert_eq!(standings(&moved), json!({ "moved": 1 }), "{moved}");
    assert!(told.starts_with("moved ") && told.contains("now Bees/Hive weight.md:"), "{told}");

    fs::remove_file(desk.vault().join("Bees/Hive weight.md")).unwrap();
    desk.save("Projects/Weights.md", &note);
    let (moved, _) = recheck();
    assert_eq!(standings(&moved), json!({ "moved": 1 }), "{moved}");
    assert_eq!(moved["citations"][0]["now"]["path"], "Projects/Weights.md");

    desk.save("Projects/Weights.md", note.replace("38.5 kg", "41 kg"));
    fs::rename(desk.vault().join("Projects/Weights.md"), desk.vault().join("Bees/Hive weight.md")).unwrap();
    let (changed, told) = recheck();
    assert_eq!(standings(&changed), json!({ "changed": 1 }), "{changed}");
    assert!(changed["citations"][0]["diff"].as_str().unwrap().contains("41 kg"), "{changed}");
    assert!(told.contains("41 kg"), "{told}");

    fs::remove_file(desk.vault().join("Bees/Hive weight.md")).unwrap();
    let (gone, _) = recheck();
    assert_eq!(standings(&gone), json!({ "gone": 1 }), "{gone}");
    let since = |when: &str| desk.run(["recheck", "--since", when, "--json"]);
    assert_eq!(standings(&since("2020-01-31").done()), json!({ "gone": 1 }));
    assert_eq!(standings(&since("2999-01-31").done()), json!({}));
    for wrong in ["2020-02-31", "no-such-commit", "", "--help me"] {
        let told = since(wrong);
        assert!(matches!(told.status, Some(2 | 3)), "{wrong}: {told:?}");
    }
}

#[test]
fn what_fails_the_gate_twice_stands_under_its_own_heading() {
    let desk = Desk::new();
    let server = ModelServer::start([
        reads("Bees/Hive weight"),
        cites("The Linden hive weighed 99 kg. [id]"),
        cites("The Linden hive weighed 77 kg. [id]"),
        Turn::says("Good."),
    ]);
    let answer = chat(&desk, &server, &["How heavy?", "--json"]).done();
    assert!(answer["response"].as_str().unwrap().contains("Not supported by the evidence"), "{answer}");
    assert_eq!(answer["coverage"]["contradicted"], 1, "{answer}");
    let asked = server.requests_so_far();
    assert!(asked[2].body.to_string().contains("99"), "it was told what is wrong");
    Ran::of(with(&mut desk.here(), &server).args(["chat", "Well?", "--json"])).done();
    server.into_requests();
    assert_eq!(desk.run(["replay", id(&answer), "--json"]).done(), answer);
}
