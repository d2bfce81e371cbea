//! The wire format of `/v1/messages`, as Anthropic has it.

use serde_json::{Map, Value, json};
use wellread_core::ports::{Message, ModelFailure, ModelRequest, ShapeAs, Stop, ToolChoice, ToolSpec};

use super::refusal::Dislikes;
use super::reply_builder::{CallPiece, Gathered};

pub(super) const VERSION: &str = "2023-06-01";

pub(super) fn body(model: &str, request: &ModelRequest, dislikes: Dislikes) -> Value {
    let mut body = Map::new();
    let mut put = |name: &str, value: Value| body.insert(name.to_owned(), value);
    put("model", json!(model));
    put("max_tokens", json!(request.max_tokens));
    if !request.system.is_empty() {
        put("system", json!(request.system));
    }
    put("messages", json!(messages(&request.messages)));
    put("stream", json!(true));
    if let Some(thousandths) = request.temperature.filter(|_| !dislikes.temperature) {
        put("temperature", json!(f64::from(thousandths.min(1000)) / 1000.0));
    }
    let mut tools: Vec<Value> = request.tools.iter().map(tool).collect();
    if request.choice == ToolChoice::None && !tools.is_empty() {
        put("tool_choice", json!({ "type": "none" }));
    }
    if let Some(shape) = request.shape.as_ref().filter(|shape| shape.by == ShapeAs::Tool) {
        tools.push(tool(&super::remote::answering(shape)));
        put("tool_choice", json!({ "type": "tool", "name": shape.name }));
    }
    if !tools.is_empty() {
        put("tools", json!(tools));
    }
    Value::Object(body)
}

fn tool(spec: &ToolSpec) -> Value {
    json!({ "name": spec.name, "description": spec.about, "input_schema": spec.input })
}

/// User and assistant in turn: what tools answered belongs to the user's side, all of it in one message.
fn messages(messages: &[Message]) -> Vec<Value> {
    let mut turns: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in messages {
        let (role, blocks) = match message {
            Message::User { text } => ("user", said(text)),
            Message::Assistant { text, calls } => {
                let calls = calls.iter().map(|call| {
                    let input = super::remote::as_object(&call.arguments);
                    json!({ "type": "tool_use", "id": id(&call.id), "name": call.name, "input": input })
                });
                ("assistant", said(text).into_iter().chain(calls).collect())
            }
            Message::Tool { call_id, text, failed, .. } => {
                let mut block = json!({ "type": "tool_result", "tool_use_id": id(call_id), "content": text });
                if *failed {
                    block["is_error"] = json!(true);
                }
                ("user", vec![block])
            }
        };
        match turns.last_mut() {
            Some((last, all)) if *last == role => all.extend(blocks),
            // A message without content is refused.
            _ if blocks.is_empty() => {}
            _ => turns.push((role, blocks)),
        }
    }
    turns.into_iter().map(|(role, content)| json!({ "role": role, "content": content })).collect()
}

fn said(text: &str) -> Vec<Value> {
    if text.trim().is_empty() { Vec::new() } else { vec![json!({ "type": "text", "text": text })] }
}

/// Identifiers of other services hold characters that are refused here.
fn id(id: &str) -> String {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
    id.chars().map(|letter| if fits(letter) { letter } else { '_' }).collect()
}

/// Takes one object of a stream, or a whole answer.
pub(super) fn take(object: &Value, gathered: &mut Gathered) -> Result<(), ModelFailure> {
    let index = object["index"].as_u64();
    match object["type"].as_str().unwrap_or_default() {
        "message_start" => {
            gathered.answered = true;
            usage(&object["message"]["usage"], gathered);
            // What it counts as written by now is not what there will be.
            gathered.written = None;
        }
        "content_block_start" => block(&object["content_block"], index, gathered)?,
        "content_block_delta" => {
            let delta = &object["delta"];
            gathered.answered = true;
            if let Some(text) = delta["text"].as_str() {
                gathered.say(text)?;
            }
            let arguments = delta.get("partial_json");
            if arguments.is_some() {
                gathered.call(&CallPiece { index, arguments, ..CallPiece::default() })?;
            }
        }
        "message_delta" => {
            ends(&object["delta"], gathered);
            usage(&object["usage"], gathered);
        }
        "message_stop" => gathered.ended = true,
        _ if object["content"].is_array() || object["content"].is_string() => {
            gathered.answered = true;
            gathered.ended = true;
            gathered.say(object["content"].as_str().unwrap_or_default())?;
            for (at, part) in (0..).zip(object["content"].as_array().into_iter().flatten()) {
                block(part, Some(at), gathered)?;
            }
            ends(object, gathered);
            usage(&object["usage"], gathered);
        }
        // A sign of life, or something that came up later than this was written.
        _ => {}
    }
    Ok(())
}

fn block(block: &Value, index: Option<u64>, gathered: &mut Gathered) -> Result<(), ModelFailure> {
    gathered.answered = true;
    if block["type"] == "tool_use" {
        let begun = block["input"].as_object().is_none_or(Map::is_empty);
        return gathered.call(&CallPiece {
            index,
            id: block["id"].as_str(),
            name: block["name"].as_str(),
            arguments: block.get("input").filter(|_| !begun),
            whole: false,
        });
    }
    // What it thought is no part of what it says.
    match block["text"].as_str() {
        Some(text) => gathered.say(text),
        None => Ok(()),
    }
}

fn ends(said: &Value, gathered: &mut Gathered) {
    if let Some(reason) = said["stop_reason"].as_str() {
        gathered.ended = true;
        gathered.stop = Some(match reason {
            "end_turn" | "stop_sequence" | "stop" => Stop::End,
            "tool_use" => Stop::Tools,
            "max_tokens" | "model_context_window_exceeded" => Stop::Length,
            "refusal" => Stop::Filtered,
            other => Stop::Other(other.chars().take(60).collect()),
        });
    }
}

fn usage(usage: &Value, gathered: &mut Gathered) {
    let number = |name: &str| usage[name].as_u64();
    if let Some(fresh) = number("input_tokens") {
        let kept = ["cache_read_input_tokens", "cache_creation_input_tokens"];
        let all = fresh + kept.iter().filter_map(|name| number(name)).sum::<u64>();
        gathered.read = Some(all).filter(|count| *count > 0).or(gathered.read);
    }
    gathered.written = number("output_tokens").or(gathered.written);
}
