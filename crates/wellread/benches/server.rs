//! The cost of the server itself, on its smallest route: `cargo bench -p wellread --bench server`.
//!
//! Prints a table for `docs/benchmarks.md`. Nothing is asserted.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const REQUESTS: usize = 20_000;

fn main() {
    // `cargo test --benches` only checks that it starts.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let vault = folder.path().join("vault");
    std::fs::create_dir(&vault).unwrap();
    std::fs::write(vault.join("Home.md"), "# Home\n\nBees and honey.\n").unwrap();
    let server = Server::start(&vault, &folder.path().join("data"));
    // The index is built in the background; the measurement begins when it is done.
    while !server.once("/readyz").contains("\"level\"") {
        thread::sleep(Duration::from_millis(20));
    }
    println!("At rest the process has {:.1} MB.\n", server.resident() as f64 / 1e6);
    println!("| route | clients | requests a second | p50 | p99 |\n| --- | --- | --- | --- | --- |");
    for clients in [1, 16, 200] {
        for path in ["/healthz", "/api/tools", "/api/notes/Home", "/api/search?q=honey&mode=keyword"] {
            row(&server, path, clients);
        }
    }
    println!("\nAfterwards it has {:.1} MB.", server.resident() as f64 / 1e6);
}

fn row(server: &Server, path: &str, clients: usize) {
    let begun = Instant::now();
    let mut times: Vec<Duration> = thread::scope(|scope| {
        let threads: Vec<_> =
            (0..clients).map(|_| scope.spawn(|| server.many(path, REQUESTS / clients))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let a_second = times.len() as f64 / begun.elapsed().as_secs_f64();
    times.sort();
    let at = |part: f64| times[((times.len() - 1) as f64 * part) as usize].as_secs_f64() * 1e3;
    println!("| `{path}` | {clients} | {a_second:.0} | {:.2} ms | {:.2} ms |", at(0.5), at(0.99));
}

struct Server {
    child: Child,
    port: u16,
    token: String,
}

impl Server {
    fn start(vault: &Path, data: &Path) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wellread"));
        command.arg("--vault").arg(vault).arg("--data").arg(data);
        command.args(["serve", "--port", "0"]).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut url = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut url).unwrap();
        let port = url.trim().rsplit_once(':').unwrap().1.parse().unwrap();
        let token = std::fs::read_to_string(data.join("token")).unwrap().trim().to_owned();
        Self { child, port, token }
    }

    fn once(&self, path: &str) -> String {
        self.ask(&mut self.connect(), path)
    }

    /// The time of each request, on one connection.
    fn many(&self, path: &str, times: usize) -> Vec<Duration> {
        let mut stream = self.connect();
        let mut timed = || {
            let begun = Instant::now();
            self.ask(&mut stream, path);
            begun.elapsed()
        };
        (0..times).map(|_| timed()).collect()
    }

    fn connect(&self) -> BufReader<TcpStream> {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_nodelay(true).unwrap();
        BufReader::new(stream)
    }

    fn ask(&self, stream: &mut BufReader<TcpStream>, path: &str) -> String {
        let (port, token) = (self.port, &self.token);
        let head =
            format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n\r\n");
        stream.get_mut().write_all(head.as_bytes()).unwrap();
        let (mut line, mut length) = (String::new(), 0);
        stream.read_line(&mut line).unwrap();
        assert!(line.starts_with("HTTP/1.1 200"), "{line}");
        while line != "\r\n" {
            line.clear();
            stream.read_line(&mut line).unwrap();
            if let Some(value) = line.strip_prefix("content-length: ") {
                length = value.trim().parse().unwrap();
            }
        }
        let mut body = vec![0; length];
        stream.read_exact(&mut body).unwrap();
        String::from_utf8(body).unwrap()
    }

    fn resident(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
