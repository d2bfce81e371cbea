//! Reads an answer as it comes: whether it is a stream or whole is seen from its first byte, whatever it calls itself.

use serde_json::{Value, json};
use tokio::time::timeout;
use wellread_core::ports::ModelFailure;

use super::events::{Events, TooLong};
use super::refusal::{Refusal, Trouble};
use super::reply_builder::{Gathered, broken};
use super::{RemoteModel, Wire, anthropic, openai};
use crate::http::{Failure, Pieces};

/// Of bytes on the wire. Most of them are not the reply: a stream wraps each word in a line of its own.
const LARGEST_ANSWER: usize = 32 << 20;

impl RemoteModel {
    /// Reads an answer to its end: a stream of events, or one that is whole though a stream was asked for.
    pub(super) async fn read(
        &self,
        pieces: &mut Pieces,
        gathered: &mut Gathered<'_>,
        refusal: &Refusal<'_>,
    ) -> Result<(), Trouble> {
        let (mut size, mut head, mut events) = (0, Vec::new(), None);
        loop {
            let piece = match size {
                // How long a model thinks before the first word is a matter of the whole limit.
                0 => pieces.next().await,
                _ => timeout(self.pace.idle, pieces.next()).await.unwrap_or(Err(Failure::TimedOut)),
            };
            let Some(piece) = piece.map_err(|failure| self.passing(&failure))? else { break };
            size += piece.len();
            if size > LARGEST_ANSWER {
                return Err(Trouble::Final(broken("the answer is too large")));
            }
            let stream: &mut Events = match &mut events {
                Some(stream) => stream,
                None => {
                    head.extend_from_slice(&piece);
                    if !begins_a_stream(&head) {
                        continue;
                    }
                    events.insert(Events::default())
                }
            };
            let fresh = if head.is_empty() { piece } else { std::mem::take(&mut head) };
            let found = stream.push(&fresh);
            let found =
                found.map_err(|TooLong| Trouble::Final(broken("a line of the answer is too long")))?;
            for data in found {
                self.hear(&data, gathered, refusal)?;
            }
        }
        match &mut events {
            Some(stream) => {
                if let Some(data) = stream.end() {
                    self.hear(&data, gathered, refusal)?;
                }
            }
            None => self.hear_whole(&head, gathered, refusal)?,
        }
        if !gathered.ended && !pieces.framed {
            return Err(self.passing(&Failure::Cut("it has no end".to_owned())));
        }
        if !gathered.answered {
            return Err(Trouble::Final(broken("the answer holds no reply")));
        }
        Ok(())
    }

    fn hear(&self, data: &str, gathered: &mut Gathered, refusal: &Refusal<'_>) -> Result<(), Trouble> {
        if data.trim() == "[DONE]" {
            gathered.ended = true;
            return Ok(());
        }
        match serde_json::from_str(data) {
            Ok(object) => self.take(&object, gathered, refusal),
            // Several objects in lines of one event; what is none is passed over, as a comment would be.
            Err(_) => {
                let objects = data.lines().filter_map(|line| serde_json::from_str(line).ok());
                objects.into_iter().try_for_each(|object| self.take(&object, gathered, refusal))
            }
        }
    }

    /// One object, or several one behind the other.
    fn hear_whole(&self, body: &[u8], gathered: &mut Gathered, refusal: &Refusal<'_>) -> Result<(), Trouble> {
        let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
        for object in serde_json::Deserializer::from_slice(body).into_iter::<Value>() {
            let Ok(object) = object else {
                let message = format!("the answer is no JSON{}", refusal.said(body));
                return Err(Trouble::Final(ModelFailure::Broken { message }));
            };
            self.take(&object, gathered, refusal)?;
        }
        Ok(())
    }

    fn take(&self, object: &Value, gathered: &mut Gathered, refusal: &Refusal<'_>) -> Result<(), Trouble> {
        match &object["error"] {
            Value::Null => {}
            Value::String(said) => return Err(refusal.within(&json!({ "message": said }))),
            error => return Err(refusal.within(error)),
        }
        let taken = match self.service.wire {
            Wire::OpenAi => openai::take(object, gathered),
            Wire::Anthropic => anthropic::take(object, gathered),
        };
        taken.map_err(Trouble::Final)
    }
}

/// Whole answers begin with a bracket, pages with another; anything else is a stream of events.
fn begins_a_stream(head: &[u8]) -> bool {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let first = head.iter().find(|byte| !byte.is_ascii_whitespace());
    // The mark of UTF-8 may come in pieces, too.
    first.is_some_and(|first| !matches!(first, b'{' | b'[' | b'<' | 0xef))
}
