//! How many chunks of 256 tokens a core embeds per second, with a check that the vectors are right.
//!
//! `cargo bench -p wellread-adapters --bench embed`
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::time::Instant;

use wellread_adapters::embed::LocalModel;
use wellread_core::ports::{Embedder, EmbeddingPurpose};

fn main() {
    let folder = wellread_testkit::model_folder();
    let started = Instant::now();
    let cpu = cpu_seconds();
    let model = LocalModel::open(&folder, "all-MiniLM-L6-v2", "").unwrap();
    println!("load: {:.1} ms, {:.1} ms of CPU", ms(started), (cpu_seconds() - cpu) * 1e3);
    println!("resident after loading: {} MB", memory("VmRSS:") / 1024);

    let texts = [
        "That is a happy person",
        "That is a happy dog",
        "That is a very happy person",
        "Today is a sunny day",
    ];
    let vectors = model.embed(&texts, EmbeddingPurpose::Passage).unwrap();
    for other in 1..4 {
        let cosine: f32 = vectors[0].iter().zip(&vectors[other]).map(|(a, b)| a * b).sum();
        println!("cosine to {:?}: {cosine:.6}", texts[other]);
    }

    let mut fastest = f64::INFINITY;
    for _ in 0..20 {
        let started = Instant::now();
        model.embed(&["how do bees find the way home"], EmbeddingPurpose::Query).unwrap();
        fastest = fastest.min(ms(started));
    }
    println!("one query of 9 tokens: {fastest:.2} ms");

    let words = ["hive", "river", "stone", "walk", "yellow", "under", "listen", "paper", "winter", "seven"];
    let chunks: Vec<String> = (0..32)
        .map(|at| (0..300).map(|i| words[(i * 7 + at * i) % 10]).collect::<Vec<_>>().join(" "))
        .collect();
    let chunks: Vec<&str> = chunks.iter().map(String::as_str).collect();
    for _ in 0..3 {
        let (started, cpu) = (Instant::now(), cpu_seconds());
        model.embed(&chunks, EmbeddingPurpose::Passage).unwrap();
        let seconds = cpu_seconds() - cpu;
        println!(
            "{} chunks of 256 tokens: {:.0} ms, {:.1} chunks a core-second",
            chunks.len(),
            ms(started),
            chunks.len() as f64 / seconds
        );
    }
    println!("resident at most: {} MB", memory("VmHWM:") / 1024);
}

fn ms(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}

/// The user and system time of this process.
fn cpu_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// A value of the kernel about this process, in kB.
fn memory(what: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(what)).unwrap_or("0 kB");
    line.trim().trim_end_matches(" kB").parse().unwrap_or(0)
}
