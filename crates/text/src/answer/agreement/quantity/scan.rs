//! Finds the amounts of a text.

use super::bounds::{read_bound, text_before};
use super::{Dimension, Quantity, QuantityKind};
use crate::answer::agreement::tokens::{Token, clause_at};
use crate::prose::claims::{dates, numbers};
use crate::{Number, Span, canonical_unit};

const CONVERSIONS: [(&str, Dimension, f64); 33] = [
    ("€", Dimension::Money, 1.0),
    ("cent", Dimension::Money, 0.01),
    ("hl", Dimension::Volume, 100.0),
    ("µl", Dimension::Volume, 0.000_001),
    ("cl", Dimension::Volume, 0.01),
    ("dl", Dimension::Volume, 0.1),
    ("mm", Dimension::Length, 0.001),
    ("cm", Dimension::Length, 0.01),
    ("m", Dimension::Length, 1.0),
    ("km", Dimension::Length, 1000.0),
    ("inch", Dimension::Length, 0.0254),
    ("ft", Dimension::Length, 0.3048),
    ("mile", Dimension::Length, 1609.344),
    ("mg", Dimension::Mass, 0.001),
    ("g", Dimension::Mass, 1.0),
    ("kg", Dimension::Mass, 1000.0),
    ("t", Dimension::Mass, 1_000_000.0),
    ("ml", Dimension::Volume, 0.001),
    ("l", Dimension::Volume, 1.0),
    ("ms", Dimension::Duration, 0.001),
    ("s", Dimension::Duration, 1.0),
    ("min", Dimension::Duration, 60.0),
    ("h", Dimension::Duration, 3600.0),
    ("day", Dimension::Duration, 86_400.0),
    ("week", Dimension::Duration, 604_800.0),
    ("month", Dimension::Duration, 2_629_800.0),
    ("year", Dimension::Duration, 31_557_600.0),
    ("decade", Dimension::Duration, 315_576_000.0),
    ("byte", Dimension::Bytes, 1.0),
    ("kb", Dimension::Bytes, 1e3),
    ("mb", Dimension::Bytes, 1e6),
    ("gb", Dimension::Bytes, 1e9),
    ("tb", Dimension::Bytes, 1e12),
];

/// Words that are amounts: the value as a share or a time of day in minutes.
const WORDS: [(&str, Dimension, f64); 10] = [
    ("half", Dimension::Share, 0.5),
    ("halved", Dimension::Share, 0.5),
    ("halves", Dimension::Share, 0.5),
    ("quarter", Dimension::Share, 0.25),
    ("third", Dimension::Share, 1.0 / 3.0),
    ("fifth", Dimension::Share, 0.2),
    ("tenth", Dimension::Share, 0.1),
    ("noon", Dimension::Clock, 720.0),
    ("midday", Dimension::Clock, 720.0),
    ("midnight", Dimension::Clock, 0.0),
];

/// The stems of the parts of a whole, and how many make it up: `four fifths`.
const FRACTIONS: [(&str, f64); 5] =
    [("third", 3.0), ("quarter", 4.0), ("fifth", 5.0), ("eighth", 8.0), ("tenth", 10.0)];

/// The longest name of a field that is read for its unit, with what stands between it and its value.
const LONGEST_FIELD: usize = 80;

/// The amounts of a text in comparable form. Parts of dates are none.
pub(in crate::answer::agreement) fn find_quantities(text: &str, tokens: &[Token]) -> Vec<Quantity> {
    let days: Vec<Span> = dates(text).into_iter().map(|(span, _)| span).collect();
    let is_dated = |span: &Span| days.iter().any(|day| day.start < span.end && span.start < day.end);
    let written = numbers(text).into_iter().filter(|(span, _)| !is_dated(span));
    let mut found: Vec<Quantity> =
        written.filter_map(|(span, number)| read_quantity(text, tokens, span, number)).collect();
    found.extend(tokens.iter().filter_map(|token| read_word(text, token)));
    found
}

fn read_quantity(text: &str, tokens: &[Token], span: Span, number: Number) -> Option<Quantity> {
    if number.spelled && number.value == "1" {
        return None;
    }
    let (value, kind, scale) = match parse_clock(&number.value, &text[span.end..], number.unit.as_deref()) {
        Some(minutes) => (minutes, QuantityKind::Measure(Dimension::Clock, "clock"), 1.0),
        None => {
            let value = number.value.parse::<f64>().ok()?;
            let (kind, scale) = read_kind(text, span.start, number.unit.as_deref());
            (if number.negative { -value } else { value } * scale, kind, scale)
        }
    };
    let decimals = number.value.split_once('.').map_or(0, |(_, digits)| digits.len());
    let precision = scale * 0.5 * 10_f64.powi(-(decimals.min(9) as i32));
    let before = tokens[..tokens.partition_point(|token| token.start < span.start)].last();
    let is_measure = matches!(kind, QuantityKind::Measure(..));
    let is_label = !is_measure
        && !number.spelled
        && value < 1000.0
        && before.is_some_and(|token| {
            let is_name = kind == QuantityKind::Bare || text[token.start..].starts_with(char::is_uppercase);
            let is_adjacent = text[token.start..span.start].trim_end().len() == token.plain.len();
            is_name && token.is_content && !token.is_number && is_adjacent
        });
    let clause = clause_at(tokens, span.start);
    let bound = read_bound(text, &span);
    Some(Quantity { value, kind, digits: number.value, span, clause, precision, bound, is_label })
}

/// What a number measures or counts, and what its unit is worth in the base unit.
fn read_kind(text: &str, at: usize, unit: Option<&str>) -> (QuantityKind, f64) {
    let known = unit.and_then(canonical_unit);
    if known == Some("%") {
        return (QuantityKind::Measure(Dimension::Share, "%"), 0.01);
    }
    let named = match known {
        Some(unit) => CONVERSIONS.iter().find(|(name, ..)| *name == unit),
        None => field_unit(text, at),
    };
    if let Some((_, parts)) = FRACTIONS.iter().find(|(name, _)| unit == Some(*name)) {
        return (QuantityKind::Measure(Dimension::Share, "%"), 1.0 / parts);
    }
    match (named, known, unit) {
        (Some((unit, dimension, factor)), ..) => (QuantityKind::Measure(*dimension, unit), *factor),
        (None, Some(unit), _) => (QuantityKind::Measure(Dimension::Other, unit), 1.0),
        // `48 for, 9 against`
        (None, None, Some("for" | "against")) => (QuantityKind::Bare, 1.0),
        (None, None, Some(counted)) => (QuantityKind::Count(counted.to_owned()), 1.0),
        (None, None, None) => (QuantityKind::Bare, 1.0),
    }
}

impl Quantity {
    /// The same with a unit that stands elsewhere, such as in the head of its column, if it has none of its own.
    pub fn with_unit(self, unit: &'static str) -> Self {
        if self.kind != QuantityKind::Bare || self.is_label {
            return self;
        }
        let known = CONVERSIONS.iter().find(|(name, ..)| *name == unit);
        let (dimension, scale) = match known {
            Some((_, dimension, factor)) => (*dimension, *factor),
            None if unit == "%" => (Dimension::Share, 0.01),
            None => (Dimension::Other, 1.0),
        };
        let kind = QuantityKind::Measure(dimension, unit);
        Self { value: self.value * scale, precision: self.precision * scale, kind, ..self }
    }
}

fn read_word(text: &str, token: &Token) -> Option<Quantity> {
    let (_, dimension, value) = WORDS.iter().find(|(word, ..)| *word == token.plain)?;
    let end = text.ceil_char_boundary(token.start + token.plain.len());
    let span = token.start..end;
    let unit = if *dimension == Dimension::Share { "%" } else { "clock" };
    Some(Quantity {
        value: *value,
        kind: QuantityKind::Measure(*dimension, unit),
        digits: token.plain.clone(),
        clause: token.clause,
        bound: read_bound(text, &span),
        span,
        precision: 0.005,
        is_label: false,
    })
}

/// The unit in the name of a field before its value: `height_cm = 620`.
fn field_unit(text: &str, at: usize) -> Option<&'static (&'static str, Dimension, f64)> {
    let before = text_before(text, at, LONGEST_FIELD);
    let name = before.rsplit([' ', ':', '=', '(', ',']).find(|word| word.contains('_'))?;
    if before.len() - before.rfind(name)? > name.len() + 12 {
        return None;
    }
    let unit = canonical_unit(name.rsplit('_').next()?)?;
    CONVERSIONS.iter().find(|(known, ..)| *known == unit)
}

/// A time of day in minutes: `9:30`, `9:30 pm`, `3 pm`.
fn parse_clock(digits: &str, behind: &str, unit: Option<&str>) -> Option<f64> {
    let suffix: String = behind.trim_start().chars().take(4).flat_map(char::to_lowercase).collect();
    let is_pm = unit == Some("pm") || suffix.starts_with("pm") || suffix.starts_with("p.m");
    let is_am =
        unit == Some("am") || suffix.starts_with("am ") || suffix.starts_with("a.m") || suffix == "am";
    let (hours, minutes) = match digits.split_once(':') {
        Some((hours, minutes)) if minutes.len() == 2 => {
            (hours.parse::<f64>().ok()?, minutes.parse::<f64>().ok()?)
        }
        None if is_pm || is_am => (digits.parse::<f64>().ok()?, 0.0),
        _ => return None,
    };
    let hours = if is_pm && hours < 12.0 { hours + 12.0 } else { hours };
    (hours < 25.0 && minutes < 60.0).then_some(hours * 60.0 + minutes)
}
