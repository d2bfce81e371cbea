//! A mean with its 95 % bootstrap interval over questions.
//!
//! The random generator has a fixed seed, so equal values give equal intervals.

use serde::{Deserialize, Serialize};

use crate::domain::chance::SplitMix;

const RESAMPLES: usize = 2_000;
const SEED: u64 = 0x05ee_d0fa_b00c;
/// The share cut off at either end.
const TAIL: f64 = 0.025;

/// A mean with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// The lower end of the confidence interval.
    pub low: f64,
    /// The upper end of the confidence interval.
    pub high: f64,
    /// The number of questions.
    pub of: usize,
}

/// Estimates the mean of the values; `None` if there are none.
pub fn estimate(values: &[f64]) -> Option<Estimate> {
    if values.is_empty() {
        return None;
    }
    let mut chance = SplitMix::new(SEED);
    let mut means: Vec<f64> = (0..RESAMPLES)
        .map(|_| mean((0..values.len()).map(|_| values[chance.next_below(values.len())]), values.len()))
        .collect();
    means.sort_by(f64::total_cmp);
    let at = |share: f64| means[((RESAMPLES - 1) as f64 * share).round() as usize];
    Some(Estimate {
        mean: mean(values.iter().copied(), values.len()),
        low: at(TAIL),
        high: at(1.0 - TAIL),
        of: values.len(),
    })
}

fn mean(values: impl Iterator<Item = f64>, count: usize) -> f64 {
    values.sum::<f64>() / count as f64
}
