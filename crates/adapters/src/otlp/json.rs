//! OTLP's JSON: ids in hexadecimal digits, times in nanoseconds and whole numbers as text, enumerations as numbers.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use wellread_core::ports::{Histogram, Measure, Metric, TraceField, TraceSpan};

use super::OtlpResource;

/// Whose spans and metrics these are.
const SCOPE: &str = "wellread.research";
/// A span of work within this process.
const INTERNAL: u8 = 1;
const FAILED: u8 = 2;
/// Counted from the start, and not from what was sent last.
const CUMULATIVE: u8 = 2;

pub(super) fn spans(spans: &[TraceSpan], speaker: &OtlpResource) -> Value {
    let spans: Vec<Value> = spans.iter().map(span).collect();
    json!({
        "resourceSpans": [{
            "resource": resource(speaker),
            "scopeSpans": [{ "scope": scope(speaker), "spans": spans }],
        }],
    })
}

pub(super) fn metrics(metrics: &[Metric], speaker: &OtlpResource, at: SystemTime) -> Value {
    let metrics: Vec<Value> = metrics.iter().map(|one| metric(one, speaker.since, at)).collect();
    json!({
        "resourceMetrics": [{
            "resource": resource(speaker),
            "scopeMetrics": [{ "scope": scope(speaker), "metrics": metrics }],
        }],
    })
}

fn resource(speaker: &OtlpResource) -> Value {
    let text = |text: &str| TraceField::Text(text.to_owned());
    json!({ "attributes": [
        attribute("service.name", &text("wellread")),
        attribute("service.version", &text(speaker.version)),
        attribute("service.instance.id", &text(&speaker.instance)),
    ] })
}

fn scope(speaker: &OtlpResource) -> Value {
    json!({ "name": SCOPE, "version": speaker.version })
}

fn span(span: &TraceSpan) -> Value {
    let fields: Vec<Value> = span.fields.iter().map(|(name, field)| attribute(name, field)).collect();
    let mut object = json!({
        "traceId": span.trace,
        "spanId": span.id,
        "name": span.name,
        "kind": INTERNAL,
        "startTimeUnixNano": nanos(span.begun),
        "endTimeUnixNano": nanos(span.begun + span.took),
        "attributes": fields,
        "status": if span.failed { json!({ "code": FAILED }) } else { json!({}) },
    });
    if let Some(parent) = &span.parent {
        object["parentSpanId"] = json!(parent);
    }
    object
}

fn metric(metric: &Metric, since: SystemTime, at: SystemTime) -> Value {
    let mut object = json!({ "name": metric.name, "description": metric.about });
    let mut point = json!({ "startTimeUnixNano": nanos(since), "timeUnixNano": nanos(at) });
    match &metric.measure {
        Measure::Counter(count) => {
            object["unit"] = json!("1");
            point["asInt"] = json!(count.to_string());
            object["sum"] = json!({
                "dataPoints": [point],
                "aggregationTemporality": CUMULATIVE,
                "isMonotonic": true,
            });
        }
        Measure::Times(times) => {
            let Histogram { bounds, counts, sum } = times;
            object["unit"] = json!("s");
            point["count"] = json!(times.count().to_string());
            point["sum"] = json!(sum);
            point["bucketCounts"] = counts.iter().map(u64::to_string).collect();
            point["explicitBounds"] = json!(bounds);
            object["histogram"] = json!({ "dataPoints": [point], "aggregationTemporality": CUMULATIVE });
        }
    }
    object
}

fn attribute(name: &str, field: &TraceField) -> Value {
    let value = match field {
        TraceField::Text(text) => json!({ "stringValue": text }),
        TraceField::Count(count) => json!({ "intValue": count.to_string() }),
        TraceField::Number(number) => json!({ "doubleValue": number }),
        TraceField::Truth(truth) => json!({ "boolValue": truth }),
    };
    json!({ "key": name, "value": value })
}

fn nanos(time: SystemTime) -> String {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos().to_string()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn at(seconds: u64) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(seconds)
    }

    fn speaker() -> OtlpResource {
        OtlpResource { instance: "0123".to_owned(), version: "1.2.3", since: at(1_700_000_000) }
    }

    fn resource() -> Value {
        json!({ "attributes": [
            { "key": "service.name", "value": { "stringValue": "wellread" } },
            { "key": "service.version", "value": { "stringValue": "1.2.3" } },
            { "key": "service.instance.id", "value": { "stringValue": "0123" } },
        ] })
    }

    #[test]
    fn a_span_is_written_as_the_protocol_says() {
        let one = TraceSpan {
            trace: "0af7651916cd43dd8448eb211c80319c".to_owned(),
            id: "b7ad6b7169203331".to_owned(),
            parent: Some("00f067aa0ba902b7".to_owned()),
            name: "research.task_execute",
            begun: at(1_700_000_000),
            took: Duration::from_millis(1500),
            fields: vec![
                ("query", TraceField::Text("\"bees\" \u{1f41d}".to_owned())),
                ("results_fetched", TraceField::Count(3)),
                ("similarity", TraceField::Number(0.25)),
                ("deduplicated", TraceField::Truth(false)),
            ],
            failed: false,
        };
        let root = TraceSpan { parent: None, failed: true, fields: Vec::new(), ..one.clone() };
        let first = json!({
            "traceId": "0af7651916cd43dd8448eb211c80319c",
            "spanId": "b7ad6b7169203331",
            "parentSpanId": "00f067aa0ba902b7",
            "name": "research.task_execute",
            "kind": 1,
            "startTimeUnixNano": "1700000000000000000",
            "endTimeUnixNano": "1700000001500000000",
            "attributes": [
                { "key": "query", "value": { "stringValue": "\"bees\" \u{1f41d}" } },
                { "key": "results_fetched", "value": { "intValue": "3" } },
                { "key": "similarity", "value": { "doubleValue": 0.25 } },
                { "key": "deduplicated", "value": { "boolValue": false } },
            ],
            "status": {},
        });
        let mut second = first.clone();
        second.as_object_mut().unwrap().remove("parentSpanId");
        second["attributes"] = json!([]);
        second["status"] = json!({ "code": 2 });
        assert_eq!(
            spans(&[one, root], &speaker()),
            json!({ "resourceSpans": [{
                "resource": resource(),
                "scopeSpans": [{
                    "scope": { "name": "wellread.research", "version": "1.2.3" },
                    "spans": [first, second],
                }],
            }] })
        );
    }

    #[test]
    fn metrics_are_sums_and_histograms_from_the_start() {
        let mut times = Histogram::with_bounds(&[0.5, 5.0]);
        times.add(Duration::from_millis(250));
        times.add(Duration::from_millis(9000));
        let object = metrics(
            &[
                Metric { name: "research_runs_total", about: "Runs.", measure: Measure::Counter(7) },
                Metric { name: "research_task_duration", about: "Tasks.", measure: Measure::Times(times) },
            ],
            &speaker(),
            at(1_700_000_009),
        );
        let (since, now) = ("1700000000000000000", "1700000009000000000");
        assert_eq!(
            object,
            json!({ "resourceMetrics": [{
                "resource": resource(),
                "scopeMetrics": [{
                    "scope": { "name": "wellread.research", "version": "1.2.3" },
                    "metrics": [
                        {
                            "name": "research_runs_total",
                            "description": "Runs.",
                            "unit": "1",
                            "sum": {
                                "dataPoints": [{
                                    "startTimeUnixNano": since,
                                    "timeUnixNano": now,
                                    "asInt": "7",
                                }],
                                "aggregationTemporality": 2,
                                "isMonotonic": true,
                            },
                        },
                        {
                            "name": "research_task_duration",
                            "description": "Tasks.",
                            "unit": "s",
                            "histogram": {
                                "dataPoints": [{
                                    "startTimeUnixNano": since,
                                    "timeUnixNano": now,
                                    "count": "2",
                                    "sum": 9.25,
                                    "bucketCounts": ["1", "0", "1"],
                                    "explicitBounds": [0.5, 5.0],
                                }],
                                "aggregationTemporality": 2,
                            },
                        },
                    ],
                }],
            }] })
        );
    }
}
