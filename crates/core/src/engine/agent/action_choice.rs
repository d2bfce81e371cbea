//! The agent loop with one action at a time: the model replies with JSON, `{action, reasoning, input}`.
//!
//! Used instead of native tool calls where each step has to be reasoned and counted. The finishing action ends the
//! turn, and its input is the turn's result.

use serde_json::{Map, Value, json};

use super::{Agent, NextStep};
use crate::engine::llm::{ShapeFailure, ask_shaped, schema};
use crate::engine::run::{ModelCallFailure, RunModelClient};
use crate::ports::{
    Message, ModelFailure, ModelRequest, ReplyFormat, ReplyFormatMode, StopReason, ToolCall, ToolSpec,
};

const NAME: &str = "next_action";
/// Keys under which a model may nest an action's input; its fields may also stand beside `action`.
const NESTED: [&str; 3] = ["input", "arguments", "parameters"];

/// An action that was chosen.
#[derive(Debug, Clone, PartialEq)]
struct ChosenAction {
    action: String,
    reasoning: String,
    input: Value,
}

impl Agent<'_> {
    /// Asks for the next action as JSON. A reply that does not fit is sent back once with the reason; after that the
    /// step is `NextStep::Nothing`. `last` names the finishing action.
    pub(super) async fn choose(
        &self,
        request: ModelRequest,
        last: &str,
        step: u32,
    ) -> std::result::Result<NextStep, ModelCallFailure> {
        let specs = self.toolbox.specs();
        let read = |value: Value| {
            let choice = parse_choice(value, &specs)?;
            match self.toolbox.objection(&choice.action, &choice.input) {
                Some(why) => Err(why),
                None => Ok(choice),
            }
        };
        let shape =
            ReplyFormat { name: NAME.to_owned(), schema: choice_schema(&specs), by: self.preferred_shape() };
        let ask = RunModelClient::new(self.run, self.model);
        let found = ask_shaped(&ask, request, shape, &read).await;
        let found = match (found, ask.take_failure()) {
            (_, Some(trouble)) => return Err(trouble),
            (found, None) => found,
        };
        match found {
            Ok(structured) => {
                self.remember(structured.by);
                let ChosenAction { action, reasoning, input } = structured.value;
                let said = json!({ "action": action, "reasoning": reasoning, "input": input }).to_string();
                if action == last {
                    return Ok(NextStep::Says { text: input.to_string(), stop: StopReason::End });
                }
                let call = ToolCall { id: format!("step-{step}"), name: action, arguments: input };
                Ok(NextStep::Calls { text: said, calls: vec![call] })
            }
            Err(ShapeFailure::Misfit { why, said }) => Ok(NextStep::Nothing { why, said }),
            Err(ShapeFailure::Filtered) => {
                let message = "its service refused to answer this".to_owned();
                Err(ModelCallFailure::Model(ModelFailure::Broken { message }))
            }
            Err(ShapeFailure::Failure(failure)) => Err(ModelCallFailure::Model(failure)),
        }
    }

    /// The reply format that worked last time.
    fn preferred_shape(&self) -> ReplyFormatMode {
        *self.shape.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn remember(&self, by: ReplyFormatMode) {
        *self.shape.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = by;
    }
}

/// Turns a tool's message into a user message, for a model that makes no native tool calls.
pub(super) fn to_user_message(message: Message) -> Message {
    match message {
        Message::Tool { name, text, .. } => Message::User { text: format!("What `{name}` gave:\n{text}") },
        other => other,
    }
}

/// The JSON schema of a choice: reasoning, action and input.
fn choice_schema(specs: &[ToolSpec]) -> Value {
    let names: Vec<&str> = specs.iter().map(|spec| spec.name.as_str()).collect();
    let inputs: Vec<Value> = specs.iter().map(|spec| schema::into_closed(spec.input.clone())).collect();
    json!({
        "type": "object",
        "properties": {
            "reasoning": { "type": "string", "description": "Why this is the next step, in a sentence." },
            "action": { "type": "string", "enum": names },
            "input": { "anyOf": inputs },
        },
        "required": ["reasoning", "action", "input"],
        "additionalProperties": false,
    })
}

/// Parses a choice, whose input stands beside the action or under a key of its own; `Err` says what is wrong with it.
fn parse_choice(value: Value, specs: &[ToolSpec]) -> std::result::Result<ChosenAction, String> {
    let Value::Object(mut fields) = value else { return Err("it is no JSON object".to_owned()) };
    let mut text = |name: &str| match fields.remove(name) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    };
    let (action, reasoning) = (text("action"), text("reasoning").unwrap_or_default());
    let known: Vec<&str> = specs.iter().map(|spec| spec.name.as_str()).collect();
    let Some(action) = action else {
        return Err(format!("it names no action; there are: {}", known.join(", ")));
    };
    let Some(spec) = specs.iter().find(|spec| spec.name == action) else {
        let action: String = action.chars().take(60).collect();
        return Err(format!("there is no action `{action}`; there are: {}", known.join(", ")));
    };
    let own = NESTED.into_iter().chain([action.as_str()]);
    let nested = own.filter_map(|name| match fields.get(name) {
        Some(Value::Object(inner)) => Some(inner.clone()),
        _ => None,
    });
    let input = nested.into_iter().next().unwrap_or(fields);
    let input = Value::Object(drop_empty_fields(input, spec));
    let missing = missing_fields(&input, spec);
    if !missing.is_empty() {
        return Err(format!("`{action}` needs {}", missing.join(", ")));
    }
    Ok(ChosenAction { action, reasoning, input })
}

/// Drops unknown fields, and optional ones that are null or empty: models fill in every field of a closed schema.
fn drop_empty_fields(input: Map<String, Value>, spec: &ToolSpec) -> Map<String, Value> {
    let needed = schema_names(&spec.input, "required");
    let known = |name: &str| spec.input["properties"].get(name).is_some();
    let empty = |value: &Value| value.is_null() || value.as_str() == Some("");
    input
        .into_iter()
        .filter(|(name, value)| known(name) && (needed.contains(name) || !empty(value)))
        .collect()
}

fn missing_fields(input: &Value, spec: &ToolSpec) -> Vec<String> {
    let absent = |name: &String| input.get(name).is_none_or(Value::is_null);
    schema_names(&spec.input, "required")
        .iter()
        .filter(|name| absent(name))
        .map(|name| format!("`{name}`"))
        .collect()
}

fn schema_names(schema: &Value, list: &str) -> Vec<String> {
    let names = schema.get(list).and_then(Value::as_array).into_iter().flatten();
    names.filter_map(Value::as_str).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn specs() -> Vec<ToolSpec> {
        let spec = |name: &str, input| ToolSpec { name: name.to_owned(), about: String::new(), input };
        vec![
            spec(
                "open_span",
                json!({ "type": "object", "required": ["file_path", "start_line"],
                        "properties": { "file_path": {}, "start_line": {}, "note": {} } }),
            ),
            spec(
                "finalize",
                json!({ "type": "object", "required": ["answer"], "properties": { "answer": {} } }),
            ),
        ]
    }

    #[test]
    fn the_input_may_stand_beside_the_action_or_under_a_name() {
        let expected = json!({ "file_path": "a.rs", "start_line": 1 });
        for written in [
            json!({ "action": "open_span", "reasoning": "r", "file_path": "a.rs", "start_line": 1 }),
            json!({ "action": "open_span", "reasoning": "r", "input": { "file_path": "a.rs", "start_line": 1 } }),
            json!({ "action": "open_span", "reasoning": "r", "open_span": { "file_path": "a.rs", "start_line": 1 } }),
            json!({ "action": "open_span", "reasoning": "r", "file_path": "a.rs", "start_line": 1, "note": "",
                    "answer": null }),
        ] {
            let choice = parse_choice(written, &specs()).unwrap();
            assert_eq!((choice.action.as_str(), choice.reasoning.as_str()), ("open_span", "r"));
            assert_eq!(choice.input, expected);
        }
    }

    #[test]
    fn what_is_no_action_says_what_is_wrong() {
        for (written, why) in [
            (json!([1]), "no JSON object"),
            (json!({ "reasoning": "r" }), "names no action"),
            (json!({ "action": "rm" }), "no action `rm`"),
            (json!({ "action": "open_span", "file_path": "a.rs" }), "needs `start_line`"),
            (json!({ "action": "finalize", "answer": null }), "needs `answer`"),
        ] {
            assert!(parse_choice(written, &specs()).unwrap_err().contains(why), "{why}");
        }
    }

    #[test]
    fn the_shape_names_every_action_and_closes_every_input() {
        let shape = choice_schema(&specs());
        assert_eq!(shape["properties"]["action"]["enum"], json!(["open_span", "finalize"]));
        let inputs = shape["properties"]["input"]["anyOf"].as_array().unwrap();
        assert!(inputs.iter().all(|input| input["additionalProperties"] == false));
        assert_eq!(inputs[0]["required"], json!(["file_path", "start_line", "note"]));
    }
}
