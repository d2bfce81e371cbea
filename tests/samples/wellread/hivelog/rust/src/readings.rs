//! One reading of the scale, and the CSV file the readings come in.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::Path;

use crate::calendar::Moment;

/// The header line that `python/export.py` writes.
pub const HEADER: &str = "timestamp,hive,weight_kg,temp_c";

/// What the scale under one hive said at one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// Local time of the reading.
    pub at: Moment,
    /// The name of the hive, in lower case.
    pub hive: String,
    /// Weight of the whole hive in kilograms.
    pub weight_kg: f64,
    /// Temperature outside the hive in degrees Celsius.
    pub temp_c: f64,
}

/// Why a file of readings could not be used.
#[derive(Debug)]
pub enum ReadError {
    /// The file could not be opened or is not UTF-8.
    File(std::io::Error),
    /// A line is not a reading. Lines count from 1.
    Line { number: usize, problem: &'static str },
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::File(error) => write!(f, "cannot read the file: {error}"),
            ReadError::Line { number, problem } => write!(f, "line {number}: {problem}"),
        }
    }
}

impl std::error::Error for ReadError {}

/// Reads a CSV file of readings. See [`parse_readings`].
pub fn load_readings(path: &Path) -> Result<Vec<Reading>, ReadError> {
    let text = fs::read_to_string(path).map_err(ReadError::File)?;
    parse_readings(&text)
}

/// Parses CSV text. The header and blank lines are skipped; the result is
/// sorted by hive and then by time, as the detectors expect.
pub fn parse_readings(text: &str) -> Result<Vec<Reading>, ReadError> {
    let mut readings = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line == HEADER {
            continue;
        }
        let reading = parse_line(line).map_err(|problem| ReadError::Line { number: index + 1, problem })?;
        readings.push(reading);
    }
    readings.sort_by(|a, b| (&a.hive, a.at).cmp(&(&b.hive, b.at)));
    Ok(readings)
}

/// Groups readings by hive and keeps their order.
pub fn by_hive(readings: &[Reading]) -> BTreeMap<&str, Vec<&Reading>> {
    let mut groups: BTreeMap<&str, Vec<&Reading>> = BTreeMap::new();
    for reading in readings {
        groups.entry(reading.hive.as_str()).or_default().push(reading);
    }
    groups
}

fn parse_line(line: &str) -> Result<Reading, &'static str> {
    let fields: Vec<&str> = line.split(',').map(str::trim).collect();
    let [at, hive, weight, temp] = fields[..] else {
        return Err("expected four fields");
    };
    if hive.is_empty() {
        return Err("the hive has no name");
    }
    Ok(Reading {
        at: Moment::parse(at).ok_or("the timestamp is not YYYY-MM-DDTHH:MM")?,
        hive: hive.to_lowercase(),
        weight_kg: finite(weight).ok_or("the weight is not a number")?,
        temp_c: finite(temp).ok_or("the temperature is not a number")?,
    })
}

fn finite(text: &str) -> Option<f64> {
    text.parse().ok().filter(|value: &f64| value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readings_are_sorted_by_hive_and_time() {
        let text = "timestamp,hive,weight_kg,temp_c\n\
                    2025-05-14T11:00,Linden,42.5,17.0\n\n\
                    2025-05-14T10:00,linden,42.1,16.5\n\
                    2025-05-14T10:00,hawthorn,39.0,16.5\n";
        let readings = parse_readings(text).unwrap();
        let weights: Vec<f64> = readings.iter().map(|r| r.weight_kg).collect();
        assert_eq!(weights, [39.0, 42.1, 42.5]);
        assert_eq!(by_hive(&readings)["linden"].len(), 2);
    }

    #[test]
    fn a_bad_line_is_named_by_its_number() {
        let error = parse_readings("2025-05-14T10:00,linden,heavy,16.5").unwrap_err();
        assert_eq!(error.to_string(), "line 1: the weight is not a number");
        let error = parse_readings("\n2025-05-14T10:00,linden,40").unwrap_err();
        assert_eq!(error.to_string(), "line 2: expected four fields");
        assert!(parse_readings("2025-05-14T10:00,linden,NaN,16.5").is_err());
    }
}
