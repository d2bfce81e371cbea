//! A local server with minimal HTTP that gives scripted replies: one per connection, in order, and no more.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread::JoinHandle;

pub type ReplyHandler = Box<dyn FnOnce(&HttpRequest, &mut TcpStream) + Send>;

#[derive(Debug, Clone)]
pub struct HttpRequest {
    pub head: String,
    /// The body, as far as it is text.
    pub body: String,
    pub bytes: Vec<u8>,
}

impl HttpRequest {
    pub fn first_line(&self) -> &str {
        self.head.lines().next().unwrap()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.filter(|(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, value)| value).next()
    }
}

pub struct ScriptedServer {
    pub base: String,
    thread: JoinHandle<Vec<HttpRequest>>,
}

impl ScriptedServer {
    pub fn start(replies: Vec<ReplyHandler>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let serve = move || {
            let answer = |reply: ReplyHandler| {
                let (mut stream, _) = listener.accept().unwrap();
                let request = read_request(&mut stream).expect("a request");
                reply(&request, &mut stream);
                request
            };
            replies.into_iter().map(answer).collect()
        };
        Self { base, thread: std::thread::spawn(serve) }
    }

    /// The requests, once all replies were used.
    pub fn into_requests(self) -> Vec<HttpRequest> {
        self.thread.join().unwrap()
    }
}

/// The next request of a connection; `None` at its end.
pub(crate) fn read_request(stream: &mut TcpStream) -> Option<HttpRequest> {
    let mut bytes = Vec::new();
    let mut byte = [0];
    while !bytes.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).ok()?;
        bytes.push(byte[0]);
    }
    let mut request =
        HttpRequest { head: String::from_utf8(bytes).unwrap(), body: String::new(), bytes: Vec::new() };
    let length = request.header("content-length").map_or(0, |length| length.trim().parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    request.body = String::from_utf8_lossy(&body).into_owned();
    request.bytes = body;
    Some(request)
}

/// Sends a whole reply and closes the connection.
pub fn http_reply(status: u16, headers: &'static str, body: impl Into<Vec<u8>>) -> ReplyHandler {
    let body = body.into();
    Box::new(move |_, stream| {
        let head = format!(
            "HTTP/1.1 {status} X\r\n{headers}connection: close\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        // The client may have closed the connection after it read enough.
        let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body));
    })
}
