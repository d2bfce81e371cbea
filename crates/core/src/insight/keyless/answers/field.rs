//! A line that names a property and its value: "Draught: 1.22 m" in a note about a boat.
//!
//! Such a line is too short to be judged by meaning, and answers a question exactly: where the question asks for that property of
//! what the note is about.

use wellread_text::canonical_unit;

use super::scoring::WeightedQuestion;
use super::unit::{AnswerUnit, UnitForm, stems};

/// The most words of a property's name.
const LONGEST_NAME: usize = 4;

/// Words for the value of a field: the VAT *number*.
const VALUES: [&str; 5] = ["number", "value", "date", "figure", "name"];

impl AnswerUnit<'_> {
    /// Whether it is a property that the question asks for, of what the note or the heading above is about.
    pub fn is_asked_property(&self, question: WeightedQuestion<'_>) -> bool {
        let Some((name, value)) = self.plain.split_once(':') else { return false };
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
        let is_thing = |stem: &String| {
            self.title.contains(stem) || self.above.contains(stem) || self.near.contains(stem)
        };
        let mut others = question
            .asked
            .terms
            .iter()
            .map(|term| &term.stem)
            .filter(|stem| !name_stems.contains(stem) && asked.by.as_ref() != Some(*stem))
            .filter(|stem| !(self.is_detail && VALUES.contains(&stem.as_str())))
            .peekable();
        (by_name || by_measure) && others.peek().is_some() && others.all(is_thing)
    }
}
