//! Whether two parties of a sentence have changed places.

use super::alignment::Alignment;
use super::cues::is_being;
use super::tokens::Token;
use super::{Mismatch, Statement};

/// Finds two words that stand on either side of the same verb, the other way round in the source.
pub(super) fn find_swap(statement: &Statement, alignment: &Alignment<'_>) -> Option<Mismatch> {
    let place = alignment.best_unit()?;
    let source = &place.tokens;
    let own: Vec<&Token> = statement.tokens.iter().filter(|token| token.is_content).collect();
    for (at, first) in own.iter().enumerate() {
        for second in own.iter().skip(at + 1).take(6) {
            if first.is_same_word(second) {
                continue;
            }
            let Some(one) = only(source, first) else { continue };
            let Some(two) = only(source, second) else { continue };
            if one.start <= two.start {
                continue;
            }
            // The source has them the other way round, with the same link between them.
            let links = between(&statement.tokens, first, second);
            let others = between(source, two, one);
            let gives_role = if first.is_number { orders } else { is_link };
            let is_linked = links.iter().any(|link| {
                gives_role(link) && others.iter().any(|other| gives_role(other) && link.is_same_word(other))
            });
            let is_passive = |tokens: &[&Token]| {
                tokens.iter().any(|token| token.plain == "by") && tokens.iter().any(|token| is_being(token))
            };
            let is_close = links.len() <= 5 && others.len() <= 7;
            if is_linked
                && is_close
                && is_passive(&links) == is_passive(&others)
                && are_parties((first, second), &statement.text)
                && (!first.is_number || are_parties((one, two), &place.text))
            {
                return Some(Mismatch::RolesSwapped(first.plain.clone(), second.plain.clone()));
            }
        }
    }
    None
}

/// Finds a deed whose agent is somebody else in the source: `backed by the mayor` there, `the club backed it` here.
pub(super) fn find_other_agent(statement: &Statement, alignment: &Alignment<'_>) -> Option<Mismatch> {
    let unit = alignment.best_unit()?;
    for (at, verb) in statement.tokens.iter().enumerate() {
        if !verb.is_content || verb.is_number {
            continue;
        }
        let Some(place) = unit.tokens.iter().position(|token| token.is_same_word(verb)) else { continue };
        let (own, theirs) = (agents(&statement.tokens, at), agents(&unit.tokens, place));
        let ((Some(own), own_passive), (Some(theirs), their_passive)) = (own, theirs) else { continue };
        if !(own_passive || their_passive) || own.means(theirs) {
            continue;
        }
        let is_elsewhere =
            |tokens: &[Token], wanted: &Token| tokens.iter().any(|token| token.is_same_word(wanted));
        if is_elsewhere(&unit.tokens, own) && is_elsewhere(&statement.tokens, theirs) {
            return Some(Mismatch::RolesSwapped(own.plain.clone(), theirs.plain.clone()));
        }
    }
    None
}

/// Words inside of what names somebody.
const NAMING: [&str; 9] = ["the", "a", "an", "of", "his", "her", "their", "our", "its"];

/// Who does what the verb at this position says, and whether `by` names them.
fn agents(tokens: &[Token], verb: usize) -> (Option<&Token>, bool) {
    let by = tokens
        .iter()
        .skip(verb + 1)
        .take(4)
        .position(|token| token.plain == "by")
        .map(|offset| verb + 1 + offset);
    let is_passive = by.is_some() && tokens[..verb].iter().rev().take(3).any(is_being);
    match by.filter(|_| is_passive) {
        Some(by) => {
            // `by the mayor of Hove to save costs`: what follows the name is something else.
            let is_of_name = |token: &&Token| {
                token.clause == tokens[by].clause
                    && (token.is_content || NAMING.contains(&token.plain.as_str()))
            };
            let after: Vec<&Token> = tokens[by + 1..].iter().take_while(is_of_name).collect();
            (after.iter().copied().rfind(|token| token.is_content), true)
        }
        None => {
            let clause = tokens[verb].clause;
            (tokens[..verb].iter().rev().find(|token| token.is_content && token.clause == clause), false)
        }
    }
}

/// Finds a call whose direction is the other way round in source code.
pub(super) fn find_other_caller(statement: &Statement, alignment: &Alignment<'_>) -> Option<Mismatch> {
    let code = &statement.code;
    let [caller, callee] = code.as_slice() else { return None };
    let calls = ["call", "invok", "us", "reli"];
    if !statement.tokens.iter().any(|token| calls.contains(&token.stem.as_str())) {
        return None;
    }
    let name = |code: &str| code.trim_end_matches("()").replace("::", ".");
    let (caller, callee) = (name(caller), name(callee));
    let within = |outer: &str, inner: &str| {
        alignment.units.iter().any(|(_, unit)| {
            let is_inside = unit.text.contains(inner.rsplit('.').next().unwrap_or(inner));
            is_inside && unit.enclosing.iter().any(|line| line.contains(outer))
        })
    };
    (within(&callee, &caller) && !within(&caller, &callee)).then_some(Mismatch::RolesSwapped(caller, callee))
}

/// The only occurrence of a word.
fn only<'a>(tokens: &'a [Token], wanted: &Token) -> Option<&'a Token> {
    let mut found = tokens.iter().filter(|token| token.is_same_word(wanted));
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

/// The tokens between two others. All are in the order of the text.
fn between<'a>(tokens: &'a [Token], first: &Token, second: &Token) -> Vec<&'a Token> {
    let from = tokens.partition_point(|token| token.start <= first.start);
    tokens[from..].iter().take_while(|token| token.start < second.start).collect()
}

/// Verbs, comparisons and prepositions that give the words around them a role.
fn is_link(token: &Token) -> bool {
    token.is_content && !token.is_number && !token.is_name
        || [
            "than", "before", "after", "calls", "call", "called", "gave", "give", "gives", "to", "from",
            "by", "uses", "use", "replaced", "replaces", "follows", "followed", "needs", "over", "into",
            "above", "below",
        ]
        .contains(&token.plain.as_str())
}

/// Whether the word puts one number before another.
fn orders(token: &Token) -> bool {
    ["than", "before", "after", "to", "from", "over", "into", "above", "below"]
        .contains(&token.plain.as_str())
}

/// Whether both are names, or both numbers that are no part of a longer one.
fn are_parties((one, two): (&Token, &Token), text: &str) -> bool {
    let is_whole = |token: &Token| {
        let (before, after) =
            (&text[..token.start], text.get(token.start + token.plain.len()..).unwrap_or(""));
        let joins = |mark: char| ".,:-/".contains(mark);
        let is_digit = |letter: Option<char>| letter.is_some_and(|letter| letter.is_ascii_digit());
        let continues = before.ends_with(joins) && is_digit(before.chars().rev().nth(1))
            || after.starts_with(joins) && is_digit(after.chars().nth(1));
        !continues
    };
    match (one.is_number, two.is_number) {
        (true, true) => is_whole(one) && is_whole(two),
        (false, false) => one.is_capital && two.is_capital,
        _ => false,
    }
}
