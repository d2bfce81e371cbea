//! What the doctor says of the collector that is told how research goes. It is sent spans, and none are in it.

use std::time::{Duration, SystemTime};

use wellread_core::{Error, ErrorKind};

use super::DoctorCheck;
use crate::config::Config;
use crate::wiring::telemetry;

/// What the check is called.
pub const NAME: &str = "telemetry";
const PATIENCE: Duration = Duration::from_secs(5);
const REMEDY: &str =
    "check `telemetry.otlp_endpoint`: a collector that accepts OTLP over HTTP as JSON, usually at port 4318";

pub fn check_collector(config: &Config, offline: bool) -> DoctorCheck {
    let Some(settings) = config.telemetry() else {
        return DoctorCheck::good(NAME, "no endpoint is set: nothing is sent");
    };
    let at = match telemetry::origin(&settings.endpoint) {
        Ok(origin) => origin,
        Err(error) => return DoctorCheck::bad(NAME, &error, REMEDY),
    };
    if offline {
        return DoctorCheck::good(NAME, format!("{at} receives nothing: --offline"));
    }
    let asked = telemetry::open_collector(&settings, SystemTime::now(), PATIENCE).and_then(|collector| {
        let missing =
            |unsent| Error::new(ErrorKind::Unavailable, format!("{at} does not accept spans: {unsent}"));
        collector.send_spans(&[]).map_err(missing)
    });
    DoctorCheck::from_result(NAME, asked.map(|()| format!("{at} accepts spans")), REMEDY)
}
