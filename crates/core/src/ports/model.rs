//! A language model: requests and answers, independent of any wire format.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A model that can be asked. Where none is set up, there is an implementation that answers with the hint.
pub trait Model: Send + Sync {
    /// The model's name and where it runs.
    fn identity(&self) -> ModelIdentity;

    /// Asks once. What comes in pieces is told to `heard` as it comes; the reply holds all of it. Failures of the network,
    /// 429 and 5xx are tried again as the service asks; pieces that were told already are taken back by `Delta::Again`.
    fn ask<'a>(
        &'a self,
        request: &'a ModelRequest,
        heard: DeltaHandler<'a>,
    ) -> Pin<Box<dyn Future<Output = Result<Reply, ModelFailure>> + Send + 'a>>;
}

/// Who hears the pieces of a reply.
pub type DeltaHandler<'a> = &'a (dyn Fn(Delta) + Send + Sync);

/// Which model it is, and where.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelIdentity {
    /// The model's name.
    pub name: String,
    /// Scheme, host and port. Empty where there is none.
    pub endpoint: String,
    /// Whether the endpoint is on this machine.
    pub is_local: bool,
    /// For a million tokens read and written, in US dollars, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<(f64, f64)>,
}

/// A request to a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelRequest {
    /// The system prompt.
    pub system: String,
    /// The messages, oldest first.
    pub messages: Vec<Message>,
    /// The tools that the model may call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolSpec>,
    /// Whether the model may, must or must not call a tool.
    #[serde(default)]
    pub choice: ToolChoice,
    /// A reply that must be JSON of this shape.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<ReplyFormat>,
    /// The most tokens of the reply.
    pub max_tokens: u32,
    /// In thousandths, so that equal requests are equal. None leaves it to the service.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<u32>,
    /// For all attempts together.
    pub limit: Duration,
}

/// A message of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    /// A message of the user.
    User {
        /// The text.
        text: String,
    },
    /// A message of the model.
    Assistant {
        /// The text.
        text: String,
        /// The tools that it calls.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        calls: Vec<ToolCall>,
    },
    /// What a tool answered.
    Tool {
        /// The id of the call that this answers.
        call_id: String,
        /// The tool's name.
        name: String,
        /// The tool's answer.
        text: String,
        /// Whether the tool failed.
        failed: bool,
    },
}

/// A tool as it is described to a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// The tool's name.
    pub name: String,
    /// What the tool does.
    pub about: String,
    /// A JSON schema.
    pub input: Value,
}

/// Whether a model may, must or must not call a tool.
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
pub struct ReplyFormat {
    /// Letters, digits and `_`.
    pub name: String,
    /// The JSON schema that the reply must match.
    pub schema: Value,
    /// How the model is held to the schema.
    pub by: ReplyFormatMode,
}

/// How a model is held to a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplyFormatMode {
    /// The service constrains the reply (`json_schema`); its text is the JSON.
    Schema,
    /// One forced tool call of the shape's name; its arguments are the JSON.
    Tool,
    /// Nothing is asked of the service: the prompt asks for JSON in the text.
    Text,
}

/// A tool call of a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// As the service named it; one that names none gets a number.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments; what is no JSON comes as the string that it was.
    pub arguments: Value,
}

/// A model's reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// The text.
    pub text: String,
    /// The tools that it calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ToolCall>,
    /// Why the model stopped.
    pub stop: StopReason,
    /// The tokens used.
    pub usage: TokenUsage,
    /// How often it was asked until it answered.
    pub attempts: u32,
}

impl Reply {
    /// Whether it neither says nor calls for anything.
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty() && self.text.trim().is_empty()
    }
}

/// Why a model stopped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// It had said all.
    End,
    /// It calls tools.
    Tools,
    /// The reply is longer than it may be.
    Length,
    /// The service would not.
    Filtered,
    /// Another reason, in the service's words.
    Other(String),
}

/// Tokens, as the service counted them; where it did not, as they were estimated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenUsage {
    /// The tokens of the request.
    pub read: u64,
    /// The tokens of the reply.
    pub written: u64,
    /// Whether the counts are estimated.
    pub estimated: bool,
}

/// A piece of a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Delta {
    /// A piece of the text.
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
    NotSetUp {
        /// What is missing.
        message: String,
        /// What to do about it.
        hint: String,
    },
    /// The key is missing or wrong; `hint` names the variable.
    Key {
        /// What is wrong with the key.
        message: String,
        /// What to do about it.
        hint: String,
    },
    /// Nobody answers there, or not in time.
    Unreachable {
        /// The error.
        message: String,
    },
    /// Too many requests or an overloaded service, after all attempts.
    Busy {
        /// What the service said.
        message: String,
    },
    /// The service can't do this: constrained replies, tools.
    Unsupported {
        /// What the service does not support.
        what: String,
    },
    /// The request is too long for the model.
    TooLong {
        /// What the service said.
        message: String,
    },
    /// The service says no to this request.
    Rejected {
        /// The HTTP status.
        status: u16,
        /// What the service said.
        message: String,
    },
    /// An answer that is none.
    Broken {
        /// What is wrong with the reply.
        message: String,
    },
}
