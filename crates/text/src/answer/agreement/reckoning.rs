//! Amounts that follow from others: sums, differences, multiples, averages, the time between two hours.

use super::cues::is_reckoned;
use super::quantity::{Bound, Dimension, Quantity, QuantityKind};
use super::tokens::Token;
use crate::canonical_unit;

/// The number of amounts whose sums are tried.
const MOST_SUMMANDS: usize = 8;

/// Whether an amount follows from the source's amounts, in a sentence that says that it calculates.
pub(super) fn is_derived(wanted: &Quantity, source: &[&Quantity], sentence: &[Token]) -> bool {
    let slack = if wanted.bound == Bound::About { 0.1 * wanted.value.abs() } else { 0.0 };
    let slack = wanted.precision.max(slack) * 1.001;
    let fits = |value: f64| (value - wanted.value).abs() <= slack;
    if is_between_hours(wanted, source, &fits) {
        return true;
    }
    if !sentence.iter().any(is_reckoned) {
        return false;
    }
    let same: Vec<f64> =
        source.iter().filter(|quantity| is_alike(wanted, quantity)).map(|quantity| quantity.value).collect();
    let is_slip = source.iter().any(|quantity| is_slip(wanted, quantity));
    is_sum(&same, &fits)
        || is_difference(&same, &fits)
        || !is_slip && is_multiple(&same, source, sentence, &fits)
}

/// Whether both have the same digits with different units: a slip, not a calculation.
fn is_slip(wanted: &Quantity, quantity: &Quantity) -> bool {
    match (&wanted.kind, &quantity.kind) {
        (QuantityKind::Measure(one, a), QuantityKind::Measure(two, b)) => {
            one == two && a != b && wanted.digits == quantity.digits
        }
        _ => false,
    }
}

/// Whether the amounts may be added up.
fn is_alike(wanted: &Quantity, quantity: &Quantity) -> bool {
    let counts = |quantity: &Quantity| !matches!(quantity.kind, QuantityKind::Measure(..));
    quantity.is_comparable(wanted) || counts(wanted) && counts(quantity)
}

fn is_sum(same: &[f64], fits: &dyn Fn(f64) -> bool) -> bool {
    let same = &same[..same.len().min(MOST_SUMMANDS)];
    (1_u32..1 << same.len()).filter(|subset| subset.count_ones() > 1).any(|subset| {
        let parts = same.iter().enumerate().filter(|(at, _)| subset >> at & 1 == 1).map(|(_, value)| *value);
        let sum: f64 = parts.sum();
        fits(sum) || fits(sum / f64::from(subset.count_ones()))
    })
}

fn is_difference(same: &[f64], fits: &dyn Fn(f64) -> bool) -> bool {
    let same = &same[..same.len().min(MOST_SUMMANDS)];
    same.iter().any(|one| same.iter().any(|other| one > other && fits(one - other)))
}

/// Whether it is a rate times a count, or a total shared out.
fn is_multiple(same: &[f64], source: &[&Quantity], sentence: &[Token], fits: &dyn Fn(f64) -> bool) -> bool {
    let is_rate = sentence.windows(2).any(|two| {
        let unit = canonical_unit(&two[1].plain).unwrap_or_default();
        ["a", "an", "per", "each", "every"].contains(&two[0].plain.as_str())
            && ["min", "h", "day", "week", "month", "year"].contains(&unit)
    });
    let periods = [7.0, 12.0, 24.0, 52.0, 60.0].into_iter().filter(|_| is_rate);
    let factors: Vec<f64> = source.iter().map(|quantity| quantity.value).take(24).chain(periods).collect();
    let factors: Vec<f64> = factors.into_iter().filter(|factor| (1.0..1000.0).contains(factor)).collect();
    let is_product = |one: &f64| {
        factors
            .iter()
            .any(|factor| *factor != 1.0 && *one != 0.0 && (fits(one * factor) || fits(one / factor)))
    };
    same.iter().take(MOST_SUMMANDS).any(is_product)
}

/// Whether it is the time from one hour of the day to another.
fn is_between_hours(wanted: &Quantity, source: &[&Quantity], fits: &dyn Fn(f64) -> bool) -> bool {
    let QuantityKind::Measure(Dimension::Duration, _) = wanted.kind else { return false };
    let is_clock =
        |quantity: &&&Quantity| matches!(quantity.kind, QuantityKind::Measure(Dimension::Clock, _));
    let hours: Vec<f64> =
        source.iter().filter(is_clock).take(MOST_SUMMANDS).map(|quantity| quantity.value * 60.0).collect();
    hours.iter().any(|one| hours.iter().any(|other| one > other && fits(one - other)))
}

/// Whether the source has the amount that two amounts of a sentence make up: six in 24 hours is one every four hours.
pub(super) fn is_ratio(wanted: &Quantity, other: &Quantity, source: &[&Quantity]) -> bool {
    if wanted == other || wanted.value == 0.0 || other.value == 0.0 {
        return false;
    }
    let fits =
        |value: f64| source.iter().any(|quantity| (quantity.value - value).abs() <= 0.02 * value.abs());
    let counts = |quantity: &Quantity| {
        !matches!(
            quantity.kind,
            QuantityKind::Measure(
                Dimension::Duration | Dimension::Mass | Dimension::Length | Dimension::Volume,
                _
            )
        )
    };
    (counts(wanted) != counts(other))
        && (fits(wanted.value / other.value) || fits(other.value / wanted.value))
}
