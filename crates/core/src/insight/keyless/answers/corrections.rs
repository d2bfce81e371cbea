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
    let date = find_date(best.unit.of.title())?;
    let is_dated = |stem: &String| {
        stem.contains(|letter: char| letter.is_ascii_digit()) || FOR_THE_PAST.contains(&stem.as_str())
    };
    if asked.stems.iter().any(is_dated) || matches!(best.unit.form, UnitForm::List { .. }) {
        return None;
    }
    let own: Vec<&String> = asked
        .terms
        .iter()
        .map(|term| &term.stem)
        .filter(|stem| has_stem(best.unit.stems.iter(), stem))
        .collect();
    ranked.iter().find(|other| {
        let is_later = find_date(other.unit.of.title()).is_some_and(|later| later > date);
        is_later
            && own.len() >= FEWEST_SHARED
            && !other.unit.is_task()
            && !other.unit.plain.trim_end().ends_with('?')
            && !matches!(other.unit.form, UnitForm::List { .. })
            && own.iter().all(|stem| has_stem(other.unit.stems.iter(), stem))
    })
}

/// The day in the name of a daily note or of minutes, as written: "2026-08-20".
fn find_date(title: &str) -> Option<&str> {
    let is_day = |text: &&str| {
        let mut at = text.bytes().enumerate();
        at.all(|(at, byte)| if [4, 7].contains(&at) { byte == b'-' } else { byte.is_ascii_digit() })
    };
    (0..title.len()).filter_map(|at| title.get(at..at + 10)).find(is_day)
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
