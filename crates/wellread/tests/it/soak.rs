//! A server that is used lightly for a long time stays as it is: its memory, its descriptors, its threads and its files.
//!
//! Once a second a note is searched for, read and edited; every fifth second somebody talks with the model. Once a minute
//! runs are forgotten, as `data.keep_runs_days` does it, since what is kept of each run grows with their number otherwise.
//! `WELLREAD_LONG=1` takes an hour, or as many minutes as `WELLREAD_SOAK_MINUTES` says, and prints the curve.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use wellread_testkit::{ModelServer, Turn};

use crate::desk::Desk;
use crate::partner::{reads, with};
use crate::served::Served;

/// How long it takes, and how much is done between two samples.
struct Pace {
    samples: usize,
    rounds: usize,
    round: Duration,
}

impl Pace {
    fn from_environment() -> (Self, bool) {
        let long = std::env::var_os("WELLREAD_LONG").is_some();
        let minutes = std::env::var("WELLREAD_SOAK_MINUTES").map(|minutes| minutes.parse().unwrap());
        let pace = if long {
            Self { samples: minutes.unwrap_or(60), rounds: 60, round: Duration::from_secs(1) }
        } else {
            Self { samples: 8, rounds: 5, round: Duration::ZERO }
        };
        (pace, long)
    }
}

/// What the server takes, at the end of a minute.
#[derive(Debug, Clone, Copy)]
struct Sample {
    memory: u64,
    descriptors: usize,
    threads: usize,
    records: u64,
    index: u64,
    journal: u64,
}

impl Sample {
    fn take(served: &Served, data: &Path) -> Self {
        let folder = |name: &str| size(&data.join(name));
        Self {
            memory: served.resident(),
            descriptors: served.count("fd"),
            threads: served.count("task"),
            records: folder("records.db") + folder("records.db-wal"),
            index: folder("index.db") + folder("index.db-wal"),
            journal: folder("journal"),
        }
    }

    fn row(&self, minute: usize) -> String {
        let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
        format!(
            "| {minute} | {:.1} | {} | {} | {:.2} | {:.2} | {:.2} |",
            mib(self.memory),
            self.descriptors,
            self.threads,
            mib(self.records),
            mib(self.index),
            mib(self.journal)
        )
    }
}

/// The bytes of a file, or of everything in a folder; none where it does not exist.
fn size(path: &Path) -> u64 {
    let Ok(found) = std::fs::metadata(path) else { return 0 };
    if found.is_file() {
        return found.len();
    }
    let inside = std::fs::read_dir(path).into_iter().flatten().flatten();
    inside.map(|entry| size(&entry.path())).sum()
}

fn work_for_a_second(served: &Served, server: &ModelServer, number: usize) {
    let note = format!("Soak/Note {}.md", number % 50);
    let found = served.tool("search_vault", &json!({ "query": format!("honey batch {}", number % 50) }));
    found.done();
    served.tool("read_file", &json!({ "path": note })).done();
    // As long as it was: what grows is not the vault.
    let content = format!("## Weight\n\nWeighed {:06} g of honey.", number % 1_000_000);
    let edit = json!({ "path": note, "heading": "## Weight", "content": content });
    served.tool("replace_section", &edit).done();
    if number.is_multiple_of(5) {
        server.push_turns([reads(&note), Turn::says("It was weighed.")]);
        served.post("/chat", &json!({ "message": "What does the batch weigh?", "new": true })).done();
    }
}

fn largest<T: Ord + Copy>(samples: &[Sample], field: impl Fn(&Sample) -> T) -> T {
    samples.iter().map(field).max().expect("there are samples")
}

#[test]
#[allow(clippy::print_stdout, reason = "the curve of the long run")]
fn a_server_that_runs_for_long_stays_as_it_is() {
    let (pace, long) = Pace::from_environment();
    let desk = Desk::new();
    for number in 0..50 {
        let text = format!(
            "# Note {number}\n\nHoney of batch {number}.\n\n## Weight\n\nWeighed 000000 g of honey.\n"
        );
        desk.save(&format!("Soak/Note {number}.md"), text);
    }
    let server = ModelServer::start([]);
    let served = Served::with(&desk, &[], |command| with(command, &server));
    let data = served.get("/api/status").done()["data"].as_str().unwrap().to_owned();
    let data = Path::new(&data);
    if long {
        println!(
            "| minute | memory, MiB | descriptors | threads | records, MiB | index, MiB | journal, MiB |"
        );
        println!("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    }
    let mut samples = Vec::new();
    for minute in 0..pace.samples {
        for round in 0..pace.rounds {
            let begun = Instant::now();
            work_for_a_second(&served, &server, minute * pace.rounds + round);
            thread::sleep(pace.round.saturating_sub(begun.elapsed()));
        }
        served.get("/api/kb/health").done();
        desk.run(["runs", "forget", "--all", "--json"]).done();
        samples.push(Sample::take(&served, data));
        if long {
            println!("{}", samples[minute].row(minute + 1));
        }
    }
    // The first half warms up: caches fill, and the journal up to as many changes as it keeps.
    let (before, after) = samples.split_at(samples.len() / 2);
    let descriptors = |samples| largest(samples, |sample| sample.descriptors);
    // Two more connections of the pool, each with its database, write-ahead log and shared memory.
    assert!(descriptors(after) <= descriptors(before) + 6, "{samples:#?}");
    let threads = |samples| largest(samples, |sample| sample.threads);
    assert!(threads(after) <= threads(before) + 2, "{samples:#?}");
    // Of a forgotten run its id, kind and times are kept.
    let turns = (after.len() * pace.rounds / 5 + 1) as u64;
    let records = |samples| largest(samples, |sample| sample.records);
    assert!(records(after) <= records(before) + (1 << 18) + turns * 1024, "{samples:#?}");
    let index = |samples| largest(samples, |sample| sample.index);
    // Its write-ahead log grows up to some megabytes, and then begins anew.
    assert!(index(after) <= index(before) + (8 << 20), "{samples:#?}");
    let memory = |samples| largest(samples, |sample| sample.memory);
    assert!(memory(after) <= memory(before) + (16 << 20), "{samples:#?}");
    served.goes_on();
    served.end();
}
