//! How well units answer a question in the eyes of a reader: a small model that has the question and the whole section
//! before it.

use std::collections::{BTreeMap, BTreeSet};

use super::judgment::JudgedUnit;
use super::scoring::UnitScore;
use super::sections::{PlacedSection, SectionReading, fill_readings, read_sections};
use super::unit::{AnswerUnit, UnitForm};
use crate::insight::keyless::passage::Passage;

/// Read are the sections of the best units by the first judgment, and those of the passages that were found first.
const BEST_UNITS: usize = 24;
const FIRST_PASSAGES: usize = 10;
const MOST_SECTIONS: usize = 24;
/// Units that were read beside the chosen ones are judged, too, if they are among so many of the best in the eyes of the reader.
const PROMISING: usize = 12;

/// The sections that were read, by the number of their passage.
pub(super) struct Readings {
    sections: BTreeMap<usize, Vec<PlacedSection>>,
}

impl Readings {
    /// Reads the sections that matter; `None` without a reader.
    pub fn make(
        passages: &[Passage<'_>],
        ranked: &[JudgedUnit<'_, '_>],
        reading: &SectionReading<'_>,
    ) -> Option<Self> {
        let mut sections: BTreeMap<usize, Vec<PlacedSection>> = BTreeMap::new();
        let mut chosen: Vec<(usize, usize)> = Vec::new();
        let best = ranked.iter().take(BEST_UNITS).map(|judged| (judged.unit.passage, Some(judged.unit.at)));
        let first = (0..passages.len()).take(FIRST_PASSAGES).map(|number| (number, None));
        for (number, at) in best.chain(first) {
            let own = sections.entry(number).or_insert_with(|| read_sections(&passages[number]));
            let found = match at {
                Some(at) => section_at(own, at).map_or(0..0, |index| index..index + 1),
                None => 0..own.len(),
            };
            for place in found.map(|index| (number, index)) {
                if chosen.len() < MOST_SECTIONS && !chosen.contains(&place) {
                    chosen.push(place);
                }
            }
        }
        fill_readings(&mut sections, &chosen, reading)?;
        Some(Self { sections })
    }

    fn at(&self, passage: usize, at: usize) -> Option<f32> {
        let own = self.sections.get(&passage)?;
        let section = &own[section_at(own, at)?];
        section.readings.as_ref()?.get(section.piece_at(at)?).copied()
    }

    /// How well a unit answers: a list as the mean of its items, or as the sentence that leads to it; a sentence that leads to
    /// code as either.
    pub fn of(&self, unit: &AnswerUnit<'_>) -> Option<f32> {
        let (items, lead) = match &unit.form {
            UnitForm::List { items, lead, .. } => (items, lead),
            UnitForm::Row(_) => return self.at(unit.passage, unit.at),
            UnitForm::Sentence { code, .. } => {
                let code = code.iter().filter_map(|code| self.at(unit.passage, code.start));
                return code.chain(self.at(unit.passage, unit.at)).max_by(f32::total_cmp);
            }
        };
        let starts = items.iter().filter_map(|item| item.first()).map(|sentence| sentence.span.start);
        let readings: Vec<f32> = starts.filter_map(|at| self.at(unit.passage, at)).collect();
        let mean = readings.iter().sum::<f32>() / readings.len().max(1) as f32;
        let lead = lead.as_ref().and_then(|lead| self.at(unit.passage, lead.span.start));
        (!readings.is_empty()).then(|| mean.max(lead.unwrap_or(f32::MIN)))
    }

    /// The units that were read and not judged yet, as far as the reader thinks most of them.
    pub fn find_promising<'u, 'a>(
        &self,
        scored: &[(UnitScore, &'u AnswerUnit<'a>)],
        judged: &[JudgedUnit<'_, '_>],
    ) -> Vec<(UnitScore, &'u AnswerUnit<'a>)> {
        let place =
            |unit: &AnswerUnit<'_>| (unit.passage, unit.at, matches!(unit.form, UnitForm::List { .. }));
        let known: BTreeSet<_> = judged.iter().map(|judged| place(judged.unit)).collect();
        let mut found: Vec<(f32, UnitScore, &AnswerUnit<'_>)> = scored
            .iter()
            .filter(|(_, unit)| !known.contains(&place(unit)))
            .filter_map(|(score, unit)| Some((self.of(unit)?, *score, *unit)))
            .collect();
        found.sort_by(|one, other| other.0.total_cmp(&one.0));
        found.into_iter().take(PROMISING).map(|(_, score, unit)| (score, unit)).collect()
    }
}

/// The section that a place of a passage belongs to: the last that begins before it.
fn section_at(sections: &[PlacedSection], at: usize) -> Option<usize> {
    sections.iter().rposition(|section| section.piece_at(at).is_some())
}
