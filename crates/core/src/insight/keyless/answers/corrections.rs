//! What takes a statement back: a sentence that says that another one was wrong, or that something has changed since.

use std::collections::BTreeSet;

use super::judgment::JudgedUnit;
use super::unit::{AnswerUnit, UnitForm};
use super::words::has_stem;
use crate::insight::keyless::question::AskedQuestion;

/// Words of a sentence that takes something back, which the next one puts right.
const RETRACTS: [&str; 9] = [
    "wrong",
    "incorrect",
    "mistaken",
    "mistake",
    "not right",
    "not correct",
    "corrected",
    "miscounted",
    "misread",
];
/// How a sentence begins that puts the one before it right.
const PUTS_RIGHT: [&str; 11] = [
    "correction",
    "update:",
    "edit:",
    "the right",
    "the correct",
    "the true",
    "correct is",
    "in fact",
    "since then",
    "it is now",
    "they are now",
];
/// Words of a sentence that something has changed, or that another one was wrong.
const CHANGES: [&str; 26] = [
    "no longer",
    "instead of",
    "moved to",
    "moved from",
    "changed to",
    "changed from",
    "postponed",
    "brought forward",
    "put off",
    "rescheduled",
    "replaced by",
    "raised to",
    "lowered to",
    "cut to",
    "went up to",
    "right value",
    "right figure",
    "correct value",
    "correct figure",
    "correction",
    "corrected to",
    " now ",
    "not any more",
    "anymore",
    "superseded",
    "turned out",
];
/// The share of the question that a sentence must have to take back what answers it.
const ABOUT_THE_SAME: f32 = 0.5;

/// With fewer words of the question in common, two sentences of different days need not be about the same.
const FEWEST_SHARED: usize = 2;

/// Whether the sentence takes something back.
pub(super) fn retracts(plain: &str) -> bool {
    RETRACTS.iter().any(|words| plain.contains(words))
}

/// Whether the sentence begins by putting the one before it right.
pub(super) fn puts_right(plain: &str) -> bool {
    let plain = plain.to_lowercase();
    PUTS_RIGHT.iter().any(|words| plain.starts_with(words))
}

/// The best unit that takes back what the best answer says; `None` if the answer itself tells of the change.
pub(super) fn find_correction<'j, 'u, 'a>(
    asked: &AskedQuestion,
    best: &JudgedUnit<'u, 'a>,
    ranked: &'j [JudgedUnit<'u, 'a>],
) -> Option<&'j JudgedUnit<'u, 'a>> {
    if tells_of_change(best.unit) || matches!(best.unit.form, UnitForm::List { .. }) {
        return None;
    }
    ranked.iter().find(|other| {
        let unit = other.unit;
        let is_sentence = matches!(unit.form, UnitForm::Sentence { .. });
        is_sentence && !other.is_at(best) && tells_of_change(unit) && is_about_the_same(asked, best, other)
    })
}

/// Words of a question for what was at first, or at a time that it names.
const FOR_THE_PAST: [&str; 8] =
    ["first", "originally", "initially", "before", "earlier", "previously", "used", "ever"];

/// The best unit of a later daily note or minutes that says something about the same, with all words of the question that the best
/// answer has itself; `None` if the question asks for a time of its own.
pub(super) fn find_later<'j, 'u, 'a>(
    asked: &AskedQuestion,
    best: &JudgedUnit<'u, 'a>,
    ranked: &'j [JudgedUnit<'u, 'a>],
) -> Option<&'j JudgedUnit<'u, 'a>> {
    let date = best.unit.of.day()?;
    if asks_for_own_time(asked) || matches!(best.unit.form, UnitForm::List { .. }) {
        return None;
    }
    let own: Vec<&String> = asked
        .terms
        .iter()
        .map(|term| &term.stem)
        .filter(|stem| has_stem(best.unit.stems.iter(), stem))
        .collect();
    ranked
        .iter()
        .find(|other| other.unit.of.day().is_some_and(|later| later > date) && states_all(other.unit, &own))
}

/// The most words of a field's value that is a state: "pending", "not yet".
const STATE_WORDS: usize = 2;

/// Where a field gives a state, such as "permit: pending", the unit of the latest daily note or minutes that says something about the
/// same and does not give that state; `None` if the question asks for a time of its own.
pub(super) fn find_news<'j, 'u, 'a>(
    asked: &AskedQuestion,
    best: &JudgedUnit<'u, 'a>,
    ranked: &'j [JudgedUnit<'u, 'a>],
) -> Option<&'j JudgedUnit<'u, 'a>> {
    let field = best.unit;
    let (_, value) = field.plain.split_once(':').filter(|_| field.of.is_frontmatter())?;
    let is_state = !value.contains(|letter: char| letter.is_ascii_digit())
        && (1..=STATE_WORDS).contains(&value.split_whitespace().count());
    if !is_state || field.of.day().is_some() || asks_for_own_time(asked) {
        return None;
    }
    let own: Vec<&String> =
        asked.terms.iter().filter(|term| field.holds(term) > 0.0).map(|term| &term.stem).collect();
    let tells = |unit: &AnswerUnit<'_>| states_all(unit, &own) && !unit.plain.contains(value.trim());
    ranked
        .iter()
        .filter(|other| other.unit.of.day().is_some() && tells(other.unit))
        .reduce(|latest, other| if other.unit.of.day() > latest.unit.of.day() { other } else { latest })
}

/// Whether a question names a time, or asks for what was at first.
pub(super) fn asks_for_own_time(asked: &AskedQuestion) -> bool {
    asked.stems.iter().any(|stem| {
        stem.contains(|letter: char| letter.is_ascii_digit()) || FOR_THE_PAST.contains(&stem.as_str())
    })
}

/// Whether it is a statement that has all these words, which are several.
fn states_all(unit: &AnswerUnit<'_>, words: &[&String]) -> bool {
    words.len() >= FEWEST_SHARED
        && !unit.is_task()
        && !unit.plain.trim_end().ends_with('?')
        && !matches!(unit.form, UnitForm::List { .. })
        && words.iter().all(|stem| has_stem(unit.stems.iter(), stem))
}

fn tells_of_change(unit: &AnswerUnit<'_>) -> bool {
    CHANGES.iter().any(|words| unit.plain.contains(words))
}

/// Whether it has most of the question, or names the figure that the answer gives together with what it is about.
fn is_about_the_same(asked: &AskedQuestion, best: &JudgedUnit<'_, '_>, other: &JudgedUnit<'_, '_>) -> bool {
    let has_figure = |stem: &&String| stem.contains(|letter: char| letter.is_ascii_digit());
    let own: BTreeSet<&String> = best.unit.stems.iter().collect();
    let shared = || other.unit.stems.iter().filter(|stem| own.contains(stem));
    let is_asked = |stem: &&String| asked.terms.iter().any(|term| term.stem == **stem);
    let names_figure = shared().any(|stem| has_figure(&stem)) && shared().any(|stem| is_asked(&stem));
    other.score.coverage >= ABOUT_THE_SAME && shared().any(|stem| is_asked(&stem)) || names_figure
}
