//! A conversation with `wellread mcp` or `wellread acp` in raw JSON-RPC, line by line.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc;
use std::thread;

use serde_json::{Value, json};

use crate::desk::{Desk, PATIENCE};

/// The revisions that clients speak, oldest and newest of those that matter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Revision {
    /// `initialize` first.
    June2025,
    /// No handshake: every request says what it speaks.
    July2026,
}

impl Revision {
    pub const BOTH: [Self; 2] = [Self::June2025, Self::July2026];

    fn equip(self, params: &mut Value, capabilities: &Value) {
        if self == Self::July2026 {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": { "name": "tests", "version": "1" },
                "io.modelcontextprotocol/clientCapabilities": capabilities,
            });
        }
    }
}

/// A running server and the client's end of the line.
pub struct Talk {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: mpsc::Receiver<String>,
    errors: mpsc::Receiver<String>,
    revision: Revision,
    /// What the client says that it can do.
    capabilities: Value,
    last_id: u64,
    /// Answers that came before they were asked for.
    early: HashMap<String, Value>,
}

impl Talk {
    /// Starts the server without a word.
    pub fn silent(desk: &Desk, revision: Revision, args: &[&str]) -> Self {
        Self::of(desk.here(), revision, args)
    }

    /// The same with the binary as it is set up there: every tool by its own name, unless the arguments choose others.
    pub fn of(command: Command, revision: Revision, args: &[&str]) -> Self {
        let every: &[&str] = if args.contains(&"--tools") { &[] } else { &["--tools", "all"] };
        Self::plain(command, revision, &[args, every].concat())
    }

    /// The server with these arguments and no others.
    pub fn plain(mut command: Command, revision: Revision, args: &[&str]) -> Self {
        command.arg("mcp").args(args);
        Self::spawn(command, revision)
    }

    /// `wellread acp`, which speaks the same JSON-RPC with other words.
    pub fn acp(mut command: Command) -> Self {
        command.arg("acp");
        Self::spawn(command, Revision::June2025)
    }

    fn spawn(mut command: Command, revision: Revision) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let stdin = child.stdin.take();
        let (send, lines) = mpsc::channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        thread::spawn(move || stdout.lines().map_while(Result::ok).try_for_each(|line| send.send(line)));
        let (send, errors) = mpsc::channel();
        let mut stderr = child.stderr.take().unwrap();
        thread::spawn(move || {
            let mut text = String::new();
            let _ = stderr.read_to_string(&mut text);
            let _ = send.send(text);
        });
        let capabilities = json!({});
        Self { child, stdin, lines, errors, revision, capabilities, last_id: 0, early: HashMap::new() }
    }

    /// The same with a client that says that it can do this.
    pub fn declaring(mut self, capabilities: Value) -> Self {
        self.capabilities = capabilities;
        self
    }

    /// Starts the server and says what that revision says first.
    pub fn start(desk: &Desk, revision: Revision) -> Self {
        let mut talk = Self::silent(desk, revision, &[]);
        talk.greet();
        talk
    }

    pub fn greet(&mut self) -> Value {
        match self.revision {
            Revision::July2026 => self.ask("server/discover", json!({})),
            Revision::June2025 => {
                let hello = json!({
                    "protocolVersion": "2025-06-18",
                    "capabilities": self.capabilities,
                    "clientInfo": { "name": "tests", "version": "1" },
                });
                let answer = self.ask("initialize", hello);
                self.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
                answer
            }
        }
    }

    pub fn say_raw(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("the line is open");
        stdin.write_all(bytes).unwrap();
        stdin.flush().unwrap();
    }

    pub fn say(&mut self, message: &Value) {
        self.say_raw(format!("{message}\n").as_bytes());
    }

    /// Sends a request and does not wait for its answer.
    pub fn request(&mut self, method: &str, mut params: Value) -> u64 {
        self.last_id += 1;
        self.revision.equip(&mut params, &self.capabilities);
        self.say(&json!({ "jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params }));
        self.last_id
    }

    /// The answer to a request, whole.
    pub fn answer_to(&mut self, id: u64) -> Value {
        loop {
            if let Some(answer) = self.early.remove(&id.to_string()) {
                return answer;
            }
            let message = self.next();
            self.early.insert(message["id"].to_string(), message);
        }
    }

    /// The next line that the server says. Whatever it is, it is JSON-RPC.
    pub fn next(&mut self) -> Value {
        match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => parsed(&line),
            Err(_) => {
                let _ = self.child.kill();
                panic!("no answer; standard error: {}", self.errors.recv().unwrap_or_default());
            }
        }
    }

    /// The result of a request.
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        let answer = self.answer_to(id);
        assert!(answer["error"].is_null(), "{answer}");
        answer["result"].clone()
    }

    /// The error of a request that the protocol itself turns down.
    pub fn refused(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        let answer = self.answer_to(id);
        assert!(answer["result"].is_null(), "{answer}");
        answer["error"].clone()
    }

    /// A tool's result, after looking at its shape: text and structured content are one and the same, and a failure
    /// is text only, which stands under `failure` here.
    pub fn call(&mut self, name: &str, args: &Value) -> Value {
        let mut result = self.ask("tools/call", json!({ "name": name, "arguments": args }));
        let [text] = result["content"].as_array().unwrap().as_slice() else {
            panic!("not one content block: {result}")
        };
        assert_eq!(text["type"], "text");
        let text: Value = serde_json::from_str(text["text"].as_str().unwrap()).unwrap();
        if result["isError"] == true {
            assert!(result.get("structuredContent").is_none(), "it would have to fit the schema: {result}");
        } else {
            assert_eq!(text, result["structuredContent"]);
        }
        assert_eq!(
            result["isError"].as_bool(),
            text["success"].as_bool().map(|success| !success),
            "{result}"
        );
        if result["isError"] == true {
            result["failure"] = text;
        }
        result
    }

    pub fn process(&self) -> &Child {
        &self.child
    }

    pub fn hang_up(&mut self) {
        self.stdin = None;
    }

    /// Closes the line and waits for the end: the exit status, what was still said, and standard error.
    pub fn end(mut self) -> (Option<i32>, Vec<Value>, String) {
        self.hang_up();
        let mut rest: Vec<Value> = self.early.drain().map(|(_, message)| message).collect();
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => rest.push(parsed(&line)),
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    let _ = self.child.kill();
                    panic!("the server does not end");
                }
            }
        }
        let errors = self.errors.recv_timeout(PATIENCE).unwrap();
        assert!(!errors.contains("panicked"), "{errors}");
        (self.child.wait().unwrap().code(), rest, errors)
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        // It has ended already, unless the test failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn parsed(line: &str) -> Value {
    let message: Value =
        serde_json::from_str(line).unwrap_or_else(|_| panic!("not JSON on standard output: {line}"));
    assert_eq!(message["jsonrpc"], "2.0", "{message}");
    message
}
