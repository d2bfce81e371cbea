//! Spans made as research makes them, heard by the watcher and sent to a collector on this machine.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tracing::Instrument as _;
use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};
use wellread_core::Error;
use wellread_core::domain::id::{AgendaId, FindingId, TaskId};
use wellread_core::domain::spans;
use wellread_testkit::scripted_server::HttpRequest;
use wellread_testkit::web_server::{ReplyGate, WebServer, WebServerReply};

use super::exporter::{ExportSchedule, Exporter};
use super::span_layer::{SpanLayer, research_span_filter};
use super::span_queue::{ROOM, SpanQueue};
use super::tally::Tally;
use crate::config::TelemetrySettings;

/// Nothing is asserted about time below this.
const LONG: Duration = Duration::from_secs(60);
/// Only the end sends anything.
const AT_THE_END: ExportSchedule = ExportSchedule { first: LONG, then: LONG, longest: LONG };
/// Everything is sent at once.
const AT_ONCE: ExportSchedule = ExportSchedule { first: Duration::ZERO, then: Duration::ZERO, longest: LONG };

/// A process that is watched.
#[derive(Default)]
struct Watched {
    tally: Arc<Tally>,
    outbox: Arc<SpanQueue>,
}

impl Watched {
    /// Does this under the watcher, and beside it a log that hears of nothing.
    fn see<T>(&self, act: impl FnOnce() -> T) -> T {
        let log = tracing_subscriber::fmt::layer().with_writer(std::io::sink);
        let watcher = SpanLayer::new(self.tally.clone(), Some(self.outbox.clone()));
        let subscriber = tracing_subscriber::registry()
            .with(log.with_filter(super::level_filter("off", 0)))
            .with(watcher.with_filter(research_span_filter()));
        tracing::subscriber::with_default(subscriber, act)
    }

    fn courier(&self, endpoint: &str, headers: &str, pace: ExportSchedule) -> Exporter {
        let settings = TelemetrySettings::new(endpoint, headers);
        Exporter::new(settings, self.tally.clone(), self.outbox.clone(), pace)
    }

    /// Sends all of it to a sink, and says what came there.
    fn sent(&self, headers: &str) -> Vec<HttpRequest> {
        let sink = sink();
        self.courier(&sink.base, headers, AT_THE_END).start();
        self.outbox.flush(LONG);
        sink.requests()
    }
}

fn sink() -> WebServer {
    let taken = || WebServerReply::json(&json!({}));
    WebServer::start().with_reply("/v1/traces", taken()).with_reply("/v1/metrics", taken())
}

fn finding() -> FindingId {
    FindingId::new(&TaskId::new(&AgendaId::fresh(), 1), "https://a.org/")
}

/// Everything that research does once.
fn all_of_research() {
    let failed = || Err::<(), _>(Error::failed("the note says: my s3cret diary"));
    let done = || Ok(());
    {
        let trigger = spans::trigger("note", Some("Bees/Varroa mite.md"));
        let _inside = trigger.enter();
        let generate = spans::agenda_generate(Some("a-model"));
        spans::record_task_count(&generate, 3);
        spans::record_outcome(&generate, &done());
        spans::record_outcome(&trigger, &done());
    }
    spans::record_outcome(&spans::agenda_approve(2, 1), &done());
    {
        let task = spans::task_execute("web", "varroa thresholds");
        let _inside = task.enter();
        let check = spans::finding_dedup_check();
        spans::record_comparison(&check, Some("Bees/Swarms.md"), 0.91, true);
        spans::record_outcome(&check, &done());
        drop(check);
        let check = spans::finding_dedup_check();
        spans::record_comparison(&check, None, f32::NAN, false);
        let url = "https://bee:s3cret@a.org/hive?token=s3cret#s3cret";
        let made = spans::finding_synthesize(url, 4000);
        spans::record_output(&made, 400);
        spans::record_outcome(&made, &done());
        spans::record_outcome(&spans::finding_synthesize("data:text/plain,s3cret", 1), &failed());
        spans::record_results(&task, 2);
        spans::record_outcome(&task, &failed());
    }
    spans::record_outcome(&spans::finding_accept(&finding()), &done());
    spans::record_unchanged(&spans::finding_accept(&finding()));
    spans::record_outcome(&spans::finding_dismiss(&finding()), &done());
}

/// The spans of a request, each with its fields in place of OTLP's list of them.
fn spans(requests: &[HttpRequest]) -> Vec<(Value, Value)> {
    let mut all = Vec::new();
    for request in requests.iter().filter(|request| request.first_line().starts_with("POST /v1/traces ")) {
        let told: Value = serde_json::from_str(&request.body).unwrap();
        for span in told["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().unwrap() {
            let fields = span["attributes"].as_array().unwrap().iter().map(|field| {
                let value = field["value"].as_object().unwrap().values().next().unwrap().clone();
                (field["key"].as_str().unwrap().to_owned(), value)
            });
            all.push((span.clone(), Value::Object(fields.collect())));
        }
    }
    all
}

/// The metrics that a sink heard of last: name → count, or count and number of buckets.
fn metrics(requests: &[HttpRequest]) -> Value {
    let last = requests.iter().rfind(|request| request.first_line().starts_with("POST /v1/metrics "));
    let told: Value = serde_json::from_str(&last.unwrap().body).unwrap();
    let metrics = told["resourceMetrics"][0]["scopeMetrics"][0]["metrics"].as_array().unwrap().clone();
    let shown = metrics.iter().map(|metric| {
        let count = &metric["sum"]["dataPoints"][0]["asInt"];
        let tasks = &metric["histogram"]["dataPoints"][0]["count"];
        let count = if count.is_null() { tasks } else { count };
        (metric["name"].as_str().unwrap().to_owned(), count.clone())
    });
    Value::Object(shown.collect())
}

#[test]
fn every_span_arrives_with_the_names_of_the_contract() {
    let watched = Watched::default();
    watched.see(all_of_research);
    let requests = watched.sent("");
    for request in &requests {
        assert_eq!(request.header("content-type"), Some("application/json"));
        assert!(!request.body.contains("s3cret"), "{}", request.body);
    }
    let heard = spans(&requests);
    let fields: Vec<(&str, String)> =
        heard.iter().map(|(span, fields)| (span["name"].as_str().unwrap(), fields.to_string())).collect();
    let id = |at: usize| heard[at].1["finding"].as_str().unwrap().to_owned();
    let told = |fields: Value| fields.to_string();
    assert_eq!(
        fields,
        [
            (
                "research.agenda_generate",
                told(json!({ "model": "a-model", "task_count": "3", "outcome": "ok" }))
            ),
            (
                "research.trigger",
                told(
                    json!({ "trigger_type": "note", "source_note": "Bees/Varroa mite.md", "outcome": "ok" })
                )
            ),
            ("research.agenda_approve", told(json!({ "approved": "2", "blocked": "1", "outcome": "ok" }))),
            (
                "research.finding_dedup_check",
                told(
                    json!({ "note": "Bees/Swarms.md", "similarity": 0.91, "deduplicated": true, "outcome": "ok" })
                )
            ),
            ("research.finding_synthesise", told(json!({ "input_chars": "1", "outcome": "failed" }))),
            (
                "research.finding_synthesise",
                told(
                    json!({ "url": "https://a.org/hive", "input_chars": "4000", "output_chars": "400", "outcome": "ok" })
                )
            ),
            ("research.finding_dedup_check", told(json!({ "deduplicated": false }))),
            (
                "research.task_execute",
                told(
                    json!({ "source_type": "web", "query": "varroa thresholds", "results_fetched": "2", "outcome": "failed" })
                )
            ),
            ("research.finding_accept", told(json!({ "finding": id(8), "outcome": "ok" }))),
            ("research.finding_accept", told(json!({ "finding": id(9), "outcome": "unchanged" }))),
            ("research.finding_dismiss", told(json!({ "finding": id(10), "outcome": "ok" }))),
        ]
    );
}

#[test]
fn what_happens_within_a_span_is_beneath_it_also_across_a_wait() {
    let watched = Watched::default();
    watched.see(|| {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let task = spans::task_execute("arxiv", "bees");
        let inner = async {
            tokio::task::yield_now().await;
            drop(spans::finding_dedup_check());
        };
        runtime.block_on(inner.instrument(task));
        drop(spans::finding_dedup_check());
    });
    let heard = spans(&watched.sent(""));
    let [(inner, _), (task, _), (alone, _)] = heard.as_slice() else { panic!("{heard:?}") };
    assert_eq!((&inner["parentSpanId"], &inner["traceId"]), (&task["spanId"], &task["traceId"]));
    assert_eq!((&task["parentSpanId"], &alone["parentSpanId"]), (&Value::Null, &Value::Null));
    assert_ne!(task["traceId"], alone["traceId"]);
    let ids: BTreeSet<&str> = heard.iter().map(|(span, _)| span["spanId"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), 3);
    for (span, _) in &heard {
        let hex = |key: &str, length: usize| {
            let id = span[key].as_str().unwrap();
            assert!(id.len() == length && id.bytes().all(|byte| byte.is_ascii_hexdigit()), "{id}");
        };
        hex("traceId", 32);
        hex("spanId", 16);
        let nanos = |key: &str| span[key].as_str().unwrap().parse::<u64>().unwrap();
        assert!(nanos("startTimeUnixNano") <= nanos("endTimeUnixNano"));
    }
}

#[test]
fn what_went_well_is_counted_and_what_was_only_asked_again_is_not() {
    let watched = Watched::default();
    watched.see(all_of_research);
    assert_eq!(
        metrics(&watched.sent("")),
        json!({
            "research_runs_total": "1",
            "research_findings_created": "1",
            "research_findings_deduplicated": "1",
            "research_findings_accepted": "1",
            "research_task_duration": "1",
        })
    );
}

#[test]
fn spans_of_others_and_things_that_are_put_in_as_they_are_go_nowhere() {
    let watched = Watched::default();
    watched.see(|| {
        drop(tracing::info_span!("research.trigger", text = "s3cret"));
        drop(tracing::error_span!(target: "hyper", "request", text = "s3cret"));
        tracing::error!(target: spans::TARGET, "s3cret");
        drop(tracing::info_span!(target: spans::TARGET, "research.trigger", text = ?["s3cret"]));
    });
    let requests = watched.sent("");
    assert!(requests.iter().all(|request| !request.body.contains("s3cret")), "{requests:?}");
    assert_eq!(spans(&requests).len(), 1);
}

#[test]
fn the_headers_that_are_set_are_sent() {
    let watched = Watched::default();
    watched.see(|| drop(spans::agenda_approve(1, 0)));
    let requests = watched.sent("Authorization=Bearer%20abc,x-team=bees");
    assert_eq!(requests.len(), 1, "{requests:?}");
    assert_eq!(requests[0].header("authorization"), Some("Bearer abc"));
    assert_eq!(requests[0].header("x-team"), Some("bees"));
}

#[test]
fn a_process_in_which_nothing_happened_ends_without_a_word() {
    assert_eq!(Watched::default().sent("").len(), 0);
}

#[test]
fn a_process_that_goes_on_tells_of_zeros() {
    let (watched, sink) = (Watched::default(), sink());
    let pace = ExportSchedule { first: Duration::ZERO, ..AT_THE_END };
    watched.courier(&sink.base, "", pace).start();
    sink.wait_for_requests(1);
    watched.outbox.flush(LONG);
    let zeros = metrics(&sink.requests());
    let names: Vec<&String> = zeros.as_object().unwrap().keys().collect();
    assert_eq!(
        names,
        [
            "research_runs_total",
            "research_findings_created",
            "research_findings_deduplicated",
            "research_findings_accepted",
            "research_task_duration"
        ]
    );
    assert!(zeros.as_object().unwrap().values().all(|count| count == "0"), "{zeros}");
    assert_eq!(sink.requests().len(), 1, "what was told need not be told again at the end");
}

#[test]
fn what_a_busy_collector_did_not_take_is_sent_again_and_arrives_once() {
    let watched = Watched::default();
    watched.see(all_of_research);
    let sink = WebServer::start()
        .with_reply("/v1/traces", WebServerReply::status(503))
        .with_reply("/v1/traces", WebServerReply::json(&json!({})))
        .with_reply("/v1/metrics", WebServerReply::json(&json!({})));
    watched.courier(&sink.base, "", AT_ONCE).start();
    sink.wait_for_requests(3);
    watched.outbox.flush(LONG);
    let requests = sink.requests();
    let traces: Vec<HttpRequest> =
        requests.iter().filter(|request| request.first_line().contains("traces")).cloned().collect();
    assert_eq!(traces.len(), 2, "{traces:?}");
    assert_eq!(spans(&traces[..1]), spans(&traces[1..]));
    assert_eq!(watched.outbox.dropped_count(), 0);
}

#[test]
fn what_a_collector_refuses_is_given_up_and_counted() {
    let watched = Watched::default();
    watched.see(|| drop(spans::agenda_approve(1, 0)));
    let sink = WebServer::start().with_reply("/v1/traces", WebServerReply::status(401));
    watched.courier(&sink.base, "", AT_THE_END).start();
    watched.outbox.flush(LONG);
    assert_eq!(sink.request_lines(), ["POST /v1/traces"]);
    assert_eq!(watched.outbox.dropped_count(), 1);
}

#[test]
fn an_endpoint_that_is_none_costs_the_spans_and_nothing_else() {
    for endpoint in ["collector:4317", "https://bee:s3cret@a.org", "http://127.0.0.1:1"] {
        let watched = Watched::default();
        watched.see(|| drop(spans::agenda_approve(1, 0)));
        watched.courier(endpoint, "", AT_THE_END).start();
        watched.outbox.flush(LONG);
        assert_eq!(watched.outbox.dropped_count(), 1, "{endpoint}");
    }
}

#[test]
fn a_collector_that_does_not_answer_holds_nobody_up_and_the_oldest_spans_give_way() {
    let (watched, gate) = (Watched::default(), ReplyGate::default());
    let sink = WebServer::start().with_reply("/v1/traces", WebServerReply::json(&json!({})).with_gate(&gate));
    watched.see(|| drop(spans::agenda_approve(0, 0)));
    watched.courier(&sink.base, "", AT_ONCE).start();
    sink.wait_for_requests(1);
    watched.see(|| (0..ROOM + 500).for_each(|number| drop(spans::agenda_approve(number, 0))));
    assert_eq!(watched.outbox.dropped_count(), 500);
    watched.outbox.flush(Duration::from_millis(1));
    assert_eq!(watched.outbox.dropped_count(), 500, "the end waited for an answer that did not come");
    let oldest = watched.outbox.take(1);
    assert_eq!(oldest[0].fields[0], ("approved", wellread_core::ports::TraceField::Count(500)));
    sink.add_reply("/v1/metrics", WebServerReply::json(&json!({})));
    gate.open();
    watched.outbox.flush(LONG);
}

#[test]
fn spans_go_in_requests_of_bounded_size() {
    let watched = Watched::default();
    watched.see(|| (0..1200).for_each(|number| drop(spans::agenda_approve(number, 0))));
    let requests = watched.sent("");
    let sizes: Vec<usize> =
        requests.iter().map(|request| spans(std::slice::from_ref(request)).len()).collect();
    assert_eq!(sizes, [512, 512, 176]);
    assert_eq!(watched.outbox.dropped_count(), 0);
}
