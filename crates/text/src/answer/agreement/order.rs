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
    /// limits what they say.
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
        from - first - matched <= MOST_BETWEEN && !unit.tokens.iter().any(|token| self.turns(token))
    }

    /// Whether a word of the source would turn or limit what the sentence says, which does not have it.
    fn turns(&self, token: &Token) -> bool {
        let is_cue = is_negation(token)
            || is_negative(token)
            || is_doubt(token)
            || is_ended(token)
            || is_limit(token)
            || ["until", "once", "if", "when", "unless"].contains(&token.plain.as_str());
        is_cue && !self.tokens.iter().any(|own| own.plain == token.plain)
    }
}
