//! Notes that are kept as a log: a line for each day, of which a later one may give another amount.

use std::collections::BTreeMap;

use wellread_text::begins_with_day;

use super::judgment::JudgedUnit;
use super::unit::{AnswerUnit, UnitForm};
use super::words::has_stem;
use crate::insight::keyless::question::AskedQuestion;

/// The longest name of a unit, in letters.
const LONGEST_UNIT: usize = 8;
/// Units that entries about different things have in common.
const COMMON_UNITS: [&str; 18] = [
    "a", "at", "h", "hour", "hours", "min", "minutes", "day", "days", "week", "weeks", "month", "months",
    "eur", "euro", "euros", "usd", "gbp",
];

/// Words of a question for what all entries say together.
const OVER_ALL: [&str; 9] =
    ["best", "worst", "most", "least", "total", "average", "mean", "record", "altogether"];

/// The last entry of the same log with an amount in a unit that the best answer has, too, if it is another amount. It has the words
/// of the question that the answer has: an entry about something else takes nothing back.
pub(super) fn find_later_entry<'j, 'u, 'a>(
    asked: &AskedQuestion,
    best: &JudgedUnit<'u, 'a>,
    ranked: &'j [JudgedUnit<'u, 'a>],
) -> Option<&'j JudgedUnit<'u, 'a>> {
    let is_over_all =
        |stem: &String| OVER_ALL.contains(&stem.as_str()) || stem.len() > 5 && stem.ends_with("est");
    if asked.stems.iter().any(is_over_all) {
        return None;
    }
    let own = read_amounts(&read_entry(best.unit)?);
    let has = |unit: &AnswerUnit<'_>, stem: &String| has_stem(unit.stems.iter(), stem);
    let is_about_it = |other: &AnswerUnit<'_>| {
        asked.terms.iter().all(|term| !has(best.unit, &term.stem) || has(other, &term.stem))
    };
    let amounts = |other: &JudgedUnit<'_, '_>| read_entry(other.unit).map(|entry| read_amounts(&entry));
    let is_later = |other: &&JudgedUnit<'u, 'a>| {
        one_log(best.unit, other.unit)
            && place(best.unit) < place(other.unit)
            && is_about_it(other.unit)
            && amounts(other).is_some_and(|others| others.keys().any(|unit| own.contains_key(unit)))
    };
    let last = ranked.iter().filter(is_later).max_by_key(|other| place(other.unit))?;
    let differs = |(unit, number): (&String, &String)| own.get(unit).is_some_and(|known| known != number);
    amounts(last)?.iter().any(differs).then_some(last)
}

fn one_log(one: &AnswerUnit<'_>, other: &AnswerUnit<'_>) -> bool {
    one.of.source == other.of.source && one.heading_text == other.heading_text
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

/// The amounts of an entry by their units, the last one of each.
fn read_amounts(entry: &str) -> BTreeMap<String, String> {
    let words: Vec<&str> = entry.split_whitespace().skip(2).map(trim).collect();
    let is_number = |word: &str| word.starts_with(|letter: char| letter.is_ascii_digit());
    let is_unit = |unit: &str| {
        (1..=LONGEST_UNIT).contains(&unit.chars().count())
            && unit.chars().all(char::is_alphabetic)
            && !COMMON_UNITS.contains(&unit)
    };
    let amounts = words.windows(2).filter(|pair| is_number(pair[0]) && is_unit(pair[1]));
    amounts.map(|pair| (pair[1].to_owned(), pair[0].to_owned())).collect()
}

fn trim(word: &str) -> &str {
    word.trim_matches(|letter: char| !letter.is_alphanumeric())
}
