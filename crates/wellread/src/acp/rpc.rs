//! JSON-RPC 2.0 as the Agent Client Protocol uses it: one message per line, no batches.

use serde_json::{Value, json};
use wellread_core::{Error, ErrorKind};

const PARSE_ERROR: i64 = -32700;
const INVALID_REQUEST: i64 = -32600;
const METHOD_NOT_FOUND: i64 = -32601;
const INVALID_PARAMS: i64 = -32602;
const INTERNAL_ERROR: i64 = -32603;
const NOT_FOUND: i64 = -32002;

/// A message from the client.
#[derive(Debug, PartialEq)]
pub enum RpcMessage {
    Request {
        id: Value,
        method: String,
        params: Value,
    },
    Notification {
        method: String,
        params: Value,
    },
    /// The answer to a request of ours: its result, or `None` if the client failed.
    Response {
        id: Value,
        result: Option<Value>,
    },
    /// What is no message. It is answered under its id, as far as it has one.
    Invalid {
        id: Value,
        error: RpcError,
    },
}

/// Why a request can't be served.
#[derive(Debug, PartialEq)]
pub struct RpcError {
    code: i64,
    message: String,
    data: Value,
}

impl RpcError {
    pub fn invalid_request(message: impl Into<String>) -> Self {
        Self { code: INVALID_REQUEST, message: message.into(), data: Value::Null }
    }

    pub fn invalid_params(message: impl Into<String>) -> Self {
        Self { code: INVALID_PARAMS, message: message.into(), data: Value::Null }
    }

    pub fn unknown_method(method: &str) -> Self {
        Self { code: METHOD_NOT_FOUND, message: "there is no such method".to_owned(), data: json!(method) }
    }

    pub fn unknown_session(id: &str) -> Self {
        let data = json!({ "sessionId": id, "hint": "`session/new` starts one" });
        Self { code: NOT_FOUND, message: "there is no such session".to_owned(), data }
    }

    pub fn line_too_long(longest: usize) -> Self {
        Self::invalid_request(format!("the message is longer than {longest} bytes"))
    }

    pub fn to_json(&self) -> Value {
        let mut error = json!({ "code": self.code, "message": self.message });
        if !self.data.is_null() {
            error["data"] = self.data.clone();
        }
        error
    }
}

/// Editors show the message alone, so that the hint is part of it.
impl From<Error> for RpcError {
    fn from(error: Error) -> Self {
        let code = match error.kind() {
            ErrorKind::Invalid => INVALID_PARAMS,
            ErrorKind::NotFound => NOT_FOUND,
            _ => INTERNAL_ERROR,
        };
        let message = match error.hint_text() {
            Some(hint) => format!("{error} ({hint})"),
            None => error.to_string(),
        };
        let data = if error.details().is_empty() { Value::Null } else { json!(error.details()) };
        Self { code, message, data }
    }
}

impl RpcMessage {
    /// The message on a line.
    pub fn parse(line: &[u8]) -> Self {
        let mut message = match serde_json::from_slice::<Value>(line) {
            Ok(message) => message,
            Err(error) => {
                let message = format!("the line is not JSON: {error}");
                let error = RpcError { code: PARSE_ERROR, message, data: Value::Null };
                return Self::Invalid { id: Value::Null, error };
            }
        };
        let invalid = |id: Value, why: &str| Self::Invalid { id, error: RpcError::invalid_request(why) };
        let Value::Object(fields) = &mut message else {
            return invalid(Value::Null, "a message is one JSON object per line; there are no batches");
        };
        let id = fields.remove("id");
        if !matches!(id, None | Some(Value::Null | Value::String(_) | Value::Number(_))) {
            return invalid(Value::Null, "an id is a number or a string");
        }
        if fields.get("jsonrpc") != Some(&json!("2.0")) {
            return invalid(id.unwrap_or_default(), "this is not JSON-RPC 2.0");
        }
        let params = fields.remove("params").unwrap_or_default();
        match (fields.remove("method"), id) {
            (Some(Value::String(method)), Some(id)) => Self::Request { id, method, params },
            (Some(Value::String(method)), None) => Self::Notification { method, params },
            (None, Some(id)) if fields.contains_key("result") || fields.contains_key("error") => {
                Self::Response { id, result: fields.remove("result") }
            }
            (_, id) => invalid(id.unwrap_or_default(), "there is no method"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_told_apart() {
        let parse = |message: Value| RpcMessage::parse(message.to_string().as_bytes());
        let method = || "session/new".to_owned();
        assert_eq!(
            parse(json!({ "jsonrpc": "2.0", "id": "a", "method": "session/new", "params": { "x": 1 } })),
            RpcMessage::Request { id: json!("a"), method: method(), params: json!({ "x": 1 }) }
        );
        assert_eq!(
            parse(json!({ "jsonrpc": "2.0", "method": "session/new" })),
            RpcMessage::Notification { method: method(), params: Value::Null }
        );
        assert_eq!(
            parse(json!({ "jsonrpc": "2.0", "id": 7, "error": { "code": 1, "message": "no" } })),
            RpcMessage::Response { id: json!(7), result: None }
        );
    }

    #[test]
    fn what_is_no_message_is_answered_under_its_id() {
        let code = |line: &[u8]| match RpcMessage::parse(line) {
            RpcMessage::Invalid { id, error } => (id, error.code),
            other => panic!("{other:?}"),
        };
        for line in [&b"{"[..], b"\xff\xfe", b"", "[".repeat(1000).as_bytes()] {
            assert_eq!(code(line), (Value::Null, PARSE_ERROR));
        }
        for line in ["[]", "7", "null", "\"x\"", "{}", r#"{"jsonrpc":"2.0","id":[],"method":"x"}"#] {
            assert_eq!(code(line.as_bytes()), (Value::Null, INVALID_REQUEST), "{line}");
        }
        for line in [
            r#"{"id":3,"method":"x"}"#,
            r#"{"jsonrpc":"1.0","id":3,"method":"x"}"#,
            r#"{"jsonrpc":"2.0","id":3}"#,
            r#"{"jsonrpc":"2.0","id":3,"method":4}"#,
        ] {
            assert_eq!(code(line.as_bytes()), (json!(3), INVALID_REQUEST), "{line}");
        }
    }
}
