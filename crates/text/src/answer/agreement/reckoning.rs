//! Amounts that follow from others: sums, differences, multiples, averages, the time between two hours.
//!
//! That an amount can be calculated is not enough: among a few numbers, some sum or difference gives nearly every other. The
//! sentence has to say that it adds up, compares or multiplies, and the amounts have to be of the same thing.

mod announced;
mod written;

use std::borrow::Cow;
use std::ops::Range;

use self::announced::Announced;
use super::quantity::{Bound, Dimension, Quantity, QuantityKind, counts_the_same};
use super::tokens::Token;
use super::units::Unit;
use crate::Date;

/// The number of amounts whose sums are tried.
const MOST_SUMMANDS: usize = 8;
/// The number of words between a count and the amount that it is shared out over.
const REACH: usize = 5;
/// With more dates or hours than these, only those of one statement are compared, unless the sentence says that time passed.
const FEW_PLACES: usize = 3;
const FEW_PLACES_IF_SAID: usize = 6;
/// The number of words that say what an amount is of.
const LONGEST_PHRASE: usize = 5;
/// The number of amounts that others are multiplied with.
const MOST_FACTORS: usize = 24;

/// A sentence whose amounts may be calculated from those of its sources.
pub(super) struct Reckoning<'a> {
    pub tokens: &'a [Token],
    pub quantities: &'a [Quantity],
    pub units: &'a [&'a Unit],
}

/// An amount of a source that may be one of a sum.
struct Operand<'a> {
    quantity: Cow<'a, Quantity>,
    /// Which of the words after the sentence's amount stand beside this one, too: a bit for each.
    beside: u32,
}

impl Reckoning<'_> {
    /// Whether an amount of the sentence follows from amounts of the sources, and the sentence says that it calculates.
    pub fn is_derived(&self, wanted: &Quantity) -> bool {
        if self.is_between_hours(wanted) || self.is_written_out(wanted) || self.is_share(wanted) {
            return true;
        }
        let announced = Announced::read(wanted, self.tokens);
        if !announced.is_any() {
            return false;
        }
        let operands = self.operands(wanted);
        announced.adds && is_sum(wanted, &operands)
            || announced.averages && is_average(wanted, &operands)
            || announced.compares && is_difference(wanted, &operands)
            || announced.counts_times && is_quotient(wanted, &self.sources())
            || announced.multiplies && !self.has_slip(wanted) && self.is_multiple(wanted, &operands)
    }

    fn sources(&self) -> Vec<&Quantity> {
        self.units.iter().flat_map(|unit| &unit.quantities).collect()
    }

    /// The amounts of the sources that may be calculated with: those of the same thing, as far as can be told.
    fn operands(&self, wanted: &Quantity) -> Vec<Operand<'_>> {
        let phrase = self.tokens_after(wanted);
        let is_counted = |noun: &String| {
            let counts = |quantity: &&Quantity| matches!(&quantity.kind, QuantityKind::Count(other) if counts_the_same(noun, other));
            self.units.iter().flat_map(|unit| &unit.quantities).any(|quantity| counts(&quantity))
        };
        let only_counted = matches!(&wanted.kind, QuantityKind::Count(noun) if is_counted(noun));
        let fits = |quantity: &Quantity, unit: &Unit| match (&wanted.kind, &quantity.kind) {
            // A row or an item may leave out the unit that the sentence has.
            (QuantityKind::Measure(..), QuantityKind::Bare) => {
                let is_measured = unit.quantities.iter().any(|other| other.is_comparable(wanted));
                !is_measured && !quantity.is_label && !quantity.is_year()
            }
            (QuantityKind::Measure(..), _) | (_, QuantityKind::Measure(..)) => quantity.is_comparable(wanted),
            (QuantityKind::Count(noun), QuantityKind::Count(other)) if only_counted => {
                counts_the_same(noun, other)
            }
            _ => !quantity.is_year() || wanted.is_year(),
        };
        let mut operands = Vec::new();
        for unit in self.units {
            let own: Vec<&Quantity> =
                unit.quantities.iter().filter(|quantity| fits(quantity, unit)).collect();
            for quantity in &own {
                let is_beside = |token: &&Token| {
                    let inside = |other: &&Token| own.len() == 1 || other.clause == quantity.clause;
                    unit.tokens.iter().filter(inside).any(|other| token.means(other))
                        || unit.context.iter().any(|other| token.means(other))
                };
                let bits = phrase.iter().enumerate().filter(|(_, token)| is_beside(token));
                let beside = bits.fold(0, |beside, (bit, _)| beside | 1 << bit);
                let quantity = match wanted.kind {
                    QuantityKind::Measure(_, unit) if quantity.kind == QuantityKind::Bare => {
                        Cow::Owned((*quantity).clone().with_unit(unit))
                    }
                    _ => Cow::Borrowed(*quantity),
                };
                operands.push(Operand { quantity, beside });
            }
        }
        operands
    }

    /// The words that say what the amount is of: `wheat flour` behind `500 g of`. None where it is of several things.
    fn tokens_after(&self, wanted: &Quantity) -> Vec<&Token> {
        let mut after = self.tokens.iter().filter(|token| token.start >= wanted.span.end).skip(1).peekable();
        after.next_if(|token| token.plain == "of");
        let mut phrase = Vec::new();
        while let Some(token) = after.next_if(|token| token.is_content && token.clause == wanted.clause) {
            phrase.push(token);
        }
        let is_joined =
            after.peek().is_some_and(|next| ["and", "und", "et", "y", "plus"].contains(&next.plain.as_str()));
        phrase.truncate(if is_joined { 0 } else { LONGEST_PHRASE });
        phrase
    }

    /// Whether a source has the same digits with another unit: a slip, not a calculation.
    fn has_slip(&self, wanted: &Quantity) -> bool {
        self.sources().iter().any(|quantity| match (&wanted.kind, &quantity.kind) {
            (QuantityKind::Measure(one, a), QuantityKind::Measure(two, b)) => {
                one == two && a != b && wanted.digits == quantity.digits
            }
            _ => false,
        })
    }

    /// Whether it is a rate times a count, or a total shared out.
    fn is_multiple(&self, wanted: &Quantity, operands: &[Operand<'_>]) -> bool {
        let is_factor = |quantity: &&Quantity| {
            let is_counting = !matches!(quantity.kind, QuantityKind::Measure(dimension, _) if dimension != Dimension::Duration);
            let own = quantity.digits.parse::<f64>().unwrap_or_default();
            is_counting && !quantity.is_label && !quantity.is_year() && (2.0..1000.0).contains(&own)
        };
        let stated = self.quantities.iter().filter(|quantity| *quantity != wanted);
        let of_source = self.units.iter().flat_map(|unit| &unit.quantities).take(MOST_FACTORS);
        let factors: Vec<&Quantity> = stated.chain(of_source).filter(is_factor).collect();
        let said = announced::factors(self.tokens);
        let own_periods = announced::periods(self.tokens);
        let is_other_period = |unit: &&Unit| {
            announced::periods(&unit.tokens).iter().any(|period| !own_periods.contains(period))
        };
        let is_period = !own_periods.is_empty() && self.units.iter().any(is_other_period);
        let periods = announced::PERIODS.into_iter().filter(|_| is_period);
        let said: Vec<f64> = said.into_iter().chain(periods).collect();
        operands.iter().filter(|one| !one.quantity.is_label).take(MOST_SUMMANDS).any(|operand| {
            let one = operand.quantity.value;
            // An amount is not multiplied by itself.
            let is_itself = |factor: &Quantity| {
                factor.span == operand.quantity.span && factor.digits == operand.quantity.digits
            };
            let others = factors.iter().filter(|factor| !is_itself(factor));
            let others = others.filter_map(|factor| factor.digits.parse::<f64>().ok());
            let is_product = |factor: f64| is_near(wanted, one * factor) || is_near(wanted, one / factor);
            one != 0.0 && others.chain(said.iter().copied()).any(is_product)
        })
    }

    /// Whether it is the time from one hour of the day to another.
    fn is_between_hours(&self, wanted: &Quantity) -> bool {
        let QuantityKind::Measure(Dimension::Duration, _) = wanted.kind else { return false };
        let is_clock =
            |quantity: &&Quantity| matches!(quantity.kind, QuantityKind::Measure(Dimension::Clock, _));
        let hours = |unit: &&Unit| -> Vec<f64> {
            unit.quantities.iter().filter(is_clock).map(|quantity| quantity.value * 60.0).collect()
        };
        let apart = |hours: &[f64]| {
            let hours = &hours[..hours.len().min(MOST_SUMMANDS)];
            hours.iter().any(|one| hours.iter().any(|other| one > other && is_near(wanted, one - other)))
        };
        self.any_apart(&hours, &apart)
    }

    /// Whether two days or hours of one statement are apart like this, or two of different ones, where there are only a few: among
    /// many, two are as far apart as one likes.
    fn any_apart(&self, find: &dyn Fn(&&Unit) -> Vec<f64>, apart: &dyn Fn(&[f64]) -> bool) -> bool {
        let is_said = self.tokens.iter().any(announced::is_passing);
        let few = if is_said { FEW_PLACES_IF_SAID } else { FEW_PLACES };
        let each: Vec<Vec<f64>> = self.units.iter().map(find).collect();
        let all = each.concat();
        each.iter().any(|own| apart(own)) || all.len() <= few && apart(&all)
    }

    /// Whether the amount is the time between two dates of the sources.
    pub fn is_time_between(&self, wanted: &Quantity) -> bool {
        let QuantityKind::Measure(Dimension::Duration, unit) = wanted.kind else { return false };
        let days = |of: &&Unit| -> Vec<f64> {
            of.dates.iter().filter_map(|place| day_number(&place.date)).collect()
        };
        let years = |of: &&Unit| -> Vec<f64> {
            let years = of.quantities.iter().filter(|quantity| quantity.is_year());
            years.map(|quantity| quantity.value * 365.25).collect()
        };
        let slack: f64 = match unit {
            "year" => 200.0,
            "month" => 16.0,
            "week" => 4.0,
            _ => 1.01,
        };
        let slack = slack.max(self::slack(wanted) / 86_400.0);
        let wanted = wanted.value / 86_400.0;
        let apart = |days: &[f64]| {
            days.iter()
                .any(|one| days.iter().any(|other| (one - other - wanted).abs() <= slack && one != other))
        };
        self.any_apart(&days, &apart) || unit == "year" && self.any_apart(&years, &apart)
    }

    /// Whether a source has the amount that two amounts of the sentence make up: six in 24 hours is one every four hours.
    pub fn is_ratio(&self, wanted: &Quantity) -> bool {
        let is_measured = |quantity: &Quantity| {
            matches!(
                quantity.kind,
                QuantityKind::Measure(
                    Dimension::Duration | Dimension::Mass | Dimension::Length | Dimension::Volume,
                    _
                )
            )
        };
        self.quantities.iter().any(|other| {
            let (measure, count) = if is_measured(wanted) { (wanted, other) } else { (other, wanted) };
            if !is_measured(measure) || !matches!(count.kind, QuantityKind::Count(_)) || count.value == 0.0 {
                return false;
            }
            let (first, last) =
                (count.span.end.min(measure.span.end), count.span.start.max(measure.span.start));
            let between = self.tokens.iter().filter(|token| (first..last).contains(&token.start));
            let is_said = between.clone().count() <= REACH
                && between.clone().any(|token| {
                    ["in", "within", "a", "an"].contains(&token.plain.as_str()) || announced::is_rate(token)
                });
            let share = measure.value / count.value;
            let is_share = |quantity: &Quantity| {
                quantity.is_comparable(measure) && (quantity.value - share).abs() <= 0.02 * share.abs()
            };
            is_said && self.sources().into_iter().any(is_share)
        })
    }
}

fn day_number(date: &Date) -> Option<f64> {
    let year = f64::from(date.year?);
    Some(year * 365.25 + f64::from(date.month) * 30.44 + f64::from(date.day.unwrap_or(15)))
}

/// Whether the amount is this value, as exactly as it is given.
fn is_near(wanted: &Quantity, value: f64) -> bool {
    (value - wanted.value).abs() <= slack(wanted).max(wanted.precision) * 1.001
}

/// Whether the amount is this value, calculated from others without rounding unless they are given more exactly.
fn is_exact(wanted: &Quantity, value: f64, parts: &[&Operand<'_>]) -> bool {
    let is_finer = parts.iter().any(|part| part.quantity.precision < 0.99 * wanted.precision);
    let rounding = if is_finer { wanted.precision * 1.001 } else { 0.0 };
    (value - wanted.value).abs() <= slack(wanted).max(rounding).max(1e-6 * value.abs())
}

fn slack(wanted: &Quantity) -> f64 {
    if wanted.bound == Bound::About { 0.1 * wanted.value.abs() } else { 0.0 }
}

/// The sets of at least two amounts that may be added up: either all of them or none stand beside a word that says what the
/// sum is of.
fn summed<'a, 'b>(operands: &'b [Operand<'a>]) -> impl Iterator<Item = Vec<&'b Operand<'a>>> {
    let operands = &operands[..operands.len().min(MOST_SUMMANDS)];
    let subsets: Range<u32> = 1..1 << operands.len();
    subsets.filter(|subset| subset.count_ones() > 1).filter_map(move |subset| {
        let chosen = operands.iter().enumerate().filter(|(at, _)| subset >> at & 1 == 1);
        let chosen: Vec<&Operand<'_>> = chosen.map(|(_, operand)| operand).collect();
        let beside = chosen[0].beside;
        chosen.iter().all(|operand| operand.beside == beside).then_some(chosen)
    })
}

fn is_sum(wanted: &Quantity, operands: &[Operand<'_>]) -> bool {
    summed(operands).any(|parts| {
        let sum: f64 = parts.iter().map(|part| part.quantity.value).sum();
        is_exact(wanted, sum, &parts)
    })
}

fn is_average(wanted: &Quantity, operands: &[Operand<'_>]) -> bool {
    summed(operands).any(|parts| {
        let sum: f64 = parts.iter().map(|part| part.quantity.value).sum();
        is_near(wanted, sum / parts.len() as f64)
    })
}

fn is_difference(wanted: &Quantity, operands: &[Operand<'_>]) -> bool {
    let operands: Vec<_> = operands.iter().filter(|one| !one.quantity.is_label).take(MOST_SUMMANDS).collect();
    operands.iter().any(|one| {
        operands.iter().any(|other| {
            let difference = one.quantity.value - other.quantity.value;
            difference > 0.0 && is_exact(wanted, difference, &[one, other])
        })
    })
}

/// Whether it says how often one amount of the sources goes into another.
fn is_quotient(wanted: &Quantity, sources: &[&Quantity]) -> bool {
    let sources = &sources[..sources.len().min(MOST_FACTORS)];
    sources.iter().any(|one| {
        sources.iter().any(|other| {
            other.value != 0.0 && is_alike(one, other) && is_near(wanted, one.value / other.value)
        })
    })
}

/// Whether two amounts can be set against each other: of one dimension, or both numbers of things.
fn is_alike(one: &Quantity, other: &Quantity) -> bool {
    let is_count = |quantity: &Quantity| {
        !matches!(quantity.kind, QuantityKind::Measure(..)) && !quantity.is_label && !quantity.is_year()
    };
    one.is_comparable(other) || is_count(one) && is_count(other)
}
