//! Whether a unit answers a question, or comes close: by its words alone, by its words and its meaning, and by what a reader
//! says of it.
//!
//! The weights were learned from questions with known answers, and questions that have none (see
//! `docs/benchmarks.md`).

use std::collections::BTreeSet;

use super::Nearness;
use super::scoring::UnitScore;
use super::unit::{AnswerUnit, UnitForm};
use crate::insight::keyless::question::AskedFor;

/// By words alone: the share of a question that a unit must cover to be considered, to count as the closest that was
/// found, and as an answer.
const IS_CONSIDERED: f32 = 0.3;
const IS_CLOSE: f32 = 0.62;
const ANSWERS: f32 = 0.72;

/// Compared by meaning are the first units of the first passages, and those with the best score by words.
const FIRST_PASSAGES: usize = 5;
const FIRST_UNITS: usize = 48;
const BEST_BY_WORDS: usize = 32;
/// Where a reading stops to count for more.
const READING_LIMIT: f32 = 6.0;
/// The most characters of a unit that are compared.
const COMPARED: usize = 600;

/// A unit with what is thought of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct JudgedUnit<'u, 'a> {
    pub unit: &'u AnswerUnit<'a>,
    pub score: UnitScore,
    /// For ranking.
    pub rank: f32,
    /// Whether it answers the question.
    pub is_certain: bool,
    /// Whether it is worth showing as the closest that was found.
    pub is_close: bool,
    /// Whether nothing is shown beside it.
    pub is_alone: bool,
}

impl<'u, 'a> JudgedUnit<'u, 'a> {
    /// Judges by words alone; `None` if little of the question is in the unit and its headings.
    pub fn by_words(&(score, unit): &(UnitScore, &'u AnswerUnit<'a>)) -> Option<Self> {
        let is_certain = score.fits && (score.coverage >= ANSWERS || score.asked_above);
        let is_close = score.coverage >= if score.has_all { IS_CLOSE } else { ANSWERS };
        let (rank, is_alone) = (score.score, !is_certain);
        let judged = Self { unit, score, rank, is_certain, is_close, is_alone };
        (score.coverage >= IS_CONSIDERED).then_some(judged)
    }

    /// Judges by words and by how near the unit is to the question in meaning.
    fn by_meaning(&(score, unit): &(UnitScore, &'u AnswerUnit<'a>), near: f32) -> Self {
        let score = if score.coverage < IS_CONSIDERED { score.without_kind() } else { score };
        let flag = |is: bool| f32::from(u8::from(is));
        let found = 1.0 / (1.0 + 0.4 * unit.passage as f32);
        let (fits, above, all) = (flag(score.fits), flag(score.asked_above), flag(score.has_all));
        let coverage = score.coverage;
        let leads = flag(unit.plain.ends_with(['?', ':']));
        let rank = 1.64 * near
            + coverage
            + 0.25 * fits
            + 0.11 * above
            + 1.06 * (score.score - coverage)
            + 0.31 * found
            - 0.22 * leads;
        let certain =
            2.81 * near + 1.66 * coverage + 0.44 * fits - 0.1 * all + 0.77 * rank + 1.09 * found - 5.74;
        let close =
            4.84 * near + 1.82 * coverage + 0.25 * fits + 0.33 * all + 0.73 * rank + 1.67 * found - 6.52;
        // A chance of 65 and of 45 percent. What is not the kind of thing that was asked for is never certain.
        let (is_certain, is_close) = (score.fits && certain >= 0.62, close >= -0.2);
        Self { unit, score, rank, is_certain, is_close, is_alone: false }
    }

    /// The same, judged anew by how well a reader thinks that it answers the question. A figure, a time or a person has to
    /// be named.
    pub fn with_reading(self, reading: f32, asked_for: &AskedFor) -> Self {
        let flag = |is: bool| f32::from(u8::from(is));
        // One that is surer than sure is not worth more.
        let read = READING_LIMIT * (reading / READING_LIMIT).tanh();
        let (fits, above) = (flag(self.score.fits), flag(self.score.asked_above));
        let found = 1.0 / (1.0 + 0.4 * self.unit.passage as f32);
        let form = match &self.unit.form {
            UnitForm::Sentence { .. } => 0.0,
            UnitForm::List { .. } => 0.7,
            UnitForm::Row(_) => 0.33,
        };
        let rank = 0.53 * read + 1.85 * self.rank + 0.89 * fits + 0.84 * above + 0.27 * found + form;
        let certain =
            0.82 * rank - 0.1 * read + 0.17 * self.rank - 0.53 * fits - 0.11 * above + 0.2 * found - 4.06;
        let close =
            0.85 * rank - 0.06 * read + 0.29 * self.rank - 0.66 * fits - 0.16 * above + 0.26 * found - 3.54;
        // A chance of 60 and of 30 percent.
        let names = matches!(asked_for, AskedFor::Amount | AskedFor::Time | AskedFor::Person);
        let (is_certain, is_close) = (certain >= 0.41 && (self.score.fits || !names), close >= -0.85);
        Self { rank, is_certain, is_close, is_alone: false, ..self }
    }
}

/// Judges the units that are worth comparing by meaning; `None` without a model for it.
pub(super) fn judge_by_meaning<'u, 'a>(
    scored: &[(UnitScore, &'u AnswerUnit<'a>)],
    nearness: &Nearness<'_>,
) -> Option<Vec<JudgedUnit<'u, 'a>>> {
    let first = (0..scored.len()).filter(|at| scored[*at].1.passage < FIRST_PASSAGES).take(FIRST_UNITS);
    let mut by_words: Vec<usize> = (0..scored.len()).collect();
    let words = |at: usize| {
        let score = &scored[at].0;
        if score.coverage < IS_CONSIDERED { score.coverage - 1.0 } else { score.score }
    };
    by_words.sort_by(|one, other| words(*other).total_cmp(&words(*one)));
    let compared: BTreeSet<usize> = first.chain(by_words.iter().copied().take(BEST_BY_WORDS)).collect();
    let texts: Vec<String> = compared.iter().map(|at| scored[*at].1.text_in_context()).collect();
    let cosines = if texts.is_empty() { Vec::new() } else { nearness(&texts)? };
    let judged = compared.iter().zip(cosines).map(|(at, near)| JudgedUnit::by_meaning(&scored[*at], near));
    Some(judged.collect())
}

impl UnitScore {
    /// The score without what the kind of the question added to it.
    fn without_kind(self) -> Self {
        Self { score: self.coverage, fits: false, asked_above: false, has_all: false, ..self }
    }
}

impl AnswerUnit<'_> {
    /// The unit with the names of its note and its heading.
    fn text_in_context(&self) -> String {
        let lead = match &self.form {
            UnitForm::List { lead: Some(lead), .. } => format!("{} ", lead.text.trim()),
            _ => String::new(),
        };
        let text: String = lead.chars().chain(self.plain.chars()).take(COMPARED).collect();
        format!("{} > {}\n{text}", self.of.title(), self.heading_text)
    }
}
