//! What the suite's tools, resources and prompts answer, as the suite describes it.
#![allow(
    deprecated,
    reason = "clients of the revisions that had sampling and log messages still expect them"
)]

use rmcp::model::{
    CallToolRequestParams, CallToolResult, CreateMessageRequestParams, GetPromptRequestParams,
    GetPromptResult, Prompt, ResourceContents, Tool,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::mcp::NotesAddress;

/// Where a request of the newest revision says how much of the log it wants to hear.
pub const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
/// One red pixel, and a moment of silence.
const PIXEL: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const SILENCE: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

/// Tools that are answered here. Those of the catalog are not among them.
const TOOLS: [&str; 24] = [
    "test_image_content",
    "test_audio_content",
    "test_embedded_resource",
    "test_multiple_content_types",
    "greet",
    "test_elicitation",
    "test_elicitation_sep1034_defaults",
    "test_elicitation_sep1330_enums",
    "test_sampling",
    "test_tool_with_logging",
    "test_logging_tool",
    "test_tool_with_task",
    "confirm_delete",
    "test_missing_capability",
    "test_streaming_elicitation",
    "test_input_required_result_elicitation",
    "test_input_required_result_sampling",
    "test_input_required_result_list_roots",
    "test_input_required_result_request_state",
    "test_input_required_result_multiple_inputs",
    "test_input_required_result_multi_round",
    "test_input_required_result_tampered_state",
    "test_input_required_result_capabilities",
    "json_schema_2020_12_tool",
];

fn parse<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).expect("a fixture")
}

pub fn tools() -> Vec<Tool> {
    let describe = |name: &str| {
        let schema =
            if name == "json_schema_2020_12_tool" { every_keyword() } else { json!({ "type": "object" }) };
        parse(json!({ "name": name, "description": "For the conformance suite.", "inputSchema": schema }))
    };
    TOOLS.map(describe).into()
}

/// A schema with what a server is not to lose.
fn every_keyword() -> Value {
    let text = json!({ "type": "string" });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": { "address": { "$anchor": "addressDef", "type": "object", "properties": { "street": text, "city": text } } },
        "properties": {
            "name": text, "address": { "$ref": "#/$defs/address" }, "phone": text, "email": text,
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false,
    })
}

fn image() -> Value {
    json!({ "type": "image", "data": PIXEL, "mimeType": "image/png" })
}

fn resource(uri: &str, kind: &str, text: &str) -> Value {
    json!({ "type": "resource", "resource": { "uri": uri, "mimeType": kind, "text": text } })
}

/// The answers that are always the same.
pub fn call(request: &CallToolRequestParams) -> Option<CallToolResult> {
    let argument =
        |name: &str| request.arguments.as_ref().and_then(|args| args.get(name)?.as_str()).unwrap_or_default();
    let content = match &*request.name {
        "test_image_content" => json!([image()]),
        "test_audio_content" => json!([{ "type": "audio", "data": SILENCE, "mimeType": "audio/wav" }]),
        "test_embedded_resource" => json!([resource("test://embedded-resource", "text/plain", "embedded")]),
        "test_multiple_content_types" => {
            let data = resource(
                "test://mixed-content-resource",
                "application/json",
                "{\"test\":\"data\",\"value\":123}",
            );
            json!([{ "type": "text", "text": "Multiple content types test:" }, image(), data])
        }
        "greet" => json!([{ "type": "text", "text": format!("Hello, {}!", argument("name")) }]),
        "json_schema_2020_12_tool" => json!([{ "type": "text", "text": "called" }]),
        _ => return None,
    };
    Some(parse(json!({ "resultType": "complete", "content": content })))
}

/// The fields that a tool asks the user for.
pub fn asked_fields(tool: &str) -> Value {
    let text = json!({ "type": "string" });
    let choices = |values: [&str; 3]| json!({ "type": "string", "enum": values });
    let titled = |named: &str| {
        let pairs = [("value1", "First"), ("value2", "Second"), ("value3", "Third")];
        let pairs =
            pairs.map(|(value, title)| json!({ "const": value, "title": format!("{title} {named}") }));
        json!(pairs)
    };
    let options = ["option1", "option2", "option3"];
    let properties = match tool {
        "test_elicitation_sep1034_defaults" => json!({
            "name": { "type": "string", "default": "John Doe" },
            "age": { "type": "integer", "default": 30 },
            "score": { "type": "number", "default": 95.5 },
            "status": { "type": "string", "enum": ["active", "inactive", "pending"], "default": "active" },
            "verified": { "type": "boolean", "default": true },
        }),
        "test_elicitation_sep1330_enums" => json!({
            "untitledSingle": choices(options),
            "titledSingle": { "type": "string", "oneOf": titled("Option") },
            "legacyEnum": {
                "type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": ["Option One", "Option Two", "Option Three"],
            },
            "untitledMulti": { "type": "array", "items": choices(options) },
            "titledMulti": { "type": "array", "items": { "anyOf": titled("Choice") } },
        }),
        _ => {
            return json!({ "type": "object", "properties": { "username": text, "email": text }, "required": ["username", "email"] });
        }
    };
    json!({ "type": "object", "properties": properties, "required": [] })
}

pub fn sampling_params(prompt: &Value) -> CreateMessageRequestParams {
    let text = prompt.as_str().unwrap_or_default();
    parse(json!({
        "messages": [{ "role": "user", "content": { "type": "text", "text": text } }], "maxTokens": 100,
    }))
}

pub fn binary_resource(uri: &str) -> Option<ResourceContents> {
    (uri == "test://static-binary").then(|| ResourceContents::blob(PIXEL, uri).with_mime_type("image/png"))
}

fn note_address(path: &str) -> String {
    format!("{}{path}", NotesAddress::default())
}

/// The note that an address of the suite stands for.
pub fn note_for(uri: &str) -> String {
    match uri {
        "test://static-text" | "test://watched-resource" => note_address("Home.md"),
        "test://template/123/data" => note_address("123.md"),
        _ => uri.to_owned(),
    }
}

/// Gives what was read the address that it was asked by.
pub fn rename(contents: &mut [ResourceContents], asked: &str) {
    for part in contents {
        match part {
            ResourceContents::TextResourceContents { uri, .. }
            | ResourceContents::BlobResourceContents { uri, .. } => {
                asked.clone_into(uri);
            }
            _ => {}
        }
    }
}

pub fn prompts() -> Vec<Prompt> {
    let argument =
        |name: &&str| json!({ "name": name, "description": "For the conformance suite.", "required": true });
    let prompts: [(&str, &[&str]); 5] = [
        ("test_simple_prompt", &[]),
        ("test_prompt_with_arguments", &["arg1", "arg2"]),
        ("test_prompt_with_embedded_resource", &["resourceUri"]),
        ("test_prompt_with_image", &[]),
        ("test_input_required_result_prompt", &[]),
    ];
    let describe = |(name, arguments): (&str, &[&str])| {
        let arguments: Vec<Value> = arguments.iter().map(argument).collect();
        parse(json!({ "name": name, "description": "For the conformance suite.", "arguments": arguments }))
    };
    prompts.map(describe).into()
}

pub fn prompt(request: &GetPromptRequestParams) -> Option<GetPromptResult> {
    let argument =
        |name: &str| request.arguments.as_ref().and_then(|args| args.get(name)?.as_str()).unwrap_or_default();
    let text = |text: String| json!({ "type": "text", "text": text });
    let contents = match &*request.name {
        "test_simple_prompt" => vec![text("This is a simple prompt for testing.".to_owned())],
        "test_prompt_with_arguments" => {
            vec![text(format!(
                "Prompt with arguments: arg1='{}', arg2='{}'",
                argument("arg1"),
                argument("arg2")
            ))]
        }
        "test_prompt_with_embedded_resource" => vec![
            resource(argument("resourceUri"), "text/plain", "Embedded resource content for testing."),
            text("Please process the embedded resource above.".to_owned()),
        ],
        "test_prompt_with_image" => vec![image(), text("Please analyze the image above.".to_owned())],
        _ => return None,
    };
    let messages: Vec<Value> =
        contents.into_iter().map(|content| json!({ "role": "user", "content": content })).collect();
    Some(parse(json!({ "resultType": "complete", "messages": messages })))
}
