//! Whether a sentence says what one statement of its source says, in the same words and the same order.

use super::cues::{is_doubt, is_ended, is_limit, is_negation, is_negative};
use super::tokens::Token;
use super::units::Unit;
use super::{Passage, Statement};

/// The most words of the source between those of the sentence.
const MOST_BETWEEN: usize = 4;
/// A sentence of fewer words says too little to be compared.
const FEWEST: usize = 2;

impl Statement {
    /// Whether all its words stand in one statement of a source in their order, or in the source's name, and no word there turns or
    /// limits what they say, nor does a negation of its own.
    pub fn keeps_order(&self, passages: &[&Passage]) -> bool {
        let words: Vec<&Token> = self.tokens.iter().filter(|token| token.is_content).collect();
        let keeps = |passage: &&Passage| {
            passage.units.iter().any(|unit| self.keeps_order_of(&words, unit, &passage.about))
        };
        words.len() >= FEWEST && passages.iter().any(keeps)
    }

    fn keeps_order_of(&self, words: &[&Token], unit: &Unit, about: &[Token]) -> bool {
        let source: Vec<&Token> = unit.tokens.iter().filter(|token| token.is_content).collect();
        let (mut from, mut first, mut matched) = (0, None, 0);
        for word in words {
            let next = source[from..].iter().position(|other| word.is_same_word(other));
            if let Some(ahead) = next {
                first.get_or_insert(from + ahead);
                (from, matched) = (from + ahead + 1, matched + 1);
            } else if !about.iter().any(|other| word.is_same_word(other)) {
                return false;
            }
        }
        let Some(first) = first else { return false };
        let last = &source[from - 1];
        let turns = |token: &Token| is_cue(token) && !has_plain(&self.tokens, token);
        // In a clause behind the last word only a condition reaches back.
        let reaches = |token: &&Token| {
            token.start <= last.start
                || token.clause == last.clause
                || CONDITIONS.contains(&token.plain.as_str())
        };
        from - first - matched <= MOST_BETWEEN
            && !unit.tokens.iter().filter(reaches).any(turns)
            && !self.tokens.iter().any(|own| is_negation(own) && !has_plain(&unit.tokens, own))
    }
}

/// What makes a statement depend on something, wherever it stands.
const CONDITIONS: [&str; 6] = ["if", "unless", "until", "only", "except", "but"];

/// Whether a word turns or limits what is said beside it.
fn is_cue(token: &Token) -> bool {
    is_negation(token)
        || is_negative(token)
        || is_doubt(token)
        || is_ended(token)
        || is_limit(token)
        || ["until", "once", "if", "when", "unless", "but"].contains(&token.plain.as_str())
}

fn has_plain(tokens: &[Token], token: &Token) -> bool {
    tokens.iter().any(|own| own.plain == token.plain)
}
