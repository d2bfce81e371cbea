//! A running `wellread serve`, and clients that say exactly what a test wants said: bytes over a socket.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, mpsc};
use std::thread;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::desk::{Desk, PATIENCE};

pub struct Served {
    child: Child,
    /// What is said on standard error, once it has ended.
    errors: Mutex<mpsc::Receiver<String>>,
    pub port: u16,
    pub token: String,
    pub announced: Value,
    /// Its vault, where nobody else looks at it.
    desk: Option<Desk>,
}

impl Served {
    /// On an example vault of its own.
    pub fn new() -> Self {
        let desk = Desk::new();
        let mut served = Self::start(&desk);
        served.desk = Some(desk);
        served
    }

    pub fn start(desk: &Desk) -> Self {
        Self::with(desk, &[], |command| command)
    }

    /// With these words more, and in a changed environment.
    pub fn with(desk: &Desk, args: &[&str], change: impl FnOnce(&mut Command) -> &mut Command) -> Self {
        let mut command = desk.here();
        change(&mut command);
        Self::of(command, args)
    }

    /// The binary as it is set up there, with these words more.
    pub fn of(mut command: Command, args: &[&str]) -> Self {
        command.args(["serve", "--json"]).args(args);
        if !args.contains(&"--port") {
            command.args(["--port", "0"]);
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        stdout.read_line(&mut line).unwrap();
        let (send, errors) = mpsc::channel();
        let mut stderr = child.stderr.take().unwrap();
        thread::spawn(move || {
            let mut text = String::new();
            let _ = stderr.read_to_string(&mut text);
            // Nothing but the one line goes to standard output.
            let _ = stdout.read_to_string(&mut text);
            let _ = send.send(text);
        });
        let announced: Value = serde_json::from_str(&line)
            .unwrap_or_else(|_| panic!("{line:?}: {}", errors.recv_timeout(PATIENCE).unwrap_or_default()));
        let port = announced["url"].as_str().unwrap().rsplit_once(':').unwrap().1.parse().unwrap();
        let token = announced["token_file"].as_str().map(|file| std::fs::read_to_string(file).unwrap());
        let token = token.unwrap_or_default().trim().to_owned();
        Self { child, errors: Mutex::new(errors), port, token, announced, desk: None }
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// The head of a request that the guard lets in. `more` are whole lines.
    pub fn head(&self, request: &str, more: &str) -> String {
        format!(
            "{request} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\n{more}\r\n",
            self.port, self.token
        )
    }

    /// Sends these bytes as they are, and hears what comes first.
    pub fn raw(&self, bytes: &[u8]) -> Reply {
        let mut stream = self.connect();
        // It may refuse to read all of it.
        let _ = stream.write_all(bytes);
        let method = if bytes.starts_with(b"HEAD ") { "HEAD" } else { "GET" };
        Reply::read_for(method, &mut BufReader::new(stream))
    }

    /// A request with a head of ours and the token.
    pub fn get(&self, path: &str) -> Reply {
        self.raw(self.head(&format!("GET {path}"), "Connection: close\r\n").as_bytes())
    }

    pub fn post(&self, path: &str, body: &Value) -> Reply {
        self.post_text(path, "application/json", &body.to_string())
    }

    pub fn post_text(&self, path: &str, media_type: &str, body: &str) -> Reply {
        let more =
            format!("Connection: close\r\nContent-Type: {media_type}\r\nContent-Length: {}\r\n", body.len());
        self.raw((self.head(&format!("POST {path}"), &more) + body).as_bytes())
    }

    pub fn tool(&self, name: &str, args: &Value) -> Reply {
        self.post(&format!("/api/tools/{name}"), args)
    }

    /// It goes on: whatever was sent before, an honest request is served.
    pub fn goes_on(&self) {
        let reply = self.tool("get_current_date", &json!({}));
        assert_eq!(reply.status, 200, "{reply:?}");
    }

    pub fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// The exit status and what was said on standard error.
    pub fn ended(mut self) -> (Option<i32>, String) {
        let errors = self.errors.lock().unwrap().recv_timeout(PATIENCE).expect("it ends");
        assert!(!errors.contains("panicked"), "{errors}");
        assert!(self.token.is_empty() || !errors.contains(&self.token), "the token is in the log");
        (self.child.wait().unwrap().code(), errors)
    }

    pub fn end(self) {
        self.signal(Signal::TERM);
        let (status, errors) = self.ended();
        assert_eq!(status, Some(0), "{errors}");
    }

    /// How many entries the process has in this folder of `/proc`: `fd` for descriptors, `task` for threads.
    pub fn count(&self, folder: &str) -> usize {
        std::fs::read_dir(format!("/proc/{}/{folder}", self.child.id())).unwrap().count()
    }

    /// Memory in use, in bytes.
    pub fn resident(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // It has ended already, unless the test failed or is done with it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Where a server is at the moment, for clients that go on when it is killed.
#[derive(Debug, Clone)]
pub struct Address {
    port: u16,
    token: String,
}

impl Address {
    pub fn of(served: &Served) -> Self {
        Self { port: served.port, token: served.token.clone() }
    }

    /// The status and the body; nothing where the server went away before it answered. One with a key may be repeated.
    pub fn post(&self, path: &str, key: Option<&str>, body: &Value) -> Option<(u16, String)> {
        let body = body.to_string();
        let key = key.map(|key| format!("Idempotency-Key: {key}\r\n")).unwrap_or_default();
        let head = format!("{key}Content-Type: application/json\r\nContent-Length: {}\r\n\r\n", body.len());
        let rest = head + &body;
        let Self { port, token } = self;
        let mut stream = TcpStream::connect(("127.0.0.1", *port)).ok()?;
        stream.set_read_timeout(Some(PATIENCE)).ok()?;
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n"
        );
        stream.write_all((head + &rest).as_bytes()).ok()?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).ok()?;
        let answer = String::from_utf8(answer).ok()?;
        let (head, body) = answer.split_once("\r\n\r\n")?;
        Some((head.split(' ').nth(1)?.parse().ok()?, body.to_owned()))
    }
}

/// What came back. A connection that was closed without a word has the status 0.
#[derive(Debug, Clone, Default)]
pub struct Reply {
    pub status: u16,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Reply {
    pub fn read(from: &mut BufReader<TcpStream>) -> Self {
        Self::read_for("GET", from)
    }

    /// What was asked decides whether a body follows.
    pub fn read_for(method: &str, from: &mut BufReader<TcpStream>) -> Self {
        let mut reply = Self::default();
        let mut line = String::new();
        if !matches!(from.read_line(&mut line), Ok(1..)) {
            return reply;
        }
        reply.status = line.split(' ').nth(1).unwrap().parse().unwrap();
        loop {
            line.clear();
            from.read_line(&mut line).unwrap();
            let Some((name, value)) = line.trim_end().split_once(':') else { break };
            reply.headers.push((name.to_lowercase(), value.trim().to_owned()));
        }
        let length = reply.header("content-length").and_then(|length| length.parse::<usize>().ok());
        let mut body = Vec::new();
        match length {
            _ if method == "HEAD" => {}
            Some(length) => {
                body.resize(length, 0);
                from.read_exact(&mut body).unwrap();
            }
            None if reply.header("transfer-encoding").is_some() => chunks(from, &mut body),
            None => {}
        }
        reply.body = String::from_utf8(body).unwrap();
        reply
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("no JSON: {self:?}"))
    }

    /// A success.
    pub fn done(&self) -> Value {
        let answer = self.json();
        assert!(self.status == 200 && answer["success"] == true, "{self:?}");
        assert_eq!(self.header("content-type"), Some("application/json"));
        answer
    }

    /// A refusal of this status, in its proper form.
    pub fn problem(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{self:?}");
        assert_eq!(self.header("content-type"), Some("application/problem+json"), "{self:?}");
        let problem = self.json();
        assert_eq!(problem["status"], status, "{problem}");
        for field in ["type", "title", "detail", "hint"] {
            crate::desk::one_clear_line(problem[field].as_str().unwrap_or_default());
        }
        problem
    }
}

fn chunks(from: &mut BufReader<TcpStream>, body: &mut Vec<u8>) {
    loop {
        let mut size = String::new();
        from.read_line(&mut size).unwrap();
        let size = usize::from_str_radix(size.trim(), 16).unwrap();
        let mut chunk = vec![0; size + 2];
        from.read_exact(&mut chunk).unwrap();
        if size == 0 {
            return;
        }
        body.extend_from_slice(&chunk[..size]);
    }
}

/// Server-sent events: names and data, in order.
pub fn events(reply: &Reply) -> Vec<(String, Value)> {
    assert_eq!((reply.status, reply.header("content-type")), (200, Some("text/event-stream")), "{reply:?}");
    let blocks = reply.body.split("\n\n").filter(|block| !block.is_empty() && *block != ":");
    blocks
        .map(|block| {
            let (event, data) = block.split_once('\n').unwrap();
            let data = serde_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap();
            (event.strip_prefix("event: ").unwrap().to_owned(), data)
        })
        .collect()
}

/// Nothing more will be sent on it.
pub fn half_close(stream: &TcpStream) {
    stream.shutdown(Shutdown::Write).unwrap();
}
