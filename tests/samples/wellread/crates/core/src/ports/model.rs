//! A language model: what it is asked and what it answers, in no wire format.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A model that can be asked. Where none is set up, there is an implementation that answers with the hint.
pub trait Model: Send + Sync {
    fn identity(&self) -> ModelIdentity;

    /// Asks once. What comes in pieces is told to `heard` as it comes; the reply holds all of it. Failures of the network,
    /// 429 and 5xx are tried again as the service asks; pieces that were told already are taken back by `Delta::Again`.
    fn ask<'a>(
        &'a self,
        request: &'a ModelRequest,
        heard: Heard<'a>,
    ) -> Pin<Box<dyn Future<Output = Result<Reply, ModelFailure>> + Send + 'a>>;
}

/// Who hears the pieces of a reply.
pub type Heard<'a> = &'a (dyn Fn(Delta) + Send + Sync);

/// Which model it is, and where.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelIdentity {
    pub name: String,
    /// Scheme, host and port. Empty where there is none.
    pub endpoint: String,
    /// Whether the endpoint is on this machine.
    pub is_local: bool,
    /// For a million tokens read and written, in US dollars, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<(f64, f64)>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelRequest {
    pub system: String,
    pub messages: Vec<Message>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolSpec>,
    #[serde(default)]
    pub choice: ToolChoice,
    /// A reply that must be JSON of this shape.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<Shape>,
    pub max_tokens: u32,
    /// In thousandths, so that equal requests are equal. None leaves it to the service.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<u32>,
    /// For all attempts together.
    pub limit: Duration,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    User {
        text: String,
    },
    Assistant {
        text: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        calls: Vec<ToolCall>,
    },
    /// What a tool answered.
    Tool {
        call_id: String,
        name: String,
        text: String,
        failed: bool,
    },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    pub name: String,
    pub about: String,
    /// A JSON schema.
    pub input: Value,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolChoice {
    /// As the model likes.
    #[default]
    Auto,
    /// No tool, though they are told of.
    None,
}

/// A shape that a reply must have, and how the service is asked for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Shape {
    /// Letters, digits and `_`.
    pub name: String,
    pub schema: Value,
    pub by: ShapeAs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ShapeAs {
    /// The service constrains the reply (`json_schema`); its text is the JSON.
    Schema,
    /// One forced tool call of the shape's name; its arguments are the JSON.
    Tool,
    /// Nothing is asked of the service: the prompt asks for JSON in the text.
    Text,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// As the service named it; one that names none gets a number.
    pub id: String,
    pub name: String,
    /// The arguments; what is no JSON comes as the string that it was.
    pub arguments: Value,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    pub text: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ToolCall>,
    pub stop: Stop,
    pub usage: Usage,
    /// How often it was asked until it answered.
    pub attempts: u32,
}

impl Reply {
    /// Whether it neither says nor calls for anything.
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty() && self.text.trim().is_empty()
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// It had said all.
    End,
    Tools,
    /// The reply is longer than it may be.
    Length,
    /// The service would not.
    Filtered,
    Other(String),
}

/// Tokens, as the service counted them; where it did not, as they were estimated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    pub read: u64,
    pub written: u64,
    pub estimated: bool,
}

/// A piece of a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Delta {
    Text(String),
    /// It begins to call this tool.
    Calls(String),
    /// What was told so far does not count: it is asked anew.
    Again,
}

/// Why there is no reply. Never holds a key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "failure", rename_all = "snake_case")]
pub enum ModelFailure {
    /// No model is set up, or not wholly; the hint says what to set.
    NotSetUp { message: String, hint: String },
    /// The key is missing or wrong; `hint` names the variable.
    Key { message: String, hint: String },
    /// Nobody answers there, or not in time.
    Unreachable { message: String },
    /// Too many requests or an overloaded service, after all attempts.
    Busy { message: String },
    /// The service can't do this: constrained replies, tools.
    Unsupported { what: String },
    /// The request is too long for the model.
    TooLong { message: String },
    /// The service says no to this request.
    Rejected { status: u16, message: String },
    /// An answer that is none.
    Broken { message: String },
}
