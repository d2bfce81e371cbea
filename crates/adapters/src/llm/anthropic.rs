//! The wire format of `/v1/messages`, as Anthropic has it.

use serde_json::{Map, Value, json};
use wellread_core::ports::{
    Message, ModelFailure, ModelRequest, ReplyFormatMode, StopReason, ToolChoice, ToolSpec,
};

use super::refusal::UnsupportedParams;
use super::reply_builder::{CallPiece, ReplyBuilder};

pub(super) const VERSION: &str = "2023-06-01";

pub(super) fn body(model: &str, request: &ModelRequest, dislikes: UnsupportedParams) -> Value {
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
    if let Some(shape) = request.shape.as_ref().filter(|shape| shape.by == ReplyFormatMode::Tool) {
        tools.push(tool(&super::remote::answer_tool(shape)));
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
            Message::User { text } => ("user", text_blocks(text)),
            Message::Assistant { text, calls } => {
                let calls = calls.iter().map(|call| {
                    let input = super::remote::to_object(&call.arguments);
                    json!({ "type": "tool_use", "id": sanitize_id(&call.id), "name": call.name, "input": input })
                });
                ("assistant", text_blocks(text).into_iter().chain(calls).collect())
            }
            Message::Tool { call_id, text, failed, .. } => {
                let mut block =
                    json!({ "type": "tool_result", "tool_use_id": sanitize_id(call_id), "content": text });
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

fn text_blocks(text: &str) -> Vec<Value> {
    if text.trim().is_empty() { Vec::new() } else { vec![json!({ "type": "text", "text": text })] }
}

/// Identifiers of other services hold characters that are refused here.
fn sanitize_id(id: &str) -> String {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
    id.chars().map(|letter| if fits(letter) { letter } else { '_' }).collect()
}

/// Takes one object of a stream, or a whole answer.
pub(super) fn take_object(object: &Value, gathered: &mut ReplyBuilder) -> Result<(), ModelFailure> {
    let index = object["index"].as_u64();
    match object["type"].as_str().unwrap_or_default() {
        "message_start" => {
            gathered.answered = true;
            take_usage(&object["message"]["usage"], gathered);
            // What it counts as written by now is not what there will be.
            gathered.written = None;
        }
        "content_block_start" => take_block(&object["content_block"], index, gathered)?,
        "content_block_delta" => {
            let delta = &object["delta"];
            gathered.answered = true;
            if let Some(text) = delta["text"].as_str() {
                gathered.push_text(text)?;
            }
            let arguments = delta.get("partial_json");
            if arguments.is_some() {
                gathered.push_call(&CallPiece { index, arguments, ..CallPiece::default() })?;
            }
        }
        "message_delta" => {
            take_stop_reason(&object["delta"], gathered);
            take_usage(&object["usage"], gathered);
        }
        "message_stop" => gathered.ended = true,
        _ if object["content"].is_array() || object["content"].is_string() => {
            gathered.answered = true;
            gathered.ended = true;
            gathered.push_text(object["content"].as_str().unwrap_or_default())?;
            for (at, part) in (0..).zip(object["content"].as_array().into_iter().flatten()) {
                take_block(part, Some(at), gathered)?;
            }
            take_stop_reason(object, gathered);
            take_usage(&object["usage"], gathered);
        }
        // A sign of life, or something that came up later than this was written.
        _ => {}
    }
    Ok(())
}

fn take_block(block: &Value, index: Option<u64>, gathered: &mut ReplyBuilder) -> Result<(), ModelFailure> {
    gathered.answered = true;
    if block["type"] == "tool_use" {
        let begun = block["input"].as_object().is_none_or(Map::is_empty);
        return gathered.push_call(&CallPiece {
            index,
            id: block["id"].as_str(),
            name: block["name"].as_str(),
            arguments: block.get("input").filter(|_| !begun),
            whole: false,
        });
    }
    // What it thought is no part of what it says.
    match block["text"].as_str() {
        Some(text) => gathered.push_text(text),
        None => Ok(()),
    }
}

fn take_stop_reason(said: &Value, gathered: &mut ReplyBuilder) {
    if let Some(reason) = said["stop_reason"].as_str() {
        gathered.ended = true;
        gathered.stop = Some(match reason {
            "end_turn" | "stop_sequence" | "stop" => StopReason::End,
            "tool_use" => StopReason::Tools,
            "max_tokens" | "model_context_window_exceeded" => StopReason::Length,
            "refusal" => StopReason::Filtered,
            other => StopReason::Other(other.chars().take(60).collect()),
        });
    }
}

fn take_usage(usage: &Value, gathered: &mut ReplyBuilder) {
    let number = |name: &str| usage[name].as_u64();
    if let Some(fresh) = number("input_tokens") {
        let kept = ["cache_read_input_tokens", "cache_creation_input_tokens"];
        let all = fresh + kept.iter().filter_map(|name| number(name)).sum::<u64>();
        gathered.read = Some(all).filter(|count| *count > 0).or(gathered.read);
    }
    gathered.written = number("output_tokens").or(gathered.written);
}
