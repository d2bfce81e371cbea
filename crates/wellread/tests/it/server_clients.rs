//! Clients that we did not write, and many at once.

use std::io::{BufReader, Write as _};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::desk::{Desk, PATIENCE, Ran, repository};
use crate::served::{Reply, Served};

const CLIENTS: usize = 200;

/// A program of the Python environment that `./check` makes.
fn python(name: &str, desk: &Desk) -> Command {
    let program = repository().join(".venv/bin").join(name);
    assert!(
        program.exists(),
        "there is no {}: run `./check` once, which installs the clients that this test drives",
        program.display()
    );
    let mut command = Command::new(program);
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("HOME", desk.home());
    command.current_dir(desk.folder());
    command
}

#[test]
fn schemathesis_finds_nothing() {
    let desk = Desk::new();
    desk.add_code();
    let served = Served::start(&desk);
    let mut command = python("schemathesis", &desk);
    command.arg("--config-file").arg(repository().join("tests/schemathesis.toml")).arg("run");
    command.arg(format!("http://127.0.0.1:{}/api/openapi.json", served.port));
    command.env("WELLREAD_TOKEN", &served.token).env("PYTHONIOENCODING", "utf-8");
    // Seconds where it has the machine for itself.
    let ran = Ran::within(5 * PATIENCE, &mut command, b"");
    assert_eq!(ran.status, Some(0), "{}\n{}", ran.stdout, ran.stderr);
    served.goes_on();
    served.end();
}

/// Two hundred clients that keep their connections, each asking one thing after the other.
#[test]
#[allow(clippy::print_stdout, reason = "figures of the long run")]
fn two_hundred_clients_at_once_are_all_served() {
    let desk = Desk::new();
    let served = Served::start(&desk);
    let long = std::env::var_os("WELLREAD_LONG").is_some();
    let (least, lasts) = (40, Duration::from_secs(if long { 600 } else { 10 }));
    let requests = [
        (served.head("GET /healthz", ""), 200),
        (served.head("GET /api/search?q=swarm&k=3", ""), 200),
        (served.head("GET /api/notes/Home", ""), 200),
        (served.head("GET /api/notes/Nowhere%20at%20all", ""), 404),
        (served.head("GET /api/status", "").replace(&served.token, "wrong"), 0),
        (tool(&served, "find_backlinks", "{\"note_name\": \"Varroa mite\"}"), 200),
        (tool(&served, "read_file", "{\"path\": 7}"), 400),
    ];
    // Once all together, so that what is kept for good is there before it is measured.
    let answered = AtomicUsize::new(0);
    crowd(&served, &requests, requests.len(), Duration::ZERO, &answered);
    let before = served.resident();
    crowd(&served, &requests, least, lasts, &answered);
    let after = served.resident();
    let all = answered.load(Ordering::Relaxed);
    assert!(all >= CLIENTS * (requests.len() + least), "{all} answers");
    assert!(
        after < before + before / 2 + 32 * 1024 * 1024,
        "memory grew from {before} to {after} bytes in {all} answers"
    );
    if long {
        println!("{all} answers to {CLIENTS} clients; {before} bytes before, {after} after");
    }
    served.goes_on();
    served.end();
}

fn tool(served: &Served, name: &str, body: &str) -> String {
    let head = format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len());
    served.head(&format!("POST /api/tools/{name}"), &head) + body
}

fn crowd(served: &Served, requests: &[(String, u16)], least: usize, lasts: Duration, answered: &AtomicUsize) {
    let begun = Instant::now();
    thread::scope(|scope| {
        for client in 0..CLIENTS {
            scope.spawn(move || {
                let mut stream = BufReader::new(served.connect());
                for n in 0.. {
                    if n >= least && begun.elapsed() >= lasts {
                        return;
                    }
                    let (request, expected) = &requests[(client + n) % requests.len()];
                    stream.get_mut().write_all(request.as_bytes()).unwrap();
                    let reply = Reply::read(&mut stream);
                    // A wrong token is one of a few, or one of too many.
                    let right = if *expected == 0 {
                        matches!(reply.status, 401 | 429)
                    } else {
                        reply.status == *expected
                    };
                    assert!(right, "{request}: {reply:?}");
                    answered.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
}

#[test]
fn more_connections_than_there_is_room_for_wait_their_turn() {
    let served = Served::new();
    let mut silent: Vec<_> = (0..520).map(|_| served.connect()).collect();
    // Each that goes makes room for one that waits.
    silent.drain(..20);
    served.goes_on();
    drop(silent);
    served.goes_on();
    served.end();
}

/// Edits by many clients of one note: each is made, none is lost.
#[test]
fn edits_by_many_clients_are_all_made() {
    let desk = Desk::new();
    let served = Served::start(&desk);
    let statuses: Vec<u16> = thread::scope(|scope| {
        let edit = |n: usize| {
            let served = &served;
            let args = json!({ "path": "Home", "content": format!("line {n} of many") });
            scope.spawn(move || served.tool("append_to_file", &args).status)
        };
        let threads: Vec<_> = (0..40).map(edit).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let made = (0..40).filter(|n| desk.text("Home.md").contains(&format!("line {n} of many\n"))).count();
    let done = statuses.iter().filter(|status| **status == 200).count();
    assert!(statuses.iter().all(|status| matches!(status, 200 | 409)), "{statuses:?}");
    assert_eq!(made, done, "{statuses:?}");
    served.end();
}
