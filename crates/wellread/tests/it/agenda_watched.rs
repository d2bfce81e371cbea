//! What a collector hears of a whole agenda: every span and every count that the contract names, and not a word of notes, pages
//! or models.

use std::collections::BTreeSet;

use rustix::process::Signal;
use serde_json::{Value, json};
use wellread_testkit::WebServer;
use wellread_testkit::web_server::WebServerReply as WebReply;

use crate::agenda_bench::{Bench, Trap, done, findings, sentences, until_ended};
use wellread_core::domain::id::AgendaId;

const SPANS: [&str; 8] = [
    "research.trigger",
    "research.agenda_generate",
    "research.agenda_approve",
    "research.task_execute",
    "research.finding_dedup_check",
    "research.finding_synthesise",
    "research.finding_accept",
    "research.finding_dismiss",
];

/// Every object that has such a name, wherever it stands.
fn named<'a>(value: &'a Value, name: &str, found: &mut Vec<&'a Value>) {
    match value {
        Value::Array(all) => all.iter().for_each(|one| named(one, name, found)),
        Value::Object(fields) => {
            if fields.get("name").is_some_and(|own| own == name) {
                found.push(value);
            }
            fields.values().for_each(|one| named(one, name, found));
        }
        _ => {}
    }
}

/// What was counted last.
fn counted(told: &[Value], name: &str) -> u64 {
    let mut found = Vec::new();
    told.iter().for_each(|told| named(told, name, &mut found));
    let last = found.last().unwrap_or_else(|| panic!("nobody told of {name}"));
    let point = if last["sum"].is_null() {
        &last["histogram"]["dataPoints"][0]["count"]
    } else {
        &last["sum"]["dataPoints"][0]["asInt"]
    };
    point.as_str().unwrap().parse().unwrap()
}

#[test]
fn a_collector_hears_of_every_step_and_of_no_word() {
    let bench = Bench::with_model(Trap::nowhere());
    // One of the four pages is known already.
    bench.desk.save("Hill.md", sentences("oak galls", "2").join(" "));
    let taken = || WebReply::json(&json!({}));
    let sink = WebServer::start().with_reply("/v1/traces", taken()).with_reply("/v1/metrics", taken());
    let served = bench.serve_with(|command| {
        command
            .env("OTEL_EXPORTER_OTLP_ENDPOINT", &sink.base)
            .env("OTEL_EXPORTER_OTLP_HEADERS", "x-key=s3cret-of-the-sink")
    });
    let records = bench.desk.records();
    let agenda = done(&served.post("/api/research/trigger", &json!({ "sourceNoteId": "Bees.md" })), 201);
    let id = AgendaId::parse(agenda["id"].as_str().unwrap()).unwrap();
    done(&crate::agenda_bench::approve(&served, &id), 202);
    let ended = until_ended(&records, &id);
    assert_eq!(ended.findings, 3, "{ended:#?}");
    let found = findings(&records);
    let decide = |at: usize, what: &str| {
        served.post(&format!("/api/research/findings/{}/{what}", found[at].id), &json!({})).done();
    };
    decide(0, "accept");
    decide(0, "accept");
    decide(1, "dismiss");
    let page = served.get("/metrics").body;
    let token = served.token.clone();
    served.signal(Signal::TERM);
    assert_eq!(served.ended().0, Some(0));

    let requests = sink.requests();
    let told: Vec<Value> =
        requests.iter().map(|request| serde_json::from_str(&request.body).unwrap()).collect();
    let mut heard = BTreeSet::new();
    for name in SPANS {
        let mut spans = Vec::new();
        told.iter().for_each(|told| named(told, name, &mut spans));
        if !spans.is_empty() {
            heard.insert(name);
        }
    }
    assert_eq!(heard, SPANS.into_iter().collect::<BTreeSet<_>>());
    for (name, count) in [
        ("research_runs_total", 1),
        ("research_findings_created", 3),
        ("research_findings_deduplicated", 1),
        ("research_findings_accepted", 1),
        ("research_task_duration", 2),
    ] {
        assert_eq!(counted(&told, name), count, "{name}");
        let line = if name == "research_task_duration" {
            format!("{name}_count {count}")
        } else {
            format!("{name} {count}")
        };
        assert!(page.lines().any(|known| known == line), "{line} is not in\n{page}");
    }
    // Of what notes, pages and models say there is nothing in the bytes, nor of any secret.
    let bytes: String = requests.iter().map(|request| request.body.as_str()).collect();
    for word in
        ["hill is known", "How heavy is", "make ink", "The note asks", "s3cret", token.as_str(), "ev-"]
    {
        assert!(!bytes.contains(word), "`{word}` was told");
    }
    for finding in &found {
        assert!(
            !bytes.contains(finding.summary.as_str()) && !bytes.contains(finding.evidence[0].quote.as_str())
        );
    }
    // A query, an address and a path are: that is what the contract names.
    for word in ["heather honey", "/page/oak-galls/1", "Bees.md"] {
        assert!(bytes.contains(word), "`{word}` was not told");
    }
}
