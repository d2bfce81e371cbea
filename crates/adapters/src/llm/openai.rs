//! The wire format of `/chat/completions`, as OpenAI has it and as others have it.

use serde_json::{Map, Value, json};
use wellread_core::ports::{
    Message, ModelFailure, ModelRequest, ReplyFormatMode, StopReason, ToolChoice, ToolSpec,
};

use super::refusal::UnsupportedParams;
use super::reply_builder::{CallPiece, ReplyBuilder};

pub(super) fn body(model: &str, request: &ModelRequest, dislikes: UnsupportedParams) -> Value {
    let mut messages = Vec::new();
    if !request.system.is_empty() {
        messages.push(json!({ "role": "system", "content": request.system }));
    }
    messages.extend(request.messages.iter().map(message));
    let mut body = Map::new();
    let mut put = |name: &str, value: Value| body.insert(name.to_owned(), value);
    put("model", json!(model));
    put("messages", json!(messages));
    put("stream", json!(true));
    if !dislikes.usage {
        put("stream_options", json!({ "include_usage": true }));
    }
    put(if dislikes.max_tokens { "max_completion_tokens" } else { "max_tokens" }, json!(request.max_tokens));
    if let Some(thousandths) = request.temperature.filter(|_| !dislikes.temperature) {
        put("temperature", json!(f64::from(thousandths) / 1000.0));
    }
    let mut tools: Vec<Value> = request.tools.iter().map(tool).collect();
    if request.choice == ToolChoice::None && !tools.is_empty() {
        put("tool_choice", json!("none"));
    }
    match &request.shape {
        Some(shape) if shape.by == ReplyFormatMode::Schema => {
            let constraint = json!({ "name": shape.name, "schema": shape.schema, "strict": true });
            put("response_format", json!({ "type": "json_schema", "json_schema": constraint }));
        }
        Some(shape) if shape.by == ReplyFormatMode::Tool => {
            tools.push(tool(&super::remote::answer_tool(shape)));
            put("tool_choice", json!({ "type": "function", "function": { "name": shape.name } }));
        }
        _ => {}
    }
    if !tools.is_empty() {
        put("tools", json!(tools));
    }
    Value::Object(body)
}

fn tool(spec: &ToolSpec) -> Value {
    let function = json!({ "name": spec.name, "description": spec.about, "parameters": spec.input });
    json!({ "type": "function", "function": function })
}

fn message(message: &Message) -> Value {
    match message {
        Message::User { text } => json!({ "role": "user", "content": text }),
        Message::Assistant { text, calls } if calls.is_empty() => {
            json!({ "role": "assistant", "content": text })
        }
        Message::Assistant { text, calls } => {
            let calls: Vec<Value> = calls
                .iter()
                .map(|call| {
                    let arguments = super::remote::to_object(&call.arguments).to_string();
                    let function = json!({ "name": call.name, "arguments": arguments });
                    json!({ "id": call.id, "type": "function", "function": function })
                })
                .collect();
            let content = if text.is_empty() { Value::Null } else { json!(text) };
            json!({ "role": "assistant", "content": content, "tool_calls": calls })
        }
        Message::Tool { call_id, text, .. } => {
            json!({ "role": "tool", "tool_call_id": call_id, "content": text })
        }
    }
}

/// Takes one object of a stream, or a whole answer.
pub(super) fn take_object(object: &Value, gathered: &mut ReplyBuilder) -> Result<(), ModelFailure> {
    let number = |names: [&str; 2]| names.iter().find_map(|name| object["usage"][*name].as_u64());
    gathered.read = number(["prompt_tokens", "input_tokens"]).filter(|count| *count > 0).or(gathered.read);
    gathered.written = number(["completion_tokens", "output_tokens"]).or(gathered.written);
    let choices = object["choices"].as_array().into_iter().flatten();
    let Some(choice) = choices.into_iter().find(|choice| choice["index"].as_u64().unwrap_or(0) == 0) else {
        return Ok(());
    };
    gathered.answered = true;
    let whole = choice["message"].is_object();
    let part = if whole { &choice["message"] } else { &choice["delta"] };
    take_content(&part["content"], gathered)?;
    take_content(&choice["text"], gathered)?;
    if let Some(refusal) = part["refusal"].as_str().filter(|refusal| !refusal.is_empty()) {
        gathered.push_text(refusal)?;
        gathered.stop = Some(StopReason::Filtered);
    }
    for call in part["tool_calls"].as_array().into_iter().flatten() {
        let function = if call["function"].is_object() { &call["function"] } else { call };
        gathered.push_call(&CallPiece {
            index: call["index"].as_u64(),
            id: call["id"].as_str(),
            name: function["name"].as_str(),
            arguments: function.get("arguments"),
            whole,
        })?;
    }
    let older = &part["function_call"];
    if older.is_object() {
        let (name, arguments) = (older["name"].as_str(), older.get("arguments"));
        gathered.push_call(&CallPiece { name, arguments, whole, ..CallPiece::default() })?;
    }
    if let Some(reason) = choice["finish_reason"].as_str().filter(|reason| !reason.is_empty()) {
        gathered.ended = true;
        gathered.stop.get_or_insert_with(|| stop(reason));
    }
    // A whole answer needs no reason to have ended.
    gathered.ended |= whole;
    Ok(())
}

/// Content is a text, nothing, or a list of parts.
fn take_content(content: &Value, gathered: &mut ReplyBuilder) -> Result<(), ModelFailure> {
    match content {
        Value::String(text) => gathered.push_text(text),
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part["text"].as_str().or(part.as_str()));
            texts.into_iter().try_for_each(|text| gathered.push_text(text))
        }
        _ => Ok(()),
    }
}

fn stop(reason: &str) -> StopReason {
    match reason {
        "stop" | "eos" | "end_turn" | "eos_token" | "stop_sequence" => StopReason::End,
        "tool_calls" | "function_call" | "tool_use" => StopReason::Tools,
        "length" | "max_tokens" => StopReason::Length,
        "content_filter" => StopReason::Filtered,
        other => StopReason::Other(other.chars().take(60).collect()),
    }
}
