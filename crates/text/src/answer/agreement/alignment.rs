//! Which statements of the sources a sentence speaks of, and how well its words agree with them.

use super::cues::is_negation;
use super::tokens::Token;
use super::turns::{AlignedClause, first_if_all};
use super::units::Unit;
use super::{Mismatch, Passage, Statement};

/// The share of content words that must stand in the sources.
const MIN_SHARE: f64 = 0.4;
/// The share for a sentence without figures, which is nothing but its words.
const MIN_BARE_SHARE: f64 = 0.55;
/// The share that must stand in one statement and its neighbors.
const MIN_WINDOW_SHARE: f64 = 0.25;
/// The share of a clause's words that a statement must have to be compared with it.
const ALIGNED: f64 = 0.5;
/// How much less than the best place another one may agree to be considered as well.
const NEAR: f64 = 0.05;

/// A sentence laid beside its sources.
pub(super) struct Alignment<'a> {
    pub units: Vec<(usize, &'a Unit)>,
    about: Vec<&'a Token>,
    content: Vec<&'a Token>,
    is_covered: Vec<bool>,
    pub share: f64,
    window_share: f64,
    best: Option<usize>,
}

impl<'a> Alignment<'a> {
    pub fn new(statement: &'a Statement, passages: &[&'a Passage]) -> Self {
        let units: Vec<(usize, &Unit)> = passages
            .iter()
            .enumerate()
            .flat_map(|(index, passage)| passage.units.iter().map(move |unit| (index, unit)))
            .collect();
        let about: Vec<&Token> = passages.iter().flat_map(|passage| &passage.about).collect();
        let content: Vec<&Token> =
            statement.tokens.iter().filter(|token| token.is_content && !token.is_number).collect();
        let mut alignment =
            Self { units, about, content, is_covered: Vec::new(), share: 1.0, window_share: 1.0, best: None };
        alignment.cover();
        alignment
    }

    fn cover(&mut self) {
        let anywhere = |token: &Token| {
            self.about.iter().any(|other| token.means(other))
                || self.units.iter().any(|(_, unit)| has(&unit.tokens, token) || has(&unit.context, token))
        };
        self.is_covered = self.content.iter().map(|token| anywhere(token)).collect();
        let count = self.content.len();
        if count > 0 {
            self.share = self.is_covered.iter().filter(|covered| **covered).count() as f64 / count as f64;
        }
        let mut best = (-1.0, 0);
        for at in 0..self.units.len() {
            let score: f64 = self.content.iter().map(|token| self.presence(at, token)).sum();
            if score > best.0 {
                best = (score, at);
            }
        }
        if best.0 >= 0.0 {
            self.best = Some(best.1);
            if count > 0 {
                self.window_share = best.0 / count as f64;
            }
        }
    }

    /// How much of a word a statement has: all of it, or some through what stands around it.
    fn presence(&self, at: usize, token: &Token) -> f64 {
        let (passage, unit) = self.units[at];
        if has(&unit.tokens, token) {
            return 1.0;
        }
        if has(&unit.context, token) || self.about.iter().any(|other| token.means(other)) {
            return 0.9;
        }
        let near = |other: Option<&(usize, &Unit)>| {
            other.is_some_and(|(other, unit)| *other == passage && has(&unit.tokens, token))
        };
        if at > 0 && near(self.units.get(at - 1)) || near(self.units.get(at + 1)) { 0.7 } else { 0.0 }
    }

    pub fn best_unit(&self) -> Option<&'a Unit> {
        Some(self.units[self.best?].1)
    }

    pub fn best_place(&self) -> Option<(usize, (usize, usize))> {
        let (passage, unit) = self.units[self.best?];
        Some((passage, unit.lines))
    }

    /// Whether something that reads the same in every language stands in the sources.
    pub fn has_anchors(&self, statement: &Statement) -> bool {
        let cognates = self.is_covered.iter().filter(|covered| **covered).count();
        let figures = statement.quantities.len() + statement.dates.len();
        cognates + figures >= 2
    }

    pub fn find_missing_words(&self, has_figures: bool) -> Option<Mismatch> {
        let is_unspaced = self.content.iter().all(|token| !token.plain.is_ascii());
        let least = if has_figures || is_unspaced { MIN_SHARE } else { MIN_BARE_SHARE };
        if self.share >= least && self.window_share >= MIN_WINDOW_SHARE {
            return None;
        }
        let missing = self.content.iter().zip(&self.is_covered).filter(|(_, covered)| !**covered);
        Some(Mismatch::WordsMissing(missing.map(|(token, _)| token.plain.clone()).collect()))
    }

    /// Names that the sentence brings together and the sources never do.
    pub fn find_names_apart(&self, statement: &Statement) -> Option<Mismatch> {
        let opener = statement.tokens.first().filter(|token| token.is_content);
        let names: Vec<&Token> = statement
            .tokens
            .iter()
            .filter(|token| token.is_name || opener.is_some_and(|opener| std::ptr::eq(*token, opener)))
            .filter(|token| !token.is_number && !self.about.iter().any(|other| token.is_same_word(other)))
            .filter(|token| {
                self.units.iter().any(|(_, unit)| has(&unit.tokens, token) || has(&unit.context, token))
            })
            .collect();
        // Only in a list or a table does each line stand for itself.
        let in_entries = |token: &Token| {
            self.units.iter().filter(|(_, unit)| has(&unit.tokens, token)).all(|(_, unit)| unit.is_entry)
        };
        if names.len() < 2 || !names.iter().all(|token| in_entries(token)) {
            return None;
        }
        let holds = |at: usize, token: &Token| {
            let (passage, unit) = self.units[at];
            let near = |other: Option<&(usize, &Unit)>| {
                other.is_some_and(|(other, near)| {
                    *other == passage && !unit.is_entry && !near.is_entry && has(&near.tokens, token)
                })
            };
            has(&unit.tokens, token)
                || has(&unit.context, token)
                || at > 0 && near(self.units.get(at - 1))
                || near(self.units.get(at + 1))
        };
        let together = (0..self.units.len()).any(|at| names.iter().all(|token| holds(at, token)));
        let apart = || Mismatch::RolesSwapped(names[0].plain.clone(), names[names.len() - 1].plain.clone());
        (!together).then(apart)
    }

    /// The clauses of the sentence, each with the statement that it agrees with best and how well.
    fn aligned_clauses(&self, statement: &'a Statement) -> Vec<Vec<AlignedClause<'a>>> {
        let last = statement.tokens.last().map_or(0, |token| token.clause);
        let mut groups: Vec<Vec<&Token>> = Vec::new();
        for clause in 0..=last {
            let tokens: Vec<&Token> =
                statement.tokens.iter().filter(|token| token.clause == clause).collect();
            let content = tokens.iter().filter(|token| token.is_content).count();
            match groups.last_mut() {
                Some(group) if content < 2 || group.iter().filter(|token| token.is_content).count() < 2 => {
                    group.extend(tokens);
                }
                _ => groups.push(tokens),
            }
        }
        groups.iter().map(|tokens| self.align(tokens)).filter(|aligned| !aligned.is_empty()).collect()
    }

    /// The statements that a clause may speak of: those that agree with it nearly as well as the best.
    fn align(&self, tokens: &[&'a Token]) -> Vec<AlignedClause<'a>> {
        let content: Vec<&Token> = tokens.iter().copied().filter(|token| token.is_content).collect();
        if content.is_empty() {
            return Vec::new();
        }
        // A word that few statements have tells them apart.
        let weights: Vec<f64> = content
            .iter()
            .map(|token| {
                let count = self.units.iter().filter(|(_, unit)| has(&unit.tokens, token)).count();
                1.0 / (count.max(1) as f64).sqrt()
            })
            .collect();
        let total: f64 = weights.iter().sum();
        let shares: Vec<f64> = (0..self.units.len())
            .map(|at| {
                let sum: f64 = content
                    .iter()
                    .zip(&weights)
                    .map(|(token, weight)| weight * self.presence(at, token))
                    .sum();
                let own = content.iter().filter(|token| has(&self.units[at].1.tokens, token)).count();
                if own == 0 { 0.0 } else { sum / total + own as f64 * 0.01 }
            })
            .collect();
        let best = shares.iter().copied().fold(0.0, f64::max);
        if best < ALIGNED {
            return Vec::new();
        }
        let near =
            shares.iter().enumerate().filter(|(_, share)| **share >= best - NEAR && **share >= ALIGNED);
        near.map(|(at, share)| {
            let unit = self.units[at].1;
            let spoken = |clause: usize| {
                content
                    .iter()
                    .filter(|token| {
                        unit.tokens.iter().any(|other| other.clause == clause && token.means(other))
                    })
                    .count()
            };
            let most = unit.tokens.iter().map(|other| spoken(other.clause)).max().unwrap_or(0);
            let source: Vec<&Token> =
                unit.tokens.iter().filter(|other| spoken(other.clause) == most).collect();
            AlignedClause { tokens: tokens.to_vec(), source, unit, share: *share }
        })
        .collect()
    }

    /// Negations, contrasts and claims of scope that stand on one side only.
    pub fn find_turns(&self, statement: &'a Statement) -> Vec<Mismatch> {
        let mut found = Vec::new();
        for places in self.aligned_clauses(statement) {
            // One statement that agrees is enough.
            let turn = first_if_all(&places, |place| place.find_turn(statement));
            found.extend(
                turn.map(|turn| if self.has_other_denial(&places) { turn.without_certainty() } else { turn }),
            );
            found.extend(first_if_all(&places, |place| place.find_overstatement(statement)));
            found.extend(first_if_all(&places, |place| place.find_plan(statement)));
            found.extend(first_if_all(&places, |place| {
                place.is_outdated(statement).then_some(Mismatch::Outdated)
            }));
        }
        found
    }
}

impl Alignment<'_> {
    /// Whether another statement that shares a word with the clause denies something.
    fn has_other_denial(&self, places: &[AlignedClause<'_>]) -> bool {
        let Some(place) = places.first() else { return false };
        self.units.iter().filter(|(_, unit)| !std::ptr::eq(*unit, place.unit)).any(|(_, unit)| {
            unit.tokens.iter().any(is_negation)
                && place.tokens.iter().any(|token| token.is_content && has(&unit.tokens, token))
        })
    }
}

/// Whether one of the words means the same.
pub(super) fn has(tokens: &[Token], token: &Token) -> bool {
    tokens.iter().any(|other| token.means(other))
}
