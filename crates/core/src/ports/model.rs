//! A language model: requests and answers, independent of any wire format.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A language model. If none is set up, an implementation answers every request with a hint.
pub trait Model: Send + Sync {
    /// The model's name and where it runs.
    fn identity(&self) -> ModelIdentity;

    /// Sends a request. Pieces of the reply are passed to `heard` as they arrive; the returned reply has all of them.
    /// Network errors, 429 and 5xx are retried as the service asks; [`Delta::Again`] then takes back the pieces so far.
    fn ask<'a>(
        &'a self,
        request: &'a ModelRequest,
        heard: DeltaHandler<'a>,
    ) -> Pin<Box<dyn Future<Output = Result<Reply, ModelFailure>> + Send + 'a>>;
}

/// Receives the pieces of a reply.
pub type DeltaHandler<'a> = &'a (dyn Fn(Delta) + Send + Sync);

/// The model's name, and where it runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelIdentity {
    /// The model's name.
    pub name: String,
    /// Scheme, host and port; empty if no model is set up.
    pub endpoint: String,
    /// Whether the endpoint is on this machine.
    pub is_local: bool,
    /// US dollars per million tokens, read and written, if known.
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
    /// Whether the model may call tools.
    #[serde(default)]
    pub choice: ToolChoice,
    /// The JSON format that the reply must have, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<ReplyFormat>,
    /// The maximum number of tokens of the reply.
    pub max_tokens: u32,
    /// In thousandths, so that equal requests are equal; `None` leaves it to the service.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<u32>,
    /// The time limit for all attempts together.
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
    /// The answer of a tool.
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
    /// The JSON schema of its arguments.
    pub input: Value,
}

/// Whether a model may or must not call a tool.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolChoice {
    /// The model decides.
    #[default]
    Auto,
    /// The model must not call a tool, though they are described to it.
    None,
}

/// A JSON format for a reply, and how the service is asked for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReplyFormat {
    /// The format's name: letters, digits and `_`.
    pub name: String,
    /// The JSON schema that the reply must match.
    pub schema: Value,
    /// How the schema is enforced.
    pub by: ReplyFormatMode,
}

/// How a JSON schema is enforced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplyFormatMode {
    /// The service constrains the reply (`json_schema`); the reply's text is the JSON.
    Schema,
    /// One forced tool call with the format's name; its arguments are the JSON.
    Tool,
    /// The service is not asked: the prompt asks for JSON in the text.
    Text,
}

/// A tool call of a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The id that the service gave; a number if it gave none.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments; as a string if they are not valid JSON.
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
    /// How many attempts it took.
    pub attempts: u32,
}

impl Reply {
    /// Whether it has neither text nor tool calls.
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty() && self.text.trim().is_empty()
    }
}

/// Why a model stopped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The reply is complete.
    End,
    /// The model calls tools.
    Tools,
    /// The reply was cut at the maximum length.
    Length,
    /// The service refused to answer.
    Filtered,
    /// Another reason, in the service's words.
    Other(String),
}

/// Token counts from the service, or estimated if the service gave none.
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
    /// The model begins to call this tool.
    Calls(String),
    /// Discard the pieces so far: the request is sent again.
    Again,
}

/// Why there is no reply. Never contains a key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "failure", rename_all = "snake_case")]
pub enum ModelFailure {
    /// No model is set up, or not completely; the hint says what to set.
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
    /// The service could not be reached, or did not answer in time.
    Unreachable {
        /// The error.
        message: String,
    },
    /// Too many requests or an overloaded service, after all attempts.
    Busy {
        /// What the service said.
        message: String,
    },
    /// The service does not support constrained replies or tools.
    Unsupported {
        /// What the service does not support.
        what: String,
    },
    /// The request is too long for the model.
    TooLong {
        /// What the service said.
        message: String,
    },
    /// The service rejected the request.
    Rejected {
        /// The HTTP status.
        status: u16,
        /// What the service said.
        message: String,
    },
    /// The service's answer could not be parsed.
    Broken {
        /// What is wrong with the reply.
        message: String,
    },
}
