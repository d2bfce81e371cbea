//! Counts of what the server did, in Prometheus' text form. Names and numbers only, never what was asked or answered.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::http::{Method, StatusCode};
use wellread_core::ports::Histogram;

/// Upper bounds in seconds.
const BUCKETS: [f64; 11] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0];

#[derive(Debug)]
pub struct Metrics {
    begun: Instant,
    in_flight: AtomicUsize,
    pub connections: AtomicUsize,
    counts: Mutex<RequestCounts>,
}

#[derive(Debug, Default)]
struct RequestCounts {
    answers: BTreeMap<(String, &'static str, u16), u64>,
    times: BTreeMap<String, LatencyHistogram>,
}

#[derive(Debug, Default, Clone)]
struct LatencyHistogram {
    /// How many took no longer than each bound.
    within: [u64; BUCKETS.len()],
    count: u64,
    sum: f64,
}

impl Default for Metrics {
    fn default() -> Self {
        Self {
            begun: Instant::now(),
            in_flight: AtomicUsize::new(0),
            connections: AtomicUsize::new(0),
            counts: Mutex::default(),
        }
    }
}

/// A request that is being served, until it is dropped.
pub struct InFlightGuard<'a>(&'a AtomicUsize);

impl Drop for InFlightGuard<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Metrics {
    pub fn begin(&self) -> InFlightGuard<'_> {
        self.in_flight.fetch_add(1, Ordering::Relaxed);
        InFlightGuard(&self.in_flight)
    }

    /// `route` is the address as it was declared: what a client writes is no label.
    pub fn record_answer(&self, route: &str, method: &Method, status: StatusCode, took: Duration) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        *counts.answers.entry((route.to_owned(), method_label(method), status.as_u16())).or_default() += 1;
        let times = counts.times.entry(route.to_owned()).or_default();
        let seconds = took.as_secs_f64();
        for (within, bound) in times.within.iter_mut().zip(BUCKETS) {
            *within += u64::from(seconds <= bound);
        }
        times.count += 1;
        times.sum += seconds;
    }

    pub fn render(&self, closed_connections: u64) -> String {
        let mut page = PrometheusText::default();
        page.family("wellread_build_info", "gauge", "The running version.");
        page.line("wellread_build_info", &format!("{{version=\"{}\"}}", env!("CARGO_PKG_VERSION")), 1);
        page.gauge("wellread_uptime_seconds", "Time since the start.", self.begun.elapsed().as_secs_f64());
        if let Some(bytes) = resident_bytes() {
            page.gauge("process_resident_memory_bytes", "Memory in use.", bytes);
        }
        page.gauge(
            "wellread_http_in_flight",
            "Requests being served.",
            self.in_flight.load(Ordering::Relaxed),
        );
        page.gauge(
            "wellread_http_connections",
            "Open connections.",
            self.connections.load(Ordering::Relaxed),
        );
        page.counter(
            "wellread_http_connections_closed_total",
            "Idle connections that were closed to make room.",
            closed_connections,
        );
        let counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        page.family("wellread_http_requests_total", "counter", "Requests by route, method and status.");
        for ((route, method, status), count) in &counts.answers {
            let labels = format!("{{route=\"{route}\",method=\"{method}\",status=\"{status}\"}}");
            page.line("wellread_http_requests_total", &labels, count);
        }
        let name = "wellread_http_request_seconds";
        page.family(name, "histogram", "Time until the response started.");
        for (route, times) in &counts.times {
            for (within, bound) in times.within.iter().zip(BUCKETS) {
                page.line(
                    &format!("{name}_bucket"),
                    &format!("{{route=\"{route}\",le=\"{bound}\"}}"),
                    within,
                );
            }
            page.line(&format!("{name}_bucket"), &format!("{{route=\"{route}\",le=\"+Inf\"}}"), times.count);
            page.line(&format!("{name}_sum"), &format!("{{route=\"{route}\"}}"), times.sum);
            page.line(&format!("{name}_count"), &format!("{{route=\"{route}\"}}"), times.count);
        }
        page.0
    }
}

/// Lines of the text form.
#[derive(Default)]
pub struct PrometheusText(pub String);

impl PrometheusText {
    pub fn family(&mut self, name: &str, kind: &str, about: &str) {
        let _ = writeln!(self.0, "# HELP {name} {about}\n# TYPE {name} {kind}");
    }

    pub fn line(&mut self, name: &str, labels: &str, value: impl std::fmt::Display) {
        let _ = writeln!(self.0, "{name}{labels} {value}");
    }

    pub fn gauge(&mut self, name: &str, about: &str, value: impl std::fmt::Display) {
        self.family(name, "gauge", about);
        self.line(name, "", value);
    }

    pub fn counter(&mut self, name: &str, about: &str, value: u64) {
        self.family(name, "counter", about);
        self.line(name, "", value);
    }

    pub fn histogram(&mut self, name: &str, about: &str, times: &Histogram) {
        self.family(name, "histogram", about);
        let mut within = 0;
        for (bound, count) in times.bounds.iter().zip(&times.counts) {
            within += count;
            self.line(&format!("{name}_bucket"), &format!("{{le=\"{bound}\"}}"), within);
        }
        self.line(&format!("{name}_bucket"), "{le=\"+Inf\"}", times.count());
        self.line(&format!("{name}_sum"), "", times.sum);
        self.line(&format!("{name}_count"), "", times.count());
    }
}

/// Anybody can invent a method.
fn method_label(method: &Method) -> &'static str {
    const KNOWN: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
    KNOWN.into_iter().find(|known| *known == method.as_str()).unwrap_or("other")
}

/// Where the system says it in a file.
fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.trim().trim_end_matches("kB").trim().parse::<u64>().ok()? * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_histogram_adds_up() {
        let metrics = Metrics::default();
        for millis in [1, 3, 40, 60_000] {
            metrics.record_answer("/x", &Method::GET, StatusCode::OK, Duration::from_millis(millis));
        }
        metrics.record_answer(
            "/x",
            &Method::from_bytes(b"FROB").unwrap(),
            StatusCode::METHOD_NOT_ALLOWED,
            Duration::ZERO,
        );
        let text = metrics.render(0);
        for line in [
            "wellread_http_requests_total{route=\"/x\",method=\"GET\",status=\"200\"} 4",
            "wellread_http_requests_total{route=\"/x\",method=\"other\",status=\"405\"} 1",
            "wellread_http_request_seconds_bucket{route=\"/x\",le=\"0.001\"} 2",
            "wellread_http_request_seconds_bucket{route=\"/x\",le=\"0.05\"} 4",
            "wellread_http_request_seconds_bucket{route=\"/x\",le=\"+Inf\"} 5",
            "wellread_http_request_seconds_count{route=\"/x\"} 5",
        ] {
            assert!(text.lines().any(|known| known == line), "{line} is not in\n{text}");
        }
    }
    #[test]
    fn what_lies_between_two_bounds_is_told_as_what_lies_below() {
        let mut times = Histogram::with_bounds(&[0.5, 5.0]);
        for millis in [250, 1000, 2000, 9000] {
            times.add(Duration::from_millis(millis));
        }
        let mut page = PrometheusText::default();
        page.histogram("x", "X.", &times);
        assert_eq!(
            page.0,
            "# HELP x X.\n# TYPE x histogram\nx_bucket{le=\"0.5\"} 1\nx_bucket{le=\"5\"} 3\nx_bucket{le=\"+Inf\"} 4\n\
             x_sum 12.25\nx_count 4\n"
        );
    }
}
