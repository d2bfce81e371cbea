//! One turn of a scripted server: what it says, and how it misbehaves while it does.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::mpsc::Receiver;

use serde_json::Value;

use super::wire::{ScriptedReply, WireFormat};

/// Made by one of the first functions, bent by the others.
pub struct Turn {
    what: TurnKind,
    headers: String,
    /// Ends the connection after this many bytes of the body.
    cut: Option<usize>,
    /// Keeps the connection open there instead, without another word.
    stalls: bool,
    byte_by_byte: bool,
    /// A body whose end is the end of the connection.
    unframed: bool,
    /// Nothing is said before this is told, or can't be any more.
    gate: Option<Receiver<()>>,
}

enum TurnKind {
    Says(ScriptedReply),
    /// A body as it is, with its status and its type.
    Raw(u16, &'static str, Vec<u8>),
    /// Reads the request and never answers.
    Hangs,
    /// What is said depends on the body that was sent.
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

    /// Calls of tools, with the identifiers `call-1` and so on.
    pub fn calls(calls: &[(&str, Value)]) -> Self {
        let calls = calls.iter().map(|(name, arguments)| ((*name).to_owned(), arguments.clone())).collect();
        Self::new(TurnKind::Says(ScriptedReply { calls, ..ScriptedReply::default() }))
    }

    /// This JSON by whatever way the request asks for it: as text, or as the one call that it forces.
    pub fn json(value: &Value) -> Self {
        let said = ScriptedReply { text: value.to_string(), shaped: true, ..ScriptedReply::default() };
        Self::new(TurnKind::Says(said))
    }

    pub fn status(status: u16, body: &str) -> Self {
        Self::new(TurnKind::Raw(status, "application/json", body.as_bytes().to_vec()))
    }

    /// Events of a stream as they are.
    pub fn stream(body: &str) -> Self {
        Self::new(TurnKind::Raw(200, "text/event-stream", body.as_bytes().to_vec()))
    }

    /// Ends the connection without a word.
    pub fn cut() -> Self {
        Self::says("").cut_after(0)
    }

    pub fn hangs() -> Self {
        Self::new(TurnKind::Hangs)
    }

    /// Decided when the request is there: a reply may have to speak of what stands in it.
    pub fn from_request(decide: impl FnOnce(&Value) -> Self + Send + 'static) -> Self {
        Self::new(TurnKind::Depends(Box::new(decide)))
    }

    /// Waits until the other end of this speaks or is dropped.
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

    /// Zero is nothing at all, not even a head.
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

    /// One JSON object, though a stream was asked for.
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

    /// Why it ended, in the words of the wire; none at all where it is empty.
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

    /// Answers; whether the connection goes on.
    pub(super) fn play(self, spoken: WireFormat, asked: &Value, stream: &mut TcpStream) -> bool {
        if let Some(gate) = &self.gate {
            let _ = gate.recv();
        }
        let (status, kind, body) = match self.what {
            TurnKind::Depends(decide) => return decide(asked).play(spoken, asked, stream),
            TurnKind::Hangs => {
                // Until the other side goes away.
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
        // A client that has read enough may be gone.
        let written = answer.chunks(size).try_for_each(|piece| stream.write_all(piece));
        if self.stalls {
            let _ = stream.read(&mut [0]);
        }
        written.is_ok() && self.cut.is_none() && !self.unframed
    }
}
