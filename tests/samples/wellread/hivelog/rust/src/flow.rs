//! Finds nectar flows: runs of days on which a hive gains weight quickly.

use crate::calendar::Day;
use crate::daily::DaySummary;

/// A day counts towards a flow when the hive gains at least this much.
pub const FLOW_GAIN_KG: f64 = 0.8;
/// A flow lasts at least this many days in a row.
pub const FLOW_MIN_DAYS: usize = 3;

/// A run of good days in one hive.
#[derive(Debug, Clone, PartialEq)]
pub struct FlowPeriod {
    /// The name of the hive.
    pub hive: String,
    /// The first good day.
    pub first: Day,
    /// The last good day.
    pub last: Day,
    /// How many days the flow lasted.
    pub days: usize,
    /// The gain over the whole period in kilograms.
    pub gain_kg: f64,
}

impl FlowPeriod {
    /// The mean gain per day in kilograms.
    pub fn gain_per_day(&self) -> f64 {
        self.gain_kg / self.days as f64
    }

    fn start(day: &DaySummary, gain_kg: f64) -> FlowPeriod {
        FlowPeriod { hive: day.hive.clone(), first: day.day, last: day.day, days: 1, gain_kg }
    }

    fn extend(&mut self, day: &DaySummary, gain_kg: f64) {
        self.last = day.day;
        self.days += 1;
        self.gain_kg += gain_kg;
    }
}

/// Looks for flows in the summaries of [`crate::daily::summarise`].
pub fn detect_flows(days: &[DaySummary]) -> Vec<FlowPeriod> {
    let mut flows = Vec::new();
    let mut open: Option<FlowPeriod> = None;
    for pair in days.windows(2) {
        let gain = pair[1].gain_since(&pair[0]).filter(|kg| *kg >= FLOW_GAIN_KG);
        match (gain, &mut open) {
            (Some(kg), Some(flow)) => flow.extend(&pair[1], kg),
            (Some(kg), None) => open = Some(FlowPeriod::start(&pair[1], kg)),
            (None, _) => close(&mut open, &mut flows),
        }
    }
    close(&mut open, &mut flows);
    flows
}

/// Ends the open period and keeps it if it was long enough.
fn close(open: &mut Option<FlowPeriod>, flows: &mut Vec<FlowPeriod>) {
    if let Some(flow) = open.take().filter(|flow| flow.days >= FLOW_MIN_DAYS) {
        flows.push(flow);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn days(hive: &str, evenings: &[f64]) -> Vec<DaySummary> {
        let mut day = Day::from_ymd(2025, 5, 12).unwrap();
        let mut result = Vec::new();
        for kg in evenings {
            result.push(DaySummary {
                hive: hive.to_string(),
                day,
                readings: 24,
                min_kg: *kg,
                max_kg: *kg,
                evening_kg: *kg,
                mean_temp_c: 16.0,
            });
            day = day.next();
        }
        result
    }

    #[test]
    fn three_good_days_in_a_row_are_a_flow() {
        let flows = detect_flows(&days("linden", &[40.0, 40.1, 41.1, 42.3, 43.2, 43.3]));
        assert_eq!(flows.len(), 1);
        assert_eq!(flows[0].first.to_string(), "2025-05-14");
        assert_eq!(flows[0].last.to_string(), "2025-05-16");
        assert!((flows[0].gain_kg - 3.1).abs() < 1e-9);
        assert!((flows[0].gain_per_day() - 3.1 / 3.0).abs() < 1e-9);
    }

    #[test]
    fn two_good_days_are_only_good_weather() {
        assert!(detect_flows(&days("linden", &[40.0, 41.0, 42.0, 42.1])).is_empty());
    }

    #[test]
    fn a_flow_does_not_run_on_into_the_next_hive() {
        let mut all = days("hawthorn", &[40.0, 41.0, 42.0]);
        all.extend(days("linden", &[43.0, 44.0, 45.0]));
        assert!(detect_flows(&all).is_empty());
    }
}
