//! How a run stands: what it was to do, what became of it, what it used and what it sent out.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

use crate::domain::id::{EvidenceId, RunId};
use crate::ports::event::{
    Budget, LoggedEvent, ModelAnswer, RunEnd, RunEvent, RunKind, RunOutcome, RunUsage, SentRequest,
};

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunSummary {
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
    pub outcome: Option<RunOutcome>,
    pub budget: Budget,
    /// As the run counted it; where it has not ended, as the log tells.
    pub spent: RunUsage,
    pub evidence: EvidenceCounts,
    /// As the last verdict has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coverage: Option<Value>,
    pub left_the_machine: Vec<SentRecord>,
    pub wrote: Vec<RunWrite>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct EvidenceCounts {
    pub found: usize,
    /// How many of them were put before a model.
    pub shown: usize,
}

/// Something that was sent, and when.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SentRecord {
    pub at: Timestamp,
    #[serde(flatten)]
    pub sent: SentRequest,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunWrite {
    pub operation: String,
    pub path: String,
}

/// One thing that a run asked for.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunStep {
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

pub fn summarize_run(run: &RunId, events: &[LoggedEvent]) -> RunSummary {
    let mut summary = RunSummary {
        run_id: run.clone(),
        kind: None,
        title: String::new(),
        began: events.first().map(|event| event.at),
        last: events.last().map(|event| event.at),
        events: events.len(),
        outcome: ending(events).map(|ended| ended.outcome),
        budget: Budget::default(),
        spent: ending(events).map_or_else(|| estimate_spent(events), |ended| ended.spent),
        evidence: EvidenceCounts::default(),
        coverage: None,
        left_the_machine: sent_records(events),
        wrote: Vec::new(),
    };
    for LoggedEvent { event, .. } in events {
        match event {
            RunEvent::Began { kind, title, budget, .. } => {
                (summary.kind, summary.title, summary.budget) = (Some(kind.listed()), title.clone(), *budget);
            }
            RunEvent::Evidence(_) => summary.evidence.found += 1,
            RunEvent::Verdict { report } => summary.coverage = report.get("coverage").cloned(),
            RunEvent::Write { operation, path } => {
                summary.wrote.push(RunWrite { operation: operation.clone(), path: path.clone() });
            }
            _ => {}
        }
    }
    summary.evidence.shown = shown_evidence(events).len();
    summary
}

/// Everything that was sent out, what only went to another program of this machine included.
pub fn sent_records(events: &[LoggedEvent]) -> Vec<SentRecord> {
    let sent = events.iter().filter_map(|LoggedEvent { at, event, .. }| match event {
        RunEvent::Sent(sent) => Some(SentRecord { at: *at, sent: sent.clone() }),
        _ => None,
    });
    sent.collect()
}

/// The model and tool calls, in order.
pub fn steps(events: &[LoggedEvent]) -> Vec<RunStep> {
    let step = |LoggedEvent { number, event, .. }: &LoggedEvent| match event {
        RunEvent::Model { name, answer, took_ms, .. } => Some(RunStep {
            number: *number,
            step: "model",
            name: name.clone(),
            arguments: None,
            failed: matches!(answer, ModelAnswer::Failure(_)),
            took_ms: *took_ms,
        }),
        RunEvent::Tool { tool, arguments, answer, took_ms, .. } => Some(RunStep {
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
pub(super) fn ending(events: &[LoggedEvent]) -> Option<&RunEnd> {
    let last = events.iter().rev().find_map(|stamped| match &stamped.event {
        RunEvent::Ended(ended) => Some(Some(ended)),
        RunEvent::Resumed => Some(None),
        _ => None,
    });
    last.flatten()
}

/// Which evidence was put before a model.
pub(super) fn shown_evidence(events: &[LoggedEvent]) -> BTreeSet<&EvidenceId> {
    let shown = events.iter().filter_map(|stamped| match &stamped.event {
        RunEvent::Shown { ids } => Some(ids),
        _ => None,
    });
    shown.flatten().collect()
}

/// What a run that has not ended has used by its last event.
fn estimate_spent(events: &[LoggedEvent]) -> RunUsage {
    let mut spent = RunUsage::default();
    for LoggedEvent { event, .. } in events {
        match event {
            RunEvent::Model { answer, .. } => {
                spent.steps += 1;
                if let ModelAnswer::Reply(reply) = answer {
                    spent.tokens_read += reply.usage.read;
                    spent.tokens_written += reply.usage.written;
                }
            }
            RunEvent::Tool { .. } => spent.steps += 1,
            RunEvent::Sent(_) => spent.requests += 1,
            _ => {}
        }
    }
    if let (Some(first), Some(last)) = (events.first(), events.last()) {
        spent.seconds = last.at.duration_since(first.at).as_secs_f64().max(0.0);
    }
    spent
}
