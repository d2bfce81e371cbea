//! How a run stands: what it was to do, what became of it, what it used and what it sent out.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

use crate::event::{Budget, Ended, Event, ModelAnswer, Outcome, RunKind, Sent, Spent, Stamped};
use crate::id::{EvidenceId, RunId};

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    pub run_id: RunId,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<RunKind>,
    pub title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub began: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<Timestamp>,
    pub events: usize,
    /// None where the run has not ended.
    pub outcome: Option<Outcome>,
    pub budget: Budget,
    /// As the run counted it; where it has not ended, as the log tells.
    pub spent: Spent,
    pub evidence: Found,
    /// As the last verdict has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coverage: Option<Value>,
    pub left_the_machine: Vec<Departure>,
    pub wrote: Vec<Wrote>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Found {
    pub found: usize,
    /// How many of them were put before a model.
    pub shown: usize,
}

/// Something that was sent, and when.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Departure {
    pub at: Timestamp,
    #[serde(flatten)]
    pub sent: Sent,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Wrote {
    pub operation: String,
    pub path: String,
}

/// One thing that a run asked for.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Step {
    /// The event's number.
    pub number: u64,
    /// `model` or `tool`.
    pub step: &'static str,
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Value>,
    pub failed: bool,
    pub took_ms: u64,
}

pub fn summary(run: &RunId, events: &[Stamped]) -> Summary {
    let mut summary = Summary {
        run_id: run.clone(),
        kind: None,
        title: String::new(),
        began: events.first().map(|event| event.at),
        last: events.last().map(|event| event.at),
        events: events.len(),
        outcome: ending(events).map(|ended| ended.outcome),
        budget: Budget::default(),
        spent: ending(events).map_or_else(|| counted(events), |ended| ended.spent),
        evidence: Found::default(),
        coverage: None,
        left_the_machine: left_the_machine(events),
        wrote: Vec::new(),
    };
    for Stamped { event, .. } in events {
        match event {
            Event::Began { kind, title, budget, .. } => {
                (summary.kind, summary.title, summary.budget) = (Some(*kind), title.clone(), *budget);
            }
            Event::Evidence(_) => summary.evidence.found += 1,
            Event::Verdict { report } => summary.coverage = report.get("coverage").cloned(),
            Event::Write { operation, path } => {
                summary.wrote.push(Wrote { operation: operation.clone(), path: path.clone() });
            }
            _ => {}
        }
    }
    summary.evidence.shown = shown(events).len();
    summary
}

/// Everything that was sent out, what only went to another program of this machine included.
pub fn left_the_machine(events: &[Stamped]) -> Vec<Departure> {
    let sent = events.iter().filter_map(|Stamped { at, event, .. }| match event {
        Event::Sent(sent) => Some(Departure { at: *at, sent: sent.clone() }),
        _ => None,
    });
    sent.collect()
}

/// The model and tool calls, in order.
pub fn steps(events: &[Stamped]) -> Vec<Step> {
    let step = |Stamped { number, event, .. }: &Stamped| match event {
        Event::Model { name, answer, took_ms, .. } => Some(Step {
            number: *number,
            step: "model",
            name: name.clone(),
            arguments: None,
            failed: matches!(answer, ModelAnswer::Failure(_)),
            took_ms: *took_ms,
        }),
        Event::Tool { tool, arguments, answer, took_ms, .. } => Some(Step {
            number: *number,
            step: "tool",
            name: tool.clone(),
            arguments: Some(arguments.clone()),
            failed: answer["success"] == false,
            took_ms: *took_ms,
        }),
        _ => None,
    };
    events.iter().filter_map(step).collect()
}

/// How the run ended, unless it was taken up again since.
pub(super) fn ending(events: &[Stamped]) -> Option<&Ended> {
    let last = events.iter().rev().find_map(|stamped| match &stamped.event {
        Event::Ended(ended) => Some(Some(ended)),
        Event::Resumed => Some(None),
        _ => None,
    });
    last.flatten()
}

/// Which evidence was put before a model.
pub(super) fn shown(events: &[Stamped]) -> BTreeSet<&EvidenceId> {
    let shown = events.iter().filter_map(|stamped| match &stamped.event {
        Event::Shown { ids } => Some(ids),
        _ => None,
    });
    shown.flatten().collect()
}

/// What a run that has not ended has used by its last event.
fn counted(events: &[Stamped]) -> Spent {
    let mut spent = Spent::default();
    for Stamped { event, .. } in events {
        match event {
            Event::Model { answer, .. } => {
                spent.steps += 1;
                if let ModelAnswer::Reply(reply) = answer {
                    spent.tokens_read += reply.usage.read;
                    spent.tokens_written += reply.usage.written;
                }
            }
            Event::Tool { .. } => spent.steps += 1,
            Event::Sent(_) => spent.requests += 1,
            _ => {}
        }
    }
    if let (Some(first), Some(last)) = (events.first(), events.last()) {
        spent.seconds = last.at.duration_since(first.at).as_secs_f64().max(0.0);
    }
    spent
}
