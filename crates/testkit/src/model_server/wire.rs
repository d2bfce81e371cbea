//! The two wire formats, as a well-behaved server writes them.

use serde_json::{Value, json};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WireFormat {
    Completions,
    Messages,
}

impl WireFormat {
    pub(super) fn from_path(path: &str) -> Option<Self> {
        match path {
            _ if path.ends_with("/chat/completions") => Some(Self::Completions),
            _ if path.ends_with("/v1/messages") => Some(Self::Messages),
            _ => None,
        }
    }
}

/// The content of a turn.
pub(super) struct ScriptedReply {
    pub(super) text: String,
    pub(super) calls: Vec<(String, Value)>,
    /// The text is JSON of the shape that the request asks for.
    pub(super) shaped: bool,
    pub(super) usage: bool,
    pub(super) whole: bool,
    pub(super) reason: Option<String>,
}

impl Default for ScriptedReply {
    fn default() -> Self {
        Self {
            text: String::new(),
            calls: Vec::new(),
            shaped: false,
            usage: true,
            whole: false,
            reason: None,
        }
    }
}

impl ScriptedReply {
    pub(super) fn render(mut self, spoken: WireFormat, asked: &Value, streamed: bool) -> String {
        let choice = &asked["tool_choice"];
        let forced = choice["function"]["name"].as_str().or(choice["name"].as_str());
        if let Some(name) = forced.filter(|_| self.shaped) {
            self.calls = vec![(name.to_owned(), serde_json::from_str(&self.text).unwrap())];
            self.text.clear();
        }
        match (spoken, streamed) {
            (WireFormat::Completions, true) => self.completion_stream(),
            (WireFormat::Completions, false) => self.completion().to_string(),
            (WireFormat::Messages, true) => self.message_stream(),
            (WireFormat::Messages, false) => self.message().to_string(),
        }
    }

    /// The words of a text, which a model would send one by one.
    fn words(&self) -> impl Iterator<Item = &str> {
        self.text.split_inclusive(' ')
    }

    fn stop_reason(&self, spoken: WireFormat) -> Value {
        let usual = match (spoken, self.calls.is_empty()) {
            (WireFormat::Completions, true) => "stop",
            (WireFormat::Completions, false) => "tool_calls",
            (WireFormat::Messages, true) => "end_turn",
            (WireFormat::Messages, false) => "tool_use",
        };
        match self.reason.as_deref() {
            Some("") => Value::Null,
            reason => json!(reason.unwrap_or(usual)),
        }
    }

    fn completion_stream(&self) -> String {
        let mut events = vec![json!({ "role": "assistant", "content": "" })];
        events.extend(self.words().map(|word| json!({ "content": word })));
        for (at, (name, arguments)) in self.calls.iter().enumerate() {
            let begun = json!({ "name": name, "arguments": "" });
            let id = format!("call-{}", at + 1);
            events.push(
                json!({ "tool_calls": [{ "index": at, "id": id, "type": "function", "function": begun }] }),
            );
            let written = arguments.to_string();
            let (one, two) = split_in_half(&written);
            for piece in [one, two] {
                events.push(json!({ "tool_calls": [{ "index": at, "function": { "arguments": piece } }] }));
            }
        }
        let chunk = |delta: &Value, reason: &Value| {
            let choice = json!({ "index": 0, "delta": delta, "finish_reason": reason });
            format!(
                "data: {}\n\n",
                json!({ "id": "x", "object": "chat.completion.chunk", "choices": [choice] })
            )
        };
        let mut all: String = events.iter().map(|delta| chunk(delta, &Value::Null)).collect();
        all += &chunk(&json!({}), &self.stop_reason(WireFormat::Completions));
        if self.usage {
            all += &format!("data: {}\n\n", json!({ "choices": [], "usage": completion_usage() }));
        }
        all + "data: [DONE]\n\n"
    }

    fn completion(&self) -> Value {
        let calls: Vec<Value> = self
            .calls
            .iter()
            .enumerate()
            .map(|(at, (name, arguments))| {
                let function = json!({ "name": name, "arguments": arguments.to_string() });
                json!({ "id": format!("call-{}", at + 1), "type": "function", "function": function })
            })
            .collect();
        let mut message = json!({ "role": "assistant", "content": self.text });
        if !calls.is_empty() {
            message["tool_calls"] = json!(calls);
        }
        let choice = json!({ "index": 0, "message": message, "finish_reason": self.stop_reason(WireFormat::Completions) });
        let mut all = json!({ "id": "x", "object": "chat.completion", "choices": [choice] });
        if self.usage {
            all["usage"] = completion_usage();
        }
        all
    }

    fn message_stream(&self) -> String {
        let mut events = Vec::new();
        let usage = |read: u64, written: u64| match self.usage {
            true => json!({ "input_tokens": read, "output_tokens": written }),
            false => Value::Null,
        };
        let message = json!({ "id": "x", "role": "assistant", "content": [], "usage": usage(20, 1) });
        events.push(json!({ "type": "message_start", "message": message }));
        events.push(json!({ "type": "ping" }));
        let mut index = 0;
        if !self.text.is_empty() {
            let block = json!({ "type": "text", "text": "" });
            events.push(json!({ "type": "content_block_start", "index": 0, "content_block": block }));
            for word in self.words() {
                let delta = json!({ "type": "text_delta", "text": word });
                events.push(json!({ "type": "content_block_delta", "index": 0, "delta": delta }));
            }
            events.push(json!({ "type": "content_block_stop", "index": 0 }));
            index = 1;
        }
        for (at, (name, arguments)) in self.calls.iter().enumerate() {
            let id = format!("call-{}", at + 1);
            let block = json!({ "type": "tool_use", "id": id, "name": name, "input": {} });
            events.push(json!({ "type": "content_block_start", "index": index, "content_block": block }));
            let written = arguments.to_string();
            let (one, two) = split_in_half(&written);
            for piece in [one, two] {
                let delta = json!({ "type": "input_json_delta", "partial_json": piece });
                events.push(json!({ "type": "content_block_delta", "index": index, "delta": delta }));
            }
            events.push(json!({ "type": "content_block_stop", "index": index }));
            index += 1;
        }
        let ended = json!({ "stop_reason": self.stop_reason(WireFormat::Messages) });
        events.push(json!({ "type": "message_delta", "delta": ended, "usage": { "output_tokens": usage(0, 7)["output_tokens"] } }));
        events.push(json!({ "type": "message_stop" }));
        events
            .iter()
            .map(|event| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap()))
            .collect()
    }

    fn message(&self) -> Value {
        let mut content = Vec::new();
        if !self.text.is_empty() {
            content.push(json!({ "type": "text", "text": self.text }));
        }
        for (at, (name, arguments)) in self.calls.iter().enumerate() {
            let id = format!("call-{}", at + 1);
            content.push(json!({ "type": "tool_use", "id": id, "name": name, "input": arguments }));
        }
        let mut all = json!({
            "type": "message", "role": "assistant", "content": content, "stop_reason": self.stop_reason(WireFormat::Messages),
        });
        if self.usage {
            all["usage"] = json!({ "input_tokens": 20, "output_tokens": 7 });
        }
        all
    }
}

fn completion_usage() -> Value {
    json!({ "prompt_tokens": 20, "completion_tokens": 7, "total_tokens": 27 })
}

fn split_in_half(text: &str) -> (&str, &str) {
    let middle = (text.len() / 2..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    text.split_at(middle)
}
