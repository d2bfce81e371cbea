//! `wellread note` against a small web and a scripted model: what is read, what is left out, what is written, and what is not.

use std::net::TcpListener;
use std::sync::mpsc;
use std::thread;

use serde_json::{Value, json};
use wellread_testkit::web_server::{ReplyGate, WebServerReply, duckduckgo};
use wellread_testkit::{Turn, WebServer};

use crate::desk::{Ran, borne_out, column};
use crate::study::{FOUND, NOTE, Study, article, id_of, of_hives, pdf, results, thinks, web, with_web};

/// An address of this machine at which nobody listens.
fn nobody() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().to_string()
}

fn supported(study: &Study) {
    let verified = study.run(&["verify", "Bees", "--json"]).done();
    let verdicts = column(&verified["sentences"], "verdict");
    assert!(
        !verdicts.is_empty()
            && verdicts.iter().all(|verdict| ["quoted", "supported"].contains(&verdict.as_str())),
        "{verified}"
    );
}

#[test]
fn in_depth_pages_and_papers_are_read_and_what_fails_is_left_out() {
    let (web, internal, slow) = (WebServer::start(), WebServer::start(), ReplyGate::default());
    let dead = nobody();
    let dead_page = format!("http://{dead}/hive");
    web.add_reply("/moved", WebServerReply::redirect("/hive"));
    web.add_reply(
        "/hive",
        article(
            "How large is a hive",
            &[
                "Colonies of the honey bee grow in spring and shrink in autumn, as every beekeeper knows.",
                "A hive in a good year holds 80,000 bees, which is more than most books say about it.",
                "Its size depends on the queen, on the weather and on how much there is in bloom nearby.",
            ],
        ),
    );
    web.add_reply("/paper", pdf(&["On the weight of hives", "A full hive weighs 60 kg at the end of July."]));
    web.add_reply("/slow", WebServerReply::html("late").with_gate(&slow));
    web.add_reply(
        "/html/",
        duckduckgo(&[
            ("How large is a hive", &web.url("/moved"), "About hives."),
            ("On the weight of hives", &web.url("/paper"), "About weights."),
            ("Gone", &dead_page, "Nobody is there."),
            ("Slow", &web.url("/slow"), "It takes its time."),
            ("Inside", &internal.url("/hive"), "It is an internal address."),
        ]),
    );
    let writes = |prompt: &str| {
        assert!(!prompt.contains("All rights reserved"), "only the article counts");
        format!(
            "### Hive size\n\nA hive in a good year holds 80,000 bees [{}]. A full hive weighs 60 kg [{}].\n",
            id_of(prompt, "80,000 bees"),
            id_of(prompt, "weighs 60 kg")
        )
    };
    let study = Study::new(web, thinks(4, &["hive size"], writes));
    let allowed = format!("{},{dead}", study.web.base.trim_start_matches("http://"));
    let mut command = study.here();
    command.env("WELLREAD_RESEARCH_PAGES_PER_TOPIC", "5").env("WELLREAD_HTTP_ALLOW", allowed);
    let ran = Ran::of(command.args(["note", "Bees", "--deep", "--apply", "--json"]));
    slow.open();
    let answer = ran.done();
    assert!(internal.requests().is_empty(), "an internal address that the user did not name");
    let skipped = column(&answer["skipped"], "what");
    assert_eq!(skipped, [dead_page, study.web.url("/slow"), internal.url("/hive")], "{answer}");
    let urls = column(&answer["sources"], "url");
    assert_eq!(urls, [study.web.url("/hive"), study.web.url("/paper")], "where it was in the end: {answer}");
    assert_eq!((&answer["topics_researched"], &borne_out(&answer["coverage"])), (&json!(1), &json!(2)));
    let section = format!(
        "{NOTE}\n## Research\n\n### Hive size\n\nA hive in a good year holds 80,000 bees ([How large is a hive]({})). A full hive \
         weighs 60 kg ([",
        study.web.url("/hive")
    );
    assert!(study.text().starts_with(&section), "{}", study.text());
    supported(&study);

    // What left is in the run: a request for topics, a search, five pages, two pages read for us, and the section.
    let run = answer["run_id"].as_str().unwrap();
    let left = answer["left"].as_array().unwrap();
    let sent = |what: &str| left.iter().filter(|one| one["what"] == what).count();
    assert_eq!((sent("model"), sent("search"), sent("page")), (4, 1, 5), "{answer}");
    let shown = study.run(&["runs", "show", run]).stdout;
    assert!(shown.contains(&study.web.url("/paper")) && shown.contains("hive size"), "{shown}");
    study.model.into_requests();
}

#[test]
fn a_section_is_written_then_replaced_then_taken_back() {
    let study = Study::usual(6);
    let first = study.note(&[]).done();
    supported(&study);
    let once = study.text();
    assert!(once.starts_with(&format!("{NOTE}\n## Research\n\n### Hive size\n\nA strong hive")), "{once}");
    assert!(
        study.web.request_lines().iter().all(|line| line.starts_with("GET /html/")),
        "shallow reads no page"
    );

    let rehearsed = study.run(&["note", "Bees", "--dry-run"]);
    assert_eq!(rehearsed.status, Some(0), "{rehearsed:?}");
    assert!(rehearsed.stdout.contains("--- ") && rehearsed.stdout.contains("+<!-- wellread: run "));
    assert_eq!(study.text(), once, "a dry run leaves every byte");

    let second = study.note(&[]).done();
    let twice = study.text();
    let ids = [&first, &second].map(|answer| answer["run_id"].as_str().unwrap());
    assert_eq!(once.replace(ids[0], ids[1]), twice, "the second section stands where the first was");
    study.run(&["undo", ids[1], "--json"]).done();
    assert_eq!(study.text(), once);
    study.run(&["undo", ids[0], "--json"]).done();
    assert_eq!(study.text(), NOTE);
    study.model.into_requests();
}

#[test]
fn what_the_user_saves_meanwhile_stays() {
    let mut turns = thinks(2, &["hive size"], of_hives);
    let (open, gate) = mpsc::channel();
    let last = turns.pop().unwrap().with_gate(gate);
    let study = Study::new(web(), turns.into_iter().chain([last]));
    let edited = NOTE.replace("for years", "for ever") + "\nTyped meanwhile.\n";
    let ran = thread::scope(|scope| {
        let ran = scope.spawn(|| study.note(&[]));
        study.model.wait_for_requests(2);
        study.desk.save("Bees.md", &edited);
        open.send(()).unwrap();
        ran.join().unwrap()
    });
    ran.done();
    assert!(study.text().starts_with(&format!("{edited}\n## Research\n\n### Hive size")), "{}", study.text());
}

#[test]
fn links_that_the_model_made_up_are_taken_out_and_counted() {
    let writes = |prompt: &str| {
        format!(
            "### Hive size\n\nA strong hive holds 60,000 bees at midsummer [{}]. See [more](https://made.up/x), [[No such note]] and \
             ![x](https://made.up/y.png).\n\n<script>alert(1)</script>\n",
            id_of(prompt, FOUND)
        )
    };
    // One round to mend it, which does not.
    let mut turns = thinks(2, &["hive size"], writes);
    turns.extend(thinks(1, &[], writes));
    let study = Study::new(web(), turns);
    let ran = study.run(&["note", "Bees", "--apply"]);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    assert!(ran.stderr.contains("invented link"), "{ran:?}");
    let text = study.text();
    assert!(text.contains("60,000 bees at midsummer (["), "{text}");
    for gone in ["made.up", "No such note]]", "<script"] {
        assert!(!text.contains(gone), "{text}");
    }
}

#[test]
fn a_run_that_fails_leaves_the_note_byte_for_byte() {
    let garbage = || Turn::says("Bees are fine, thank you.");
    let topics = || thinks(1, &["hive size"], of_hives).remove(0);
    let failing = |turns: Vec<Turn>, status: i32, told: &str| {
        let study = Study::new(web(), turns);
        let before = study.desk.tree();
        let answer = study.note(&[]).failed(status);
        assert!(answer["error"].as_str().unwrap().contains(told), "{answer}");
        assert_eq!(study.desk.tree(), before);
        assert_eq!(
            (&study.last_run()["ended"], &study.last_run()["id"]),
            (&json!("failed"), &answer["run_id"])
        );
        study.model.into_requests();
    };
    failing(vec![garbage(), garbage()], 1, "no topics");
    failing(vec![Turn::json(&json!({ "topics": [] }))], 1, "no topics");
    failing(vec![topics(), Turn::says(" \n")], 1, "so nothing was written");
}

#[test]
fn a_model_that_cannot_be_asked_is_told_as_such_and_names_its_key() {
    let study = Study::new(web(), []);
    let before = study.desk.tree();
    let gone = format!("http://{}/v1", nobody());
    let mut command = study.here();
    command.env("WELLREAD_MODEL_BASE_URL", gone).args(["note", "Bees", "--apply", "--json"]);
    Ran::of(&mut command).failed(5);
    let mut command = study.desk.here();
    with_web(&mut command, &study.web).env("WELLREAD_MODEL_PROVIDER", "openai").env("LLM_MODEL", "some");
    let keyless = Ran::of(command.args(["note", "Bees", "--apply", "--json"]));
    assert!(keyless.status.is_some_and(|status| status != 0), "{keyless:?}");
    assert!(keyless.stdout.contains("OPENAI_API_KEY"), "{keyless:?}");
    assert_eq!(study.desk.tree(), before);
    assert_eq!(study.web.request_lines(), [""; 0], "nothing is searched for a note that can't be researched");
}

#[test]
fn ten_topics_are_gathered_for_four_at_a_time() {
    let web = WebServer::start();
    let rounds = [(4, ReplyGate::default()), (4, ReplyGate::default()), (2, ReplyGate::default())];
    for (times, gate) in &rounds {
        (0..*times).for_each(|_| web.add_reply("/html/", results(&web).with_gate(gate)));
    }
    let names: Vec<String> = (1..=10).map(|number| format!("hive topic {number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let study = Study::new(web, thinks(2, &names, of_hives));
    let answer = thread::scope(|scope| {
        let ran = scope.spawn(|| study.note(&[]));
        let mut so_far = 0;
        for (times, gate) in &rounds {
            so_far += times;
            study.web.wait_for_requests(so_far);
            // A whole command later there are no more: they all wait for their answers.
            assert!(study.last_run()["ended"].is_null());
            assert_eq!(study.web.requests().len(), so_far);
            gate.open();
        }
        ran.join().unwrap().done()
    });
    assert_eq!(answer["topics_researched"], 10);
    // The sections of the prompt stand in the order of the topics, whoever answered first.
    let shown = crate::study::prompt(&study.model.requests_so_far()[1].body);
    let at: Vec<usize> = names.iter().map(|name| shown.find(&format!("{name} (claim)")).unwrap()).collect();
    assert!(at.is_sorted(), "{at:?}");
}

#[test]
fn two_researches_of_one_note_both_end_and_leave_one_section() {
    let (mut gates, mut turns) = (Vec::new(), Vec::new());
    for turn in thinks(4, &["hive size"], of_hives) {
        let (open, gate) = mpsc::channel::<()>();
        gates.push(open);
        turns.push(turn.with_gate(gate));
    }
    let study = Study::new(web(), turns);
    let (one, other) = thread::scope(|scope| {
        let (one, other) = (scope.spawn(|| study.note(&[])), scope.spawn(|| study.note(&[])));
        // Both are at their topics, then both at their sections.
        study.model.wait_for_requests(2);
        gates.drain(..2).for_each(drop);
        study.model.wait_for_requests(4);
        gates.drain(..).for_each(drop);
        (one.join().unwrap(), other.join().unwrap())
    });
    let runs = [one.done(), other.done()].map(|answer| answer["run_id"].as_str().unwrap().to_owned());
    let text = study.text();
    assert!(text.starts_with(NOTE), "{text}");
    assert_eq!(text.matches("## Research").count(), 1, "{text}");
    assert_eq!(runs.iter().filter(|run| text.contains(run.as_str())).count(), 1, "{text}");
}

#[test]
fn a_note_that_is_deleted_meanwhile_is_not_made_anew() {
    let mut turns = thinks(2, &["hive size"], of_hives);
    let (open, gate) = mpsc::channel();
    let last = turns.pop().unwrap().with_gate(gate);
    let study = Study::new(web(), turns.into_iter().chain([last]));
    let ran = thread::scope(|scope| {
        let ran = scope.spawn(|| study.note(&[]));
        study.model.wait_for_requests(2);
        std::fs::remove_file(study.desk.vault().join("Bees.md")).unwrap();
        open.send(()).unwrap();
        ran.join().unwrap()
    });
    ran.failed(3);
    assert!(!study.desk.vault().join("Bees.md").exists());
    assert_eq!(study.last_run()["ended"], "failed");
}

#[test]
fn what_is_no_note_is_refused_before_anybody_is_asked() {
    let study = Study::new(web(), []);
    study.desk.save("table.csv", "a,b\n");
    study.desk.save("Empty.md", " \n\n");
    study.desk.save("Binary.md", b"\x00\xff\xfe\x01 bees");
    study.desk.save("Twice.md", "# B\n\nWords.\n\n## Research\n\na\n\n## research\n\nb\n");
    let before = study.desk.tree();
    let refused = |arguments: Value, told: &str| {
        let ran = study.run(&["tool", "research_note", &arguments.to_string()]);
        let answer = ran.json();
        assert!(ran.status.is_some_and(|status| (1..=4).contains(&status)), "{ran:?}");
        assert_eq!(answer["success"], false, "{answer}");
        assert!(answer.to_string().contains(told), "{told}: {answer}");
        crate::desk::one_clear_line(answer["error"].as_str().unwrap());
    };
    refused(json!({ "path": "Bees", "depth": "wide" }), "shallow");
    refused(json!({ "path": "Bees", "depth": "wide" }), "deep");
    refused(json!({ "path": "Bee" }), "Bees.md");
    refused(json!({ "path": "table.csv" }), "only .md, .markdown and .txt");
    refused(json!({ "path": "Empty" }), "is empty");
    refused(json!({ "path": "Binary" }), "Binary.md");
    refused(json!({ "path": "Twice" }), "more than once");
    refused(json!({ "path": "../Bees" }), "error");
    refused(json!({}), "path");
    let missing = study.run(&["note", "Bee"]);
    assert!(missing.complains(3).contains("Bees.md"), "the nearest names: {missing:?}");
    assert_eq!(study.desk.tree(), before);
    assert_eq!(study.web.request_lines(), [""; 0]);
    assert_eq!(study.run(&["runs", "--json"]).done()["runs"], json!([]));
}

#[test]
fn a_note_is_summarised_by_the_model_and_without_one() {
    let writes = |prompt: &str| format!("Honey keeps for years [{}].\n", id_of(prompt, "Honey keeps"));
    let study = Study::new(web(), thinks(1, &[], writes));
    let arguments = json!({ "path": "Bees" }).to_string();
    study.run(&["tool", "summarize_file", &arguments]).done();
    let text = study.text();
    assert!(text.starts_with(&format!("{NOTE}\n## Summary\n\nHoney keeps for years ")), "{text}");
    assert_eq!(study.web.request_lines(), [""; 0]);
    study.desk.run(["tool", "summarize_file", &json!({ "path": "Wintering" }).to_string()]).done();
    let text = study.desk.text("Wintering.md");
    assert!(text.contains("## Summary\n\n") && text.matches("10,000 bees").count() == 2, "{text}");
}
