//! What a run has in its log already, handed out again as the recipe comes past it.

use std::collections::{HashMap, VecDeque};

use serde_json::Value;

use super::{Answered, MAY_PASS, budget};
use crate::corpus::Hash;
use crate::event::{Ended, Event, ModelAnswer, Spent, Stamped};
use crate::evidence::Evidence;

#[derive(Debug, Default)]
pub struct Past {
    models: HashMap<Hash, VecDeque<ModelAnswer>>,
    tools: HashMap<Hash, VecDeque<Answered>>,
    drawn: HashMap<Hash, VecDeque<Value>>,
    /// Changes that were announced, and of which no answer is known.
    calling: Vec<Hash>,
    /// What the recipe decided by itself.
    marks: Vec<Event>,
    evidence: Vec<Evidence>,
    /// The journal's ids of the changes whose answers are known.
    operations: Vec<String>,
    ended: Option<Ended>,
    spent: Spent,
}

impl Past {
    /// All of it, for a run that is run again.
    pub fn whole(events: &[Stamped]) -> Self {
        let mut past = Self::default();
        lasting(events).into_iter().for_each(|event| past.take(event));
        past
    }

    /// What a run goes on from.
    pub fn to_go_on(events: &[Stamped]) -> Self {
        let mut kept = lasting(events);
        cut_back(&mut kept);
        let mut past = Self { spent: spent_by(events), ..Self::default() };
        kept.into_iter().for_each(|event| past.take(event));
        past
    }

    fn take(&mut self, event: &Event) {
        match event {
            Event::Began { .. } | Event::Resumed | Event::Sent(_) => {}
            Event::Model { key, answer, .. } => {
                self.models.entry(*key).or_default().push_back(answer.clone());
            }
            Event::Calling { key, .. } => self.calling.push(*key),
            Event::Tool { key, answer, origin, private, .. } => {
                if let Some(at) = self.calling.iter().position(|calling| calling == key) {
                    self.calling.remove(at);
                }
                self.note_operations(answer);
                let answered = Answered { envelope: answer.clone(), origin: *origin, private: *private };
                self.tools.entry(*key).or_default().push_back(answered);
            }
            Event::Drawn { key, value, .. } => self.drawn.entry(*key).or_default().push_back(value.clone()),
            Event::Ended(ended) => self.ended = Some(ended.clone()),
            Event::Evidence(entry) => self.evidence.push((**entry).clone()),
            Event::Plan { .. } | Event::Shown { .. } | Event::Verdict { .. } | Event::Write { .. } => {
                self.marks.push(event.clone());
            }
        }
    }

    pub fn model(&mut self, key: Hash) -> Option<ModelAnswer> {
        self.models.get_mut(&key)?.pop_front()
    }

    pub fn tool(&mut self, key: Hash) -> Option<Answered> {
        self.tools.get_mut(&key)?.pop_front()
    }

    pub fn drawn(&mut self, key: Hash) -> Option<Value> {
        self.drawn.get_mut(&key)?.pop_front()
    }

    /// Whether this change was announced before and may have been made.
    pub fn was_calling(&mut self, key: Hash) -> bool {
        let at = self.calling.iter().position(|calling| *calling == key);
        at.map(|at| self.calling.remove(at)).is_some()
    }

    /// Whether the log holds this event still to be come past.
    pub fn came_past(&mut self, event: &Event) -> bool {
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
    pub fn note_operations(&mut self, answer: &Value) {
        self.operations.extend(operations(answer));
    }

    pub fn ended(&self) -> Option<&Ended> {
        self.ended.as_ref()
    }

    pub fn spent(&self) -> Spent {
        self.spent
    }
}

/// The journal's ids of the changes that an answer tells of.
pub fn operations(answer: &Value) -> Vec<String> {
    match answer {
        Value::Object(fields) => {
            let one = fields.get("operation").into_iter();
            let several = fields.get("operations").and_then(Value::as_array).into_iter().flatten();
            let here = one.chain(several).filter_map(Value::as_str).map(str::to_owned);
            here.chain(fields.values().flat_map(operations)).collect()
        }
        Value::Array(items) => items.iter().flat_map(operations).collect(),
        _ => Vec::new(),
    }
}

/// The events that count: what a run ended with before it was taken up again does not.
fn lasting(events: &[Stamped]) -> Vec<&Event> {
    let mut kept = Vec::with_capacity(events.len());
    for stamped in events {
        match &stamped.event {
            Event::Resumed => cut_back(&mut kept),
            event => kept.push(event),
        }
    }
    kept
}

/// Leaves out how it ended. A failure is no answer, nor is an empty one that it failed with: that is asked again. One that
/// ended because of what may pass asks for all of that again, wherever it stands, and for nothing else.
fn cut_back(kept: &mut Vec<&Event>) {
    let has_ended = matches!(kept.last(), Some(Event::Ended(_)));
    if let Some(Event::Ended(ended)) = kept.last()
        && ended.result["failed"][MAY_PASS] == true
    {
        kept.retain(|event| !matches!(event, Event::Tool { answer, .. } if answer[MAY_PASS] == true));
    }
    while let Some(last) = kept.last() {
        let passing = match last {
            Event::Model { answer: ModelAnswer::Failure(_), .. } | Event::Sent(_) | Event::Ended(_) => true,
            Event::Model { answer: ModelAnswer::Reply(reply), .. } => has_ended && reply.is_empty(),
            // A write that failed is tried again; that it was announced stays, so that none is made twice.
            Event::Tool { tool, answer, .. } => {
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
fn spent_by(events: &[Stamped]) -> Spent {
    let mut spent = Spent::default();
    for stamped in events {
        match &stamped.event {
            Event::Sent(_) => spent.requests += 1,
            Event::Model { answer, cost, took_ms, .. } => {
                spent.seconds += *took_ms as f64 / 1000.0;
                budget::add(&mut spent, answer, *cost);
            }
            // Those of a recipe run side by side: how long they took together is not known.
            Event::Tool { tool, .. } if SIDE_BY_SIDE.contains(&tool.as_str()) => {}
            Event::Tool { took_ms, .. } => spent.seconds += *took_ms as f64 / 1000.0,
            // It has counted what was between them, too.
            Event::Ended(ended) => spent.seconds = ended.spent.seconds,
            _ => {}
        }
    }
    spent
}
