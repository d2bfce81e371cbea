//! What happens between the products: GELU, softmax, layer norm, length one.
//!
//! Plain loops without branches over slices, so that the compiler makes vector code of them for the unit that the caller
//! names. Exponential and error function are polynomials with an error below 2e-7.

use std::borrow::Cow;

use pulp::{Arch, Simd, WithSimd};

const LANES: usize = 16;

/// `x · Φ(x)`, with the exact error function and not the `tanh` curve that some models use in its place.
pub fn gelu(unit: Arch, values: &mut [f32]) {
    unit.dispatch(Gelu { values });
}

struct Gelu<'a> {
    values: &'a mut [f32],
}

impl WithSimd for Gelu<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for value in self.values {
            *value = 0.5 * *value * (1.0 + error_function::<S>(*value * std::f32::consts::FRAC_1_SQRT_2));
        }
    }
}

/// Each row of scores, times `scale`, becomes shares that add up to one.
pub fn softmax(unit: Arch, scores: &mut [f32], width: usize, scale: f32) {
    unit.dispatch(Softmax { scores, width, scale });
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
                *value = exponential::<S>((*value - highest) * self.scale);
            }
            let share = 1.0 / sum(row, |value| value);
            for value in row.iter_mut() {
                *value *= share;
            }
        }
    }
}

/// The two weights of a layer norm.
#[derive(Debug, Clone)]
pub struct Norm {
    pub gain: Cow<'static, [f32]>,
    pub bias: Cow<'static, [f32]>,
    pub epsilon: f32,
}

impl Norm {
    /// Adds `more` to each row of `values`, and brings the row to mean 0 and variance 1 before gain and bias.
    pub fn add_and_norm(&self, unit: Arch, values: &mut [f32], more: &[f32]) {
        unit.dispatch(AddAndNorm { norm: self, values, more });
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
            for ((value, gain), bias) in row.iter_mut().zip(gain.iter()).zip(bias.iter()) {
                *value = multiply_add::<S>((*value - mean) * scale, *gain, *bias);
            }
        }
    }
}

/// Brings a vector to length one. One of zeros stays as it is: it points nowhere.
pub fn normalize(vector: &mut [f32]) {
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

/// `a · b + c`, rounded once where the unit can.
#[inline(always)]
pub(crate) fn multiply_add<S: Simd>(a: f32, b: f32, c: f32) -> f32 {
    if S::IS_SCALAR { a * b + c } else { a.mul_add(b, c) }
}

/// Abramowitz and Stegun 7.1.26.
#[inline(always)]
fn error_function<S: Simd>(x: f32) -> f32 {
    let size = x.abs();
    let t = 1.0 / multiply_add::<S>(0.327_591_1, size, 1.0);
    let factors = [1.061_405_4, -1.453_152, 1.421_413_7, -0.284_496_74, 0.254_829_6];
    let curve = polynomial::<S, 5>(t, factors) * t;
    (1.0 - curve * exponential::<S>(-size * size)).copysign(x)
}

/// Two to a whole power times a polynomial on what is left. For arguments up to 88; below -87 it is as good as zero.
#[inline(always)]
pub(crate) fn exponential<S: Simd>(x: f32) -> f32 {
    /// Adding this leaves the nearest whole number in the low bits.
    const TO_WHOLE: f32 = 12_582_912.0;
    let x = if x > -87.0 { x } else { -87.0 };
    let shifted = multiply_add::<S>(x, std::f32::consts::LOG2_E, TO_WHOLE);
    let whole = shifted - TO_WHOLE;
    // The logarithm of two in two parts, of which the first has zeros at its end, so that nothing is lost.
    let r = multiply_add::<S>(whole, 2.121_944_4e-4, multiply_add::<S>(whole, -0.693_359_4, x));
    let factors = [1.987_569_1e-4, 1.398_199_9e-3, 8.333_452e-3, 4.166_579_6e-2, 0.166_666_66, 0.5];
    let curve = multiply_add::<S>(polynomial::<S, 6>(r, factors) * r, r, r + 1.0);
    let power = f32::from_bits((shifted.to_bits() << 23).wrapping_add(1.0_f32.to_bits()));
    curve * power
}

/// The factor of the highest power comes first.
#[inline(always)]
fn polynomial<S: Simd, const N: usize>(x: f32, factors: [f32; N]) -> f32 {
    let mut sum = factors[0];
    for factor in &factors[1..] {
        sum = multiply_add::<S>(sum, x, *factor);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Exponential<'a>(&'a mut [f32]);

    impl WithSimd for Exponential<'_> {
        type Output = ();

        #[inline(always)]
        fn with_simd<S: Simd>(self, _: S) {
            self.0.iter_mut().for_each(|value| *value = exponential::<S>(*value));
        }
    }

    #[test]
    fn the_exponential_is_exact_to_two_in_ten_million() {
        for unit in [Arch::Scalar, Arch::new()] {
            let arguments: Vec<f32> = (-8600..800).map(|step| step as f32 / 100.0).collect();
            let mut values = arguments.clone();
            unit.dispatch(Exponential(&mut values));
            for (x, value) in arguments.into_iter().zip(values) {
                let expected = f64::from(x).exp();
                let error = (f64::from(value) - expected).abs() / expected;
                assert!(error < 2e-7, "{x}: {error}");
            }
            let mut far = [-1e9];
            unit.dispatch(Exponential(&mut far));
            assert!(far[0] < 1e-37);
        }
    }

    #[test]
    fn gelu_is_the_exact_one() {
        // From the table of the normal distribution.
        for (x, phi) in
            [(0.0, 0.5), (1.0, 0.841_344_8), (-1.0, 0.158_655_25), (2.5, 0.993_790_3), (-4.0, 3.167e-5)]
        {
            let mut value = [x];
            gelu(Arch::new(), &mut value);
            assert!((value[0] - x * phi).abs() < 4e-7, "{x}: {} and not {}", value[0], x * phi);
        }
    }

    #[test]
    fn shares_add_up_to_one_however_large_the_scores() {
        let mut scores: Vec<f32> = (0..74).map(|at| (at as f32 - 20.0) * 900.0).collect();
        softmax(Arch::new(), &mut scores, 37, 0.5);
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
