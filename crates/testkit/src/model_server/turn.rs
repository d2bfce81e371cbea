//! One turn of a scripted model server: its reply, and how it misbehaves.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::mpsc::Receiver;

use serde_json::Value;

use super::wire::{ScriptedReply, WireFormat};

/// A turn: made by one of the constructors and changed by the other functions.
pub struct Turn {
    what: TurnKind,
    headers: String,
    /// Ends the connection after this many bytes of the body.
    cut: Option<usize>,
    /// Keeps the connection open there instead, without sending more.
    stalls: bool,
    byte_by_byte: bool,
    /// The body ends with the connection.
    unframed: bool,
    /// Sends nothing before this channel gets a message or is closed.
    gate: Option<Receiver<()>>,
}

enum TurnKind {
    Says(ScriptedReply),
    /// A raw body with its status and content type.
    Raw(u16, &'static str, Vec<u8>),
    /// Reads the request and never answers.
    Hangs,
    /// The reply depends on the body of the request.
    Depends(Box<dyn FnOnce(&Value) -> Turn + Send>),
}

impl Turn {
    fn new(what: TurnKind) -> Self {
        Self {
            what,
            headers: String::new(),
            cut: None,
            stalls: false,
            byte_by_byte: false,
            unframed: false,
            gate: None,
        }
    }

    pub fn says(text: &str) -> Self {
        Self::new(TurnKind::Says(ScriptedReply { text: text.to_owned(), ..ScriptedReply::default() }))
    }

    /// Calls tools, with the ids `call-1` and so on.
    pub fn calls(calls: &[(&str, Value)]) -> Self {
        let calls = calls.iter().map(|(name, arguments)| ((*name).to_owned(), arguments.clone())).collect();
        Self::new(TurnKind::Says(ScriptedReply { calls, ..ScriptedReply::default() }))
    }

    /// Sends this JSON in the way that the request asks for: as text, or as the one call that it forces.
    pub fn json(value: &Value) -> Self {
        let said = ScriptedReply { text: value.to_string(), shaped: true, ..ScriptedReply::default() };
        Self::new(TurnKind::Says(said))
    }

    pub fn status(status: u16, body: &str) -> Self {
        Self::new(TurnKind::Raw(status, "application/json", body.as_bytes().to_vec()))
    }

    /// Sends raw events of a stream.
    pub fn stream(body: &str) -> Self {
        Self::new(TurnKind::Raw(200, "text/event-stream", body.as_bytes().to_vec()))
    }

    /// Closes the connection without a reply.
    pub fn cut() -> Self {
        Self::says("").cut_after(0)
    }

    pub fn hangs() -> Self {
        Self::new(TurnKind::Hangs)
    }

    /// Decides when the request arrives, since a reply may refer to its content.
    pub fn from_request(decide: impl FnOnce(&Value) -> Self + Send + 'static) -> Self {
        Self::new(TurnKind::Depends(Box::new(decide)))
    }

    /// Waits until the other end of this channel sends something or is dropped.
    #[must_use]
    pub fn with_gate(mut self, gate: Receiver<()>) -> Self {
        self.gate = Some(gate);
        self
    }

    #[must_use]
    pub fn with_header(mut self, name: &str, value: &str) -> Self {
        self.headers += &format!("{name}: {value}\r\n");
        self
    }

    /// Cuts the reply after this many bytes; zero sends nothing at all, not even headers.
    #[must_use]
    pub fn cut_after(mut self, bytes: usize) -> Self {
        self.cut = Some(bytes);
        self
    }

    #[must_use]
    pub fn stalls_after(mut self, bytes: usize) -> Self {
        self.stalls = true;
        self.cut_after(bytes)
    }

    #[must_use]
    pub fn byte_by_byte(mut self) -> Self {
        self.byte_by_byte = true;
        self
    }

    #[must_use]
    pub fn without_length(mut self) -> Self {
        self.unframed = true;
        self
    }

    /// Sends one JSON object though a stream was requested.
    #[must_use]
    pub fn without_stream(mut self) -> Self {
        self.reply_mut().whole = true;
        self
    }

    #[must_use]
    pub fn without_usage(mut self) -> Self {
        self.reply_mut().usage = false;
        self
    }

    /// The reason for the end in the words of the wire format; none if it is empty.
    #[must_use]
    pub fn with_stop_reason(mut self, reason: &str) -> Self {
        self.reply_mut().reason = Some(reason.to_owned());
        self
    }

    fn reply_mut(&mut self) -> &mut ScriptedReply {
        match &mut self.what {
            TurnKind::Says(said) => said,
            _ => panic!("this turn says nothing"),
        }
    }

    /// Replies. Returns whether the connection stays open.
    pub(super) fn play(self, spoken: WireFormat, asked: &Value, stream: &mut TcpStream) -> bool {
        if let Some(gate) = &self.gate {
            let _ = gate.recv();
        }
        let (status, kind, body) = match self.what {
            TurnKind::Depends(decide) => return decide(asked).play(spoken, asked, stream),
            TurnKind::Hangs => {
                // Until the client disconnects.
                let _ = stream.read(&mut [0]);
                return false;
            }
            TurnKind::Raw(status, kind, body) => (status, kind, body),
            TurnKind::Says(said) => {
                let streamed = asked["stream"] == true && !said.whole;
                let kind = if streamed { "text/event-stream" } else { "application/json" };
                (200, kind, said.render(spoken, asked, streamed).into_bytes())
            }
        };
        if self.cut == Some(0) {
            return false;
        }
        let mut answer = format!("HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\n{}", self.headers);
        answer += &match self.unframed {
            true => "connection: close\r\n\r\n".to_owned(),
            false => format!("content-length: {}\r\n\r\n", body.len()),
        };
        let mut answer = answer.into_bytes();
        answer.extend_from_slice(&body[..self.cut.unwrap_or(body.len()).min(body.len())]);
        let size = if self.byte_by_byte { 1 } else { answer.len() };
        // The client may have closed the connection after it read enough.
        let written = answer.chunks(size).try_for_each(|piece| stream.write_all(piece));
        if self.stalls {
            let _ = stream.read(&mut [0]);
        }
        written.is_ok() && self.cut.is_none() && !self.unframed
    }
}
