//! Whether an amount changed the way that the sentence itself says: 9 is no rise from 14.

use super::quantity::{Quantity, QuantityKind};
use super::tokens::Token;
use super::{Mismatch, Statement};

const RISES: [&str; 12] = [
    "rose",
    "rises",
    "rise",
    "increased",
    "increases",
    "increase",
    "grew",
    "grows",
    "climbed",
    "climbs",
    "gained",
    "raised",
];
const FALLS: [&str; 12] = [
    "fell",
    "falls",
    "fall",
    "decreased",
    "decreases",
    "decrease",
    "dropped",
    "drops",
    "drop",
    "declined",
    "sank",
    "lowered",
];

/// A rise to less or a fall to more, from one amount of the sentence to another.
pub(super) fn find_reversed_change(statement: &Statement) -> Option<Mismatch> {
    let after = |word: &str| {
        statement.quantities.iter().find(|quantity| {
            let first = statement.tokens.partition_point(|token| token.start < quantity.span.start);
            statement.tokens[..first]
                .last()
                .is_some_and(|token| token.plain == word && token.clause == quantity.clause)
        })
    };
    let (from, to) = (after("from")?, after("to")?);
    let (first, last) = values(from, to).filter(|_| from.clause == to.clause)?;
    let in_clause = |token: &&Token| token.clause == to.clause && !token.is_negated && !token.is_quoted;
    let mut words = statement.tokens.iter().filter(in_clause);
    let verb = words.find(|token| {
        let plain = token.plain.as_str();
        RISES.contains(&plain) && last < first || FALLS.contains(&plain) && last > first
    })?;
    Some(Mismatch::Direction { written: verb.plain.clone(), source: to.digits.clone(), is_certain: false })
}

/// Both amounts as numbers that can be compared. The first may leave out the unit: `from 14 to 9 kg`.
fn values(from: &Quantity, to: &Quantity) -> Option<(f64, f64)> {
    let is_measured = |quantity: &Quantity| matches!(quantity.kind, QuantityKind::Measure(..));
    if is_measured(from) && is_measured(to) {
        return from.is_comparable(to).then_some((from.value, to.value));
    }
    Some((from.digits.parse().ok()?, to.digits.parse().ok()?))
}
