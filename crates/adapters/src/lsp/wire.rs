//! The messages of the protocol: answers, requests and notifications.
//!
//! Only the needed parts of a message are parsed; the rest is skipped without being stored.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A message's id, chosen by its sender.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum MessageId {
    Number(i64),
    Text(String),
}

#[derive(Debug, PartialEq)]
pub enum IncomingMessage {
    /// An answer to our request, with the error code if it is an error.
    Answer {
        id: u64,
        error: Option<i64>,
    },
    Question {
        id: MessageId,
        method: String,
    },
    News {
        method: String,
    },
    /// Valid JSON, but none of these.
    Nothing,
}

#[derive(Deserialize)]
struct MessageHead {
    #[serde(default)]
    id: Option<MessageId>,
    #[serde(default)]
    method: Option<String>,
    #[serde(default)]
    error: Option<ErrorObject>,
}

#[derive(Deserialize)]
struct ErrorObject {
    #[serde(default)]
    code: i64,
}

impl IncomingMessage {
    /// Parses a message; `None` if it is not a JSON object of this protocol.
    pub fn parse(message: &[u8]) -> Option<Self> {
        // A list would be read as the fields in order.
        message.trim_ascii_start().starts_with(b"{").then_some(())?;
        let head: MessageHead = serde_json::from_slice(message).ok()?;
        Some(match (head.id, head.method) {
            (Some(id), Some(method)) => Self::Question { id, method },
            (None, Some(method)) => Self::News { method },
            (Some(MessageId::Number(id)), None) => match u64::try_from(id) {
                Ok(id) => Self::Answer { id, error: head.error.map(|error| error.code) },
                Err(_) => Self::Nothing,
            },
            _ => Self::Nothing,
        })
    }
}

/// The `result` of a message, parsed; `None` if it does not fit.
pub fn result<T: for<'a> Deserialize<'a>>(message: &[u8]) -> Option<T> {
    #[derive(Deserialize)]
    struct Result<T> {
        result: T,
    }
    serde_json::from_slice(message).ok().map(|whole: Result<T>| whole.result)
}

/// The `params` of a message, parsed; `None` if they do not fit.
pub fn params<T: for<'a> Deserialize<'a>>(message: &[u8]) -> Option<T> {
    #[derive(Deserialize)]
    struct Params<T> {
        params: T,
    }
    serde_json::from_slice(message).ok().map(|whole: Params<T>| whole.params)
}

pub fn request(id: u64, method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

pub fn notification(method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "method": method, "params": params })
}

pub fn response(id: &MessageId, result: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

const UNKNOWN_METHOD: i64 = -32601;

pub fn method_not_found(id: &MessageId) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": UNKNOWN_METHOD, "message": "not offered" } })
}

pub fn is_method_not_found(code: i64) -> bool {
    code == UNKNOWN_METHOD
}

/// Whether the same request may succeed in a moment: the content changed, or the server cancelled it.
pub fn is_transient(code: i64) -> bool {
    matches!(code, -32802..=-32800)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_an_answer_a_question_or_news() {
        let text = |text: &str| text.to_owned();
        for (message, expected) in [
            (r#"{"id":7,"result":null}"#, Some(IncomingMessage::Answer { id: 7, error: None })),
            (
                r#"{"id":7,"error":{"code":-32601,"message":"x"}}"#,
                Some(IncomingMessage::Answer { id: 7, error: Some(-32601) }),
            ),
            (
                r#"{"id":"a","method":"m","params":[1]}"#,
                Some(IncomingMessage::Question { id: MessageId::Text(text("a")), method: text("m") }),
            ),
            (r#"{"method":"m"}"#, Some(IncomingMessage::News { method: text("m") })),
            (r#"{"id":-7}"#, Some(IncomingMessage::Nothing)),
            (r#"{"id":null,"error":{"code":1}}"#, Some(IncomingMessage::Nothing)),
            (r#"{"id":1.5}"#, None),
            ("[]", None),
            ("[7]", None),
            ("{\"id\":", None),
            ("\u{feff}{}", None),
        ] {
            assert_eq!(IncomingMessage::parse(message.as_bytes()), expected, "{message}");
        }
        let deep = format!("{{\"id\":1,\"result\":{}", "[".repeat(100_000));
        assert_eq!(IncomingMessage::parse(deep.as_bytes()), None);
    }
}
