//! What a run has in its log already, handed out again as the recipe comes past it.

use std::collections::{HashMap, VecDeque};

use serde_json::Value;

use super::{MAY_PASS, ToolReply, budget};
use crate::domain::corpus::Hash;
use crate::domain::evidence::Evidence;
use crate::ports::event::{LoggedEvent, ModelAnswer, RunEnd, RunEvent, RunUsage};

#[derive(Debug, Default)]
pub struct ReplayLog {
    models: HashMap<Hash, VecDeque<ModelAnswer>>,
    tools: HashMap<Hash, VecDeque<ToolReply>>,
    drawn: HashMap<Hash, VecDeque<Value>>,
    /// Changes that were announced, and of which no answer is known.
    calling: Vec<Hash>,
    /// What the recipe decided by itself.
    marks: Vec<RunEvent>,
    evidence: Vec<Evidence>,
    /// The journal's ids of the changes whose answers are known.
    operations: Vec<String>,
    ended: Option<RunEnd>,
    spent: RunUsage,
}

impl ReplayLog {
    /// All of it, for a run that is run again.
    pub fn for_replay(events: &[LoggedEvent]) -> Self {
        let mut past = Self::default();
        lasting_events(events).into_iter().for_each(|event| past.push_event(event));
        past
    }

    /// What a run goes on from.
    pub fn for_resume(events: &[LoggedEvent]) -> Self {
        let mut kept = lasting_events(events);
        drop_ending(&mut kept);
        let mut past = Self { spent: sum_spent(events), ..Self::default() };
        kept.into_iter().for_each(|event| past.push_event(event));
        past
    }

    fn push_event(&mut self, event: &RunEvent) {
        match event {
            RunEvent::Began { .. } | RunEvent::Resumed | RunEvent::Sent(_) => {}
            RunEvent::Model { key, answer, .. } => {
                self.models.entry(*key).or_default().push_back(answer.clone());
            }
            RunEvent::Calling { key, .. } => self.calling.push(*key),
            RunEvent::Tool { key, answer, origin, private, .. } => {
                if let Some(at) = self.calling.iter().position(|calling| calling == key) {
                    self.calling.remove(at);
                }
                self.record_operations(answer);
                let answered = ToolReply { envelope: answer.clone(), origin: *origin, private: *private };
                self.tools.entry(*key).or_default().push_back(answered);
            }
            RunEvent::Drawn { key, value, .. } => {
                self.drawn.entry(*key).or_default().push_back(value.clone());
            }
            RunEvent::Ended(ended) => self.ended = Some(ended.clone()),
            RunEvent::Evidence(entry) => self.evidence.push((**entry).clone()),
            RunEvent::Plan { .. }
            | RunEvent::Shown { .. }
            | RunEvent::Verdict { .. }
            | RunEvent::Write { .. } => {
                self.marks.push(event.clone());
            }
        }
    }

    pub fn next_model_answer(&mut self, key: Hash) -> Option<ModelAnswer> {
        self.models.get_mut(&key)?.pop_front()
    }

    pub fn next_tool_reply(&mut self, key: Hash) -> Option<ToolReply> {
        self.tools.get_mut(&key)?.pop_front()
    }

    pub fn next_draw(&mut self, key: Hash) -> Option<Value> {
        self.drawn.get_mut(&key)?.pop_front()
    }

    /// Whether this change was announced before and may have been made.
    pub fn take_announced_call(&mut self, key: Hash) -> bool {
        let at = self.calling.iter().position(|calling| *calling == key);
        at.map(|at| self.calling.remove(at)).is_some()
    }

    /// Whether the log holds this event still to be come past.
    pub fn take_recorded_event(&mut self, event: &RunEvent) -> bool {
        let at = self.marks.iter().position(|mark| mark == event);
        at.map(|at| self.marks.remove(at)).is_some()
    }

    pub fn evidence(&self) -> Vec<Evidence> {
        self.evidence.clone()
    }

    pub fn operations(&self) -> Vec<String> {
        self.operations.clone()
    }

    /// Remembers the ids of the changes that an answer tells of.
    pub fn record_operations(&mut self, answer: &Value) {
        self.operations.extend(operation_ids(answer));
    }

    pub fn ending(&self) -> Option<&RunEnd> {
        self.ended.as_ref()
    }

    pub fn spent(&self) -> RunUsage {
        self.spent
    }
}

/// The journal's ids of the changes that an answer tells of.
pub fn operation_ids(answer: &Value) -> Vec<String> {
    match answer {
        Value::Object(fields) => {
            let one = fields.get("operation").into_iter();
            let several = fields.get("operations").and_then(Value::as_array).into_iter().flatten();
            let here = one.chain(several).filter_map(Value::as_str).map(str::to_owned);
            here.chain(fields.values().flat_map(operation_ids)).collect()
        }
        Value::Array(items) => items.iter().flat_map(operation_ids).collect(),
        _ => Vec::new(),
    }
}

/// The events that count: what a run ended with before it was taken up again does not.
fn lasting_events(events: &[LoggedEvent]) -> Vec<&RunEvent> {
    let mut kept = Vec::with_capacity(events.len());
    for stamped in events {
        match &stamped.event {
            RunEvent::Resumed => drop_ending(&mut kept),
            event => kept.push(event),
        }
    }
    kept
}

/// Leaves out how it ended. A failure is no answer, nor is an empty one that it failed with: that is asked again. One that
/// ended because of what may pass asks for all of that again, wherever it stands, and for nothing else.
fn drop_ending(kept: &mut Vec<&RunEvent>) {
    let has_ended = matches!(kept.last(), Some(RunEvent::Ended(_)));
    if let Some(RunEvent::Ended(ended)) = kept.last()
        && ended.result["failed"][MAY_PASS] == true
    {
        kept.retain(|event| !matches!(event, RunEvent::Tool { answer, .. } if answer[MAY_PASS] == true));
    }
    while let Some(last) = kept.last() {
        let passing = match last {
            RunEvent::Model { answer: ModelAnswer::Failure(_), .. }
            | RunEvent::Sent(_)
            | RunEvent::Ended(_) => true,
            RunEvent::Model { answer: ModelAnswer::Reply(reply), .. } => has_ended && reply.is_empty(),
            // A write that failed is tried again; that it was announced stays, so that none is made twice.
            RunEvent::Tool { tool, answer, .. } => {
                has_ended && tool == "write_section" && answer["success"] == false
            }
            _ => false,
        };
        if !passing {
            break;
        }
        kept.pop();
    }
}

/// What a recipe gathers with.
const SIDE_BY_SIDE: [&str; 3] = ["search_vault", "web_search", "fetch_page"];

/// What the log says was used. A step is counted by the recipe as it comes past it again.
fn sum_spent(events: &[LoggedEvent]) -> RunUsage {
    let mut spent = RunUsage::default();
    for stamped in events {
        match &stamped.event {
            RunEvent::Sent(_) => spent.requests += 1,
            RunEvent::Model { answer, cost, took_ms, .. } => {
                spent.seconds += *took_ms as f64 / 1000.0;
                budget::add(&mut spent, answer, *cost);
            }
            // Those of a recipe run side by side: how long they took together is not known.
            RunEvent::Tool { tool, .. } if SIDE_BY_SIDE.contains(&tool.as_str()) => {}
            RunEvent::Tool { took_ms, .. } => spent.seconds += *took_ms as f64 / 1000.0,
            // It has counted what was between them, too.
            RunEvent::Ended(ended) => spent.seconds = ended.spent.seconds,
            _ => {}
        }
    }
    spent
}
