//! The JSON object that every tool answers with, in the log and to clients.

use serde_json::{Value, json};

use crate::Result;

/// The field that marks a transient failure: a later attempt may succeed.
pub const MAY_PASS: &str = "may_pass";

/// An answer's fields with `success: true` before them, or the error with its hint and details.
pub fn envelope(answer: Result<Value>) -> Value {
    match answer {
        Ok(Value::Object(fields)) => {
            let mut envelope = serde_json::Map::from_iter([("success".to_owned(), json!(true))]);
            envelope.extend(fields);
            Value::Object(envelope)
        }
        Ok(other) => json!({ "success": true, "result": other }),
        Err(error) => {
            let mut envelope = json!({ "success": false, "error": error.message() });
            if let Some(fields) = envelope.as_object_mut() {
                fields.extend(error.hint_text().map(|hint| ("hint".to_owned(), json!(hint))));
                fields.extend(error.details().clone());
            }
            envelope
        }
    }
}
