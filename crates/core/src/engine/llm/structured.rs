//! Structured replies: requested in the strictest mode that a service supports, and validated in any case.

use std::future::Future;
use std::pin::Pin;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{json_in_text, schema};
use crate::ports::{
    Message, Model, ModelFailure, ModelRequest, Reply, ReplyFormat, ReplyFormatMode, StopReason,
};
use crate::{Error, Result};

/// Something that asks a model, and may log that it did.
pub trait ModelClient: Send + Sync {
    /// Sends one request and waits for the whole reply.
    fn ask<'a>(
        &'a self,
        request: &'a ModelRequest,
    ) -> Pin<Box<dyn Future<Output = Result<Reply, ModelFailure>> + Send + 'a>>;
}

/// Asks the model directly; nothing is logged.
impl ModelClient for &dyn Model {
    fn ask<'a>(
        &'a self,
        request: &'a ModelRequest,
    ) -> Pin<Box<dyn Future<Output = Result<Reply, ModelFailure>> + Send + 'a>> {
        Model::ask(*self, request, &|_| ())
    }
}

/// A parsed value, and the mode that produced it.
#[derive(Debug, Clone, PartialEq)]
pub struct StructuredAnswer<T> {
    /// The parsed reply.
    pub value: T,
    /// The mode that worked; start with it next time.
    pub by: ReplyFormatMode,
    /// The last reply, from which the value was read.
    pub reply: Reply,
}

/// Asks for a value of type `T`: by the service's own schema constraint, else by a forced tool call, else as JSON in
/// the text. A reply that does not fit is sent back once with the reason.
pub async fn ask_structured<T: DeserializeOwned + JsonSchema>(
    ask: &dyn ModelClient,
    request: ModelRequest,
    name: &str,
) -> Result<StructuredAnswer<T>> {
    ask_structured_from(ask, request, name, ReplyFormatMode::Schema).await
}

/// Asks for a structured reply, beginning with the mode that worked the last time.
pub async fn ask_structured_from<T: DeserializeOwned + JsonSchema>(
    ask: &dyn ModelClient,
    request: ModelRequest,
    name: &str,
    first: ReplyFormatMode,
) -> Result<StructuredAnswer<T>> {
    let read = |value| serde_json::from_value(value).map_err(|error| error.to_string());
    let shape = ReplyFormat { name: name.to_owned(), schema: schema::reply::<T>(), by: first };
    ask_shaped(ask, request, shape, &read).await.map_err(|unshaped| match unshaped {
        ShapeFailure::Failure(failure) => failure.into(),
        ShapeFailure::Filtered => Error::refused("the model's service refused to answer this"),
        ShapeFailure::Misfit { why, .. } => Error::failed(format!("the model's answer does not fit: {why}"))
            .hint("try again, or choose another with `wellread config set model.name NAME`"),
    })
}

/// Why there is no structured reply.
#[derive(Debug, Clone, PartialEq)]
pub enum ShapeFailure {
    /// The model could not be asked.
    Failure(ModelFailure),
    /// The service's content filter refused to answer.
    Filtered,
    /// The reply did not fit, nor did the second one after the model was told why.
    Misfit {
        /// Why the reply could not be parsed.
        why: String,
        /// The reply.
        said: String,
    },
}

/// Asks for JSON of a shape. `read` makes a value of it or says what is wrong, which is sent back to the model once.
pub async fn ask_shaped<T>(
    ask: &dyn ModelClient,
    mut request: ModelRequest,
    shape: ReplyFormat,
    read: &(dyn Fn(Value) -> Result<T, String> + Sync),
) -> Result<StructuredAnswer<T>, ShapeFailure> {
    let ReplyFormat { name, schema, mut by } = shape;
    let system = request.system.clone();
    let mut retried = false;
    loop {
        request.shape = Some(ReplyFormat { name: name.clone(), schema: schema.clone(), by });
        request.system = match by {
            ReplyFormatMode::Text => {
                format!("{system}\n\n{}", schema_instruction(&schema)).trim_start().to_owned()
            }
            _ => system.clone(),
        };
        let reply = match (ask.ask(&request).await, weaker(by)) {
            (Err(ModelFailure::Unsupported { .. }), Some(weaker)) => {
                by = weaker;
                continue;
            }
            (reply, _) => reply.map_err(ShapeFailure::Failure)?,
        };
        if reply.stop == StopReason::Filtered {
            return Err(ShapeFailure::Filtered);
        }
        let why = match parse_reply(&reply).and_then(read) {
            Ok(value) => return Ok(StructuredAnswer { value, by, reply }),
            Err(why) => why,
        };
        if retried {
            return Err(ShapeFailure::Misfit { why, said: reply.text });
        }
        retried = true;
        if !reply.text.trim().is_empty() {
            request.messages.push(Message::Assistant { text: reply.text, calls: Vec::new() });
        }
        let text = format!("This does not fit: {why}. {}", schema_instruction(&schema));
        request.messages.push(Message::User { text });
    }
}

fn weaker(by: ReplyFormatMode) -> Option<ReplyFormatMode> {
    match by {
        ReplyFormatMode::Schema => Some(ReplyFormatMode::Tool),
        ReplyFormatMode::Tool => Some(ReplyFormatMode::Text),
        ReplyFormatMode::Text => None,
    }
}

fn schema_instruction(schema: &Value) -> String {
    format!("Answer with one JSON value that fits this JSON schema, and with nothing else:\n{schema}")
}

/// Finds the JSON in a reply; `Err` says what is wrong with it.
fn parse_reply(reply: &Reply) -> Result<Value, String> {
    json_in_text(&reply.text).ok_or_else(|| match reply.stop {
        StopReason::Length => "it was cut off, for it is too long".to_owned(),
        _ => "it is no JSON".to_owned(),
    })
}
