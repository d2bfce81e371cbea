//! Sends spans and metrics to an OpenTelemetry collector, as OTLP over HTTP in JSON. See `docs/decisions/0018`.
//!
//! Nothing is collected here, and nothing tried again: whoever sends hears what became of it. The headers may hold a key; they
//! are sent, and shown nowhere.

mod json;

use std::time::{Duration, SystemTime};

use reqwest::header::{HeaderName, HeaderValue};
use serde_json::Value;
use wellread_core::ports::{ExportError, Metric, TelemetryCollector, TraceSpan};
use wellread_core::{Error, Result};

use crate::http::{BlockingClient, ClientIdentity, Endpoint, HttpFailure};

/// Nothing of an answer is looked at but its status.
const LARGEST_ANSWER: usize = 64 << 10;

/// Who speaks: this process, and since when.
#[derive(Debug, Clone)]
pub struct OtlpResource {
    /// By which this process is told from others of its kind.
    pub instance: String,
    pub version: &'static str,
    pub since: SystemTime,
}

/// A collector at an endpoint.
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

impl TelemetryCollector for Collector {
    fn send_spans(&self, spans: &[TraceSpan]) -> Result<(), ExportError> {
        self.post("v1/traces", &json::spans(spans, &self.speaker))
    }

    fn send_metrics(&self, metrics: &[Metric]) -> Result<(), ExportError> {
        self.post("v1/metrics", &json::metrics(metrics, &self.speaker, SystemTime::now()))
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
            .hint("use NAME=VALUE, separated by commas, with %20 for a space in a value")
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
}
