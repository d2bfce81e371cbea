//! A made-up run with every kind of event, for tests that store, show or compare runs.

use jiff::Timestamp;
use serde_json::{Value, json};
use wellread_core::domain::corpus::Hash;
use wellread_core::domain::evidence::{EnclosingSymbol, Evidence, FilePlace, PagePlace, Provenance, Source};
use wellread_core::domain::id::{EvidenceId, RunId};
use wellread_core::domain::untrusted::{Origin, Untrusted};
use wellread_core::ports::event::{
    Budget, LoggedEvent, ModelAnswer, OpinionGiver, OpinionRecord, RunEnd, RunEvent, RunKind, RunOutcome,
    RunUsage, SentRequest,
};
use wellread_core::ports::{Reply, RunHeader, RunLogs, StopReason, TokenUsage};

use crate::world::path_rules;

/// The moment of event `number`: one a second.
pub fn event_time(number: u64) -> Timestamp {
    Timestamp::from_second(1_772_000_000 + i64::try_from(number).unwrap()).unwrap()
}

/// The header of a run that begins.
pub fn run_header(id: &RunId, kind: RunKind, title: &str) -> RunHeader {
    RunHeader {
        forgotten: None,
        id: id.clone(),
        kind,
        title: title.to_owned(),
        began: event_time(0),
        last: event_time(0),
        events: 1,
        ended: None,
    }
}

pub fn began_event(kind: RunKind, title: &str) -> RunEvent {
    RunEvent::Began {
        kind,
        title: title.to_owned(),
        request: json!({ "question": title }),
        budget: Budget { steps: Some(8), seconds: Some(120), money: Some(0.5), ..Budget::default() },
        private: false,
        wellread: "0.1.0".to_owned(),
    }
}

/// Lines of a note, as evidence.
pub fn note_evidence(run: &RunId, number: u32, path: &str, text: &str) -> Evidence {
    let place = FilePlace {
        path: path_rules().parse_file(path).unwrap(),
        start_line: 3,
        end_line: 4,
        span: 10..10 + text.len(),
        hash: Hash::compute(text.as_bytes()),
    };
    Evidence {
        id: EvidenceId::new(run, number),
        source: Source::Note(place),
        text: Untrusted::from_note(text),
        reason: "it speaks of honey".to_owned(),
        provenance: Provenance::Hybrid,
        score: Some(0.75),
        symbol: None,
    }
}

/// Lines of source code, as evidence.
pub fn code_evidence(run: &RunId, number: u32, path: &str, text: &str) -> Evidence {
    let mut evidence = note_evidence(run, number, "x.md", text);
    let Source::Note(mut place) = evidence.source else { unreachable!("it is a note") };
    place.path = path_rules().parse_file(path).unwrap();
    evidence.source =
        Source::Code { repository: "hivelog".to_owned(), place, commit: Some("c0ffee".to_owned()) };
    evidence.text = Untrusted::from_outside(text);
    evidence.provenance = Provenance::Syntax;
    evidence.symbol = Some(EnclosingSymbol { id: format!("{path}::weigh"), kind: "function".to_owned() });
    evidence
}

/// A stretch of a page, as evidence.
pub fn page_evidence(run: &RunId, number: u32, url: &str, text: &str) -> Evidence {
    let mut evidence = note_evidence(run, number, "x.md", text);
    evidence.source = Source::Page(PagePlace {
        url: url.to_owned(),
        title: Some("Of bees".to_owned()),
        snapshot: Hash::compute(text.as_bytes()),
        span: 0..text.len(),
    });
    evidence.text = Untrusted::from_outside(text);
    evidence.provenance = Provenance::Manual;
    evidence.score = None;
    evidence
}

pub fn sent_event(what: &str, to: &str, about: &str, stays: bool) -> RunEvent {
    RunEvent::Sent(SentRequest {
        what: what.to_owned(),
        to: to.to_owned(),
        about: about.to_owned(),
        bytes: 321,
        stays,
    })
}

pub fn model_event(text: &str) -> RunEvent {
    RunEvent::Model {
        key: Hash::compute(text.as_bytes()),
        name: "small".to_owned(),
        answer: ModelAnswer::Reply(Reply {
            text: text.to_owned(),
            calls: Vec::new(),
            stop: StopReason::End,
            usage: TokenUsage { read: 100, written: 20, estimated: false },
            attempts: 1,
        }),
        cost: None,
        took_ms: 40,
    }
}

pub fn tool_event(name: &str, arguments: Value) -> RunEvent {
    RunEvent::Tool {
        key: Hash::compute(name.as_bytes()),
        tool: name.to_owned(),
        arguments,
        answer: json!({ "success": true, "results": [0.1, 1e-7, 12_345_678.9] }),
        private: false,
        origin: Origin::Notes,
        took_ms: 3,
    }
}

pub fn ended_event(outcome: RunOutcome, report: &str) -> RunEvent {
    RunEvent::Ended(RunEnd {
        outcome,
        result: json!({ "answer": report }),
        report: report.to_owned(),
        spent: RunUsage {
            steps: 3,
            seconds: 4.5,
            tokens_read: 100,
            tokens_written: 20,
            money: Some(0.01),
            requests: 2,
        },
    })
}

/// Everything that can happen, once.
pub fn events(run: &RunId, kind: RunKind, title: &str) -> Vec<RunEvent> {
    let note = note_evidence(run, 1, "Bees/Honey.md", "Honey keeps for years.");
    let page = page_evidence(run, 2, "https://bees.example/wax", "Wax melts at 62 degrees.");
    let code = code_evidence(run, 3, "src/weigh.rs", "fn weigh() {}");
    let key = Hash::compute(b"drawn");
    vec![
        began_event(kind, title),
        RunEvent::Plan { plan: json!({ "topics": ["honey", "wax"] }) },
        sent_event("search", "https://search.example", "honey wax", false),
        tool_event("search_vault", json!({ "query": "honey" })),
        RunEvent::Evidence(Box::new(note.clone())),
        RunEvent::Evidence(Box::new(page.clone())),
        RunEvent::Evidence(Box::new(code)),
        RunEvent::Shown { ids: vec![note.id, page.id] },
        sent_event("model", "http://127.0.0.1:11434", "the write-up", true),
        model_event("Honey keeps for years. [ev-1]"),
        RunEvent::Drawn { key, name: "now".to_owned(), value: json!("2026-03-01") },
        RunEvent::Calling { key, tool: "append_to_section".to_owned() },
        RunEvent::Verdict { report: json!({ "coverage": 0.5, "sentences": [] }) },
        RunEvent::SecondOpinion(OpinionRecord {
            by: OpinionGiver::Model,
            sentences: 1,
            lowered: 0,
            trouble: None,
        }),
        RunEvent::Write { operation: "op".to_owned(), path: "Bees/Honey.md".to_owned() },
        ended_event(RunOutcome::Done, "Honey keeps for years.\nWax does not.\n"),
    ]
}

/// Numbers and dates events as a log has them.
pub fn stamp_events(events: Vec<RunEvent>) -> Vec<LoggedEvent> {
    (0..).zip(events).map(|(number, event)| LoggedEvent { number, at: event_time(number), event }).collect()
}

/// Writes these events down as a run of that kind and title.
pub fn record_run(records: &dyn RunLogs, id: &RunId, kind: RunKind, title: &str, events: &[RunEvent]) {
    let (first, rest) = events.split_first().unwrap();
    records.begin(&run_header(id, kind, title), first).unwrap();
    for (number, event) in (1..).zip(rest) {
        records.append(id, number, event_time(number), event).unwrap();
    }
}
