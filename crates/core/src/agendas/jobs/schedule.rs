//! The schedule of automatic proposals: once a week, at an hour of local time.

use jiff::civil::{Weekday, time};
use jiff::{Timestamp, ToSpan as _, Zoned};

/// A weekday and an hour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schedule {
    /// The day of the week.
    pub weekday: Weekday,
    /// The hour, from 0 to 23.
    pub hour: i8,
}

impl Schedule {
    /// The last moment at which it was due, including now. An hour that a clock change skips counts as the next one.
    pub fn last_due(&self, now: &Zoned) -> Zoned {
        let back = now.date().weekday().since(self.weekday);
        let at = |days: i8| {
            let day = now.date().checked_sub(i64::from(days).days()).ok()?;
            day.to_datetime(time(self.hour.clamp(0, 23), 0, 0, 0)).to_zoned(now.time_zone().clone()).ok()
        };
        match at(back).filter(|due| due <= now) {
            Some(due) => due,
            None => at(back + 7).unwrap_or_else(|| now.clone()),
        }
    }

    /// The key of a due moment's agenda: only one is made, however often it is requested.
    pub fn key(due: &Zoned) -> String {
        format!("schedule {}", due.date())
    }

    /// The last due moment, if it is not before `since`, when the schedule was switched on.
    pub fn due_moment(&self, since: Timestamp, now: &Zoned) -> Option<Zoned> {
        let due = self.last_due(now);
        (due.timestamp() >= since).then_some(due)
    }

    /// Parses a schedule as in the settings: `sunday 9`; `None` if it is none.
    pub fn parse(written: &str) -> Option<Self> {
        let mut words = written.split_whitespace();
        let weekday = match words.next()?.to_lowercase().as_str() {
            "on" | "sunday" | "sun" => Weekday::Sunday,
            "monday" | "mon" => Weekday::Monday,
            "tuesday" | "tue" => Weekday::Tuesday,
            "wednesday" | "wed" => Weekday::Wednesday,
            "thursday" | "thu" => Weekday::Thursday,
            "friday" | "fri" => Weekday::Friday,
            "saturday" | "sat" => Weekday::Saturday,
            _ => return None,
        };
        let hour = match words.next() {
            None => 9,
            Some(hour) => {
                hour.strip_suffix(":00").unwrap_or(hour).parse().ok().filter(|hour| (0..24).contains(hour))?
            }
        };
        words.next().is_none().then_some(Self { weekday, hour })
    }
}

impl std::fmt::Display for Schedule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} {}:00", self.weekday, self.hour)
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::DateTime;
    use jiff::tz::TimeZone;

    use super::*;

    const BERLIN: &str = "CET-1CEST,M3.5.0,M10.5.0/3";
    const NEW_YORK: &str = "EST5EDT,M3.2.0,M11.1.0";
    const GREENWICH: &str = "GMT0";

    fn at(written: &str, zone: &str) -> Zoned {
        let zone = TimeZone::posix(zone).unwrap();
        written.parse::<DateTime>().unwrap().to_zoned(zone).unwrap()
    }

    fn told(moment: &Zoned) -> String {
        moment.strftime("%Y-%m-%dT%H:%M%:z").to_string()
    }

    #[test]
    fn it_is_due_once_a_week_at_the_users_hour() {
        let schedule = Schedule::parse("Sunday 9").unwrap();
        for (now, zone, due) in [
            // A Sunday, before, at and after the hour; and the Saturday after it.
            ("2026-11-15T08:59", BERLIN, "2026-11-08T09:00+01:00"),
            ("2026-11-15T09:00", BERLIN, "2026-11-15T09:00+01:00"),
            ("2026-11-15T23:59", BERLIN, "2026-11-15T09:00+01:00"),
            ("2026-11-21T12:00", BERLIN, "2026-11-15T09:00+01:00"),
            ("2026-11-15T09:00", NEW_YORK, "2026-11-15T09:00-05:00"),
        ] {
            assert_eq!(told(&schedule.last_due(&at(now, zone))), due, "{now}");
        }
    }

    #[test]
    fn an_hour_that_the_clock_leaves_out_is_the_one_after_it() {
        let schedule = Schedule::parse("sun 2").unwrap();
        let due = schedule.last_due(&at("2026-03-29T04:00", BERLIN));
        assert_eq!(told(&due), "2026-03-29T03:00+02:00");
    }

    #[test]
    fn what_was_due_before_it_was_switched_on_is_not_caught_up_and_what_was_missed_is() {
        let schedule = Schedule::parse("on").unwrap();
        let since = at("2026-11-13T12:00", GREENWICH).timestamp();
        assert_eq!(schedule.due_moment(since, &at("2026-11-14T12:00", GREENWICH)), None);
        let caught_up = schedule.due_moment(since, &at("2026-12-03T12:00", GREENWICH)).unwrap();
        // Several were missed: it is the last that counts.
        assert_eq!(Schedule::key(&caught_up), "schedule 2026-11-29");
    }

    #[test]
    fn what_is_no_schedule_is_none() {
        for written in ["", "someday", "sunday 24", "sunday -1", "sunday 9 10", "9", "sunday 9:30"] {
            assert_eq!(Schedule::parse(written), None, "{written}");
        }
        assert_eq!(Schedule::parse("FRI 17:00"), Some(Schedule { weekday: Weekday::Friday, hour: 17 }));
    }
}
