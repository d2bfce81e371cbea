//! A mean, and how far it can be trusted: the 95 % interval of the bootstrap over questions.
//!
//! The same figures give the same interval, since chance is drawn from a generator with a fixed seed.

use serde::{Deserialize, Serialize};

const RESAMPLES: usize = 2_000;
const SEED: u64 = 0x05ee_d0fa_b00c;
/// What is left out at either end.
const TAIL: f64 = 0.025;

/// A mean with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    pub mean: f64,
    pub low: f64,
    pub high: f64,
    /// Over how many questions.
    pub of: usize,
}

/// Nothing where there are no figures.
pub fn estimate(values: &[f64]) -> Option<Estimate> {
    if values.is_empty() {
        return None;
    }
    let mut chance = Chance(SEED);
    let mut means: Vec<f64> = (0..RESAMPLES)
        .map(|_| mean((0..values.len()).map(|_| values[chance.below(values.len())]), values.len()))
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

/// Steele, Lea and Flood's SplitMix64: small, and good enough to draw questions by lot.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below this one. The bias is one in 2⁶⁴ divided by it: of no account here.
    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}
