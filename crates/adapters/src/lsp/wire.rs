//! What a server sends: answers to what it was asked, questions of its own, and news.
//!
//! Only what is needed of a message is taken out of it; the rest is passed over without being kept.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A message's number, as whoever asks made it up.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum MessageId {
    Number(i64),
    Text(String),
}

#[derive(Debug, PartialEq)]
pub enum IncomingMessage {
    /// To a question of ours; with the code of an error where it is one.
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
    /// JSON, and yet none of these.
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
    /// Nothing where it is no JSON object of this protocol.
    pub fn parse(message: &[u8]) -> Option<Self> {
        // A list would be taken for the fields in their order.
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

/// The part of a message that is called `result`, as what is expected there.
pub fn result<T: for<'a> Deserialize<'a>>(message: &[u8]) -> Option<T> {
    #[derive(Deserialize)]
    struct Result<T> {
        result: T,
    }
    serde_json::from_slice(message).ok().map(|whole: Result<T>| whole.result)
}

/// The part that is called `params`.
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

/// Whether the same question may be answered in a moment: the content changed, or the server gave it up.
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
