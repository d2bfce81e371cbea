//! What happens between the products: GELU, softmax, layer norm, length one.
//!
//! Plain loops without branches over slices, so that the compiler makes vector code of them; each runs under the best
//! instructions that the processor has. Exponential and error function are polynomials with an error below 2e-7.

use pulp::{Arch, Simd, WithSimd};

const LANES: usize = 16;

/// `x · Φ(x)`, with the exact error function and not the `tanh` curve that some models use in its place.
pub(super) fn gelu(values: &mut [f32]) {
    Arch::new().dispatch(Gelu { values });
}

struct Gelu<'a> {
    values: &'a mut [f32],
}

impl WithSimd for Gelu<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for value in self.values {
            *value = 0.5 * *value * (1.0 + error_function(*value * std::f32::consts::FRAC_1_SQRT_2));
        }
    }
}

/// Each row of scores, times `scale`, becomes shares that add up to one.
pub(super) fn softmax(scores: &mut [f32], width: usize, scale: f32) {
    Arch::new().dispatch(Softmax { scores, width, scale });
}

struct Softmax<'a> {
    scores: &'a mut [f32],
    width: usize,
    scale: f32,
}

impl WithSimd for Softmax<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for row in self.scores.chunks_exact_mut(self.width) {
            let highest = maximum(row);
            for value in row.iter_mut() {
                *value = exponential((*value - highest) * self.scale);
            }
            let share = 1.0 / sum(row, |value| value);
            for value in row.iter_mut() {
                *value *= share;
            }
        }
    }
}

/// The two weights of a layer norm.
pub(super) struct Norm {
    pub gain: Vec<f32>,
    pub bias: Vec<f32>,
    pub epsilon: f32,
}

impl Norm {
    /// Adds `more` to each row of `values`, and brings the row to mean 0 and variance 1 before gain and bias.
    pub(super) fn add_and_norm(&self, values: &mut [f32], more: &[f32]) {
        Arch::new().dispatch(AddAndNorm { norm: self, values, more });
    }
}

struct AddAndNorm<'a> {
    norm: &'a Norm,
    values: &'a mut [f32],
    more: &'a [f32],
}

impl WithSimd for AddAndNorm<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Norm { gain, bias, epsilon } = self.norm;
        let width = gain.len();
        for (row, more) in self.values.chunks_exact_mut(width).zip(self.more.chunks_exact(width)) {
            for (value, more) in row.iter_mut().zip(more) {
                *value += *more;
            }
            let mean = sum(row, |value| value) / width as f32;
            let variance = sum(row, |value| (value - mean) * (value - mean)) / width as f32;
            let scale = 1.0 / (variance + epsilon).sqrt();
            for ((value, gain), bias) in row.iter_mut().zip(gain).zip(bias) {
                *value = (*value - mean) * scale * *gain + *bias;
            }
        }
    }
}

/// Brings a vector to length one. One of zeros stays as it is: it points nowhere.
pub(super) fn normalize(vector: &mut [f32]) {
    let length = vector.iter().map(|value| f64::from(*value) * f64::from(*value)).sum::<f64>().sqrt();
    if length > 0.0 {
        for value in vector {
            *value = (f64::from(*value) / length) as f32;
        }
    }
}

#[inline(always)]
fn sum(values: &[f32], of: impl Fn(f32) -> f32) -> f32 {
    let mut lanes = [0.0; LANES];
    let (chunks, rest) = values.as_chunks::<LANES>();
    for chunk in chunks {
        for (lane, value) in lanes.iter_mut().zip(chunk) {
            *lane += of(*value);
        }
    }
    lanes.iter().sum::<f32>() + rest.iter().map(|value| of(*value)).sum::<f32>()
}

#[inline(always)]
fn maximum(values: &[f32]) -> f32 {
    let mut lanes = [f32::NEG_INFINITY; LANES];
    let (chunks, rest) = values.as_chunks::<LANES>();
    for chunk in chunks {
        for (lane, value) in lanes.iter_mut().zip(chunk) {
            *lane = if *value > *lane { *value } else { *lane };
        }
    }
    lanes.iter().chain(rest).copied().fold(f32::NEG_INFINITY, f32::max)
}

/// Abramowitz and Stegun 7.1.26.
#[inline(always)]
fn error_function(x: f32) -> f32 {
    let size = x.abs();
    let t = 1.0 / (1.0 + 0.327_591_1 * size);
    let curve =
        ((((1.061_405_4 * t - 1.453_152) * t + 1.421_413_7) * t - 0.284_496_74) * t + 0.254_829_6) * t;
    (1.0 - curve * exponential(-size * size)).copysign(x)
}

/// Two to a whole power times a polynomial on what is left. For arguments up to 88; below -87 it is as good as zero.
#[inline(always)]
fn exponential(x: f32) -> f32 {
    /// Adding this leaves the nearest whole number in the low bits.
    const TO_WHOLE: f32 = 12_582_912.0;
    let x = if x > -87.0 { x } else { -87.0 };
    let shifted = x * std::f32::consts::LOG2_E + TO_WHOLE;
    let whole = shifted - TO_WHOLE;
    // The logarithm of two in two parts, of which the first has zeros at its end, so that nothing is lost.
    let r = x - whole * 0.693_359_4 + whole * 2.121_944_4e-4;
    let high = ((1.987_569_1e-4 * r + 1.398_199_9e-3) * r + 8.333_452e-3) * r + 4.166_579_6e-2;
    let curve = ((high * r + 0.166_666_66) * r + 0.5) * r * r + r + 1.0;
    let power = f32::from_bits((shifted.to_bits() << 23).wrapping_add(1.0_f32.to_bits()));
    curve * power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_is_exact_to_two_in_ten_million() {
        for step in -8600..800 {
            let x = step as f32 / 100.0;
            let expected = f64::from(x).exp();
            let error = (f64::from(exponential(x)) - expected).abs() / expected;
            assert!(error < 2e-7, "{x}: {error}");
        }
        assert!(exponential(-1e9) < 1e-37);
    }

    #[test]
    fn gelu_is_the_exact_one() {
        // From the table of the normal distribution.
        for (x, phi) in
            [(0.0, 0.5), (1.0, 0.841_344_8), (-1.0, 0.158_655_25), (2.5, 0.993_790_3), (-4.0, 3.167e-5)]
        {
            let mut value = [x];
            gelu(&mut value);
            assert!((value[0] - x * phi).abs() < 4e-7, "{x}: {} and not {}", value[0], x * phi);
        }
    }

    #[test]
    fn shares_add_up_to_one_however_large_the_scores() {
        let mut scores: Vec<f32> = (0..74).map(|at| (at as f32 - 20.0) * 900.0).collect();
        softmax(&mut scores, 37, 0.5);
        for row in scores.chunks(37) {
            assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        }
    }

    #[test]
    fn a_vector_of_zeros_is_left_alone() {
        let mut zeros = [0.0; 3];
        normalize(&mut zeros);
        assert_eq!(zeros, [0.0; 3]);
    }
}
