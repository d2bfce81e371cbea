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
/// How far ahead of all others counts for no more.
const AHEAD_LIMIT: f32 = 4.0;
/// So close in bytes, a list begins where its first item does.
const SAME_PLACE: usize = 3;
/// How far below the best another may rank to stand beside it, as a share of the best rank: beside an answer, and beside what is
/// merely close. By a reading, how far at all.
const BESIDE_ANSWER: f32 = 0.1;
const BESIDE_CLOSEST: f32 = 0.3;
const READ_BESIDE_ANSWER: f32 = 0.6;
const READ_BESIDE_CLOSEST: f32 = 3.0;
/// How much the rank by its own section counts, and how well it answers beside the others.
const RANK_BESIDE: f32 = 0.8;
const COMPARED_BESIDE: f32 = 0.2;
/// How much further up a property that is asked for by its name stands.
const PROPERTY: f32 = 2.0;
/// How much further down stands what a note about another says.
const OF_ANOTHER: f32 = 0.5;
/// How much further down a single task stands.
const TASK: f32 = 0.8;
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
    /// How far below it another may rank to be shown beside it.
    pub allowance: f32,
}

impl<'u, 'a> JudgedUnit<'u, 'a> {
    /// Judges by words alone; `None` if little of the question is in the unit and its headings, unless it states the property that is
    /// asked for by another word.
    pub fn by_words(&(score, unit): &(UnitScore, &'u AnswerUnit<'a>)) -> Option<Self> {
        let answers = score.fits && (score.coverage >= ANSWERS || score.asked_above);
        let is_certain = !score.is_of_another && (score.is_property || answers);
        let enough = if score.has_all { IS_CLOSE } else { ANSWERS };
        let is_close = !score.is_of_another && score.coverage >= enough;
        let ahead = if score.is_property { PROPERTY } else { 0.0 };
        let (rank, is_alone) = (score.score + ahead, !is_certain);
        let allowance = allow_beside(rank, is_certain);
        let judged = Self { unit, score, rank, is_certain, is_close, is_alone, allowance };
        (score.is_property || score.coverage >= IS_CONSIDERED).then_some(judged)
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
            + PROPERTY * flag(score.is_property)
            - OF_ANOTHER * flag(score.is_of_another)
            - 0.22 * leads;
        let certain =
            2.81 * near + 1.66 * coverage + 0.44 * fits - 0.1 * all + 0.77 * rank + 1.09 * found - 5.74;
        let close =
            4.84 * near + 1.82 * coverage + 0.25 * fits + 0.33 * all + 0.73 * rank + 1.67 * found - 6.52;
        // A chance of 65 and of 45 percent. What is not the kind of thing that was asked for is never certain.
        let answers = score.is_property || score.fits && certain >= 0.62;
        let is_own = !score.is_of_another;
        let (is_certain, is_close) = (is_own && answers, is_own && close >= -0.2);
        let allowance = allow_beside(rank, is_certain);
        Self { unit, score, rank, is_certain, is_close, is_alone: false, allowance }
    }

    /// Whether both begin at the same place of the same source: a list and its first item, or one passage that was found twice.
    pub fn is_at(&self, other: &Self) -> bool {
        let place = |unit: &AnswerUnit<'_>| unit.of.start + unit.at;
        self.unit.of.source == other.unit.of.source
            && place(self.unit).abs_diff(place(other.unit)) < SAME_PLACE
    }

    /// The same, ranked anew by how well a reader thinks that it answers the question.
    pub fn rank_with(self, reading: f32) -> ReadUnit<'u, 'a> {
        let flag = |is: bool| f32::from(u8::from(is));
        // One that is surer than sure is not worth more.
        let read = READING_LIMIT * (reading / READING_LIMIT).tanh();
        let (fits, above) = (flag(self.score.fits), flag(self.score.asked_above));
        let form = match &self.unit.form {
            UnitForm::Sentence { .. } => 0.0,
            UnitForm::List { .. } => 1.93,
            UnitForm::Row(_) => 0.2,
        };
        let task = TASK * flag(self.unit.is_task());
        let rank = 0.61 * read + 3.26 * self.rank - 0.28 * fits + 0.99 * above + form - task;
        ReadUnit { judged: Self { rank, ..self }, read, by_section: 0.0, compared: None }
    }
}

/// A unit that was read.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReadUnit<'u, 'a> {
    pub judged: JudgedUnit<'u, 'a>,
    read: f32,
    /// How sure it is by its own section that it answers.
    by_section: f32,
    /// How well it answers beside the others; `None` if they were not compared, as in runs that were recorded before they could be.
    compared: Option<f32>,
}

impl<'u, 'a> ReadUnit<'u, 'a> {
    /// Judges by its own section, and by how far it is ahead of all others there.
    pub fn judge_by_section(&mut self, ahead: f32, asked_for: &AskedFor) {
        let flag = |is: bool| f32::from(u8::from(is));
        let score = &self.judged.score;
        self.by_section = 0.1 * self.judged.rank
            + 0.15 * self.read
            + 0.41 * ahead.min(AHEAD_LIMIT)
            + 0.08 * flag(score.fits)
            + 0.86 * flag(score.asked_above)
            - 0.49 * flag(self.is_unnamed(asked_for))
            - 1.19;
    }

    /// Ranks it anew by how well it answers beside the others.
    pub fn rank_beside(&mut self, compared: f32) {
        let compared = READING_LIMIT * (compared / READING_LIMIT).tanh();
        self.compared = Some(compared);
        self.judged.rank = RANK_BESIDE * self.judged.rank + COMPARED_BESIDE * compared;
    }

    /// Judges by its own section, and beside the others by how far it is ahead of them.
    pub fn judge(self, ahead: f32, asked_for: &AskedFor) -> JudgedUnit<'u, 'a> {
        let Self { judged, by_section, compared, .. } = self;
        let is_unnamed = self.is_unnamed(asked_for);
        let (is_sure, is_close) = match compared {
            // A chance of 60 and of 30 percent.
            None => (by_section >= 0.41, by_section >= -0.85),
            Some(compared) => {
                let flag = |is: bool| f32::from(u8::from(is));
                let beside =
                    0.4 * ahead.min(AHEAD_LIMIT) + 0.62 * compared + 1.67 * flag(judged.score.asked_above)
                        - 0.57 * flag(is_unnamed)
                        - 0.55;
                // One sure sign is enough: a chance of 65 percent by the section, or of 73 beside the others.
                let is_sure = by_section >= 0.6 || beside >= 1.0;
                (is_sure, beside >= -0.3 || by_section >= -0.85 && beside >= -1.3)
            }
        };
        // What is to be done says what is so only where it has all that was asked for.
        let is_plan = judged.unit.is_task() && !judged.score.fits;
        let is_other = is_unnamed || judged.score.lacks_number || is_plan;
        let is_certain = !judged.score.is_of_another && (judged.score.is_property || is_sure && !is_other);
        let is_close = is_close && !judged.score.names_another && !judged.score.is_of_another;
        let allowance = if is_certain { READ_BESIDE_ANSWER } else { READ_BESIDE_CLOSEST };
        JudgedUnit { is_certain, is_close, is_alone: false, allowance, ..judged }
    }

    /// Whether a figure, a time or a person is asked for and none is named.
    fn is_unnamed(&self, asked_for: &AskedFor) -> bool {
        !self.judged.score.fits && matches!(asked_for, AskedFor::Amount | AskedFor::Time | AskedFor::Person)
    }
}

fn allow_beside(rank: f32, is_certain: bool) -> f32 {
    rank * if is_certain { BESIDE_ANSWER } else { BESIDE_CLOSEST }
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
        let ahead = if score.is_property { PROPERTY } else { 0.0 };
        ahead + if score.coverage < IS_CONSIDERED { score.coverage - 1.0 } else { score.score }
    };
    by_words.sort_by(|one, other| words(*other).total_cmp(&words(*one)));
    let compared: BTreeSet<usize> = first.chain(by_words.iter().copied().take(BEST_BY_WORDS)).collect();
    let compared: Vec<_> = compared.into_iter().map(|at| scored[at]).collect();
    judge_near(&compared, nearness)
}

/// Judges all these units by words and by meaning; `None` without a model for it.
pub(super) fn judge_near<'u, 'a>(
    scored: &[(UnitScore, &'u AnswerUnit<'a>)],
    nearness: &Nearness<'_>,
) -> Option<Vec<JudgedUnit<'u, 'a>>> {
    let texts: Vec<String> = scored.iter().map(|(_, unit)| unit.text_in_context()).collect();
    let cosines = if texts.is_empty() { Vec::new() } else { nearness(&texts)? };
    Some(scored.iter().zip(cosines).map(|(unit, near)| JudgedUnit::by_meaning(unit, near)).collect())
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
