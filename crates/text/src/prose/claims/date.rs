//! Recognizes written dates: `2024-03-05`, `5 March 2024`, `March 5th, 2024`, `5. März 2024`, `05.03.2024`, `March
//! 2024`, and ranges of them.

mod range;

use super::word_runs;
use crate::Span;

/// A day, a month, or a day of an unknown year.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Date {
    /// The year, if given.
    pub year: Option<u16>,
    /// The month, from 1.
    pub month: u8,
    /// The day of the month, if given.
    pub day: Option<u8>,
}

impl Date {
    /// Whether this date agrees with `other` in everything that `other` specifies.
    pub fn covers(&self, other: &Self) -> bool {
        self.month == other.month
            && (other.year.is_none() || self.year == other.year)
            && (other.day.is_none() || self.day == other.day)
    }
}

/// A date as written, and its possible readings: `03/05/2024` is the third of May or the fifth of March.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenDate {
    /// The date as written.
    pub written: String,
    /// All possible readings.
    pub readings: Vec<Date>,
}

/// No day is written with more characters.
const LONGEST_DAY: usize = 40;

/// The names of the months, by number from 1; the English name comes first.
pub(crate) const MONTHS: [&[&str]; 12] = [
    &["january", "jan", "januar"],
    &["february", "feb", "februar"],
    &["march", "mar", "märz"],
    &["april", "apr"],
    &["may", "mai"],
    &["june", "jun", "juni"],
    &["july", "jul", "juli"],
    &["august", "aug"],
    &["september", "sep", "sept"],
    &["october", "oct", "oktober", "okt"],
    &["november", "nov"],
    &["december", "dec", "dezember", "dez"],
];

/// The dates of a text in comparable form.
pub(crate) fn dates(text: &str) -> Vec<(Span, WrittenDate)> {
    let runs: Vec<(usize, &str)> = word_runs(text).collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < runs.len() {
        let scan = DateScanner { text, runs: &runs[at..] };
        match scan.match_numeric().or_else(|| scan.match_spelled()) {
            Some((count, end, readings)) => {
                let start = runs[at].0;
                found.push((start..end, WrittenDate { written: text[start..end].to_owned(), readings }));
                at += count;
            }
            None => at += 1,
        }
    }
    range::complete_ranges(text, &runs, &mut found);
    found
}

/// Whether a text begins with the day of a month, as the entries of a log do: `3 Oct 2023 –`, `17 Oct:`, `2023-10-03`.
pub fn begins_with_day(text: &str) -> bool {
    let line = text.trim_start();
    let end = line.char_indices().nth(LONGEST_DAY).map_or(line.len(), |(at, _)| at);
    let found = dates(&line[..end]);
    let has_day = |date: &WrittenDate| date.readings.iter().any(|reading| reading.day.is_some());
    found.first().is_some_and(|(span, date)| span.start == 0 && has_day(date))
}

/// The word runs from a position on; a date may begin at the first of them.
struct DateScanner<'a> {
    text: &'a str,
    runs: &'a [(usize, &'a str)],
}

type DateMatch = (usize, usize, Vec<Date>);

impl DateScanner<'_> {
    fn run(&self, index: usize) -> &str {
        self.runs.get(index).map_or("", |(_, run)| run)
    }

    fn end(&self, index: usize) -> usize {
        self.runs[index].0 + self.runs[index].1.len()
    }

    /// The text between a run and the next one.
    fn gap_after(&self, index: usize) -> &str {
        self.runs.get(index + 1).map_or("", |(next, _)| &self.text[self.end(index)..*next])
    }

    /// Whether another number is joined to the match: then it is a version, an address or a range.
    fn is_joined(&self, end: usize) -> bool {
        let digit = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_digit());
        let bytes = self.text.as_bytes();
        let start = self.runs[0].0;
        let joins = |byte: u8| b".-/".contains(&byte);
        (start >= 2 && joins(bytes[start - 1]) && digit(Some(bytes[start - 2])))
            || (bytes.get(end).is_some_and(|&byte| joins(byte)) && digit(bytes.get(end + 1).copied()))
    }

    fn match_numeric(&self) -> Option<DateMatch> {
        let first = figure(self.run(0))?;
        let mark = self.gap_after(0);
        if !["-", "/", "."].contains(&mark) {
            return None;
        }
        let same = self.gap_after(1) == mark;
        // A time may be attached to the day.
        let third = self.run(2).split_once('T').map_or(self.run(2), |(day, _)| day);
        if self.run(0).len() == 4
            && same
            && let (Some(month), Some(day)) = (figure(self.run(1)), figure(third))
        {
            let end = self.runs[2].0 + third.len();
            let date = date(Some(first), month, Some(day)).filter(|_| !self.is_joined(end))?;
            return Some((3, end, vec![date]));
        }
        if self.run(0).len() == 4 && mark == "-" && self.run(1).len() == 2 {
            let end = self.end(1);
            let date = date(Some(first), figure(self.run(1))?, None).filter(|_| !self.is_joined(end))?;
            return Some((2, end, vec![date]));
        }
        if self.run(0).len() <= 2 && same && self.run(2).len() == 4 {
            let (second, year) = (figure(self.run(1))?, figure(self.run(2)));
            let end = self.end(2);
            let american = if mark == "/" { date(year, first, Some(second)) } else { None };
            let readings: Vec<Date> = date(year, second, Some(first)).into_iter().chain(american).collect();
            return (!readings.is_empty() && !self.is_joined(end)).then_some((3, end, readings));
        }
        None
    }

    fn match_spelled(&self) -> Option<DateMatch> {
        if let Some(month) = month(self.run(0)) {
            let (day, used) = match day(self.run(1)).filter(|_| [" ", ". "].contains(&self.gap_after(0))) {
                Some(day) => (Some(day), 2),
                None => (None, 1),
            };
            let (year, used) = self.match_year(used);
            (used > 1).then_some(())?;
            return Some((used, self.end(used - 1), vec![date(year, month, day)?]));
        }
        let day = day(self.run(0))?;
        let of = usize::from(self.run(1) == "of" && self.gap_after(1) == " ");
        let month = month(self.run(1 + of)).filter(|_| [" ", ". ", "-"].contains(&self.gap_after(0)))?;
        let (year, used) = self.match_year(2 + of);
        Some((used, self.end(used - 1), vec![date(year, month, Some(day))?]))
    }

    /// The year after `used` runs, and the number of runs up to and including it.
    fn match_year(&self, used: usize) -> (Option<u16>, usize) {
        let near = [" ", ", ", ". ", "-"].contains(&self.gap_after(used - 1));
        match figure(self.run(used)).filter(|_| near && self.run(used).len() == 4) {
            Some(year) => (Some(year), used + 1),
            None => (None, used),
        }
    }
}

fn figure(run: &str) -> Option<u16> {
    ((1..=4).contains(&run.len()) && run.bytes().all(|byte| byte.is_ascii_digit()))
        .then(|| run.parse().ok())?
}

/// `5`, `05`, `5th`
fn day(run: &str) -> Option<u16> {
    let digits = run.trim_end_matches(|letter: char| letter.is_ascii_lowercase());
    let ending = &run[digits.len()..];
    figure(digits).filter(|day| (1..=31).contains(day) && ["", "st", "nd", "rd", "th"].contains(&ending))
}

/// Month names need a capital: `may` and `march` are verbs.
fn month(run: &str) -> Option<u16> {
    if !run.starts_with(char::is_uppercase) || run.len() > 10 {
        return None;
    }
    let lower = run.to_lowercase();
    MONTHS.iter().position(|names| names.contains(&lower.as_str())).map(|at| at as u16 + 1)
}

fn date(year: Option<u16>, month: u16, day: Option<u16>) -> Option<Date> {
    let fits = (1..=12).contains(&month) && day.is_none_or(|day| (1..=31).contains(&day));
    fits.then(|| Date { year, month: month as u8, day: day.map(|day| day as u8) })
}
