//! The answers in a run's log, returned again as the recipe repeats its requests.

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
    /// Changes that were announced and have no logged answer.
    calling: Vec<Hash>,
    /// Events that the recipe logged itself.
    marks: Vec<RunEvent>,
    evidence: Vec<Evidence>,
    /// The journal's operation ids of the changes whose answers are known.
    operations: Vec<String>,
    ended: Option<RunEnd>,
    spent: RunUsage,
}

impl ReplayLog {
    /// The whole log, for a replay.
    pub fn for_replay(events: &[LoggedEvent]) -> Self {
        let mut past = Self::default();
        lasting_events(events).into_iter().for_each(|event| past.push_event(event));
        past
    }

    /// The log without its end, for a resumed run.
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
            | RunEvent::SecondOpinion(_)
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

    /// Whether this change was announced before, and so may have been made. Each announcement counts once.
    pub fn take_announced_call(&mut self, key: Hash) -> bool {
        let at = self.calling.iter().position(|calling| *calling == key);
        at.map(|at| self.calling.remove(at)).is_some()
    }

    /// Whether the log holds this event. Each occurrence counts once.
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

    /// Remembers the operation ids in an answer.
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

/// The journal's operation ids anywhere in an answer.
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

/// The events without the ends from which the run was resumed.
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

/// Drops the end, and the failure or empty reply that led to it, so that these are requested again. If the run ended
/// because of transient failures, all of those are dropped, wherever they are, and nothing else.
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
            // A failed write is tried again; its announcement stays, so that no write is made twice.
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

/// Tools that a recipe calls concurrently to gather.
const SIDE_BY_SIDE: [&str; 3] = ["search_vault", "web_search", "fetch_page"];

/// Usage according to the log. Steps are not counted here: the recipe counts them again as it repeats them.
fn sum_spent(events: &[LoggedEvent]) -> RunUsage {
    let mut spent = RunUsage::default();
    for stamped in events {
        match &stamped.event {
            RunEvent::Sent(_) => spent.requests += 1,
            RunEvent::Model { answer, cost, took_ms, .. } => {
                spent.seconds += *took_ms as f64 / 1000.0;
                budget::add(&mut spent, answer, *cost);
            }
            // Concurrent calls: how long they took together is not known.
            RunEvent::Tool { tool, .. } if SIDE_BY_SIDE.contains(&tool.as_str()) => {}
            RunEvent::Tool { took_ms, .. } => spent.seconds += *took_ms as f64 / 1000.0,
            // It includes the time between calls.
            RunEvent::Ended(ended) => spent.seconds = ended.spent.seconds,
            _ => {}
        }
    }
    spent
}
