//! A line that names a property and its value: "Draught: 1.22 m" in a note about a boat.
//!
//! Such a line is too short to be judged by meaning, and answers a question exactly: where the question asks for that property of
//! what the note is about.

use std::collections::{BTreeMap, BTreeSet};

use wellread_text::canonical_unit;

use super::scoring::WeightedQuestion;
use super::unit::{AnswerUnit, UnitForm, stems};
use super::words::has_stem;
use crate::insight::keyless::question::AskedFor;

/// The most words of a property's name.
const LONGEST_NAME: usize = 4;

/// Words for the value of a field: the VAT *number*.
const VALUES: [&str; 5] = ["number", "value", "date", "figure", "name"];

/// Words for a time: what stands in a field is one only if it has a figure.
const TIMES: [&str; 6] = ["year", "month", "week", "day", "date", "time"];
/// The most words of a name right before a figure, and of the figure with its unit: "Total 114 000 CHF".
const LONGEST_LABEL: usize = 2;
const LONGEST_FIGURE: usize = 4;

/// The stems of the names of the fields of notes, by their sources: they say what a note is about.
pub(super) type NoteFields<'a> = BTreeMap<&'a str, BTreeSet<String>>;

/// The names of the fields that are among these units.
pub(super) fn read_field_names<'a>(units: &[AnswerUnit<'a>]) -> NoteFields<'a> {
    let mut fields = NoteFields::new();
    for unit in units.iter().filter(|unit| unit.of.is_frontmatter()) {
        let name = unit.plain.split_once(':').map_or("", |(name, _)| name);
        fields.entry(unit.of.source).or_default().extend(stems(&name.replace(['_', '-'], " ")));
    }
    fields
}

/// A name and the figure right behind it, where a short line has nothing else.
fn split_figure(line: &str) -> Option<(&str, &str)> {
    let (name, figure) = line.split_at(line.find(|letter: char| letter.is_ascii_digit())?);
    let is_name =
        name.ends_with(' ') && name.chars().all(|letter| letter.is_alphabetic() || " -".contains(letter));
    let is_short = name.split_whitespace().count() <= LONGEST_LABEL
        && figure.split_whitespace().count() <= LONGEST_FIGURE
        && !figure.contains(['=', '→', '?']);
    (is_name && is_short).then_some((name, figure))
}

impl AnswerUnit<'_> {
    /// Whether it is a property that the question asks for, of what the note or the heading above is about.
    pub fn is_asked_property(&self, question: WeightedQuestion<'_>) -> bool {
        let asks_for_figure = question.asked.counted.is_empty()
            && matches!(
                question.asked.asked_for,
                AskedFor::Amount | AskedFor::Time | AskedFor::Definition | AskedFor::Other
            );
        let labelled = || split_figure(&self.plain).filter(|_| asks_for_figure && !self.is_detail);
        let (name, value, is_labelled) = match (self.plain.split_once(':'), labelled()) {
            (Some((name, value)), _) => (name, value, false),
            (None, Some((name, value))) => (name, value, true),
            (None, None) => return false,
        };
        let is_line = matches!(self.form, UnitForm::Sentence { .. });
        // `cost_eur`: a field's name has no spaces, and may end with the unit of its value.
        let mut name_stems = stems(&name.replace(['_', '-'], " "));
        if self.is_detail && name_stems.len() > 1 {
            name_stems.retain(|stem| canonical_unit(stem).is_none());
        }
        if !is_line || value.trim().is_empty() || name_stems.is_empty() || name_stems.len() > LONGEST_NAME {
            return false;
        }
        let by_name = name_stems.iter().all(|stem| question.has(stem));
        let asked = &question.asked.properties;
        let by_measure = name_stems.iter().all(|stem| asked.names.contains(stem));
        // What else the question names is what the note is about, so that it is the property of that thing.
        let fields = question.fields.get(self.of.source).filter(|_| is_labelled);
        let is_thing = |stem: &String| {
            let is_field = fields.is_some_and(|fields| has_stem(fields.iter(), stem));
            is_field || self.title.contains(stem) || self.above.contains(stem) || self.near.contains(stem)
        };
        let has_figure = value.contains(|letter: char| letter.is_ascii_digit());
        let is_kind = |stem: &String| {
            question.asked.kind.as_ref() == Some(stem) && (has_figure || !TIMES.contains(&stem.as_str()))
        };
        let mut others = question
            .asked
            .terms
            .iter()
            .map(|term| &term.stem)
            .filter(|stem| !name_stems.contains(stem) && asked.by.as_ref() != Some(*stem))
            .filter(|stem| !(self.is_detail && (VALUES.contains(&stem.as_str()) || is_kind(stem))))
            .peekable();
        (by_name || by_measure) && others.peek().is_some() && others.all(is_thing)
    }
}
