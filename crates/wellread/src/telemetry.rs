//! Logging and telemetry: the log on standard error, and counts and spans of research.
//!
//! Counts are kept in any case. Spans leave the machine only where an endpoint is set for them; then a thread of its own sends
//! them, and nobody waits for it but the very end of the process, for a moment. See `docs/decisions/0018`.
//!
//! | file | what |
//! | --- | --- |
//! | `span_layer` | hears of the spans that `wellread_core::domain::spans` makes |
//! | `tally` | what is counted from those that have ended |
//! | `span_queue` | those that wait to be sent, of bounded number |
//! | `exporter` | sends them |

mod exporter;
mod span_layer;
mod span_queue;
mod tally;
#[cfg(test)]
mod tests;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tracing::level_filters::LevelFilter;
use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;

use self::exporter::{ExportSchedule, Exporter};
use self::span_layer::{SpanLayer, research_span_filter};
use self::span_queue::SpanQueue;
pub use self::tally::Tally;
use crate::config::Config;
use crate::output::LogWriter;

/// The words for a level, each adding to the one before it.
pub const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

/// How long the end of the process waits for what is still to be sent.
const LAST_MOMENT: Duration = Duration::from_secs(2);

/// What this process has counted, and what it has yet to send.
struct ProcessTelemetry {
    tally: Arc<Tally>,
    outbox: Option<Arc<SpanQueue>>,
}

static PROCESS: OnceLock<ProcessTelemetry> = OnceLock::new();

/// The setting's word for the log's level counts, and each `-v` adds a step. A second start in one process changes nothing.
pub fn start(config: &Config, more: u8, offline: bool) {
    PROCESS.get_or_init(|| {
        let tally = Arc::new(Tally::default());
        let settings = config.telemetry().filter(|_| !offline);
        let outbox = settings.as_ref().map(|_| Arc::new(SpanQueue::default()));
        let log = tracing_subscriber::fmt::layer().with_writer(|| LogWriter).with_ansi(false);
        let watcher = SpanLayer::new(tally.clone(), outbox.clone());
        let _ = tracing_subscriber::registry()
            .with(log.with_filter(level_filter(config.log_level(), more)))
            .with(watcher.with_filter(research_span_filter()))
            .try_init();
        if let (Some(settings), Some(outbox)) = (settings, &outbox) {
            Exporter::new(settings, tally.clone(), outbox.clone(), ExportSchedule::USUAL).start();
        }
        ProcessTelemetry { tally, outbox }
    });
}

/// Sends what is left, if that takes a moment only.
pub fn finish() {
    if let Some(outbox) = PROCESS.get().and_then(|process| process.outbox.as_ref()) {
        outbox.flush(LAST_MOMENT);
    }
}

/// What was counted since the start, and how many spans were given up before they could be sent.
pub fn current_counts() -> (Arc<Tally>, u64) {
    match PROCESS.get() {
        Some(process) => {
            (process.tally.clone(), process.outbox.as_ref().map_or(0, |outbox| outbox.dropped_count()))
        }
        None => (Arc::default(), 0),
    }
}

fn level_filter(word: &str, more: u8) -> LevelFilter {
    let filters = [
        LevelFilter::OFF,
        LevelFilter::ERROR,
        LevelFilter::WARN,
        LevelFilter::INFO,
        LevelFilter::DEBUG,
        LevelFilter::TRACE,
    ];
    let at = LEVELS.iter().position(|known| *known == word).unwrap_or(2);
    filters[(at + usize::from(more)).min(filters.len() - 1)]
}
