//! Whether an amount or a date of a sentence belongs to the same subject in the source.

use super::alignment::Alignment;
use super::quantity::{Quantity, QuantityKind};
use super::tokens::Token;
use super::units::Unit;
use super::{Mismatch, Statement};
use crate::Date;

/// How much better another amount must fit the sentence's words to be the right one.
const MARGIN: f64 = 0.4;

/// Amounts and dates that the source has for something else.
pub(super) fn find_other_subjects(statement: &Statement, alignment: &Alignment<'_>) -> Vec<Mismatch> {
    let mut found = Vec::new();
    for quantity in &statement.quantities {
        found.extend(check_quantity(quantity, statement, alignment));
    }
    for (readings, span, clause) in &statement.dates {
        let fit = |date: &Date| readings.iter().any(|reading| date.covers(reading));
        let mut best = (f64::MIN, f64::MIN, None);
        for (at, (_, unit)) in alignment.units.iter().enumerate() {
            for place in &unit.dates {
                let date = &place.date;
                let score = subject_score(statement, None, *clause, alignment, at, place.clause);
                if fit(date) {
                    best.0 = best.0.max(score);
                } else if score > best.1 && date.day.is_some() {
                    (best.1, best.2) = (score, Some(date));
                }
            }
        }
        if let (true, Some(date)) = (best.0 > f64::MIN && best.1 > best.0 + MARGIN, best.2) {
            let source = format!(
                "{:?}-{:02}-{:02}",
                date.year.unwrap_or_default(),
                date.month,
                date.day.unwrap_or_default()
            );
            found.push(Mismatch::OtherSubject { written: statement.text[span.clone()].to_owned(), source });
        }
    }
    found
}

fn check_quantity(quantity: &Quantity, statement: &Statement, alignment: &Alignment<'_>) -> Option<Mismatch> {
    if quantity.is_label {
        return None;
    }
    let (mut own, mut other): (f64, (f64, Option<&Quantity>)) = (f64::MIN, (f64::MIN, None));
    let mut opposed = false;
    for (at, (_, unit)) in alignment.units.iter().enumerate() {
        for candidate in &unit.quantities {
            let score =
                subject_score(statement, Some(quantity), quantity.clause, alignment, at, candidate.clause);
            opposed |= quantity.digits == candidate.digits && quantity.bound.opposes(candidate.bound);
            if quantity.is_borne_by(candidate) {
                own = own.max(score);
            } else if score > other.0
                && competes(quantity, candidate, unit)
                && !is_in_clause(statement, quantity, candidate)
            {
                other = (score, Some(candidate));
            }
        }
    }
    if opposed && own == f64::MIN {
        return Some(Mismatch::Direction {
            written: quantity.digits.clone(),
            source: quantity.digits.clone(),
            is_certain: false,
        });
    }
    let candidate = other.1.filter(|_| own > f64::MIN && other.0 > own + MARGIN)?;
    Some(Mismatch::OtherSubject { written: quantity.digits.clone(), source: candidate.digits.clone() })
}

/// Whether the source might have this amount for the sentence's subject.
fn competes(quantity: &Quantity, candidate: &Quantity, unit: &Unit) -> bool {
    if quantity.is_comparable(candidate) {
        return true;
    }
    match (&quantity.kind, &candidate.kind) {
        // `16 days, a worker 21, a drone 24`
        (QuantityKind::Measure(..), QuantityKind::Bare) => {
            !candidate.is_label && unit.quantities.iter().any(|other| quantity.is_comparable(other))
        }
        // A table's head says what is counted, and a vote that it is one.
        (QuantityKind::Count(noun), QuantityKind::Bare) => {
            let next = unit.tokens.iter().find(|token| token.start >= candidate.span.end);
            next.is_some_and(is_side)
                || unit.tokens.iter().any(|token| token.clause == candidate.clause && token.stem == *noun)
        }
        _ => false,
    }
}

/// Whether the word says on which side a vote is: `48 for, 9 against`.
fn is_side(token: &Token) -> bool {
    ["for", "against"].contains(&token.plain.as_str())
}

/// Whether the sentence's clause states this amount as well.
fn is_in_clause(statement: &Statement, quantity: &Quantity, candidate: &Quantity) -> bool {
    statement.quantities.iter().any(|other| other.clause == quantity.clause && other.is_borne_by(candidate))
}

/// How much of the sentence around an amount stands around a place of the source.
fn subject_score(
    statement: &Statement,
    quantity: Option<&Quantity>,
    clause: usize,
    alignment: &Alignment<'_>,
    at: usize,
    source_clause: usize,
) -> f64 {
    let (passage, unit) = alignment.units[at];
    let before = at
        .checked_sub(1)
        .map(|before| alignment.units[before])
        .filter(|(other, _)| *other == passage && !unit.is_entry);
    let mut score = 0.0;
    let is_vote = statement.tokens.iter().any(|token| token.plain.starts_with("vot"));
    for token in statement.tokens.iter().filter(|token| token.is_content || is_vote && is_side(token)) {
        // Another amount of the sentence has a place of its own, which says nothing about this one's.
        if token.is_amount || quantity.is_some_and(|quantity| quantity.span.contains(&token.start)) {
            continue;
        }
        let weight = if token.is_name || token.is_number || is_side(token) { 2.0 } else { 1.0 }
            * if token.clause == clause { 1.0 } else { 0.4 };
        score += weight * nearness(token, quantity, unit, source_clause, before.map(|(_, unit)| unit));
    }
    score
}

fn nearness(
    token: &Token,
    quantity: Option<&Quantity>,
    unit: &Unit,
    clause: usize,
    before: Option<&Unit>,
) -> f64 {
    // Where a clause states an amount of its own, if it does.
    let taken_at = |other: usize| match quantity {
        Some(quantity) => unit
            .quantities
            .iter()
            .filter(|own| own.clause == other && quantity.is_comparable(own))
            .map(|own| own.span.start)
            .min(),
        None => unit.dates.iter().find(|date| date.clause == other).map(|date| date.start),
    };
    // `41 kg and Sorrel weighed 33 kg`: a clause with a subject of its own takes none over.
    let has_subject = taken_at(clause).is_some_and(|amount| {
        unit.tokens.iter().any(|own| own.clause == clause && own.is_content && own.start < amount)
    });
    let mut best = 0.0_f64;
    for other in unit.tokens.iter().filter(|other| token.means(other)) {
        let share = if other.clause == clause || other.clause == 0 && unit.is_entry && taken_at(0).is_none() {
            // The first cell of a row, the name before a colon.
            1.0
        } else {
            match taken_at(other.clause) {
                None => 0.6,
                // What stands before the first of several amounts goes for all of them.
                Some(start) if other.clause < clause && other.start < start && !has_subject => 0.9,
                Some(_) => 0.2,
            }
        };
        best = best.max(share);
    }
    if best > 0.0 {
        return best;
    }
    let means = |tokens: &[Token]| tokens.iter().any(|other| token.means(other));
    if means(&unit.context) {
        0.8
    } else if before.is_some_and(|before| means(&before.tokens)) {
        0.4
    } else {
        0.0
    }
}
