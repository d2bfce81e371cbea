//! What is told to a collector, from outside: only where one is set, only what the contract names, and nobody waits for it.

use rustix::process::Signal;
use serde_json::{Value, json};
use wellread_testkit::web_server::{ReplyGate, WebServer, WebServerReply};

use crate::desk::{Desk, Ran};
use crate::served::Served;

const NAMES: [&str; 5] = [
    "research_runs_total",
    "research_findings_created",
    "research_findings_deduplicated",
    "research_findings_accepted",
    "research_task_duration",
];

fn taken() -> WebServerReply {
    WebServerReply::json(&json!({}))
}

/// A server that tells this collector.
fn serving(desk: &Desk, endpoint: &str) -> Served {
    Served::with(desk, &[], |command| command.env("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint))
}

/// What `doctor` says of the collector.
fn doctor(desk: &Desk, endpoint: &str, args: &[&str]) -> Value {
    let mut command = desk.here();
    let ran = Ran::of(
        command.env("WELLREAD_TELEMETRY_OTLP_ENDPOINT", endpoint).args(["doctor", "--json"]).args(args),
    );
    let checks = ran.json()["checks"].as_array().unwrap().clone();
    checks.into_iter().find(|check| check["name"] == "telemetry").unwrap()
}

#[test]
fn a_server_tells_the_collector_what_it_counts_from_the_start() {
    let desk = Desk::bare();
    let sink = WebServer::start().with_reply("/otlp/v1/metrics", taken());
    let served = serving(&desk, &format!("{}/otlp/", sink.base));
    sink.wait_for_requests(1);
    served.goes_on();
    served.signal(Signal::TERM);
    assert_eq!(served.ended().0, Some(0));
    let requests = sink.requests();
    assert_eq!(requests[0].header("content-type"), Some("application/json"));
    let told: Value = serde_json::from_str(&requests[0].body).unwrap();
    let of = &told["resourceMetrics"][0];
    let who: Vec<&str> = of["resource"]["attributes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|attribute| attribute["key"].as_str().unwrap())
        .collect();
    assert_eq!(who, ["service.name", "service.version", "service.instance.id"]);
    let metrics = of["scopeMetrics"][0]["metrics"].as_array().unwrap();
    let names: Vec<&str> = metrics.iter().map(|metric| metric["name"].as_str().unwrap()).collect();
    assert_eq!(names, NAMES);
    for metric in metrics {
        let point = if metric["sum"].is_null() { &metric["histogram"] } else { &metric["sum"] };
        let point = &point["dataPoints"][0];
        let count = if point["asInt"].is_null() { &point["count"] } else { &point["asInt"] };
        assert_eq!(*count, json!("0"), "{metric}");
    }
}

#[test]
fn a_collector_that_never_answers_holds_no_server_up() {
    let (desk, gate) = (Desk::bare(), ReplyGate::default());
    let sink = WebServer::start().with_reply("/v1/metrics", taken().with_gate(&gate));
    let served = serving(&desk, &sink.base);
    sink.wait_for_requests(1);
    served.goes_on();
    served.signal(Signal::TERM);
    // The gate is still shut.
    let (status, errors) = served.ended();
    assert_eq!(status, Some(0), "{errors}");
    assert!(errors.contains("the last telemetry was not accepted in time"), "{errors}");
    gate.open();
}

#[test]
fn what_the_collector_refuses_is_said_once_without_its_key() {
    let desk = Desk::bare();
    let sink = WebServer::start().with_reply("/s3cret/v1/metrics", WebServerReply::status(401));
    let base = format!("{}/s3cret", sink.base);
    let served = Served::with(&desk, &[], |command| {
        command.env("OTEL_EXPORTER_OTLP_ENDPOINT", &base).env("OTEL_EXPORTER_OTLP_HEADERS", "x-key=s3cret")
    });
    sink.wait_for_requests(1);
    assert_eq!(sink.requests()[0].header("x-key"), Some("s3cret"));
    served.goes_on();
    served.signal(Signal::TERM);
    let (status, errors) = served.ended();
    assert_eq!(status, Some(0), "{errors}");
    let said: Vec<&str> = errors.lines().filter(|line| line.contains("telemetry")).collect();
    assert!(said.len() == 1 && said.iter().all(|line| line.contains("status 401")), "{errors}");
    assert!(!errors.contains("s3cret"), "{errors}");
}

#[test]
fn a_server_that_is_offline_tells_nobody() {
    let (offline, other) = (Desk::bare(), Desk::bare());
    let (unheard, sink) = (WebServer::start(), WebServer::start().with_reply("/v1/metrics", taken()));
    let quiet = Served::with(&offline, &["--offline"], |command| {
        command.env("OTEL_EXPORTER_OTLP_ENDPOINT", &unheard.base)
    });
    // One that was started later has spoken: it would have been the other's turn before.
    let served = serving(&other, &sink.base);
    sink.wait_for_requests(1);
    for server in [quiet, served] {
        server.signal(Signal::TERM);
        assert_eq!(server.ended().0, Some(0));
    }
    assert_eq!(unheard.request_lines(), [""; 0]);
}

#[test]
fn a_command_in_which_nothing_is_researched_asks_no_collector() {
    let desk = Desk::bare();
    let sink = WebServer::start();
    Ran::of(desk.here().env("OTEL_EXPORTER_OTLP_ENDPOINT", &sink.base).args(["status", "--json"])).done();
    assert_eq!(sink.request_lines(), [""; 0]);
}

#[test]
fn an_endpoint_that_is_no_address_breaks_nothing() {
    let desk = Desk::bare();
    for wrong in ["collector:4317", "https://bee:s3cret@a.org", "ftp://a.org"] {
        let ran = Ran::of(desk.here().env("OTEL_EXPORTER_OTLP_ENDPOINT", wrong).args(["status", "--json"]));
        ran.done();
        assert!(!ran.stderr.contains("s3cret"), "{ran:?}");
        let check = doctor(&desk, wrong, &[]);
        assert_eq!(check["ok"], false, "{check}");
        assert!(check["remedy"].as_str().unwrap().contains("telemetry.otlp_endpoint"), "{check}");
        assert!(!check.to_string().contains("s3cret"), "{check}");
    }
}

#[test]
fn the_doctor_knocks_at_the_collector_unless_nothing_may_leave() {
    let desk = Desk::bare();
    assert_eq!(doctor(&desk, "", &[])["detail"], "no endpoint is set: nothing is sent");
    let sink = WebServer::start()
        .with_reply("/v1/traces", taken())
        .with_reply("/v1/traces", WebServerReply::status(404));
    let check = doctor(&desk, &sink.base, &["--offline"]);
    assert_eq!(check["detail"], format!("{} receives nothing: --offline", sink.base));
    assert_eq!(sink.request_lines(), [""; 0]);
    let check = doctor(&desk, &sink.base, &[]);
    assert_eq!(
        (&check["ok"], &check["detail"]),
        (&json!(true), &json!(format!("{} accepts spans", sink.base)))
    );
    let told: Value = serde_json::from_str(&sink.requests()[0].body).unwrap();
    assert_eq!(told["resourceSpans"][0]["scopeSpans"][0]["spans"], json!([]));
    let check = doctor(&desk, &sink.base, &[]);
    assert_eq!(check["ok"], false, "{check}");
    assert!(check["detail"].as_str().unwrap().contains("status 404"), "{check}");
}

#[test]
fn a_redirect_of_the_collector_is_not_followed() {
    let desk = Desk::bare();
    let elsewhere = WebServer::start();
    let sink =
        WebServer::start().with_reply("/v1/traces", WebServerReply::redirect(&elsewhere.url("/v1/traces")));
    let check = doctor(&desk, &sink.base, &[]);
    assert_eq!(check["ok"], false, "{check}");
    assert_eq!(elsewhere.request_lines(), [""; 0]);
}

#[test]
fn the_page_of_metrics_has_the_names_of_research_before_anything_happened() {
    let desk = Desk::bare();
    let served = Served::start(&desk);
    let page = served.get("/metrics").body;
    let has = |line: &str| assert!(page.lines().any(|known| known == line), "{line} is not in\n{page}");
    for name in &NAMES[..4] {
        has(&format!("# TYPE {name} counter"));
        has(&format!("{name} 0"));
    }
    has("# TYPE research_task_duration histogram");
    has("research_task_duration_bucket{le=\"+Inf\"} 0");
    has("research_task_duration_sum 0");
    has("research_task_duration_count 0");
}

#[test]
fn the_settings_of_the_collector_have_their_names_and_its_key_is_not_shown() {
    let desk = Desk::bare();
    let variables = [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://a.org:4318"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "authorization=s3cret"),
    ];
    let shown = Ran::of(desk.command().envs(variables).args(["config", "show", "--json"])).done();
    let of = |key: &str| (shown["settings"][key]["value"].clone(), shown["settings"][key]["from"].clone());
    assert_eq!(
        of("telemetry.otlp_endpoint"),
        (json!("http://a.org:4318"), json!("$OTEL_EXPORTER_OTLP_ENDPOINT"))
    );
    assert_eq!(of("telemetry.headers"), (json!("********"), json!("$OTEL_EXPORTER_OTLP_HEADERS")));
    let nothing = Ran::of(desk.command().args(["config", "show", "--json"])).done();
    assert_eq!(nothing["settings"]["telemetry.otlp_endpoint"]["value"], "");
}
