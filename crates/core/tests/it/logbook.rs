//! What is read from a run's log: its documents, what left the machine, and how two runs differ.

use serde_json::{Value, json};
use wellread_core::ErrorKind;
use wellread_core::domain::id::RunId;
use wellread_core::engine::log::{
    RunDocument, answer, compare, evidence_document, find_run, render_report, sent_records, steps,
    summarize_run, trace_document,
};
use wellread_core::ports::event::{LoggedEvent, RunEvent, RunKind, RunOutcome};
use wellread_testkit::MemoryRecords;
use wellread_testkit::run_fixtures::{
    began_event, ended_event, events, model_event, note_evidence, page_evidence, record_run, sent_event,
    stamp_events, tool_event,
};

fn id(last: char) -> RunId {
    RunId::parse(&format!("0abc000000000{last}")).unwrap()
}

fn whole() -> Vec<LoggedEvent> {
    stamp_events(events(&id('1'), RunKind::Note, "Honey"))
}

#[test]
fn the_report_says_what_the_run_gave_what_it_took_and_what_it_sent() {
    let expected = "\
# Honey

Honey keeps for years.
Wax does not.

## About this run

- run: `0abc0000000001`
- kind: note
- time: 2026-02-25 06:13:20Z to 2026-02-25 06:13:35Z
- outcome: done
- spent: 3 of 8 steps, 4.5 s of 2 min, 120 tokens, 2 requests, 0.0100 of 0.50 US$
- evidence: 3 found, 2 used
- coverage: 50 % of the sentences are supported
- second opinion: the model on 1 sentence, 0 verdicts lowered
- wrote: `Bees/Honey.md` (`wellread undo op`)
- left the machine: 1 request, 321 bytes

### What was sent

- search to `https://search.example`, 321 bytes: honey wax
- model to `http://127.0.0.1:11434`, 321 bytes, on this machine: the write-up

### Evidence

- [ev-0abc0000000001-001] `Bees/Honey.md:3-4`: it speaks of honey
- [ev-0abc0000000001-002] `https://bees.example/wax`: it speaks of honey
- [ev-0abc0000000001-003] `hivelog: src/weigh.rs:3-4` (not shown): it speaks of honey
";
    assert_eq!(render_report(&id('1'), &whole()), expected);
}

#[test]
fn a_run_that_has_not_ended_says_so_and_how_to_go_on() {
    let mut log = events(&id('1'), RunKind::Note, "Honey");
    log.truncate(10);
    let text = render_report(&id('1'), &stamp_events(log.clone()));
    assert!(text.contains("This run has not finished. `wellread resume 0abc0000000001` continues"), "{text}");
    assert!(text.contains("- outcome: not finished\n"), "{text}");
    assert!(
        text.contains(
            "- spent: 2 of 8 steps, 9 s of 2 min, 120 tokens, 2 requests, an unknown part of 0.50 US$\n"
        ),
        "{text}"
    );

    // One that is taken up again has not ended either, whatever was said before.
    log.extend([ended_event(RunOutcome::Failed, "no"), RunEvent::Resumed]);
    assert_eq!(summarize_run(&id('1'), &stamp_events(log.clone())).outcome, None);
    log.push(ended_event(RunOutcome::Cancelled, ""));
    assert_eq!(summarize_run(&id('1'), &stamp_events(log)).outcome, Some(RunOutcome::Cancelled));
}

#[test]
fn words_of_others_do_nothing_in_a_report() {
    let run = id('1');
    let hostile = "x\n# Heading\u{1b}[2J ![p](http://evil.example/p.png) <script> `code`";
    let mut page = page_evidence(&run, 1, "https://bees.example/`x`\n# y", "text");
    page.reason = hostile.to_owned();
    let log = vec![
        began_event(RunKind::Ask, hostile),
        sent_event("search", "https://a.example", hostile, false),
        RunEvent::Evidence(Box::new(page)),
        ended_event(RunOutcome::Done, "It is so."),
    ];
    let text = render_report(&run, &stamp_events(log));
    assert!(!text.contains('\u{1b}') && !text.contains("\n# Heading") && !text.contains("\n# y"), "{text}");
    assert!(!text.contains("![p]") && !text.contains(" <script>"), "{text}");
}

#[test]
fn a_failure_without_a_report_is_told() {
    let RunEvent::Ended(mut end) = ended_event(RunOutcome::Failed, "") else { unreachable!() };
    end.result = json!({ "error": "nobody answers", "hint": "start it" });
    let text =
        render_report(&id('1'), &stamp_events(vec![began_event(RunKind::Ask, "Why?"), RunEvent::Ended(end)]));
    assert!(text.starts_with("# Why?\n\nnobody answers\n\nstart it\n\n## About"), "{text}");
}

#[test]
fn evidence_has_the_fields_of_its_contract() {
    let list = evidence_document(&id('1'), &whole());
    assert_eq!(list["run_id"], "0abc0000000001");
    let [note, page, code] = list["evidence"].as_array().unwrap().as_slice() else { panic!("{list}") };
    let fields = |entry: &Value| -> Vec<String> { entry.as_object().unwrap().keys().cloned().collect() };
    assert_eq!(
        fields(note),
        [
            "id",
            "kind",
            "file_path",
            "start_line",
            "end_line",
            "hash",
            "content",
            "reason",
            "provenance",
            "score",
            "shown"
        ]
    );
    assert_eq!(
        (&note["id"], &note["file_path"], &note["content"]),
        (&json!("ev-0abc0000000001-001"), &json!("Bees/Honey.md"), &json!("Honey keeps for years."))
    );
    assert_eq!((&note["provenance"], &note["score"]), (&json!("hybrid"), &json!(0.75)));
    assert_eq!(
        fields(page),
        ["id", "kind", "url", "title", "snapshot", "span", "content", "reason", "provenance", "shown"]
    );
    assert_eq!(
        (&code["symbol_id"], &code["symbol_kind"]),
        (&json!("src/weigh.rs::weigh"), &json!("function"))
    );
    assert_eq!((&code["repository"], &code["commit"]), (&json!("hivelog"), &json!("c0ffee")));
    assert_eq!([note, page, code].map(|entry| entry["shown"] == true), [true, true, false]);
}

#[test]
fn the_trace_holds_every_event_and_the_steps_in_short() {
    let log = whole();
    let trace = trace_document(&id('1'), &log);
    let back: Vec<LoggedEvent> = serde_json::from_value(trace["events"].clone()).unwrap();
    assert_eq!(back, log);
    assert_eq!(trace["steps"].as_array().unwrap().len(), 2);
    assert_eq!(trace["summary"]["outcome"], "done");
    let steps: Vec<String> =
        steps(&log).into_iter().map(|step| format!("{} {}", step.step, step.name)).collect();
    assert_eq!(steps, ["tool search_vault", "model small"]);
    for document in RunDocument::ALL {
        let text = document.render(&id('1'), &log);
        let is_json = serde_json::from_str::<Value>(&text).is_ok();
        assert_eq!(is_json, document.mime_type() == "application/json");
        assert_eq!(RunDocument::from_file_name(document.file_name()), Some(document));
    }
    assert_eq!(RunDocument::from_file_name("secrets.json"), None);
}

#[test]
fn what_left_the_machine_is_every_request_in_order() {
    let left = sent_records(&whole());
    let shown: Vec<_> = left.iter().map(|one| (one.sent.to.as_str(), one.sent.stays)).collect();
    assert_eq!(shown, [("https://search.example", false), ("http://127.0.0.1:11434", true)]);
}

#[test]
fn a_log_of_nothing_has_documents_too() {
    assert!(render_report(&id('1'), &[]).contains("has not finished"));
    assert_eq!(evidence_document(&id('1'), &[])["evidence"], json!([]));
    assert_eq!(trace_document(&id('1'), &[])["events"], json!([]));
}

#[test]
fn a_run_is_the_same_as_itself() {
    let log = whole();
    let same = compare((&id('1'), &log), (&id('1'), &log));
    assert!(same.same);
    assert_eq!(same.result.diff, "");
    assert_eq!(same.evidence.both.len(), 3);
    // How long a call took is no difference.
    let mut slower = log.clone();
    for stamped in &mut slower {
        if let RunEvent::Model { took_ms, .. } = &mut stamped.event {
            *took_ms += 999;
        }
    }
    assert!(compare((&id('1'), &log), (&id('1'), &slower)).same);
}

#[test]
fn two_runs_are_compared_part_by_part() {
    let (one, two) = (id('1'), id('2'));
    let first = stamp_events(vec![
        began_event(RunKind::Ask, "What keeps?"),
        tool_event("search_vault", json!({ "query": "keeps" })),
        RunEvent::Evidence(Box::new(note_evidence(&one, 1, "A.md", "Honey."))),
        RunEvent::Evidence(Box::new(note_evidence(&one, 2, "B.md", "Wax."))),
        RunEvent::Verdict { report: json!({ "coverage": 0.5 }) },
        ended_event(RunOutcome::Done, "Honey keeps.\nSo it is.\n"),
    ]);
    let second = stamp_events(vec![
        began_event(RunKind::Ask, "What keeps?"),
        tool_event("search_vault", json!({ "query": "keeps long" })),
        model_event("Wax"),
        RunEvent::Evidence(Box::new(note_evidence(&two, 1, "B.md", "Other wax."))),
        RunEvent::Evidence(Box::new(page_evidence(&two, 2, "https://bees.example", "Wax."))),
        RunEvent::Verdict { report: json!({ "coverage": 1.0 }) },
        ended_event(RunOutcome::Done, "Wax keeps.\nSo it is.\n"),
    ]);
    let compared = compare((&one, &first), (&two, &second));
    assert!(!compared.same);
    assert!(compared.request.same && compared.plan.same);
    assert_eq!(
        compared.steps.diff,
        "--- 0abc0000000001\n+++ 0abc0000000002\n@@ -1 +1,2 @@\n-tool search_vault {\"query\":\"keeps\"}\n\
         +tool search_vault {\"query\":\"keeps long\"}\n+model small\n"
    );
    assert_eq!(compared.evidence.only_a, ["A.md:3-4"]);
    assert_eq!(compared.evidence.only_b, ["https://bees.example"]);
    assert_eq!(compared.evidence.both, ["B.md:3-4"]);
    assert_eq!(compared.evidence.changed, ["B.md:3-4"]);
    assert_eq!((&compared.coverage.a, &compared.coverage.b), (&json!(0.5), &json!(1.0)));
    assert!(
        compared.result.diff.contains("-Honey keeps.\n+Wax keeps.\n So it is.\n"),
        "{}",
        compared.result.diff
    );
}

#[test]
fn a_run_is_found_by_the_beginning_of_its_id() {
    let records = MemoryRecords::default();
    for last in ['1', '2'] {
        record_run(&records, &id(last), RunKind::Ask, "x", &[began_event(RunKind::Ask, "x")]);
    }
    let other = RunId::parse("0abd0000000000").unwrap();
    record_run(&records, &other, RunKind::Ask, "x", &[began_event(RunKind::Ask, "x")]);
    assert_eq!(find_run(&records, "0abd").unwrap().id, other);
    assert_eq!(find_run(&records, " 0ABC0000000001 ").unwrap().id, id('1'));
    let several = find_run(&records, "0abc").unwrap_err();
    assert_eq!(several.kind(), ErrorKind::Invalid);
    assert!(several.hint_text().unwrap().contains("0abc0000000002"), "{several:?}");
    assert_eq!(find_run(&records, "1").unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(find_run(&records, "../x").unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(find_run(&records, "").unwrap_err().kind(), ErrorKind::Invalid);
}

#[test]
fn that_a_run_failed_is_no_answer() {
    let failed = stamp_events(vec![
        began_event(RunKind::Chat, "x"),
        ended_event(RunOutcome::Failed, "The turn failed: no.\n"),
    ]);
    assert_eq!(answer(&failed), None);
    let done = stamp_events(vec![
        began_event(RunKind::Chat, "x"),
        ended_event(RunOutcome::OutOfBudget, "So far.\n"),
    ]);
    assert_eq!(answer(&done), Some("So far.\n"));
}
