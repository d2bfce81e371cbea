//! A made-up run: every sort of event, for whoever keeps, shows or compares runs.

use jiff::Timestamp;
use serde_json::{Value, json};
use wellread_core::domain::corpus::Hash;
use wellread_core::domain::evidence::{Evidence, FilePlace, PagePlace, Provenance, Source, Symbol};
use wellread_core::domain::id::{EvidenceId, RunId};
use wellread_core::domain::untrusted::{Origin, Untrusted};
use wellread_core::ports::event::{
    Budget, Ended, Event, ModelAnswer, Outcome, RunKind, Sent, Spent, Stamped,
};
use wellread_core::ports::{Records, Reply, RunHeader, Stop, Usage};

use crate::world::rules;

/// The moment of event `number`: one a second.
pub fn second(number: u64) -> Timestamp {
    Timestamp::from_second(1_772_000_000 + i64::try_from(number).unwrap()).unwrap()
}

/// The header of a run that begins.
pub fn header(id: &RunId, kind: RunKind, title: &str) -> RunHeader {
    RunHeader {
        id: id.clone(),
        kind,
        title: title.to_owned(),
        began: second(0),
        last: second(0),
        events: 1,
        ended: None,
    }
}

pub fn began(kind: RunKind, title: &str) -> Event {
    Event::Began {
        kind,
        title: title.to_owned(),
        request: json!({ "question": title }),
        budget: Budget { steps: Some(8), seconds: Some(120), money: Some(0.5), ..Budget::default() },
        wellread: "0.1.0".to_owned(),
    }
}

/// Lines of a note, as evidence.
pub fn from_note(run: &RunId, number: u32, path: &str, text: &str) -> Evidence {
    let place = FilePlace {
        path: rules().file(path).unwrap(),
        start_line: 3,
        end_line: 4,
        span: 10..10 + text.len(),
        hash: Hash::of(text.as_bytes()),
    };
    Evidence {
        id: EvidenceId::new(run, number),
        source: Source::Note(place),
        text: Untrusted::note(text),
        reason: "it speaks of honey".to_owned(),
        provenance: Provenance::Hybrid,
        score: Some(0.75),
        symbol: None,
    }
}

/// Lines of source code, as evidence.
pub fn from_code(run: &RunId, number: u32, path: &str, text: &str) -> Evidence {
    let mut evidence = from_note(run, number, "x.md", text);
    let Source::Note(mut place) = evidence.source else { unreachable!("it is a note") };
    place.path = rules().file(path).unwrap();
    evidence.source =
        Source::Code { repository: "hivelog".to_owned(), place, commit: Some("c0ffee".to_owned()) };
    evidence.text = Untrusted::outside(text);
    evidence.provenance = Provenance::Syntax;
    evidence.symbol = Some(Symbol { id: format!("{path}::weigh"), kind: "function".to_owned() });
    evidence
}

/// A stretch of a page, as evidence.
pub fn from_page(run: &RunId, number: u32, url: &str, text: &str) -> Evidence {
    let mut evidence = from_note(run, number, "x.md", text);
    evidence.source = Source::Page(PagePlace {
        url: url.to_owned(),
        title: Some("Of bees".to_owned()),
        snapshot: Hash::of(text.as_bytes()),
        span: 0..text.len(),
    });
    evidence.text = Untrusted::outside(text);
    evidence.provenance = Provenance::Manual;
    evidence.score = None;
    evidence
}

pub fn sent(what: &str, to: &str, about: &str, stays: bool) -> Event {
    Event::Sent(Sent { what: what.to_owned(), to: to.to_owned(), about: about.to_owned(), bytes: 321, stays })
}

pub fn model(text: &str) -> Event {
    Event::Model {
        key: Hash::of(text.as_bytes()),
        name: "small".to_owned(),
        answer: ModelAnswer::Reply(Reply {
            text: text.to_owned(),
            calls: Vec::new(),
            stop: Stop::End,
            usage: Usage { read: 100, written: 20, estimated: false },
            attempts: 1,
        }),
        cost: None,
        took_ms: 40,
    }
}

pub fn tool(name: &str, arguments: Value) -> Event {
    Event::Tool {
        key: Hash::of(name.as_bytes()),
        tool: name.to_owned(),
        arguments,
        answer: json!({ "success": true, "results": [0.1, 1e-7, 12_345_678.9] }),
        private: false,
        origin: Origin::Notes,
        took_ms: 3,
    }
}

pub fn ended(outcome: Outcome, report: &str) -> Event {
    Event::Ended(Ended {
        outcome,
        result: json!({ "answer": report }),
        report: report.to_owned(),
        spent: Spent {
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
pub fn events(run: &RunId, kind: RunKind, title: &str) -> Vec<Event> {
    let note = from_note(run, 1, "Bees/Honey.md", "Honey keeps for years.");
    let page = from_page(run, 2, "https://bees.example/wax", "Wax melts at 62 degrees.");
    let code = from_code(run, 3, "src/weigh.rs", "fn weigh() {}");
    let key = Hash::of(b"drawn");
    vec![
        began(kind, title),
        Event::Plan { plan: json!({ "topics": ["honey", "wax"] }) },
        sent("search", "https://search.example", "honey wax", false),
        tool("search_vault", json!({ "query": "honey" })),
        Event::Evidence(Box::new(note.clone())),
        Event::Evidence(Box::new(page.clone())),
        Event::Evidence(Box::new(code)),
        Event::Shown { ids: vec![note.id, page.id] },
        sent("model", "http://127.0.0.1:11434", "the write-up", true),
        model("Honey keeps for years. [ev-1]"),
        Event::Drawn { key, name: "now".to_owned(), value: json!("2026-03-01") },
        Event::Calling { key, tool: "append_to_section".to_owned() },
        Event::Verdict { report: json!({ "coverage": 0.5, "sentences": [] }) },
        Event::Write { operation: "op".to_owned(), path: "Bees/Honey.md".to_owned() },
        ended(Outcome::Done, "Honey keeps for years.\nWax does not.\n"),
    ]
}

/// The same as a log has it.
pub fn stamped(events: Vec<Event>) -> Vec<Stamped> {
    (0..).zip(events).map(|(number, event)| Stamped { number, at: second(number), event }).collect()
}

/// Writes these events down as a run of that kind and title.
pub fn write_down(records: &dyn Records, id: &RunId, kind: RunKind, title: &str, events: &[Event]) {
    let (first, rest) = events.split_first().unwrap();
    records.begin(&header(id, kind, title), first).unwrap();
    for (number, event) in (1..).zip(rest) {
        records.append(id, number, second(number), event).unwrap();
    }
}
