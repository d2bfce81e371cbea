//! Chooses the units of a page that are its main content.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::signs::{PageSigns, THRESHOLD};
use super::units::{BlockTag, PageUnit};
use super::{headings, parts};
use crate::Words;

/// The words of a part of the page, by which its units are recognized in another tree.
#[derive(Debug, Default)]
pub(super) struct KnownWords {
    /// Each run of four words.
    runs: HashSet<u64>,
    /// Each whole unit.
    whole: HashSet<u64>,
}

const RUN: usize = 4;

impl KnownWords {
    pub(super) fn new<'a>(units: impl IntoIterator<Item = &'a PageUnit>) -> Self {
        let mut known = Self::default();
        for unit in units {
            let words = word_hashes(&unit.text);
            known.whole.insert(hash(&words));
            known.runs.extend(words.windows(RUN).map(hash));
        }
        known
    }

    /// Whether most of the unit's text is known.
    pub(super) fn has(&self, unit: &PageUnit) -> bool {
        let words = word_hashes(&unit.text);
        if words.len() < RUN {
            return self.whole.contains(&hash(&words));
        }
        let known = words.windows(RUN).filter(|run| self.runs.contains(&hash(run))).count();
        known * 2 > words.len() - RUN
    }
}

/// The words of a text; of a text that has none, all of it.
fn word_hashes(text: &str) -> Vec<u64> {
    let words = Words::from_text(text).hashes;
    if words.is_empty() { vec![hash(text)] } else { words }
}

fn hash(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// For each unit, whether it is kept. `is_known` says which units were found for the page as a whole: they are kept as
/// they are if they are too short to judge, or if almost nothing of them would be left.
pub(super) fn choose(units: &[PageUnit], is_known: Vec<bool>, title: Option<&str>) -> Vec<bool> {
    const TOO_SHORT: usize = 600;
    let length = |chosen: &[bool]| -> usize {
        units.iter().zip(chosen).map(|(unit, &is_chosen)| usize::from(is_chosen) * unit.text.len()).sum()
    };
    let known = length(&is_known);
    if known < TOO_SHORT {
        return is_known;
    }
    let signs = PageSigns::new(units, &is_known, title);
    let mut chosen: Vec<bool> = (0..units.len()).map(|at| signs.score(at) > THRESHOLD).collect();
    parts::agree(units, &mut chosen);
    keep_known_figures(units, &is_known, &mut chosen);
    headings::follow_sections(units, &signs, &mut chosen);
    if length(&chosen) * 4 < known { is_known } else { chosen }
}

/// Keeps the code blocks and tables that were found, for nothing else in a page looks like them. A table of links
/// must be between other texts that are kept.
fn keep_known_figures(units: &[PageUnit], is_known: &[bool], chosen: &mut [bool]) {
    let first = chosen.iter().position(|&is_chosen| is_chosen).unwrap_or(units.len());
    let last = chosen.iter().rposition(|&is_chosen| is_chosen).unwrap_or(0);
    for (at, unit) in units.iter().enumerate().filter(|&(at, unit)| is_known[at] && unit.is_figure()) {
        let is_linked = unit.place.tag == BlockTag::Table && unit.linked * 2 > unit.text.len();
        chosen[at] |= !is_linked || (first..last).contains(&at);
    }
}
