//! What the small web answers: whole, held back, or broken off.

use std::io::Write as _;
use std::net::TcpStream;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use serde_json::Value;

#[derive(Clone)]
pub struct WebServerReply {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    gate: Option<ReplyGate>,
    broken_off: bool,
}

impl WebServerReply {
    pub fn new(status: u16, kind: &str, body: impl Into<Vec<u8>>) -> Self {
        let headers = vec![("Content-Type".to_owned(), kind.to_owned())];
        Self { status, headers, body: body.into(), gate: None, broken_off: false }
    }

    pub fn html(body: impl Into<Vec<u8>>) -> Self {
        Self::new(200, "text/html; charset=utf-8", body)
    }

    pub fn json(body: &Value) -> Self {
        Self::new(200, "application/json", body.to_string())
    }

    pub fn status(status: u16) -> Self {
        Self::new(status, "text/plain", "")
    }

    pub fn redirect(to: &str) -> Self {
        Self::status(302).with_header("Location", to)
    }

    /// Sets another status.
    #[must_use]
    pub fn with_status(mut self, status: u16) -> Self {
        self.status = status;
        self
    }

    /// The header, instead of one of the same name.
    #[must_use]
    pub fn with_header(mut self, name: &str, value: &str) -> Self {
        self.headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Not before the gate is opened.
    #[must_use]
    pub fn with_gate(mut self, gate: &ReplyGate) -> Self {
        self.gate = Some(gate.clone());
        self
    }

    /// Half of the body, and then the connection ends.
    #[must_use]
    pub fn cut_in_half(mut self) -> Self {
        self.broken_off = true;
        self
    }

    /// Whether the connection goes on.
    pub(super) fn send(&self, stream: &mut TcpStream) -> bool {
        if let Some(gate) = &self.gate {
            gate.wait();
        }
        let mut head = format!("HTTP/1.1 {} X\r\nContent-Length: {}\r\n", self.status, self.body.len());
        for (name, value) in &self.headers {
            head += &format!("{name}: {value}\r\n");
        }
        let sent = if self.broken_off { self.body.len() / 2 } else { self.body.len() };
        // A client that has read enough, or waits no longer, may be gone.
        let written = stream
            .write_all(head.as_bytes())
            .and_then(|()| stream.write_all(b"\r\n"))
            .and_then(|()| stream.write_all(&self.body[..sent]));
        written.is_ok() && !self.broken_off
    }
}

/// Holds replies back until it is opened. Clones are one gate.
#[derive(Clone, Default)]
pub struct ReplyGate(Arc<(Mutex<bool>, Condvar)>);

impl ReplyGate {
    pub fn open(&self) {
        *self.0.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.0.1.notify_all();
    }

    fn wait(&self) {
        let open = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.0.1.wait_timeout_while(open, super::PATIENCE, |open| !*open));
    }
}
