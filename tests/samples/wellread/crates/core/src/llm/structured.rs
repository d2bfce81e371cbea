//! Answers that have a shape: asked for in the strictest way that a service can, and looked at whichever it was.

use std::future::Future;
use std::pin::Pin;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{json_in_text, schema};
use crate::ports::{Message, Model, ModelFailure, ModelRequest, Reply, Shape, ShapeAs, Stop};
use crate::{Error, Result};

/// Whoever asks a model, and may write down that it did.
pub trait Ask: Send + Sync {
    fn ask<'a>(
        &'a self,
        request: &'a ModelRequest,
    ) -> Pin<Box<dyn Future<Output = Result<Reply, ModelFailure>> + Send + 'a>>;
}

/// A model, asked by nobody in particular.
impl Ask for &dyn Model {
    fn ask<'a>(
        &'a self,
        request: &'a ModelRequest,
    ) -> Pin<Box<dyn Future<Output = Result<Reply, ModelFailure>> + Send + 'a>> {
        Model::ask(*self, request, &|_| ())
    }
}

/// A value of a shape, and how it was come by.
#[derive(Debug, Clone, PartialEq)]
pub struct Structured<T> {
    pub value: T,
    /// The way that worked, for the next time: the services do not change their minds.
    pub by: ShapeAs,
    /// The last reply, from which the value was read.
    pub reply: Reply,
}

/// Asks for a value of this shape: by the service's own constraint, else by a forced tool call, else as JSON in the
/// text; what is no JSON or does not fit is told to the model once.
pub async fn structured<T: DeserializeOwned + JsonSchema>(
    ask: &dyn Ask,
    request: ModelRequest,
    name: &str,
) -> Result<Structured<T>> {
    structured_from(ask, request, name, ShapeAs::Schema).await
}

/// The same, beginning with the way that worked the last time.
pub async fn structured_from<T: DeserializeOwned + JsonSchema>(
    ask: &dyn Ask,
    request: ModelRequest,
    name: &str,
    first: ShapeAs,
) -> Result<Structured<T>> {
    let read = |value| serde_json::from_value(value).map_err(|error| error.to_string());
    let shape = Shape { name: name.to_owned(), schema: schema::reply::<T>(), by: first };
    shaped(ask, request, shape, &read).await.map_err(|unshaped| match unshaped {
        Unshaped::Failure(failure) => failure.into(),
        Unshaped::Filtered => Error::refused("the model's service would not answer this"),
        Unshaped::Misfit { why, .. } => Error::failed(format!("the model's answer does not fit: {why}"))
            .hint("try again, or choose another with `wellread config set model.name NAME`"),
    })
}

/// Why there is no value of the shape.
#[derive(Debug, Clone, PartialEq)]
pub enum Unshaped {
    Failure(ModelFailure),
    /// The service would not.
    Filtered,
    /// It did not fit, and did not fit again after that was told.
    Misfit {
        why: String,
        said: String,
    },
}

/// Asks for JSON of a shape, from which `read` makes a value or says what is wrong with it.
pub async fn shaped<T>(
    ask: &dyn Ask,
    mut request: ModelRequest,
    shape: Shape,
    read: &(dyn Fn(Value) -> Result<T, String> + Sync),
) -> Result<Structured<T>, Unshaped> {
    let Shape { name, schema, mut by } = shape;
    let system = request.system.clone();
    let mut told = false;
    loop {
        request.shape = Some(Shape { name: name.clone(), schema: schema.clone(), by });
        request.system = match by {
            ShapeAs::Text => format!("{system}\n\n{}", in_words(&schema)).trim_start().to_owned(),
            _ => system.clone(),
        };
        let reply = match (ask.ask(&request).await, weaker(by)) {
            (Err(ModelFailure::Unsupported { .. }), Some(weaker)) => {
                by = weaker;
                continue;
            }
            (reply, _) => reply.map_err(Unshaped::Failure)?,
        };
        if reply.stop == Stop::Filtered {
            return Err(Unshaped::Filtered);
        }
        let why = match json_of(&reply).and_then(read) {
            Ok(value) => return Ok(Structured { value, by, reply }),
            Err(why) => why,
        };
        if told {
            return Err(Unshaped::Misfit { why, said: reply.text });
        }
        told = true;
        if !reply.text.trim().is_empty() {
            request.messages.push(Message::Assistant { text: reply.text, calls: Vec::new() });
        }
        let text = format!("This does not fit: {why}. {}", in_words(&schema));
        request.messages.push(Message::User { text });
    }
}

fn weaker(by: ShapeAs) -> Option<ShapeAs> {
    match by {
        ShapeAs::Schema => Some(ShapeAs::Tool),
        ShapeAs::Tool => Some(ShapeAs::Text),
        ShapeAs::Text => None,
    }
}

fn in_words(schema: &Value) -> String {
    format!("Answer with one JSON value that fits this JSON schema, and with nothing else:\n{schema}")
}

/// The JSON that a reply holds, or what is wrong with it.
fn json_of(reply: &Reply) -> Result<Value, String> {
    json_in_text(&reply.text).ok_or_else(|| match reply.stop {
        Stop::Length => "it was cut off, for it is too long".to_owned(),
        _ => "it is no JSON".to_owned(),
    })
}
