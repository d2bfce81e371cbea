//! How many chunks of 256 tokens a core embeds per second with each kernel, how long a query takes, and what it needs to open.
//!
//! `cargo bench -p wellread-encoder --features weights`
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::time::Instant;

use wellread_encoder::{Encoder, Kernel};

fn main() {
    let before = memory("VmRSS:");
    let (started, cpu) = (Instant::now(), cpu_seconds());
    let encoder = Encoder::open().unwrap();
    println!("open: {:.2} ms, {:.2} ms of CPU", ms(started), (cpu_seconds() - cpu) * 1e3);
    let started = Instant::now();
    encoder.embed(&["how do bees find the way back home"]);
    println!("first query: {:.2} ms", ms(started));
    println!("resident: {} MB more than before", (memory("VmRSS:") - before) / 1024);
    for kernel in Kernel::ALL.into_iter().filter(|kernel| kernel.is_available()) {
        measure(kernel);
    }
    println!("resident at most: {} MB", memory("VmHWM:") / 1024);
}

fn measure(kernel: Kernel) {
    let encoder = Encoder::with_kernel(kernel).unwrap();
    let mut queries: Vec<f64> = (0..200)
        .map(|_| {
            let started = Instant::now();
            encoder.embed(&["how do bees find the way back home"]);
            ms(started)
        })
        .collect();
    queries.sort_by(f64::total_cmp);
    let chunks: Vec<Vec<u32>> =
        (0..32).map(|chunk| (0..256).map(|at| 2000 + (at * 7 + chunk * at) % 20_000).collect()).collect();
    let rounds = if kernel == Kernel::Plain { 1 } else { 5 };
    let mut rates: Vec<f64> = (0..rounds)
        .map(|_| {
            let cpu = cpu_seconds();
            encoder.embed_tokens(&chunks);
            chunks.len() as f64 / (cpu_seconds() - cpu)
        })
        .collect();
    rates.sort_by(f64::total_cmp);
    println!(
        "{}: {:.1} chunks of 256 tokens a core-second (median of {rounds}; best {:.1}); a query of 10 tokens {:.2} ms",
        kernel.name(),
        rates[rates.len() / 2],
        rates[rates.len() - 1],
        queries[queries.len() / 2]
    );
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
