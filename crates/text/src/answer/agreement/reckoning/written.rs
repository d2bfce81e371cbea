//! Calculations that the source itself writes out, and shares of one amount in another.

use super::{Reckoning, is_alike};
use crate::answer::agreement::quantity::{Dimension, Quantity, QuantityKind};
use crate::answer::agreement::units::Unit;

/// A statement with more amounts has some share for nearly every percentage.
const MOST_PARTS: usize = 3;
/// The most words between an amount and the sign behind it: `1,090 cold + 240`.
const WORDS: usize = 2;

impl Reckoning<'_> {
    /// Whether it is what a source's own sum or product comes to: `2 x 235`, `1,090 cold + 240`.
    pub(super) fn is_written_out(&self, wanted: &Quantity) -> bool {
        let number = |quantity: &Quantity| quantity.digits.parse::<f64>().ok();
        let Some(total) = number(wanted) else { return false };
        self.units.iter().any(|unit| {
            let mut amounts: Vec<&Quantity> = unit.quantities.iter().collect();
            amounts.sort_by_key(|quantity| quantity.span.start);
            amounts.windows(2).any(|pair| {
                let (Some(one), Some(other)) = (number(pair[0]), number(pair[1])) else { return false };
                match sign_between(unit, pair[0], pair[1]) {
                    Some(Sign::Plus) => is_equal(one + other, total),
                    Some(Sign::Times) => is_equal(one * other, total),
                    None => false,
                }
            })
        })
    }

    /// Whether it is the share, in percent, that one amount of a statement is of another of it.
    pub(super) fn is_share(&self, wanted: &Quantity) -> bool {
        if !matches!(wanted.kind, QuantityKind::Measure(Dimension::Share, _)) {
            return false;
        }
        let is_part = |part: &Quantity, whole: &Quantity| {
            whole.value > part.value
                && is_alike(part, whole)
                && (part.value / whole.value - wanted.value).abs() <= wanted.precision * 1.001
        };
        self.units.iter().filter(|unit| unit.quantities.len() <= MOST_PARTS).any(|unit| {
            unit.quantities.iter().any(|part| unit.quantities.iter().any(|whole| is_part(part, whole)))
        })
    }
}

enum Sign {
    Plus,
    Times,
}

/// The sign of a calculation between two amounts of a statement.
fn sign_between(unit: &Unit, one: &Quantity, other: &Quantity) -> Option<Sign> {
    // What is counted may be the sign itself: the `x` of `2 x 235`.
    let from = one.span.start
        + unit.text.get(one.span.start..)?.find(|mark: char| !"0123456789.,".contains(mark))?;
    let between = unit.text.get(from..other.span.start)?.trim();
    if let Some(words) = between.strip_suffix('+') {
        return (words.split_whitespace().count() <= WORDS).then_some(Sign::Plus);
    }
    ["x", "×", "*"].contains(&between).then_some(Sign::Times)
}

fn is_equal(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-6 * other.abs()
}
