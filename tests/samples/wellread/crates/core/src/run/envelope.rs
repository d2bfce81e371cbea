//! The one object that every tool answers with, in a log as before a client.

use serde_json::{Value, json};

use crate::Result;

/// How an answer is marked that may be another one next time.
pub const MAY_PASS: &str = "may_pass";

/// An answer's fields with `success` before them, or what went wrong.
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
