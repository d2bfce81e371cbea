//! How long the scan over an index takes with each kernel: vectors of 384 numbers, generated, on one core.
//!
//! `cargo bench -p wellread-encoder --bench scan`
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::time::Instant;

use pulp::Arch;
use wellread_encoder::Kernel;

const WIDTH: usize = 384;
const ROUNDS: usize = 15;

fn main() {
    for count in [10_000, 100_000, 1_000_000] {
        let mut state = 1_u64;
        let rows: Vec<i8> = (0..count * WIDTH).map(|_| next(&mut state)).collect();
        let vector: Vec<i8> = (0..WIDTH).map(|_| next(&mut state)).collect();
        println!("{count} rows, {} MB:", rows.len() / 1_000_000);
        let mut expected = Vec::new();
        measure("the compiler's own vector code", || expected = compiled(&vector, &rows));
        for kernel in Kernel::ALL.into_iter().filter(|kernel| kernel.is_available()) {
            let mut products = Vec::new();
            measure(kernel.name(), || kernel.dot_products(&vector, &rows, &mut products));
            assert_eq!(products, expected);
        }
        let words: Vec<u64> = (0..count * WIDTH / 64).map(|at| at as u64 * 0x9e37_79b9_7f4a_7c15).collect();
        measure("one bit for each number", || {
            assert_eq!(distances(&words[..WIDTH / 64], &words).len(), count);
        });
    }
}

fn measure(name: &str, mut run: impl FnMut()) {
    run();
    let mut times: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let started = Instant::now();
            run();
            started.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    println!("  {name}: {:.2} ms (median of {ROUNDS}; best {:.2})", times[ROUNDS / 2], times[0]);
}

/// Plain loops, compiled for the widest unit that the processor has.
fn compiled(vector: &[i8], rows: &[i8]) -> Vec<i32> {
    let mut products = Vec::with_capacity(rows.len() / WIDTH);
    Arch::new().dispatch(
        #[inline(always)]
        || {
            for row in rows.chunks_exact(WIDTH) {
                products.push(vector.iter().zip(row).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum());
            }
        },
    );
    products
}

/// How many signs differ.
fn distances(vector: &[u64], rows: &[u64]) -> Vec<u32> {
    let mut distances = Vec::with_capacity(rows.len() / vector.len());
    Arch::new().dispatch(
        #[inline(always)]
        || {
            for row in rows.chunks_exact(WIDTH / 64) {
                distances.push(vector.iter().zip(row).map(|(a, b)| (a ^ b).count_ones()).sum());
            }
        },
    );
    distances
}

fn next(state: &mut u64) -> i8 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    ((*state >> 33) % 255) as i8
}
