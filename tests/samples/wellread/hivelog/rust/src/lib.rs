//! Hivelog reads the weights of bee hives and says what happened to them.
//!
//! The path of the data is short: [`readings`] parses the CSV file that the
//! Python side exports, [`daily`] sums the readings up per day, [`swarm`] and
//! [`flow`] look for events, and [`report`] writes them down.

pub mod calendar;
pub mod daily;
pub mod flow;
pub mod readings;
pub mod report;
pub mod swarm;

use std::path::Path;

use crate::daily::{DaySummary, summarise};
use crate::flow::{FlowPeriod, detect_flows};
use crate::readings::{ReadError, Reading, load_readings};
use crate::swarm::{SwarmEvent, detect_swarms};

/// Everything that is known after one pass over the readings.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Analysis {
    /// One summary per hive and day.
    pub days: Vec<DaySummary>,
    /// Drops that look like swarms.
    pub swarms: Vec<SwarmEvent>,
    /// Runs of days with a strong gain.
    pub flows: Vec<FlowPeriod>,
}

impl Analysis {
    /// The names of the hives, each once, in order.
    pub fn hives(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.days.iter().map(|d| d.hive.as_str()).collect();
        names.dedup();
        names
    }
}

/// Analyses sorted readings.
pub fn analyse(readings: &[Reading]) -> Analysis {
    let days = summarise(readings);
    let flows = detect_flows(&days);
    let swarms = detect_swarms(readings);
    Analysis { days, swarms, flows }
}

/// Reads a file and analyses it, for one hive or for all of them.
pub fn analyse_file(path: &Path, hive: Option<&str>) -> Result<Analysis, ReadError> {
    let mut readings = load_readings(path)?;
    if let Some(name) = hive {
        readings.retain(|r| r.hive.eq_ignore_ascii_case(name));
    }
    Ok(analyse(&readings))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::readings::parse_readings;

    #[test]
    fn every_hive_is_named_once() {
        let readings = parse_readings(
            "2025-05-14T10:00,linden,42,16\n\
             2025-05-15T10:00,linden,42,16\n\
             2025-05-14T10:00,bramble,30,16\n",
        )
        .unwrap();
        assert_eq!(analyse(&readings).hives(), ["bramble", "linden"]);
    }
}
