//! JSON schemas that every client understands: inline, without number formats, without nullable unions.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use crate::engine::llm::schema::plain_schema;

/// The schema of a tool's arguments.
pub fn input<T: JsonSchema>() -> Value {
    let mut schema = plain_schema::<T>(SchemaSettings::draft2020_12());
    if let Some(fields) = schema.as_object_mut() {
        // A tool without parameters is still an object without properties.
        fields.entry("properties").or_insert_with(|| json!({}));
        fields.insert("additionalProperties".to_owned(), json!(false));
    }
    schema
}

/// The schema of a successful answer, envelope included.
pub fn output<T: JsonSchema>() -> Value {
    // The schema for serializing: a field that may be left out is not required.
    let mut schema = plain_schema::<T>(SchemaSettings::draft2020_12().for_serialize());
    if let Some(fields) = schema.as_object_mut() {
        let mut properties =
            Map::from_iter([("success".to_owned(), json!({ "type": "boolean", "const": true }))]);
        if let Some(Value::Object(own)) = fields.remove("properties") {
            properties.extend(own);
        }
        fields.insert("properties".to_owned(), Value::Object(properties));
        let mut required = vec![json!("success")];
        if let Some(Value::Array(own)) = fields.remove("required") {
            required.extend(own);
        }
        fields.insert("required".to_owned(), Value::Array(required));
    }
    schema
}

/// The parameters in one line: `path` (string), `offset` (integer, default 0).
pub fn render_parameters(input: &Value) -> String {
    let required: Vec<&str> =
        input["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let shown = |(name, schema): (&String, &Value)| {
        let choices = choices(schema);
        let kind = match choices.is_empty() {
            false => choices.join("|"),
            true => schema["type"].as_str().unwrap_or("any").to_owned(),
        };
        let need = match schema.get("default") {
            Some(default) => format!(", default {default}"),
            None if required.contains(&name.as_str()) => String::new(),
            None => ", optional".to_owned(),
        };
        format!("`{name}` ({kind}{need})")
    };
    match input["properties"].as_object().filter(|fields| !fields.is_empty()) {
        Some(fields) => fields.iter().map(shown).collect::<Vec<_>>().join(", "),
        None => "none".to_owned(),
    }
}

/// The words that a parameter may be, whether or not each is described; empty if it may be anything of its type.
fn choices(schema: &Value) -> Vec<&str> {
    let plain = schema["enum"].as_array().into_iter().flatten();
    let described = schema["oneOf"]
        .as_array()
        .into_iter()
        .flatten()
        .flat_map(|one| one.get("const").into_iter().chain(one["enum"].as_array().into_iter().flatten()));
    plain.chain(described).filter_map(Value::as_str).collect()
}

/// Describes the first argument that does not have the type, or is not among the choices, that the schema asks for.
pub fn find_mismatch(input: &Value, args: &Value) -> Option<String> {
    let fits = |schema: &Value, value: &Value| {
        let choice = schema["enum"].as_array().is_none_or(|choices| choices.contains(value));
        choice
            && match schema["type"].as_str() {
                Some("string") => value.is_string(),
                Some("integer") => value.is_u64(),
                Some("boolean") => value.is_boolean(),
                Some("array") => value.is_array(),
                Some("object") => value.is_object(),
                _ => true,
            }
    };
    let wrong = |(name, value): &(&String, &Value)| {
        input["properties"].get(name.as_str()).is_some_and(|schema| !fits(schema, value))
    };
    let (name, _) = args.as_object()?.iter().find(wrong)?;
    let schema = &input["properties"][name];
    let must = match schema["enum"].as_array() {
        Some(choices) => {
            format!("one of {}", choices.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", "))
        }
        None => match schema["type"].as_str() {
            Some("integer") => "a whole number, 0 or more".to_owned(),
            Some("array") => "a list".to_owned(),
            Some("object") => "an object".to_owned(),
            kind => format!("a {}", kind.unwrap_or("value of another type")),
        },
    };
    Some(format!("`{name}` must be {must}"))
}
