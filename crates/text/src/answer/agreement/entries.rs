//! Whether an amount is how many entries a list, a table or an enumeration has.
//!
//! Among lists of a few entries, some list has nearly every number of them. What the sentence counts has to be what the list
//! is of: named above it or before it, or nowhere in the source, as "three reasons" are.

use std::cell::LazyCell;

use super::quantity::{Quantity, QuantityKind, counts_the_same};
use super::tokens::Token;
use super::units::Unit;

/// How many words behind an amount may say what it counts: `four optional settings`.
const NOUNS: usize = 3;

/// Whether the amount is how many entries a list or a table of the sources has, and counts what is listed there. `tokens` are
/// the words of its sentence.
pub(super) fn is_count_of_entries(quantity: &Quantity, tokens: &[Token], units: &[&Unit]) -> bool {
    if !matches!(quantity.kind, QuantityKind::Count(_)) || !(2.0..=30.0).contains(&quantity.value) {
        return false;
    }
    let behind = tokens.iter().filter(|token| token.start >= quantity.span.end);
    let behind = behind.take_while(|token| token.clause == quantity.clause);
    let nouns: Vec<&Token> = behind.take(NOUNS).take_while(|token| token.is_content).collect();
    let names = |token: &Token| nouns.iter().any(|noun| counts_the_same(&noun.stem, &token.stem));
    let is_count = |count: usize| count as f64 == quantity.value;
    let is_named = |unit: &Unit| unit.tokens.iter().chain(&unit.context).any(names);
    let is_unheard_of = LazyCell::new(|| !units.iter().any(|unit| is_named(unit)));
    let is_list_of = |list: &[&Unit]| list.iter().any(|unit| unit.context.iter().any(names));
    let is_enumeration_of = |unit: &Unit| {
        let first = unit.text.find(',').unwrap_or(unit.text.len());
        unit.tokens.iter().take_while(|token| token.start < first).chain(&unit.context).any(names)
    };
    let mut lists = units.chunk_by(|one, other| one.is_entry && other.is_entry && !other.is_heading);
    lists.any(|list| {
        is_count(list.iter().filter(|unit| unit.begins_entry).count()) && (is_list_of(list) || *is_unheard_of)
    }) || units.iter().any(|unit| {
        // Amounts side by side are no list of things.
        let is_plain = || unit.quantities.len() < 2;
        is_count(enumerated(unit)) && (is_enumeration_of(unit) || is_plain() && *is_unheard_of)
    })
}

/// How many things a statement lists, if it lists any.
fn enumerated(unit: &Unit) -> usize {
    unit.text.matches(',').count() + 1 + usize::from(unit.text.contains(" and "))
}
