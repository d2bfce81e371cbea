//! What the doctor says of the collector that is told how research goes. It is sent spans, and none are in it.

use std::time::{Duration, SystemTime};

use wellread_adapters::otlp;
use wellread_core::{Error, Kind};

use super::Check;
use crate::config::Config;
use crate::telemetry;

/// What the check is called.
pub const NAME: &str = "telemetry";
const PATIENCE: Duration = Duration::from_secs(5);
const REMEDY: &str =
    "check `telemetry.otlp_endpoint`: a collector that takes OTLP over HTTP as JSON, mostly at port 4318";

pub fn examine(config: &Config, offline: bool) -> Check {
    let Some(settings) = config.telemetry() else {
        return Check::good(NAME, "no endpoint is set: nothing is sent");
    };
    let at = match otlp::origin(&settings.endpoint) {
        Ok(origin) => origin,
        Err(error) => return Check::bad(NAME, &error, REMEDY),
    };
    if offline {
        return Check::good(NAME, format!("{at} is told nothing: --offline"));
    }
    let asked = telemetry::collector(&settings, SystemTime::now(), PATIENCE).and_then(|collector| {
        let missing = |unsent| Error::new(Kind::Unavailable, format!("{at} does not take spans: {unsent}"));
        collector.spans(&[]).map_err(missing)
    });
    Check::of(NAME, asked.map(|()| format!("{at} takes spans")), REMEDY)
}
