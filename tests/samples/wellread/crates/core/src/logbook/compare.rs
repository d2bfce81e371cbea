//! Two runs side by side: where they went different ways.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Value, json};
use wellread_text::unified;

use super::summary::{Summary, ending, steps, summary};
use crate::event::{Event, Stamped};
use crate::id::RunId;

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    pub a: Summary,
    pub b: Summary,
    pub request: Both,
    pub plan: Both,
    /// Model and tool calls by their order, one a line.
    pub steps: Both,
    pub evidence: Places,
    pub coverage: Both,
    pub result: Both,
    /// Whether both asked the same, did the same, and gave the same.
    pub same: bool,
}

/// One side and the other; the difference is empty where they are equal.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Both {
    pub same: bool,
    pub a: Value,
    pub b: Value,
    pub diff: String,
}

/// Where the evidence stands.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Places {
    pub only_a: Vec<String>,
    pub only_b: Vec<String>,
    pub both: Vec<String>,
    /// Those of both where another text stood.
    pub changed: Vec<String>,
}

pub fn compare(a: (&RunId, &[Stamped]), b: (&RunId, &[Stamped])) -> Comparison {
    let names = (a.0.as_str(), b.0.as_str());
    let both = |side: fn(&[Stamped]) -> Value| Both::of(names, side(a.1), side(b.1));
    let (first, second) = (summary(a.0, a.1), summary(b.0, b.1));
    let (request, plan, steps, result) = (both(request), both(plans), both(calls), both(result));
    let coverage = Both::of(names, json!(first.coverage), json!(second.coverage));
    let evidence = Places::of(a.1, b.1);
    let same = [&request, &plan, &steps, &coverage, &result].iter().all(|both| both.same)
        && first.outcome == second.outcome
        && evidence == Places { both: evidence.both.clone(), ..Places::default() };
    Comparison { a: first, b: second, request, plan, steps, evidence, coverage, result, same }
}

impl Both {
    fn of((a_name, b_name): (&str, &str), a: Value, b: Value) -> Self {
        let diff = unified(a_name, b_name, &lines(&a), &lines(&b));
        Self { same: a == b, a, b, diff }
    }
}

impl Places {
    fn of(a: &[Stamped], b: &[Stamped]) -> Self {
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

/// What stood at each place, as it is shown. Several stretches of one page are one place.
fn texts(events: &[Stamped]) -> BTreeMap<String, Vec<&str>> {
    let mut texts = BTreeMap::<String, Vec<&str>>::new();
    for stamped in events {
        if let Event::Evidence(evidence) = &stamped.event {
            texts.entry(evidence.source.shown()).or_default().push(evidence.text.look());
        }
    }
    texts
}

fn request(events: &[Stamped]) -> Value {
    let asked = events.iter().find_map(|stamped| match &stamped.event {
        Event::Began { kind, request, budget, .. } => {
            Some(json!({ "kind": kind, "request": request, "budget": budget }))
        }
        _ => None,
    });
    asked.unwrap_or_default()
}

fn plans(events: &[Stamped]) -> Value {
    let plans = events.iter().filter_map(|stamped| match &stamped.event {
        Event::Plan { plan } => Some(plan.clone()),
        _ => None,
    });
    plans.collect()
}

/// Without how long each took: that is never the same twice.
fn calls(events: &[Stamped]) -> Value {
    let call = |step: super::Step| {
        let arguments = step.arguments.map(|arguments| format!(" {arguments}")).unwrap_or_default();
        let failed = if step.failed { " (failed)" } else { "" };
        format!("{} {}{arguments}{failed}", step.step, step.name)
    };
    steps(events).into_iter().map(call).collect()
}

fn result(events: &[Stamped]) -> Value {
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
