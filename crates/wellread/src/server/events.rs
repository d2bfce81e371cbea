//! Server-sent events: what is going on, told to a client as it happens.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::http::header::ACCEPT;
use futures_util::Stream;
use futures_util::stream::unfold;
use serde::Serialize;
use serde_json::Value;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// How long a connection is silent at the most, so that nobody between takes it for dead.
pub const LONGEST_SILENCE: Duration = Duration::from_secs(15);
/// What is said where nothing has happened for so long: a comment.
pub const SILENCE: &str = ":\n\n";

/// Where events are told.
#[derive(Debug, Clone)]
pub struct EventSender(UnboundedSender<String>);

/// Where they are heard.
#[derive(Debug)]
pub struct EventReceiver(UnboundedReceiver<String>);

pub fn channel() -> (EventSender, EventReceiver) {
    let (sender, receiver) = unbounded_channel();
    (EventSender(sender), EventReceiver(receiver))
}

impl EventSender {
    /// Nobody may be listening any more.
    pub fn send(&self, name: &str, data: &Value) {
        let _ = self.0.send(format_event(name, data));
    }

    /// An event that names itself.
    pub fn send_event(&self, event: &impl Serialize) {
        if let Some((name, fields)) = split_event_name(event) {
            self.send(&name, &fields);
        }
    }
}

/// JSON has no line break of its own, so one line holds it.
pub fn format_event(name: &str, data: &Value) -> String {
    format!("event: {name}\ndata: {data}\n\n")
}

/// An event that names itself, with its number: who comes back says which it heard last.
pub fn format_numbered_event(number: u64, happening: &impl Serialize) -> Option<String> {
    split_event_name(happening)
        .map(|(name, fields)| format!("id: {number}\n{}", format_event(&name, &fields)))
}

/// The name that an event gives itself, and the rest of it.
fn split_event_name(event: &impl Serialize) -> Option<(String, Value)> {
    match serde_json::to_value(event) {
        Ok(Value::Object(mut fields)) => match fields.remove("event") {
            Some(Value::String(name)) => Some((name, Value::Object(fields))),
            _ => None,
        },
        _ => None,
    }
}

impl EventReceiver {
    /// Ends when nobody can tell any more.
    pub fn into_stream(self) -> impl Stream<Item = Result<Bytes, Infallible>> {
        unfold(self.0, |mut receiver| async {
            let next = match tokio::time::timeout(LONGEST_SILENCE, receiver.recv()).await {
                Ok(None) => return None,
                Ok(Some(event)) => event,
                Err(_) => SILENCE.to_owned(),
            };
            Some((Ok(Bytes::from(next)), receiver))
        })
    }
}

/// Whether a client wants to hear of what is going on.
pub fn wants_events(headers: &HeaderMap) -> bool {
    let accepts = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    accepts.flat_map(|value| value.split(',')).any(|one| {
        one.split(';').next().is_some_and(|essence| essence.trim().eq_ignore_ascii_case("text/event-stream"))
    })
}
