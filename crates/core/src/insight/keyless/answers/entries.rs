//! Notes that are kept as a log: a line for each day, of which a later one may give another amount.

use std::collections::BTreeSet;

use wellread_text::begins_with_day;

use super::judgment::JudgedUnit;
use super::unit::{AnswerUnit, UnitForm};

/// The longest name of a unit, in letters.
const LONGEST_UNIT: usize = 8;
/// Units that entries about different things have in common.
const COMMON_UNITS: [&str; 18] = [
    "a", "at", "h", "hour", "hours", "min", "minutes", "day", "days", "week", "weeks", "month", "months",
    "eur", "euro", "euros", "usd", "gbp",
];

/// The last entry of the same log with an amount in a unit that the best answer has, too, and another number.
pub(super) fn find_later_entry<'j, 'u, 'a>(
    best: &JudgedUnit<'u, 'a>,
    ranked: &'j [JudgedUnit<'u, 'a>],
) -> Option<&'j JudgedUnit<'u, 'a>> {
    let own = read_entry(best.unit)?;
    let units = read_units(&own);
    let is_later = |other: &&JudgedUnit<'u, 'a>| {
        let (one, other) = (best.unit, other.unit);
        one.of.source == other.of.source
            && one.heading_text == other.heading_text
            && place(one) < place(other)
            && read_entry(other).is_some_and(|entry| entry != own && !units.is_disjoint(&read_units(&entry)))
    };
    ranked.iter().filter(is_later).max_by_key(|other| place(other.unit))
}

fn place(unit: &AnswerUnit<'_>) -> usize {
    unit.of.start + unit.at
}

/// The line that a unit stands on, in lower case, if it begins with a day.
fn read_entry(unit: &AnswerUnit<'_>) -> Option<String> {
    let UnitForm::Sentence { sentence, line, .. } = &unit.form else { return None };
    // The second sentence of a line is of the same day.
    let entry = line.as_ref().map_or(sentence.text.as_str(), |line| &line.text);
    begins_with_day(entry).then(|| entry.to_lowercase())
}

/// The units of the amounts of an entry.
fn read_units(entry: &str) -> BTreeSet<String> {
    let words: Vec<&str> = entry.split_whitespace().skip(2).collect();
    let is_number = |word: &str| word.starts_with(|letter: char| letter.is_ascii_digit());
    let units = words.windows(2).filter(|pair| is_number(pair[0])).map(|pair| trim(pair[1]));
    let is_unit = |unit: &&str| {
        (1..=LONGEST_UNIT).contains(&unit.chars().count())
            && unit.chars().all(char::is_alphabetic)
            && !COMMON_UNITS.contains(unit)
    };
    units.filter(is_unit).map(str::to_owned).collect()
}

fn trim(word: &str) -> &str {
    word.trim_matches(|letter: char| !letter.is_alphanumeric())
}
