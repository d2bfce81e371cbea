//! Runs the program as its users do, and measures processor time and memory as the kernel counts them.

use std::fs;
use std::io::{BufRead, BufReader, Lines, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Clock ticks of the kernel per second.
const TICKS: f64 = 100.0;

/// The program on one vault.
pub struct Program {
    pub vault: PathBuf,
    pub data: PathBuf,
}

/// The cost of one process.
pub struct Cost {
    pub cpu: Duration,
    pub wall: Duration,
    pub peak: u64,
}

impl Program {
    fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wellread"));
        command.arg("--vault").arg(&self.vault).arg("--data").arg(&self.data).stderr(Stdio::null());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Cost {
        let (begun, before) = (Instant::now(), cpu_of_children());
        let mut child = self.command().args(arguments).stdout(Stdio::null()).spawn().unwrap();
        let status = Path::new("/proc").join(child.id().to_string()).join("status");
        let mut peak = 0;
        let ended = loop {
            peak = peak.max(kilobytes(&status, "VmHWM:"));
            match child.try_wait().unwrap() {
                Some(ended) => break ended,
                None => sleep(Duration::from_millis(2)),
            }
        };
        assert!(ended.success(), "{arguments:?}");
        Cost { cpu: cpu_of_children() - before, wall: begun.elapsed(), peak: peak * 1024 }
    }

    /// The mean processor time of a run, since a single run is too short for the kernel's clock.
    pub fn mean_cpu<'a>(&self, runs: impl IntoIterator<Item = Vec<&'a str>>) -> Duration {
        let before = cpu_of_children();
        let mut count = 0;
        for arguments in runs {
            self.run(&arguments);
            count += 1;
        }
        (cpu_of_children() - before) / count
    }

    pub fn serve(&self) -> Server {
        let mut command = self.command();
        let mut child = command
            .args(["mcp", "--tools", "vault"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take().unwrap();
        let answers = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut server = Server { child, stdin, answers, asked: 0 };
        let client = json!({ "name": "bench", "version": "1" });
        server.ask(
            "initialize",
            &json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client }),
        );
        writeln!(server.stdin, r#"{{"jsonrpc":"2.0","method":"notifications/initialized"}}"#).unwrap();
        server
    }
}

/// A running `wellread mcp`.
pub struct Server {
    child: Child,
    stdin: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
    asked: u64,
}

impl Server {
    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.asked += 1;
        let request = json!({ "jsonrpc": "2.0", "id": self.asked, "method": method, "params": params });
        writeln!(self.stdin, "{request}").unwrap();
        loop {
            let answer: Value = serde_json::from_str(&self.answers.next().unwrap().unwrap()).unwrap();
            if answer["id"] == self.asked {
                return answer;
            }
        }
    }

    /// Searches, and returns the mode that was used.
    pub fn search(&mut self, query: &str, mode: &str) -> String {
        let arguments = json!({ "query": query, "mode": mode });
        let answer = self.ask("tools/call", &json!({ "name": "search_vault", "arguments": arguments }));
        answer["result"]["structuredContent"]["mode"].to_string()
    }

    /// The resident memory.
    pub fn memory(&self) -> u64 {
        let status = Path::new("/proc").join(self.child.id().to_string()).join("status");
        kilobytes(&status, "VmRSS:") * 1024
    }

    pub fn end(self) {
        let Self { mut child, stdin, .. } = self;
        drop(stdin);
        child.wait().unwrap();
    }
}

/// The cost of all ended child processes.
fn cpu_of_children() -> Duration {
    let stat = fs::read_to_string("/proc/self/stat").unwrap();
    let (_, after_name) = stat.rsplit_once(')').unwrap();
    let ticks: f64 =
        after_name.split_whitespace().skip(13).take(2).map(|field| field.parse::<f64>().unwrap()).sum();
    Duration::from_secs_f64(ticks / TICKS)
}

fn kilobytes(status: &Path, field: &str) -> u64 {
    let text = fs::read_to_string(status).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(field));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
