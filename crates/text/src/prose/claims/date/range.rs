//! Completes dates that a range shares a month or a year with: `5-16 October 2026`, `from 1 January to 30 June 2027`.

use super::{Date, WrittenDate, day, figure};
use crate::Span;

/// What stands between the two ends of a range, without spaces.
const JOINS: [&str; 12] =
    ["-", "to", "until", "till", "through", "bis", "bis zum", "au", "al", "to the", "and", "und"];

/// Adds the days that a range names without their month, and the years that it names only once. `runs` are the words of the text.
pub(super) fn complete_ranges(text: &str, runs: &[(usize, &str)], found: &mut Vec<(Span, WrittenDate)>) {
    let mut days: Vec<(Span, WrittenDate)> = Vec::new();
    for (span, dated) in found.iter_mut() {
        let [date] = dated.readings[..] else { continue };
        let Some(own) = date.day else { continue };
        let first = runs.partition_point(|(start, _)| *start < span.start);
        let before = runs[..first].iter().rev().find(|(_, run)| !JOINS.contains(run));
        if let Some((start, run)) = before.copied()
            && let Some(early) = day(run).filter(|early| *early < u16::from(own) && is_spelled(text, span))
            && joins(&text[start + run.len()..span.start])
            && !follows_number(text, start)
        {
            let written = text[start..span.end].to_owned();
            let date = Date { day: u8::try_from(early).ok(), ..date };
            days.push((start..start + run.len(), WrittenDate { written, readings: vec![date] }));
        }
        let next = runs.partition_point(|(start, _)| *start < span.end);
        if let Some((start, run)) = runs.get(next).copied()
            && let Some(late) = day(run).filter(|late| *late > u16::from(own))
            && text[..span.end].ends_with(|letter: char| letter.is_ascii_digit())
            && text[span.start..].starts_with(char::is_uppercase)
            && date.year.is_none()
            && text[span.end..start].trim() == "-"
        {
            let end = start + run.len();
            let behind = runs.get(next + 1).filter(|(at, _)| [" ", ", "].contains(&&text[end..*at]));
            let year = behind.filter(|(_, run)| run.len() == 4).and_then(|(_, run)| figure(run));
            let end = if year.is_some() { runs[next + 1].0 + 4 } else { end };
            let written = text[span.start..end].to_owned();
            let late = Date { day: u8::try_from(late).ok(), year, ..date };
            dated.readings = vec![Date { year, ..date }];
            days.push((start..end, WrittenDate { written, readings: vec![late] }));
        }
    }
    found.extend(days);
    found.sort_by_key(|(span, _)| span.start);
    for at in (1..found.len()).rev() {
        let (before, after) = found.split_at_mut(at);
        let (Some((first, dated)), Some((second, end))) = (before.last_mut(), after.first()) else {
            continue;
        };
        let [Date { year: Some(year), month, day }] = end.readings[..] else { continue };
        if first.end > second.start || !joins(&text[first.end..second.start]) {
            continue;
        }
        for date in dated.readings.iter_mut().filter(|date| date.year.is_none()) {
            let is_year_before = (date.month, date.day) > (month, day) && date.month != month;
            date.year = Some(year - u16::from(is_year_before));
        }
    }
}

fn joins(gap: &str) -> bool {
    JOINS.contains(&gap.trim().trim_start_matches(['.', ',']).trim())
}

/// Whether a month's name is part of the date, with its day before it.
fn is_spelled(text: &str, span: &Span) -> bool {
    text[span.clone()].contains(char::is_alphabetic)
        && text[span.start..].starts_with(|letter: char| letter.is_ascii_digit())
}

/// Whether a number stands before this place and belongs to what stands there: `2.5-16 October`.
fn follows_number(text: &str, at: usize) -> bool {
    let before = text[..at].trim_end_matches(['.', '-', '/', ',', ':']);
    before.len() < at && before.ends_with(|letter: char| letter.is_ascii_digit())
}
