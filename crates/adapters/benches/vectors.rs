//! An index with many vectors: `cargo bench -p wellread-adapters --bench vectors [-- 10000,100000,1000000]`.
//!
//! The vectors have 384 numbers and are generated: how long a scan takes does not depend on what is in them. How long the first
//! search takes, which reads all of them; then one search; and what they take on disk and in memory. Times are processor time.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use rustix::time::{ClockId, clock_gettime};
use wellread_adapters::index::SqliteIndex;
use wellread_core::ports::{EmbeddingModel, IndexUpkeep, PassageFilter, TextHash, Vectors};

const WIDTH: usize = 384;
const ROUNDS: usize = 21;
const BATCH: usize = 5_000;

fn main() {
    let sizes = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let sizes = sizes.unwrap_or_else(|| "10000,100000,1000000".to_owned());
    println!("| vectors | on disk | in memory | first search | search |");
    println!("| ---: | ---: | ---: | ---: | ---: |");
    for count in sizes.split(',') {
        measure(count.parse().unwrap());
    }
}

fn measure(count: usize) {
    let folder = tempfile::tempdir().unwrap();
    let model = EmbeddingModel { name: "m".to_owned(), hash: "1".to_owned(), dimension: WIDTH };
    let mut state = 1;
    let index = SqliteIndex::new(folder.path(), "bench");
    for first in (0..count).step_by(BATCH) {
        let made: Vec<(TextHash, Vec<f32>)> = (first..count.min(first + BATCH))
            .map(|row| (TextHash::compute(&row.to_string()), vector(&mut state)))
            .collect();
        index.keep(&model, &made).unwrap();
    }
    index.check_integrity(wellread_core::ports::IntegrityCheck::Whole).unwrap();
    drop(index);
    let bytes: u64 =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().metadata().unwrap().len()).sum();
    let index = SqliteIndex::new(folder.path(), "bench");
    let (before, queries) = (resident(), (0..ROUNDS).map(|_| vector(&mut state)).collect::<Vec<_>>());
    let search = |query: &[f32]| {
        let started = processor_ms();
        index.nearest(&model, query, &PassageFilter::default(), 50).unwrap();
        processor_ms() - started
    };
    let first = search(&queries[0]);
    let mut times: Vec<f64> = queries.iter().map(|query| search(query)).collect();
    times.sort_by(f64::total_cmp);
    println!(
        "| {count} | {} MB | {} MB | {first:.1} ms | {:.2} ms |",
        bytes / 1_000_000,
        (resident() - before) / 1000,
        times[ROUNDS / 2]
    );
}

/// A vector of length one.
fn vector(state: &mut u64) -> Vec<f32> {
    let mut vector: Vec<f32> = (0..WIDTH)
        .map(|_| {
            *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (*state >> 40) as f32 / (1 << 23) as f32 - 1.0
        })
        .collect();
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    vector.iter_mut().for_each(|value| *value /= length);
    vector
}

/// The user and system time of this process.
fn processor_ms() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 / 1e6
}

/// The memory of this process, in kB.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or("0 kB");
    line.trim().trim_end_matches(" kB").parse().unwrap_or(0)
}
