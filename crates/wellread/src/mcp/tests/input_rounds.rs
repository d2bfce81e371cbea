//! Tools and prompts that need answers of the client, in one round or several, as the newest revision asks for them.
//!
//! What is open is kept where the questions of our own tools are: an answer counts once, in time, and for what it was asked for.

use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, GetPromptRequestParams,
    GetPromptResponse, GetPromptResult, InputRequests, InputRequiredResult, InputResponses, PromptMessage,
    Role,
};
use serde_json::{Value, json};

use super::fixture_server::{CallContext, missing_capability};
use crate::mcp::VaultServer;
use crate::mcp::questions::can_ask;

/// What is asked for, round after round: names, each with a request.
pub type Rounds = Vec<Value>;

/// How it stands with what was asked.
enum Progress {
    Ask(InputRequiredResult),
    Done,
}

fn elicit(field: &str, kind: &str) -> Value {
    let schema = json!({ "type": "object", "properties": { field: { "type": kind } }, "required": [field] });
    json!({ "method": "elicitation/create", "params": { "mode": "form", "message": "What is it?", "requestedSchema": schema } })
}

fn sample(text: &str) -> Value {
    let message = json!({ "role": "user", "content": { "type": "text", "text": text } });
    json!({ "method": "sampling/createMessage", "params": { "messages": [message], "maxTokens": 100 } })
}

fn list_roots() -> Value {
    json!({ "method": "roots/list", "params": {} })
}

pub fn of_tool(name: &str) -> Option<Rounds> {
    let greeting = || sample("Generate a greeting");
    let rounds = match name {
        "test_input_required_result_elicitation" | "test_streaming_elicitation" => {
            vec![json!({ "user_name": elicit("name", "string") })]
        }
        "test_input_required_result_sampling" => {
            vec![json!({ "capital_question": sample("What is the capital of France?") })]
        }
        "test_missing_capability" => vec![json!({ "greeting": greeting() })],
        "test_input_required_result_list_roots" => vec![json!({ "client_roots": list_roots() })],
        "test_input_required_result_request_state" | "test_input_required_result_tampered_state" => {
            vec![json!({ "confirm": elicit("ok", "boolean") })]
        }
        "test_input_required_result_multiple_inputs" | "test_input_required_result_capabilities" => vec![
            json!({ "user_name": elicit("name", "string"), "greeting": greeting(), "client_roots": list_roots() }),
        ],
        "test_input_required_result_multi_round" => {
            vec![json!({ "step1": elicit("name", "string") }), json!({ "step2": elicit("color", "string") })]
        }
        _ => return None,
    };
    Some(rounds)
}

pub fn of_prompt(name: &str) -> Option<Rounds> {
    (name == "test_input_required_result_prompt")
        .then(|| vec![json!({ "user_context": elicit("context", "string") })])
}

pub fn answer_tool(
    server: &VaultServer,
    request: &CallToolRequestParams,
    rounds: &[Value],
    context: &CallContext,
) -> Result<CallToolResponse, ErrorData> {
    let (state, responses) = (request.request_state.as_deref(), request.input_responses.as_ref());
    Ok(match proceed(server, &request.name, rounds, (state, responses), context)? {
        Progress::Ask(asked) => asked.into(),
        Progress::Done => {
            let text = format!("state-ok: {}", json!(responses));
            CallToolResult::success(vec![ContentBlock::text(text)]).into()
        }
    })
}

pub fn answer_prompt(
    server: &VaultServer,
    request: &GetPromptRequestParams,
    rounds: &[Value],
    context: &CallContext,
) -> Result<GetPromptResponse, ErrorData> {
    let (state, responses) = (request.request_state.as_deref(), request.input_responses.as_ref());
    Ok(match proceed(server, &request.name, rounds, (state, responses), context)? {
        Progress::Ask(asked) => asked.into(),
        Progress::Done => {
            GetPromptResult::new(vec![PromptMessage::new_text(Role::User, json!(responses).to_string())])
                .into()
        }
    })
}

/// Asks for the first round, or takes the answers to one and asks for the next. A state that is not open is refused.
fn proceed(
    server: &VaultServer,
    name: &str,
    rounds: &[Value],
    (state, responses): (Option<&str>, Option<&InputResponses>),
    context: &CallContext,
) -> Result<Progress, ErrorData> {
    let hash = |round: usize| blake3::hash(json!([name, round]).to_string().as_bytes());
    let ask = |round: usize| {
        let requests = declared_only(&rounds[round], context)?;
        let state = server.questions.open(hash(round));
        Ok(Progress::Ask(InputRequiredResult::new(Some(requests), Some(state))))
    };
    let Some(state) = state else { return ask(0) };
    let open =
        (0..rounds.len()).find(|round| server.questions.close(state, hash(*round), server.answer_limit));
    let Some(round) = open else {
        return Err(ErrorData::invalid_params("this answer belongs to no question that is open", None));
    };
    let asked = declared_only(&rounds[round], context)?;
    let is_answered = |name: &String| responses.is_some_and(|responses| responses.contains_key(name));
    if !asked.keys().all(is_answered) {
        return ask(round);
    }
    if round + 1 < rounds.len() { ask(round + 1) } else { Ok(Progress::Done) }
}

/// Those requests of a round that the client says it can answer; `Err` if there are none.
fn declared_only(round: &Value, context: &CallContext) -> Result<InputRequests, ErrorData> {
    let capabilities = serde_json::to_value(context.client_capabilities()).unwrap_or_default();
    let is_declared = |request: &Value| match request["method"].as_str() {
        Some("elicitation/create") => can_ask(context),
        Some("sampling/createMessage") => capabilities.get("sampling").is_some(),
        _ => capabilities.get("roots").is_some(),
    };
    let all = round.as_object().cloned().unwrap_or_default();
    let kept: serde_json::Map<_, _> = all.into_iter().filter(|(_, request)| is_declared(request)).collect();
    if kept.is_empty() {
        return Err(missing_capability(json!({ "sampling": {} })));
    }
    serde_json::from_value(Value::Object(kept))
        .map_err(|error| ErrorData::internal_error(error.to_string(), None))
}
