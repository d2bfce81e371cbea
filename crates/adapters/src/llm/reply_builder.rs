//! An answer as it grows, whichever wire it comes over, and the reply that it is in the end.

use serde_json::{Map, Value};
use wellread_core::ports::{
    Delta, DeltaHandler, Message, ModelFailure, ModelRequest, Reply, ReplyFormatMode, StopReason, TokenUsage,
    ToolCall,
};

/// Of text and arguments together.
const LARGEST_REPLY: usize = 4 << 20;
const MOST_CALLS: usize = 64;

pub(super) struct ReplyBuilder<'a> {
    heard: DeltaHandler<'a>,
    /// The call of this name is the answer itself.
    shape: Option<&'a str>,
    text: String,
    calls: Vec<Call>,
    size: usize,
    pub(super) stop: Option<StopReason>,
    pub(super) read: Option<u64>,
    pub(super) written: Option<u64>,
    /// Whether anything came that is an answer, be it an empty one.
    pub(super) answered: bool,
    /// Whether the service said that this was all.
    pub(super) ended: bool,
    /// Whether somebody heard of it already.
    pub(super) streamed: bool,
}

#[derive(Default)]
struct Call {
    index: Option<u64>,
    id: String,
    name: String,
    written: String,
    given: Option<Value>,
}

/// What came of a call. Every part may be missing.
#[derive(Default)]
pub(super) struct CallPiece<'v> {
    pub(super) index: Option<u64>,
    pub(super) id: Option<&'v str>,
    pub(super) name: Option<&'v str>,
    /// A piece of text, or the arguments themselves.
    pub(super) arguments: Option<&'v Value>,
    /// Whether it is a call of its own, rather than a piece of one.
    pub(super) whole: bool,
}

impl<'a> ReplyBuilder<'a> {
    pub(super) fn new(request: &'a ModelRequest, heard: DeltaHandler<'a>) -> Self {
        let shape = request.shape.as_ref().filter(|shape| shape.by == ReplyFormatMode::Tool);
        Self {
            heard,
            shape: shape.map(|shape| shape.name.as_str()),
            text: String::new(),
            calls: Vec::new(),
            size: 0,
            stop: None,
            read: None,
            written: None,
            answered: false,
            ended: false,
            streamed: false,
        }
    }

    pub(super) fn push_text(&mut self, text: &str) -> Result<(), ModelFailure> {
        if text.is_empty() {
            return Ok(());
        }
        self.add_size(text.len())?;
        self.text.push_str(text);
        self.emit(Delta::Text(text.to_owned()));
        Ok(())
    }

    pub(super) fn push_call(&mut self, piece: &CallPiece) -> Result<(), ModelFailure> {
        let at = match self.find_call(piece) {
            Some(at) => at,
            None => {
                if self.calls.len() == MOST_CALLS {
                    return Err(broken_failure("it calls more than 64 tools at once"));
                }
                self.calls.push(Call { index: piece.index, ..Call::default() });
                self.calls.len() - 1
            }
        };
        let size = match piece.arguments {
            Some(Value::String(text)) => text.len(),
            Some(Value::Null) | None => 0,
            Some(value) => value.to_string().len(),
        };
        self.add_size(size)?;
        let call = &mut self.calls[at];
        if let Some(id) = piece.id.filter(|_| call.id.is_empty()) {
            call.id = id.to_owned();
        }
        match piece.arguments {
            Some(Value::String(text)) => call.written.push_str(text),
            Some(Value::Null) | None => {}
            Some(value) => call.given = Some(value.clone()),
        }
        if let Some(name) = piece.name.filter(|name| !name.is_empty() && call.name.is_empty()) {
            call.name = name.to_owned();
            self.emit(Delta::Calls(name.to_owned()));
        }
        Ok(())
    }

    /// The call that a piece belongs to. Some servers number all calls alike, or none; an identifier of its own begins
    /// a new one.
    fn find_call(&self, piece: &CallPiece) -> Option<usize> {
        if piece.whole {
            return None;
        }
        let at = match piece.index {
            Some(_) => self.calls.iter().rposition(|call| call.index == piece.index)?,
            None => self.calls.len().checked_sub(1)?,
        };
        let call = &self.calls[at];
        let id = piece.id.filter(|id| !id.is_empty());
        let another = match id {
            Some(id) => !call.id.is_empty() && call.id != id,
            None => {
                let begins = piece.name.is_some_and(|name| !name.is_empty());
                begins && piece.index.is_none() && !call.name.is_empty()
            }
        };
        (!another).then_some(at)
    }

    fn add_size(&mut self, by: usize) -> Result<(), ModelFailure> {
        self.size += by;
        if self.size > LARGEST_REPLY { Err(broken_failure("the answer is too large")) } else { Ok(()) }
    }

    fn emit(&mut self, delta: Delta) {
        if self.shape.is_none() {
            (self.heard)(delta);
            self.streamed = true;
        }
    }

    pub(super) fn finish(mut self, request: &ModelRequest, attempts: u32) -> Reply {
        let usage = self.usage(request);
        let mut calls = finish_calls(std::mem::take(&mut self.calls), request);
        let mut stop = self.stop.unwrap_or(StopReason::End);
        if let Some(at) = self.shape.and_then(|name| calls.iter().position(|call| call.name == name)) {
            self.text = match calls.swap_remove(at).arguments {
                Value::String(text) => text,
                value => value.to_string(),
            };
            calls.clear();
            stop = if stop == StopReason::Tools { StopReason::End } else { stop };
        }
        // Servers that call tools and say that they had said all are many.
        stop = match stop {
            StopReason::End if !calls.is_empty() => StopReason::Tools,
            StopReason::Tools if calls.is_empty() => StopReason::End,
            stop => stop,
        };
        Reply { text: self.text, calls, stop, usage, attempts }
    }

    fn usage(&self, request: &ModelRequest) -> TokenUsage {
        let asked = || {
            let messages = serde_json::to_string(&request.messages).map_or(0, |text| text.chars().count());
            let tools = serde_json::to_string(&request.tools).map_or(0, |text| text.chars().count());
            ((request.system.chars().count() + messages + tools) / 4) as u64
        };
        let said = || {
            let calls = self.calls.iter().map(|call| {
                let given = call.given.as_ref().map_or(0, |given| given.to_string().chars().count());
                call.written.chars().count() + given
            });
            (self.text.chars().count() + calls.sum::<usize>()).div_ceil(4) as u64
        };
        TokenUsage {
            read: self.read.unwrap_or_else(asked),
            written: self.written.unwrap_or_else(said),
            estimated: self.read.is_none() || self.written.is_none(),
        }
    }
}

/// Each call with an identifier of its own: where none came, a number that no earlier call of this talk has.
fn finish_calls(calls: Vec<Call>, request: &ModelRequest) -> Vec<ToolCall> {
    let earlier = request.messages.iter().map(|message| match message {
        Message::Assistant { calls, .. } => calls.len(),
        _ => 0,
    });
    let mut number = earlier.sum::<usize>();
    let mut finished: Vec<ToolCall> = Vec::new();
    for call in calls {
        number += 1;
        let taken = call.id.is_empty() || finished.iter().any(|other| other.id == call.id);
        let id = if taken { number.to_string() } else { call.id };
        finished.push(ToolCall { id, name: call.name, arguments: parse_arguments(call.written, call.given) });
    }
    finished
}

fn parse_arguments(written: String, given: Option<Value>) -> Value {
    if written.trim().is_empty() {
        return given.unwrap_or_else(|| Value::Object(Map::new()));
    }
    match serde_json::from_str(&written) {
        // Written as JSON twice.
        Ok(Value::String(inner)) => match serde_json::from_str(&inner) {
            Ok(value @ Value::Object(_)) => value,
            _ => Value::String(inner),
        },
        Ok(Value::Null) => Value::Object(Map::new()),
        Ok(value) => value,
        Err(_) => Value::String(written),
    }
}

pub(super) fn broken_failure(message: &str) -> ModelFailure {
    ModelFailure::Broken { message: message.to_owned() }
}
