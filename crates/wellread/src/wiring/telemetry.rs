//! The collector that the settings name.

use std::time::{Duration, SystemTime};

pub use wellread_adapters::otlp::origin;
use wellread_adapters::otlp::{Collector, OtlpResource};
use wellread_core::Result;
use wellread_core::domain::id;
use wellread_core::ports::TelemetryCollector;

use crate::config::{Secret, TelemetrySettings};

/// The collector that the settings name. `limit` is for one request.
pub fn open_collector(
    settings: &TelemetrySettings,
    since: SystemTime,
    limit: Duration,
) -> Result<Box<dyn TelemetryCollector>> {
    let headers = settings.headers()?;
    let speaker = OtlpResource { instance: id::nonce(), version: env!("CARGO_PKG_VERSION"), since };
    let (headers, identity) = (headers.as_ref().map(Secret::expose_secret), settings.identity()?);
    Ok(Box::new(Collector::new(&settings.endpoint, headers, limit, speaker, &identity)?))
}
