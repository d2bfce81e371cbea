//! An OpenTelemetry collector, told of spans and metrics by OTLP over HTTP in its JSON form. See `docs/decisions/0018`.
//!
//! Nothing is collected here, and nothing tried again: whoever sends hears what became of it. The headers may hold a key; they
//! are sent, and shown nowhere.

mod json;

use std::fmt;
use std::time::{Duration, SystemTime};

use reqwest::header::{HeaderName, HeaderValue};
use serde_json::Value;
use wellread_core::{Error, Result};

use crate::http::{BlockingClient, ClientIdentity, Endpoint, HttpFailure};

/// Nothing of an answer is looked at but its status.
const LARGEST_ANSWER: usize = 64 << 10;

/// Something that took a while.
#[derive(Debug, Clone, PartialEq)]
pub struct Span {
    /// 32 hexadecimal digits, the same for all that belongs together.
    pub trace: String,
    /// 16 hexadecimal digits.
    pub id: String,
    /// The span that it is a part of.
    pub parent: Option<String>,
    pub name: &'static str,
    pub begun: SystemTime,
    pub took: Duration,
    pub fields: Vec<(&'static str, Field)>,
    pub failed: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Field {
    Text(String),
    Count(u64),
    Number(f64),
    Truth(bool),
}

/// Something that is counted from the start of the process.
#[derive(Debug, Clone, PartialEq)]
pub struct Metric {
    pub name: &'static str,
    pub about: &'static str,
    pub measure: Measure,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Measure {
    Counter(u64),
    /// In seconds.
    Times(Histogram),
}

/// How long things took.
#[derive(Debug, Clone, PartialEq)]
pub struct Histogram {
    /// Upper bounds, from the lowest.
    pub bounds: &'static [f64],
    /// How many lie between a bound and the one below it; one more than there are bounds.
    pub counts: Vec<u64>,
    pub sum: f64,
}

impl Histogram {
    pub fn with_bounds(bounds: &'static [f64]) -> Self {
        Self { bounds, counts: vec![0; bounds.len() + 1], sum: 0.0 }
    }

    pub fn add(&mut self, took: Duration) {
        let seconds = took.as_secs_f64();
        let at = self.bounds.iter().position(|bound| seconds <= *bound).unwrap_or(self.bounds.len());
        self.counts[at] += 1;
        self.sum += seconds;
    }

    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }
}

/// Who speaks: this process, and since when.
#[derive(Debug, Clone)]
pub struct OtlpResource {
    /// By which this process is told from others of its kind.
    pub instance: String,
    pub version: &'static str,
    pub since: SystemTime,
}

/// Why something did not arrive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportError {
    pub message: String,
    /// Whether it may arrive later.
    pub again: bool,
}

impl fmt::Display for ExportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

pub struct Collector {
    client: BlockingClient,
    headers: Vec<(HeaderName, HeaderValue)>,
    speaker: OtlpResource,
}

impl Collector {
    /// `endpoint` is the address without `/v1/traces`; `headers` are `NAME=VALUE`, separated by commas, the values
    /// percent-encoded. Nothing is sent yet. `limit` is for one request.
    pub fn new(
        endpoint: &str,
        headers: Option<&str>,
        limit: Duration,
        speaker: OtlpResource,
        identity: &ClientIdentity,
    ) -> Result<Self> {
        let client = BlockingClient::for_endpoint(endpoint, limit, identity)
            .map_err(|error| error.hint("set `telemetry.otlp_endpoint`, such as http://127.0.0.1:4318"))?;
        Ok(Self { client, headers: parse_headers(headers.unwrap_or_default())?, speaker })
    }

    pub fn send_spans(&self, spans: &[Span]) -> Result<(), ExportError> {
        self.post("v1/traces", &json::spans(spans, &self.speaker))
    }

    pub fn send_metrics(&self, metrics: &[Metric]) -> Result<(), ExportError> {
        self.post("v1/metrics", &json::metrics(metrics, &self.speaker, SystemTime::now()))
    }

    fn post(&self, path: &str, body: &Value) -> Result<(), ExportError> {
        let body = body.to_string().into_bytes();
        let answer = self.client.post(path, &self.headers, body, LARGEST_ANSWER);
        let status = match answer {
            Ok(answer) => answer.status,
            // It was taken; what is said of it is longer than it need be.
            Err(HttpFailure::TooLarge) => return Ok(()),
            Err(failure) => return Err(ExportError { message: failure.to_string(), again: true }),
        };
        match status {
            200..=299 => Ok(()),
            // What the protocol says may be sent once more.
            429 | 502..=504 => Err(ExportError { message: format!("status {status}"), again: true }),
            _ => Err(ExportError { message: format!("status {status}"), again: false }),
        }
    }
}

/// Scheme, host and port of an endpoint: what may be told of where something is sent.
pub fn origin(endpoint: &str) -> Result<String> {
    Endpoint::parse(endpoint).map(|endpoint| endpoint.origin)
}

/// What is wrong with them is said without repeating them.
fn parse_headers(headers: &str) -> Result<Vec<(HeaderName, HeaderValue)>> {
    let pairs = headers.split(',').map(str::trim).filter(|pair| !pair.is_empty());
    let wrong = || {
        Error::invalid("`telemetry.headers` can't be sent")
            .hint("it is NAME=VALUE, separated by commas, with %20 for a blank in a value")
    };
    let parsed = |pair: &str| {
        let (name, value) = pair.split_once('=')?;
        let name = HeaderName::from_bytes(name.trim().as_bytes()).ok()?;
        let mut value = HeaderValue::from_bytes(&percent_decode(value.trim())?).ok()?;
        value.set_sensitive(true);
        Some((name, value))
    };
    pairs.map(|pair| parsed(pair).ok_or_else(wrong)).collect()
}

fn percent_decode(value: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut rest = value.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        if *byte == b'%' {
            let (digits, after) = rest.split_at_checked(2)?;
            bytes.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?);
            rest = after;
        } else {
            bytes.push(*byte);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_read_as_other_programs_write_them_and_never_repeated() {
        let read = |headers| {
            let all = parse_headers(headers).unwrap();
            let shown = |(name, value): &(HeaderName, HeaderValue)| {
                assert!(value.is_sensitive());
                format!("{name}: {}", String::from_utf8_lossy(value.as_bytes()))
            };
            all.iter().map(shown).collect::<Vec<_>>()
        };
        assert_eq!(read(""), [""; 0]);
        assert_eq!(
            read(" Authorization=Basic%20a+b/c==, x-team=bees,"),
            ["authorization: Basic a+b/c==", "x-team: bees"]
        );
        for wrong in ["s3cret", "a b=s3cret", "a=s3cret%0Ax", "a=s3cret%2", "a=s3cret%zz", "=s3cret"] {
            let error = parse_headers(wrong).unwrap_err();
            assert!(!error.to_string().contains("s3cret"), "{error}");
        }
    }

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
