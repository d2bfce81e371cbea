//! A run's summary: its task, its outcome, what it used and what it sent.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

use crate::domain::id::{EvidenceId, RunId};
use crate::ports::event::{
    Budget, LoggedEvent, ModelAnswer, OpinionRecord, RunEnd, RunEvent, RunKind, RunOutcome, RunUsage,
    SentRequest,
};

/// A run in short, read from its log.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunSummary {
    /// The run's id.
    pub run_id: RunId,
    /// The kind of run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<RunKind>,
    /// The run's title.
    pub title: String,
    /// When the run began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub began: Option<Timestamp>,
    /// When the last event was logged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<Timestamp>,
    /// How many events the log has.
    pub events: usize,
    /// `None` if the run has not ended.
    pub outcome: Option<RunOutcome>,
    /// The budget of the run.
    pub budget: Budget,
    /// As the run counted it; estimated from the log if it has not ended.
    pub spent: RunUsage,
    /// How much evidence was found and shown.
    pub evidence: EvidenceCounts,
    /// The coverage in the last verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coverage: Option<Value>,
    /// What became of second opinions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub second_opinions: Vec<OpinionRecord>,
    /// Every request that was sent, including those to programs on this machine (`stays`).
    pub left_the_machine: Vec<SentRecord>,
    /// The changes that the run made.
    pub wrote: Vec<RunWrite>,
}

/// How much evidence a run has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct EvidenceCounts {
    /// The number of entries in the ledger.
    pub found: usize,
    /// How many of them were shown to a model.
    pub shown: usize,
}

/// Something that was sent, and when.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SentRecord {
    /// When it was sent.
    pub at: Timestamp,
    /// What was sent, and where.
    #[serde(flatten)]
    pub sent: SentRequest,
}

/// A change that a run made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunWrite {
    /// The operation in the journal.
    pub operation: String,
    /// The file that was changed.
    pub path: String,
}

/// A model or tool call of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunStep {
    /// The event's number.
    pub number: u64,
    /// `model` or `tool`.
    pub step: &'static str,
    /// The name of the tool or model.
    pub name: String,
    /// The arguments of the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Value>,
    /// Whether the step failed.
    pub failed: bool,
    /// How long the step took, in milliseconds.
    pub took_ms: u64,
}

/// Summarizes a run from its log.
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
        second_opinions: Vec::new(),
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
            RunEvent::SecondOpinion(record) => summary.second_opinions.push(record.clone()),
            RunEvent::Write { operation, path } => {
                summary.wrote.push(RunWrite { operation: operation.clone(), path: path.clone() });
            }
            _ => {}
        }
    }
    summary.evidence.shown = shown_evidence(events).len();
    summary
}

/// Every request that was sent, including those to other programs on this machine.
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

/// How the run ended; `None` if it has not, or was resumed since.
pub(super) fn ending(events: &[LoggedEvent]) -> Option<&RunEnd> {
    let last = events.iter().rev().find_map(|stamped| match &stamped.event {
        RunEvent::Ended(ended) => Some(Some(ended)),
        RunEvent::Resumed => Some(None),
        _ => None,
    });
    last.flatten()
}

/// The evidence that was shown to a model.
pub(super) fn shown_evidence(events: &[LoggedEvent]) -> BTreeSet<&EvidenceId> {
    let shown = events.iter().filter_map(|stamped| match &stamped.event {
        RunEvent::Shown { ids } => Some(ids),
        _ => None,
    });
    shown.flatten().collect()
}

/// Estimates from the log what an unfinished run has used.
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
