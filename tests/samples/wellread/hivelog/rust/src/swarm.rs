//! Finds swarms: a large part of the colony leaves within minutes, and the
//! weight that left does not come back.

use crate::calendar::Moment;
use crate::readings::{Reading, by_hive};

/// A hive that loses at least this much within the window may have swarmed.
pub const SWARM_DROP_KG: f64 = 1.5;
/// The time within which the whole drop has to happen.
pub const SWARM_WINDOW_MINUTES: i64 = 60;
/// Swarms leave in daylight; drops outside these hours are something else.
pub const SWARM_HOURS: std::ops::RangeInclusive<u32> = 9..=18;
/// How much of the lost weight may return before it was a lifted box.
pub const RECOVERY_KG: f64 = 0.5;
/// How long to watch for that return.
pub const RECOVERY_MINUTES: i64 = 180;

/// A drop that looks like a swarm.
#[derive(Debug, Clone, PartialEq)]
pub struct SwarmEvent {
    /// The name of the hive.
    pub hive: String,
    /// The first reading after the drop.
    pub at: Moment,
    /// How much weight left, in kilograms.
    pub drop_kg: f64,
}

/// Looks for swarms in sorted readings. At most one is reported per hive and day.
pub fn detect_swarms(readings: &[Reading]) -> Vec<SwarmEvent> {
    let mut events: Vec<SwarmEvent> = Vec::new();
    for (hive, group) in by_hive(readings) {
        for index in 1..group.len() {
            let at = group[index].at;
            let known = events.last().is_some_and(|e| e.hive == hive && e.at.day == at.day);
            if known || !SWARM_HOURS.contains(&at.hour()) {
                continue;
            }
            let drop_kg = drop_within_window(&group, index);
            if drop_kg >= SWARM_DROP_KG && stays_down(&group, index) {
                events.push(SwarmEvent { hive: hive.to_string(), at, drop_kg });
            }
        }
    }
    events
}

/// The heaviest earlier reading within the window, minus this one.
fn drop_within_window(group: &[&Reading], index: usize) -> f64 {
    let now = group[index];
    group[..index]
        .iter()
        .rev()
        .take_while(|r| now.at.minutes_since(r.at) <= SWARM_WINDOW_MINUTES)
        .map(|r| r.weight_kg - now.weight_kg)
        .fold(0.0, f64::max)
}

/// Whether the weight stays low. A super that is lifted off for an inspection
/// comes back within the hour; a swarm does not.
fn stays_down(group: &[&Reading], index: usize) -> bool {
    let now = group[index];
    group[index + 1..]
        .iter()
        .take_while(|r| r.at.minutes_since(now.at) <= RECOVERY_MINUTES)
        .all(|r| r.weight_kg - now.weight_kg <= RECOVERY_KG)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::readings::parse_readings;

    fn detect(points: &[(&str, f64)]) -> Vec<SwarmEvent> {
        let text: String =
            points.iter().map(|(time, kg)| format!("2025-05-18T{time},hawthorn,{kg},19\n")).collect();
        detect_swarms(&parse_readings(&text).unwrap())
    }

    #[test]
    fn a_lasting_drop_at_noon_is_a_swarm() {
        let found = detect(&[("11:00", 40.0), ("12:00", 40.1), ("13:00", 38.0), ("14:00", 38.1)]);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].at.to_string(), "2025-05-18T13:00");
        assert!((found[0].drop_kg - 2.1).abs() < 1e-9);
    }

    #[test]
    fn a_super_that_comes_back_is_an_inspection() {
        assert!(detect(&[("11:00", 40.0), ("11:30", 31.0), ("12:00", 40.0)]).is_empty());
    }

    #[test]
    fn the_threshold_itself_counts_and_a_slow_loss_does_not() {
        assert_eq!(detect(&[("12:00", 40.0), ("12:30", 40.0 - SWARM_DROP_KG)]).len(), 1);
        assert!(detect(&[("12:00", 40.0), ("12:30", 38.75)]).is_empty());
        assert!(detect(&[("10:00", 40.0), ("11:30", 38.0)]).is_empty());
    }

    #[test]
    fn a_drop_at_night_is_not_a_swarm() {
        assert!(detect(&[("02:00", 40.0), ("02:30", 36.0)]).is_empty());
    }
}
