//! A model to talk with: the scripted server, as the binary's settings name it, in either wire format.

use std::process::Command;

use serde_json::{Value, json};
use wellread_testkit::model_server::ReceivedRequest;
use wellread_testkit::{ModelServer, Turn};

use crate::desk::{Desk, Ran};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire {
    OpenAi,
    Anthropic,
}

impl Wire {
    pub const BOTH: [Self; 2] = [Self::OpenAi, Self::Anthropic];

    /// The service's own variables, with this key. The model is not asked for second opinions.
    pub fn variables(self, server: &ModelServer, key: &str) -> Vec<(&'static str, String)> {
        let (key_name, address) = match self {
            Self::OpenAi => ("OPENAI_API_KEY", "OPENAI_BASE_URL"),
            Self::Anthropic => ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"),
        };
        vec![
            (key_name, key.to_owned()),
            (address, server.base_url()),
            ("LLM_MODEL", "scripted".to_owned()),
            ("WELLREAD_GATE_MODEL", "off".to_owned()),
        ]
    }

    /// The instructions, and what was said after them as role and text, calls and their answers included.
    pub fn said(self, asked: &ReceivedRequest) -> (String, Vec<(String, String)>) {
        let mut messages = asked.body["messages"].as_array().unwrap().clone();
        let system = match self {
            Self::OpenAi => messages.remove(0)["content"].clone(),
            Self::Anthropic => asked.body["system"].clone(),
        };
        let said = messages.iter().map(|message| (text(&message["role"]), content(message))).collect();
        (text(&system), said)
    }

    /// The tools that were offered.
    pub fn tools(self, asked: &ReceivedRequest) -> Vec<String> {
        let tools = asked.body["tools"].as_array().unwrap().iter();
        tools
            .map(|tool| match self {
                Self::OpenAi => text(&tool["function"]["name"]),
                Self::Anthropic => text(&tool["name"]),
            })
            .collect()
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}

fn content(message: &Value) -> String {
    let mut all = match &message["content"] {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        Value::Array(blocks) => blocks
            .iter()
            .map(|block| match block["type"].as_str().unwrap() {
                "text" => text(&block["text"]),
                "tool_use" => json!([block["name"], block["input"]]).to_string(),
                "tool_result" => text(&block["content"]),
                other => panic!("a block of the type {other}"),
            })
            .collect(),
        other => panic!("{other}"),
    };
    for call in message["tool_calls"].as_array().into_iter().flatten() {
        let arguments: Value = serde_json::from_str(call["function"]["arguments"].as_str().unwrap()).unwrap();
        all += &json!([call["function"]["name"], arguments]).to_string();
    }
    all
}

/// The binary with a model that needs no key, and that is not asked for second opinions.
pub fn with<'a>(command: &'a mut Command, server: &ModelServer) -> &'a mut Command {
    command.env("WELLREAD_MODEL_BASE_URL", server.base_url()).env("LLM_MODEL", "scripted");
    command.env("WELLREAD_GATE_MODEL", "off")
}

/// `wellread chat` with these words.
pub fn chat(desk: &Desk, server: &ModelServer, args: &[&str]) -> Ran {
    Ran::of(with(desk.here().arg("chat"), server).args(args))
}

/// The run that was made last.
pub fn last_run(desk: &Desk) -> Value {
    desk.run(["runs", "-n", "1", "--json"]).done()["runs"][0].clone()
}

/// A reply that cites the first piece of evidence that the request shows, where it says `[id]`.
pub fn cites(words: &str) -> Turn {
    let words = words.to_owned();
    Turn::from_request(move |body| {
        let shown = body.to_string();
        let id = shown.split("ev-01").nth(1).expect("evidence is shown");
        let end = id.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap();
        Turn::says(&words.replace("[id]", &format!("[ev-01{}]", &id[..end])))
    })
}

pub fn reads(path: &str) -> Turn {
    Turn::calls(&[("read_file", json!({ "path": path }))])
}
