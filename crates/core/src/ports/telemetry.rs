//! A telemetry collector: receives spans and metrics, never text of notes, pages or models.

use std::fmt;
use std::time::{Duration, SystemTime};

/// Sends spans and metrics to a collector. Nothing is retried here: the caller learns what became of them.
pub trait TelemetryCollector: Send {
    /// Sends spans; an empty list only checks whether the collector accepts them.
    fn send_spans(&self, spans: &[TraceSpan]) -> Result<(), ExportError>;

    /// Sends the current values of metrics.
    fn send_metrics(&self, metrics: &[Metric]) -> Result<(), ExportError>;
}

/// A piece of work with its duration.
#[derive(Debug, Clone, PartialEq)]
pub struct TraceSpan {
    /// 32 hexadecimal digits, shared by all spans that belong together.
    pub trace: String,
    /// 16 hexadecimal digits.
    pub id: String,
    /// The id of the span that it is a part of.
    pub parent: Option<String>,
    /// The span's name.
    pub name: &'static str,
    /// When it began.
    pub begun: SystemTime,
    /// How long it took.
    pub took: Duration,
    /// The fields that were recorded.
    pub fields: Vec<(&'static str, TraceField)>,
    /// Whether the work failed.
    pub failed: bool,
}

/// The value of a field of a span.
#[derive(Debug, Clone, PartialEq)]
pub enum TraceField {
    /// A text.
    Text(String),
    /// A whole number.
    Count(u64),
    /// A number.
    Number(f64),
    /// True or false.
    Truth(bool),
}

/// A metric, counted from the start of the process.
#[derive(Debug, Clone, PartialEq)]
pub struct Metric {
    /// The metric's name.
    pub name: &'static str,
    /// What the metric measures.
    pub about: &'static str,
    /// The value.
    pub measure: Measure,
}

/// The value of a metric.
#[derive(Debug, Clone, PartialEq)]
pub enum Measure {
    /// A count that only grows.
    Counter(u64),
    /// Durations in seconds.
    Times(Histogram),
}

/// A distribution of durations.
#[derive(Debug, Clone, PartialEq)]
pub struct Histogram {
    /// The upper bounds of the buckets in seconds, ascending.
    pub bounds: &'static [f64],
    /// How many durations are in each bucket; the last one has those above the highest bound.
    pub counts: Vec<u64>,
    /// The sum of all durations in seconds.
    pub sum: f64,
}

impl Histogram {
    /// An empty histogram with these bounds.
    pub fn with_bounds(bounds: &'static [f64]) -> Self {
        Self { bounds, counts: vec![0; bounds.len() + 1], sum: 0.0 }
    }

    /// Adds a duration.
    pub fn add(&mut self, took: Duration) {
        let seconds = took.as_secs_f64();
        let at = self.bounds.iter().position(|bound| seconds <= *bound).unwrap_or(self.bounds.len());
        self.counts[at] += 1;
        self.sum += seconds;
    }

    /// The number of durations.
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }
}

/// Why spans or metrics did not arrive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportError {
    /// What went wrong.
    pub message: String,
    /// Whether a later attempt may succeed.
    pub again: bool,
}

impl fmt::Display for ExportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_counted_below_its_bound() {
        let mut times = Histogram::with_bounds(&[1.0, 10.0]);
        for millis in [0, 1000, 1001, 10_000, 10_001, 90_000] {
            times.add(Duration::from_millis(millis));
        }
        assert_eq!((times.counts.as_slice(), times.count()), ([2, 2, 2].as_slice(), 6));
        assert!((times.sum - 112.002).abs() < 1e-9, "{}", times.sum);
    }
}
