//! A calendar just large enough for hive readings.
//!
//! Readings carry local wall-clock time without a zone, so two small types are
//! enough: [`Day`] counts days and [`Moment`] adds the minute of the day.

use std::fmt;

/// The first and the last year that [`Day`] can express.
const FIRST_YEAR: i32 = 2000;
const LAST_YEAR: i32 = 2099;

/// A calendar day, counted from 1 January 2000.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(i32);

/// A day and the minute within it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment {
    /// The calendar day.
    pub day: Day,
    /// Minutes since midnight, 0 to 1439.
    pub minute: u32,
}

impl Day {
    /// Builds a day, or `None` when there is no such date in the known range.
    pub fn from_ymd(year: i32, month: u32, day: u32) -> Option<Day> {
        if !(FIRST_YEAR..=LAST_YEAR).contains(&year) || !(1..=12).contains(&month) {
            return None;
        }
        if day == 0 || day > days_in_month(year, month) {
            return None;
        }
        let whole_years: i32 = (FIRST_YEAR..year).map(days_in_year).sum();
        let whole_months: u32 = (1..month).map(|m| days_in_month(year, m)).sum();
        Some(Day(whole_years + (whole_months + day - 1) as i32))
    }

    /// Reads `YYYY-MM-DD`.
    pub fn parse(text: &str) -> Option<Day> {
        let mut parts = text.split('-');
        let year = parts.next()?.parse().ok()?;
        let month = parts.next()?.parse().ok()?;
        let day = parts.next()?.parse().ok()?;
        if parts.next().is_some() {
            return None;
        }
        Day::from_ymd(year, month, day)
    }

    /// The day after this one.
    pub fn next(self) -> Day {
        Day(self.0 + 1)
    }

    /// Year, month and day of the month.
    pub fn ymd(self) -> (i32, u32, u32) {
        let (mut left, mut year, mut month) = (self.0, FIRST_YEAR, 1);
        while left >= days_in_year(year) {
            left -= days_in_year(year);
            year += 1;
        }
        while left >= days_in_month(year, month) as i32 {
            left -= days_in_month(year, month) as i32;
            month += 1;
        }
        (year, month, left as u32 + 1)
    }
}

impl Moment {
    /// Reads `YYYY-MM-DDTHH:MM`.
    pub fn parse(text: &str) -> Option<Moment> {
        let (date, time) = text.split_once('T')?;
        let (hour, minute) = time.split_once(':')?;
        let (hour, minute): (u32, u32) = (hour.parse().ok()?, minute.parse().ok()?);
        if hour > 23 || minute > 59 {
            return None;
        }
        Some(Moment { day: Day::parse(date)?, minute: hour * 60 + minute })
    }

    /// Minutes from `earlier` to this moment; negative when the order is reversed.
    pub fn minutes_since(self, earlier: Moment) -> i64 {
        let days = i64::from(self.day.0 - earlier.day.0);
        days * 1440 + i64::from(self.minute) - i64::from(earlier.minute)
    }

    /// The hour of the day, 0 to 23.
    pub fn hour(self) -> u32 {
        self.minute / 60
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.ymd();
        write!(f, "{year:04}-{month:02}-{day:02}")
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}T{:02}:{:02}", self.day, self.hour(), self.minute % 60)
    }
}

fn is_leap(year: i32) -> bool {
    (year % 4 == 0 && year % 100 != 0) || year % 400 == 0
}

fn days_in_year(year: i32) -> i32 {
    if is_leap(year) { 366 } else { 365 }
}

fn days_in_month(year: i32, month: u32) -> u32 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_survives_the_round_trip_through_text() {
        for text in ["2000-01-01", "2024-02-29", "2025-05-18", "2099-12-31"] {
            assert_eq!(Day::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(Day::parse("2024-02-29").unwrap().next().to_string(), "2024-03-01");
    }

    #[test]
    fn dates_that_do_not_exist_are_refused() {
        for text in ["2025-02-29", "2025-13-01", "2025-04-31", "2025-04", "1999-12-31"] {
            assert_eq!(Day::parse(text), None, "{text}");
        }
    }

    #[test]
    fn minutes_count_across_midnight() {
        let late = Moment::parse("2025-05-18T23:30").unwrap();
        let early = Moment::parse("2025-05-19T00:15").unwrap();
        assert_eq!(early.minutes_since(late), 45);
        assert_eq!(late.minutes_since(early), -45);
    }
}
