//! A line that counts things: "12 collars (H1–H12)" in a note about a place, or "6" below the heading "Dipwells".
//!
//! Like the line of a property it is too short to be judged by meaning. What is counted must be named with nothing else: "3 broken
//! collars" does not say how many collars there are.

use super::scoring::WeightedQuestion;
use super::unit::{AnswerUnit, UnitForm, stems};
use super::words::{NUMBER_WORDS, has_stem};

impl AnswerUnit<'_> {
    /// Whether it counts what the question asks "how many" of, where the note or the heading above is about the rest of the question.
    pub fn is_asked_count(&self, question: WeightedQuestion<'_>) -> bool {
        let counted = &question.asked.counted;
        let is_line = matches!(self.form, UnitForm::Sentence { .. }) && !self.is_detail;
        if counted.is_empty() || !is_line {
            return false;
        }
        let is_thing = |stem: &String| {
            has_stem(self.title.iter(), stem)
                || has_stem(self.above.iter(), stem)
                || has_stem(self.near.iter(), stem)
        };
        let terms = question.asked.terms.iter().map(|term| &term.stem);
        let mut others = terms.filter(|stem| !has_stem(counted.iter(), stem)).peekable();
        others.peek().is_some() && others.all(is_thing) && self.counts(counted)
    }

    fn counts(&self, counted: &[String]) -> bool {
        let plain = without_brackets(&self.plain);
        let pieces: Vec<&str> =
            plain.split([',', ';', ':']).map(|piece| piece.trim().trim_end_matches(['.', '!'])).collect();
        let is_named = |piece: &&str| {
            let Some((number, rest)) = piece.split_once(' ') else { return false };
            let named = stems(rest);
            is_number(number) && is_same(&named, counted)
        };
        let is_below_name = self.opens && is_same(&self.heading, counted);
        // A comma inside of a figure separates thousands.
        let is_whole = |piece: &&str| plain.contains(&format!(", {piece}")) || plain.starts_with(piece);
        pieces.iter().filter(|piece| is_whole(piece)).any(is_named)
            || is_below_name && pieces.first().is_some_and(|first| is_number(first))
    }
}

/// Whether these are the same words.
fn is_same(named: &[String], counted: &[String]) -> bool {
    named.iter().all(|stem| has_stem(counted.iter(), stem))
        && counted.iter().all(|stem| has_stem(named.iter(), stem))
}

fn is_number(word: &str) -> bool {
    let is_figure = word.bytes().all(|byte| byte.is_ascii_digit()) && !word.is_empty();
    is_figure || NUMBER_WORDS.iter().any(|number| number.trim_end() == word)
}

/// A text without what stands in round brackets.
fn without_brackets(text: &str) -> String {
    let mut depth = 0_usize;
    let kept = text.chars().filter(|letter| {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => return depth == 0,
        }
        false
    });
    kept.collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
}
