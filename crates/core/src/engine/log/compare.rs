//! Compares two runs: where they differ.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Value, json};
use wellread_text::unified_diff;

use super::summary::{RunSummary, ending, steps, summarize_run};
use crate::domain::id::RunId;
use crate::ports::event::{LoggedEvent, RunEvent};

/// Two runs side by side.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunComparison {
    /// The first run.
    pub a: RunSummary,
    /// The second run.
    pub b: RunSummary,
    /// What was requested.
    pub request: ValueComparison,
    /// The plans.
    pub plan: ValueComparison,
    /// Model and tool calls by their order, one a line.
    pub steps: ValueComparison,
    /// The evidence of both.
    pub evidence: PlaceComparison,
    /// The counts of verdicts.
    pub coverage: ValueComparison,
    /// The results.
    pub result: ValueComparison,
    /// Whether request, steps, evidence, coverage, outcome and result are all equal.
    pub same: bool,
}

/// One value of both runs, and the diff.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ValueComparison {
    /// Whether both values are equal.
    pub same: bool,
    /// The first run's value.
    pub a: Value,
    /// The second run's value.
    pub b: Value,
    /// The unified diff of both; empty if they are equal.
    pub diff: String,
}

/// The places that the evidence comes from, as they are shown to people.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct PlaceComparison {
    pub only_a: Vec<String>,
    pub only_b: Vec<String>,
    pub both: Vec<String>,
    /// Places in both runs whose text differs.
    pub changed: Vec<String>,
}

/// Compares two runs by their logs.
pub fn compare(a: (&RunId, &[LoggedEvent]), b: (&RunId, &[LoggedEvent])) -> RunComparison {
    let names = (a.0.as_str(), b.0.as_str());
    let both = |side: fn(&[LoggedEvent]) -> Value| ValueComparison::new(names, side(a.1), side(b.1));
    let (first, second) = (summarize_run(a.0, a.1), summarize_run(b.0, b.1));
    let (request, plan, steps, result) = (both(request), both(plans), both(calls), both(result));
    let coverage = ValueComparison::new(names, json!(first.coverage), json!(second.coverage));
    let evidence = PlaceComparison::from_events(a.1, b.1);
    let same = [&request, &plan, &steps, &coverage, &result].iter().all(|both| both.same)
        && first.outcome == second.outcome
        && evidence == PlaceComparison { both: evidence.both.clone(), ..PlaceComparison::default() };
    RunComparison { a: first, b: second, request, plan, steps, evidence, coverage, result, same }
}

impl ValueComparison {
    fn new((a_name, b_name): (&str, &str), a: Value, b: Value) -> Self {
        let diff = unified_diff(a_name, b_name, &lines(&a), &lines(&b));
        Self { same: a == b, a, b, diff }
    }
}

impl PlaceComparison {
    fn from_events(a: &[LoggedEvent], b: &[LoggedEvent]) -> Self {
        let (mut first, mut second) = (texts(a), texts(b));
        let mut places = Self::default();
        for (place, text) in std::mem::take(&mut first) {
            match second.remove(&place) {
                None => places.only_a.push(place),
                Some(other) => {
                    if other != text {
                        places.changed.push(place.clone());
                    }
                    places.both.push(place);
                }
            }
        }
        places.only_b = second.into_keys().collect();
        places
    }
}

/// The texts of the evidence by place. Several spans of one page are one place.
fn texts(events: &[LoggedEvent]) -> BTreeMap<String, Vec<&str>> {
    let mut texts = BTreeMap::<String, Vec<&str>>::new();
    for stamped in events {
        if let RunEvent::Evidence(evidence) = &stamped.event {
            texts.entry(evidence.source.location()).or_default().push(evidence.text.expose());
        }
    }
    texts
}

fn request(events: &[LoggedEvent]) -> Value {
    let asked = events.iter().find_map(|stamped| match &stamped.event {
        RunEvent::Began { kind, request, budget, .. } => {
            Some(json!({ "kind": kind, "request": request, "budget": budget }))
        }
        _ => None,
    });
    asked.unwrap_or_default()
}

fn plans(events: &[LoggedEvent]) -> Value {
    let plans = events.iter().filter_map(|stamped| match &stamped.event {
        RunEvent::Plan { plan } => Some(plan.clone()),
        _ => None,
    });
    plans.collect()
}

/// The steps, one line each, without durations, which always differ.
fn calls(events: &[LoggedEvent]) -> Value {
    let call = |step: super::RunStep| {
        let arguments = step.arguments.map(|arguments| format!(" {arguments}")).unwrap_or_default();
        let failed = if step.failed { " (failed)" } else { "" };
        format!("{} {}{arguments}{failed}", step.step, step.name)
    };
    steps(events).into_iter().map(call).collect()
}

fn result(events: &[LoggedEvent]) -> Value {
    match ending(events) {
        Some(ended) if !ended.report.is_empty() => json!(ended.report),
        Some(ended) => ended.result.clone(),
        None => Value::Null,
    }
}

/// A value as lines that can be compared: text as it is, a list one entry after the other.
fn lines(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) if text.is_empty() || text.ends_with('\n') => text.clone(),
        Value::String(text) => format!("{text}\n"),
        Value::Array(items) => items.iter().map(lines).collect(),
        other => format!("{other:#}\n"),
    }
}
