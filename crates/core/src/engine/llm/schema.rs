//! JSON schemas that every service understands: inline, without number formats, without nullable unions.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// The schema that constrains a model's reply. Services want every field required and no others allowed, so the model
/// has to fill in optional fields too.
pub fn reply<T: JsonSchema>() -> Value {
    let mut schema = plain_schema::<T>(SchemaSettings::draft2020_12());
    close(&mut schema);
    schema
}

/// The schema of an action's input.
pub fn input<T: JsonSchema>() -> Value {
    plain_schema::<T>(SchemaSettings::draft2020_12())
}

/// Closes a schema as `reply` does: every field required, no others allowed.
pub fn into_closed(mut schema: Value) -> Value {
    close(&mut schema);
    schema
}

/// A type's schema, inlined, without what some clients reject: formats, `null`, and the root's title and description.
pub(crate) fn plain_schema<T: JsonSchema>(mut settings: SchemaSettings) -> Value {
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    clean(&mut schema);
    if let Some(fields) = schema.as_object_mut() {
        // The type's own name and comment say nothing to a client.
        fields.remove("title");
        fields.remove("description");
        fields.entry("type").or_insert_with(|| json!("object"));
    }
    schema
}

fn clean(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            fields.remove("format");
            drop_null(fields);
            // Below `properties` the keys are names, whatever they look like.
            for (key, value) in fields.iter_mut() {
                match (key.as_str(), value) {
                    ("properties", Value::Object(named)) => named.values_mut().for_each(clean),
                    ("default" | "const" | "enum", _) => {}
                    (_, value) => clean(value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(clean),
        _ => {}
    }
}

/// Removes `null` from a field's types and choices: that the field may be left out says enough.
fn drop_null(fields: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = fields.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            fields.insert("type".to_owned(), only);
        }
    }
    if fields.get("default").is_some_and(Value::is_null) {
        fields.remove("default");
    }
    if let Some(Value::Array(choices)) = fields.get_mut("enum") {
        choices.retain(|choice| !choice.is_null());
    }
    if let Some(Value::Array(choices)) = fields.get_mut("anyOf") {
        choices.retain(|choice| choice["type"] != "null");
        if let [only] = choices.as_slice() {
            let only = only.clone();
            fields.remove("anyOf");
            if let Value::Object(only) = only {
                fields.extend(only);
            }
        }
    }
}

/// Requires every field of every object, forbids others, and turns `oneOf` into `anyOf`, which all services know.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            fields.remove("default");
            if let Some(alternatives) = fields.remove("oneOf") {
                fields.insert("anyOf".to_owned(), alternatives);
            }
            if let Some(Value::Object(named)) = fields.get("properties") {
                let all: Vec<Value> = named.keys().map(|name| json!(name)).collect();
                fields.insert("required".to_owned(), json!(all));
                fields.insert("additionalProperties".to_owned(), json!(false));
            }
            for (key, value) in fields.iter_mut() {
                match (key.as_str(), value) {
                    ("properties" | "$defs", Value::Object(named)) => named.values_mut().for_each(close),
                    ("const" | "enum" | "required", _) => {}
                    (_, value) => close(value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}
