//! Sums readings up per hive and day.
//!
//! The evening weight is the one to compare from day to day: by then the
//! foragers are home and most of the day's loose water is still in the comb.

use std::fmt::Write as _;

use crate::calendar::Day;
use crate::readings::{Reading, by_hive};

/// A day with fewer readings than this is kept but not used by the detectors.
pub const MIN_READINGS_PER_DAY: usize = 12;

/// One hive on one day.
#[derive(Debug, Clone, PartialEq)]
pub struct DaySummary {
    /// The name of the hive.
    pub hive: String,
    /// The calendar day.
    pub day: Day,
    /// How many readings the day has.
    pub readings: usize,
    /// The lightest reading in kilograms.
    pub min_kg: f64,
    /// The heaviest reading in kilograms.
    pub max_kg: f64,
    /// The last reading of the day in kilograms.
    pub evening_kg: f64,
    /// The mean outside temperature in degrees Celsius.
    pub mean_temp_c: f64,
}

impl DaySummary {
    /// Whether the day has enough readings to be trusted.
    pub fn is_complete(&self) -> bool {
        self.readings >= MIN_READINGS_PER_DAY
    }

    /// Kilograms gained since the evening of `before`, if that was the day
    /// before in the same hive and both days are complete.
    pub fn gain_since(&self, before: &DaySummary) -> Option<f64> {
        let adjacent = before.hive == self.hive && before.day.next() == self.day;
        (adjacent && before.is_complete() && self.is_complete())
            .then_some(self.evening_kg - before.evening_kg)
    }
}

/// Sums up sorted readings: one summary per hive and day, in order.
pub fn summarise(readings: &[Reading]) -> Vec<DaySummary> {
    let mut days = Vec::new();
    for group in by_hive(readings).into_values() {
        for day in group.chunk_by(|a, b| a.at.day == b.at.day) {
            days.push(summarise_day(day));
        }
    }
    days
}

/// Writes summaries as CSV, with weights to 10 g.
pub fn to_csv(days: &[DaySummary]) -> String {
    let mut out = String::from("day,hive,readings,min_kg,max_kg,evening_kg,mean_temp_c\n");
    for d in days {
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "{},{},{},{:.2},{:.2},{:.2},{:.1}",
            d.day, d.hive, d.readings, d.min_kg, d.max_kg, d.evening_kg, d.mean_temp_c
        );
    }
    out
}

/// `day` holds at least one reading: `chunk_by` never yields an empty slice.
fn summarise_day(day: &[&Reading]) -> DaySummary {
    let (first, last) = (day[0], day[day.len() - 1]);
    let weights = || day.iter().map(|r| r.weight_kg);
    DaySummary {
        hive: first.hive.clone(),
        day: first.at.day,
        readings: day.len(),
        min_kg: weights().fold(f64::INFINITY, f64::min),
        max_kg: weights().fold(f64::NEG_INFINITY, f64::max),
        evening_kg: last.weight_kg,
        mean_temp_c: day.iter().map(|r| r.temp_c).sum::<f64>() / day.len() as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::readings::parse_readings;

    fn hourly(day: &str, hive: &str, start_kg: f64, step_kg: f64) -> String {
        (6..22)
            .map(|h| format!("{day}T{h:02}:00,{hive},{},15\n", start_kg + step_kg * f64::from(h - 6)))
            .collect()
    }

    #[test]
    fn a_day_has_its_extremes_and_its_evening() {
        let readings = parse_readings(&hourly("2025-05-14", "linden", 40.0, 0.1)).unwrap();
        let days = summarise(&readings);
        assert_eq!(days.len(), 1);
        assert_eq!((days[0].min_kg, days[0].max_kg, days[0].readings), (40.0, 41.5, 16));
        assert_eq!((days[0].evening_kg, days[0].mean_temp_c), (41.5, 15.0));
        assert!(to_csv(&days).ends_with("2025-05-14,linden,16,40.00,41.50,41.50,15.0\n"));
    }

    #[test]
    fn a_gain_needs_two_complete_days_in_a_row() {
        let text = hourly("2025-05-14", "linden", 40.0, 0.0)
            + &hourly("2025-05-15", "linden", 41.0, 0.0)
            + &hourly("2025-05-17", "linden", 43.0, 0.0)
            + "2025-05-18T12:00,linden,44.0,15\n";
        let days = summarise(&parse_readings(&text).unwrap());
        assert_eq!(days[1].gain_since(&days[0]), Some(1.0));
        assert_eq!(days[2].gain_since(&days[1]), None, "a day is missing between them");
        assert_eq!(days[3].gain_since(&days[2]), None, "one reading is not a day");
    }
}
