//! Checks the dates of a sentence against the texts that it cites.

use std::cmp::Reverse;

use wellread_text::{Date, WrittenDate};

use super::cited_text::CitedText;
use super::sentence_check::context_share;
use crate::domain::verdict::VerdictReason;

/// The share of a sentence's words that must be near another date for that date to contradict it.
const SAME_CONTEXT_AND_DATE: f64 = 0.6;
/// The most dates of a text that are looked at.
const MOST_DATES: usize = 64;

/// Why a date is not borne out, if it is not: another one stands where the source speaks of the same, or none.
pub(super) fn check_date(
    dated: &WrittenDate,
    words: &[String],
    cited: &[&CitedText],
) -> Option<VerdictReason> {
    let date = dated.written.clone();
    let covers = |known: &Date| dated.readings.iter().any(|reading| known.covers(reading));
    if cited.iter().any(|cited_text| {
        cited_text.any_text_matches(|index| index.dates().iter().any(|(known, _)| covers(known)))
    }) {
        return None;
    }
    for cited_text in cited {
        let index = &cited_text.index;
        let near = index.dates().iter().take(MOST_DATES);
        let near: Vec<&(Date, usize)> =
            near.filter(|(_, line)| context_share(index, *line, words) >= SAME_CONTEXT_AND_DATE).collect();
        // Of the two ends of a period, the one that is more like the date.
        let alike = |known: &Date| dated.readings.iter().map(|reading| likeness(known, reading)).max();
        let Some((other, line)) = near.iter().min_by_key(|(known, _)| Reverse(alike(known))) else {
            continue;
        };
        let on_line: Vec<Date> =
            near.iter().filter(|(_, other)| other == line).map(|(known, _)| *known).collect();
        // A day or a month between two dates may be meant by neither of them.
        let is_between = dated.readings.iter().any(|reading| {
            let order = |known: &Date| month_number(known).zip(month_number(reading));
            let before = on_line.iter().filter_map(order).any(|(known, own)| known < own);
            before && on_line.iter().filter_map(order).any(|(known, own)| known > own)
        });
        if is_between {
            continue;
        }
        let parts = [other.year.map(u32::from), Some(other.month.into()), other.day.map(u32::from)];
        let parts: Vec<String> = parts.into_iter().flatten().map(|part| format!("{part:02}")).collect();
        return Some(VerdictReason::DateDiffers { date, source: parts.join("-") });
    }
    Some(VerdictReason::DateMissing { date })
}

/// How much of two dates is the same.
fn likeness(one: &Date, other: &Date) -> usize {
    let is_same_year = one.year.is_some() && one.year == other.year;
    let is_same_day = one.day.is_some() && one.day == other.day;
    2 * usize::from(one.month == other.month) + usize::from(is_same_year) + usize::from(is_same_day)
}

/// The months up to a date; `None` without a year.
fn month_number(date: &Date) -> Option<u32> {
    Some(u32::from(date.year?) * 12 + u32::from(date.month))
}
