//! Sends spans and metrics to the collector, on a thread of its own. What fails is told once and tried again quietly, less and
//! less often; nothing that anybody waits for depends on it.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use wellread_core::ports::{ExportError, Metric, TelemetryCollector};

use super::span_queue::SpanQueue;
use super::tally::Tally;
use crate::config::TelemetrySettings;
use crate::wiring::telemetry;

/// Spans in one request.
const BATCH: usize = 512;
/// For one request.
const PATIENCE: Duration = Duration::from_secs(10);

/// When things are sent.
#[derive(Debug, Clone, Copy)]
pub struct ExportSchedule {
    pub first: Duration,
    pub then: Duration,
    /// The longest pause after failures, and between metrics that say the same.
    pub longest: Duration,
}

impl ExportSchedule {
    pub const USUAL: Self = Self {
        first: Duration::from_secs(1),
        then: Duration::from_secs(5),
        longest: Duration::from_secs(60),
    };
}

pub struct Exporter {
    settings: TelemetrySettings,
    tally: Arc<Tally>,
    outbox: Arc<SpanQueue>,
    pace: ExportSchedule,
    since: SystemTime,
    /// Opened when it is first needed: that takes longer than most of what is done with this program.
    collector: Option<Box<dyn TelemetryCollector>>,
    /// The metrics that arrived last, and when.
    exported: (Vec<Metric>, Option<Instant>),
    complained: bool,
}

impl Exporter {
    pub fn new(
        settings: TelemetrySettings,
        tally: Arc<Tally>,
        outbox: Arc<SpanQueue>,
        pace: ExportSchedule,
    ) -> Self {
        // A process that ends before it has done anything has no zeros to tell of.
        let exported = (Tally::default().metrics(), None);
        let since = SystemTime::now();
        Self { settings, tally, outbox, pace, since, collector: None, exported, complained: false }
    }

    pub fn start(self) {
        let outbox = self.outbox.clone();
        let thread = std::thread::Builder::new().name("telemetry".to_owned()).spawn(move || self.run());
        if let Err(error) = thread {
            tracing::warn!("no telemetry is sent: no thread: {error}");
            outbox.close();
        }
    }

    fn run(mut self) {
        let mut pause = self.pace.first;
        loop {
            let ending = self.outbox.wait_until(Instant::now() + pause);
            let sent = self.send_pending(ending);
            pause = match &sent {
                Ok(()) => self.pace.then,
                Err(_) => (pause.max(self.pace.then) * 2).min(self.pace.longest),
            };
            if let Err(unsent) = sent {
                self.warn_unsent(&unsent);
            }
            if ending {
                return self.outbox.close();
            }
        }
    }

    /// Sends what there is. What can't be sent now goes back; what never can is given up.
    fn send_pending(&mut self, ending: bool) -> Result<(), ExportError> {
        let mut refused = None;
        loop {
            let spans = self.outbox.take(BATCH);
            if spans.is_empty() {
                break;
            }
            match self.open_collector().and_then(|collector| collector.send_spans(&spans)) {
                Ok(()) => {}
                Err(unsent) if unsent.again => {
                    self.outbox.put_back(spans);
                    return Err(unsent);
                }
                Err(unsent) => {
                    self.outbox.count_dropped(spans.len());
                    refused = Some(unsent);
                }
            }
        }
        let metrics = self.tally.metrics();
        let (exported, at) = &self.exported;
        let stale = at.is_none_or(|at| at.elapsed() >= self.pace.longest);
        if metrics != *exported || (stale && !ending) {
            self.open_collector()?.send_metrics(&metrics)?;
            self.exported = (metrics, Some(Instant::now()));
        }
        refused.map_or(Ok(()), Err)
    }

    fn open_collector(&mut self) -> Result<&dyn TelemetryCollector, ExportError> {
        if self.collector.is_none() {
            let opened = telemetry::open_collector(&self.settings, self.since, PATIENCE);
            let opened =
                opened.map_err(|error| ExportError { message: error.message().to_owned(), again: false });
            self.collector = Some(opened?);
        }
        let unopened = || ExportError { message: "no collector".to_owned(), again: false };
        self.collector.as_deref().ok_or_else(unopened)
    }

    fn warn_unsent(&mut self, unsent: &ExportError) {
        if self.complained {
            tracing::debug!("telemetry was not delivered: {unsent}");
            return;
        }
        self.complained = true;
        // Of the address, the part that can hold no key.
        let at = telemetry::origin(&self.settings.endpoint)
            .unwrap_or_else(|_| "telemetry.otlp_endpoint".to_owned());
        tracing::warn!("telemetry was not delivered to {at}: {unsent}; it is retried quietly");
    }
}
