//! Reads an answer as it comes: whether it is a stream or whole is seen from its first byte, whatever it calls itself.

use serde_json::{Value, json};
use tokio::time::timeout;
use wellread_core::ports::ModelFailure;

use super::events::{EventParser, LineTooLong};
use super::refusal::{AttemptFailure, RefusalContext};
use super::reply_builder::{ReplyBuilder, broken_failure};
use super::{ModelWireFormat, RemoteModel, anthropic, openai};
use crate::http::{HttpFailure, ResponseStream};

/// Of bytes on the wire. Most of them are not the reply: a stream wraps each word in a line of its own.
const LARGEST_ANSWER: usize = 32 << 20;

impl RemoteModel {
    /// Reads an answer to its end: a stream of events, or one that is whole though a stream was asked for.
    pub(super) async fn read_answer(
        &self,
        pieces: &mut ResponseStream,
        gathered: &mut ReplyBuilder<'_>,
        refusal: &RefusalContext<'_>,
    ) -> Result<(), AttemptFailure> {
        let (mut size, mut head, mut events) = (0, Vec::new(), None);
        loop {
            let piece = match size {
                // How long a model thinks before the first word is a matter of the whole limit.
                0 => pieces.next().await,
                _ => timeout(self.pace.idle, pieces.next()).await.unwrap_or(Err(HttpFailure::TimedOut)),
            };
            let Some(piece) = piece.map_err(|failure| self.classify_failure(&failure))? else { break };
            size += piece.len();
            if size > LARGEST_ANSWER {
                return Err(AttemptFailure::Final(broken_failure("the answer is too large")));
            }
            let stream: &mut EventParser = match &mut events {
                Some(stream) => stream,
                None => {
                    head.extend_from_slice(&piece);
                    if !is_stream(&head) {
                        continue;
                    }
                    events.insert(EventParser::default())
                }
            };
            let fresh = if head.is_empty() { piece } else { std::mem::take(&mut head) };
            let found = stream.push(&fresh);
            let found = found.map_err(|LineTooLong| {
                AttemptFailure::Final(broken_failure("a line of the answer is too long"))
            })?;
            for data in found {
                self.take_event(&data, gathered, refusal)?;
            }
        }
        match &mut events {
            Some(stream) => {
                if let Some(data) = stream.finish() {
                    self.take_event(&data, gathered, refusal)?;
                }
            }
            None => self.take_whole_answer(&head, gathered, refusal)?,
        }
        if !gathered.ended && !pieces.framed {
            return Err(self.classify_failure(&HttpFailure::Cut("it has no end".to_owned())));
        }
        if !gathered.answered {
            return Err(AttemptFailure::Final(broken_failure("the answer holds no reply")));
        }
        Ok(())
    }

    fn take_event(
        &self,
        data: &str,
        gathered: &mut ReplyBuilder,
        refusal: &RefusalContext<'_>,
    ) -> Result<(), AttemptFailure> {
        if data.trim() == "[DONE]" {
            gathered.ended = true;
            return Ok(());
        }
        match serde_json::from_str(data) {
            Ok(object) => self.take_object(&object, gathered, refusal),
            // Several objects in lines of one event; what is none is passed over, as a comment would be.
            Err(_) => {
                let objects = data.lines().filter_map(|line| serde_json::from_str(line).ok());
                objects.into_iter().try_for_each(|object| self.take_object(&object, gathered, refusal))
            }
        }
    }

    /// One object, or several one behind the other.
    fn take_whole_answer(
        &self,
        body: &[u8],
        gathered: &mut ReplyBuilder,
        refusal: &RefusalContext<'_>,
    ) -> Result<(), AttemptFailure> {
        let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
        for object in serde_json::Deserializer::from_slice(body).into_iter::<Value>() {
            let Ok(object) = object else {
                let message = format!("the answer is not JSON{}", refusal.render_server_message(body));
                return Err(AttemptFailure::Final(ModelFailure::Broken { message }));
            };
            self.take_object(&object, gathered, refusal)?;
        }
        Ok(())
    }

    fn take_object(
        &self,
        object: &Value,
        gathered: &mut ReplyBuilder,
        refusal: &RefusalContext<'_>,
    ) -> Result<(), AttemptFailure> {
        match &object["error"] {
            Value::Null => {}
            Value::String(said) => return Err(refusal.classify_error(&json!({ "message": said }))),
            error => return Err(refusal.classify_error(error)),
        }
        let taken = match self.service.wire {
            ModelWireFormat::OpenAi => openai::take_object(object, gathered),
            ModelWireFormat::Anthropic => anthropic::take_object(object, gathered),
        };
        taken.map_err(AttemptFailure::Final)
    }
}

/// Whole answers begin with a bracket, pages with another; anything else is a stream of events.
fn is_stream(head: &[u8]) -> bool {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let first = head.iter().find(|byte| !byte.is_ascii_whitespace());
    // The mark of UTF-8 may come in pieces, too.
    first.is_some_and(|first| !matches!(first, b'{' | b'[' | b'<' | 0xef))
}
