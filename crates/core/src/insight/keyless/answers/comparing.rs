//! The best units side by side. A reader that has several of them before it, each with the names above it, tells the one that
//! answers from those that only seem to, such as what another note says of something else or of an earlier time.

use super::judgment::ReadUnit;
use super::sections::{ReadableSection, SectionReading};
use super::unit::{AnswerUnit, UnitForm};
use crate::insight::keyless::quotation::plain_text;

/// The most units that are compared, and the most characters of the names above one, of one, and of all.
const MOST_UNITS: usize = 8;
const LONGEST_NAMES: usize = 60;
const LONGEST_UNIT: usize = 220;
const MOST_CHARACTERS: usize = 900;
/// What the reader is told in place of the name of a section. It has learned this word.
const CONTEXT: &str = "compare";
/// How far below the worst of the compared ones the others are.
const NOT_COMPARED: f32 = 1.0;

/// Ranks units anew, which are given best first: the best of them by how well they answer beside each other, and the rest below.
/// Without a reader nothing changes.
pub(super) fn compare_best(units: &mut [ReadUnit<'_, '_>], reading: &SectionReading<'_>) {
    let (places, pieces) = choose_units(units);
    if pieces.is_empty() {
        return;
    }
    let section = ReadableSection { context: CONTEXT.to_owned(), pieces };
    let Some(readings) = reading(&[section]).and_then(|read| read.into_iter().next()) else { return };
    let Some(least) = readings.iter().copied().min_by(f32::total_cmp) else { return };
    let compared = |unit: &ReadUnit<'_, '_>| {
        let place = places.iter().position(|place| units[*place].judged.is_at(&unit.judged));
        place.and_then(|place| readings.get(place)).copied().unwrap_or(least - NOT_COMPARED)
    };
    let compared: Vec<f32> = units.iter().map(compared).collect();
    units.iter_mut().zip(compared).for_each(|(unit, compared)| unit.rank_beside(compared));
}

/// The units that stand side by side, by their index, with what the reader gets of each.
fn choose_units(units: &[ReadUnit<'_, '_>]) -> (Vec<usize>, Vec<String>) {
    let mut chosen: Vec<(usize, String)> = Vec::new();
    let mut room = MOST_CHARACTERS;
    for (at, unit) in units.iter().enumerate() {
        let line = render_line(unit.judged.unit);
        let length = line.chars().count();
        let is_there = chosen.iter().any(|(other, _)| units[*other].judged.is_at(&unit.judged));
        if chosen.len() < MOST_UNITS && !is_there && (length <= room || chosen.is_empty()) {
            room = room.saturating_sub(length);
            chosen.push((at, line));
        }
    }
    chosen.into_iter().unzip()
}

/// A unit on one line, after the name of its note and its heading.
fn render_line(unit: &AnswerUnit<'_>) -> String {
    let names = format!("{} > {}", unit.of.title(), unit.heading_text);
    let text = match &unit.form {
        UnitForm::Sentence { sentence, code, .. } => {
            let code = code.iter().filter_map(|span| unit.of.text.get(span.clone()));
            let lines = code.flat_map(str::lines).map(str::trim).filter(|line| !line.starts_with("```"));
            std::iter::once(plain_text(sentence).as_str()).chain(lines).collect::<Vec<_>>().join(" ")
        }
        UnitForm::List { lead, items, .. } => {
            let sentences: Vec<String> = lead.iter().chain(items.iter().flatten()).map(plain_text).collect();
            sentences.join(" ")
        }
        UnitForm::Row(row) => row.cells.join(" | "),
    };
    let names = names.chars().take(LONGEST_NAMES);
    names.chain(": ".chars()).chain(text.chars().take(LONGEST_UNIT)).collect()
}
