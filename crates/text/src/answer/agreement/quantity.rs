//! Amounts, comparable across units and ways of writing: `14 days` and `two weeks`, `noon` and `12:00`, `half` and `50 %`.

mod bounds;
mod scan;

pub(super) use scan::find_quantities;

use super::lexicon::synonym_groups;
use crate::Span;

/// An amount in a text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Quantity {
    /// In the base unit of its dimension.
    pub value: f64,
    pub kind: QuantityKind,
    /// The digits as the index of a source has them.
    pub digits: String,
    pub span: Span,
    pub clause: usize,
    /// Half of the last digit's worth, in the base unit.
    pub precision: f64,
    pub bound: Bound,
    /// Whether it names something instead of measuring it: `week 3`, `Batch 7`.
    pub is_label: bool,
}

/// What an amount measures or counts.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum QuantityKind {
    /// A unit of measurement, by its dimension.
    Measure(Dimension, &'static str),
    /// The stem of what is counted.
    Count(String),
    Bare,
}

/// What a unit measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dimension {
    Length,
    Mass,
    Volume,
    Duration,
    Bytes,
    Share,
    Money,
    Clock,
    /// A unit without conversions.
    Other,
}

/// How a text limits an amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bound {
    Exact,
    About,
    AtLeast,
    AtMost,
    MoreThan,
    LessThan,
}

impl Quantity {
    /// Whether the amounts can be compared at all.
    pub fn is_comparable(&self, other: &Self) -> bool {
        match (&self.kind, &other.kind) {
            (QuantityKind::Measure(one, a), QuantityKind::Measure(two, b)) => {
                one == two && (*one != Dimension::Other || a == b)
            }
            (QuantityKind::Count(one), QuantityKind::Count(two)) => one == two,
            (QuantityKind::Bare, QuantityKind::Bare) => {
                self.is_year() == other.is_year()
                    && !other.is_label
                    && self.digits.contains('.') == other.digits.contains('.')
            }
            _ => false,
        }
    }

    /// Whether it is written like a year.
    pub fn is_year(&self) -> bool {
        self.digits.len() == 4 && (1000.0..2200.0).contains(&self.value)
    }

    /// Whether the source's amount makes this one true.
    pub fn is_borne_by(&self, source: &Self) -> bool {
        let shares = |quantity: &Self| matches!(quantity.kind, QuantityKind::Measure(Dimension::Share, _));
        // `0.5` and `50 %`.
        let as_share = shares(self) != shares(source)
            && !matches!(self.kind, QuantityKind::Measure(Dimension::Clock, _))
            && !matches!(source.kind, QuantityKind::Measure(Dimension::Clock, _))
            && (0.0..=1.0).contains(&source.value.abs());
        let measured = |quantity: &Self| matches!(quantity.kind, QuantityKind::Measure(..));
        // A unit that stands on one side only: in a list, a table or the name of a field.
        let raw = |quantity: &Self| quantity.digits.parse::<f64>().ok();
        if measured(self) != measured(source) && !as_share && raw(self).is_some() && raw(self) == raw(source)
        {
            return !self.bound.opposes(source.bound);
        }
        if let (QuantityKind::Count(one), QuantityKind::Count(other)) = (&self.kind, &source.kind)
            && !counts_the_same(one, other)
        {
            return false;
        }
        if measured(self) && measured(source) && !self.is_comparable(source) && !as_share {
            return false;
        }
        if self.value == source.value
            || is_grouped(&self.digits, &source.digits)
            || is_grouped(&source.digits, &self.digits)
        {
            return !self.bound.opposes(source.bound);
        }
        let difference = source.value - self.value;
        let scale = self.value.abs().max(source.value.abs());
        let converted = match (&self.kind, &source.kind) {
            (QuantityKind::Measure(_, one), QuantityKind::Measure(_, two)) => one != two,
            _ => false,
        };
        let near = if converted { 0.03 * scale } else { 0.0 };
        let agrees = match self.bound {
            Bound::About => difference.abs() <= 0.1 * scale,
            Bound::MoreThan | Bound::AtLeast if source.bound == Bound::Exact => {
                difference > 0.0 && difference <= 0.4 * scale
            }
            Bound::LessThan | Bound::AtMost if source.bound == Bound::Exact => {
                difference < 0.0 && difference >= -0.4 * scale
            }
            _ => {
                difference.abs() <= near
                    || source.precision < self.precision && difference.abs() <= self.precision
            }
        };
        agrees && !self.bound.opposes(source.bound)
    }
}

/// Whether the points of one number only group the digits of the other: `2.300` in a German source, and `2300`.
fn is_grouped(one: &str, other: &str) -> bool {
    let mut groups = one.split('.');
    let lead = groups.next().unwrap_or_default();
    let is_lead = (1..=3).contains(&lead.len()) && !lead.starts_with('0');
    let mut groups = groups.peekable();
    is_lead
        && groups.peek().is_some()
        && groups.all(|group| group.len() == 3)
        && !other.contains('.')
        && one.bytes().filter(|byte| *byte != b'.').eq(other.bytes())
}

/// Whether two stems of what is counted mean the same.
pub(super) fn counts_the_same(one: &str, other: &str) -> bool {
    one == other || synonym_groups(one).iter().any(|group| synonym_groups(other).contains(group))
}
