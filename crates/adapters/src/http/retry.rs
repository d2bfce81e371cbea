//! How long a server asks clients to wait.

use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822;
use reqwest::header::{HeaderMap, RETRY_AFTER};

/// From `Retry-After`, in seconds or as a date, or from the header in milliseconds that some send beside it.
pub(super) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let milliseconds = || text("retry-after-ms")?.parse::<f64>().ok().map(|number| number / 1000.0);
    let written = || parse_wait(text(RETRY_AFTER.as_str())?, Timestamp::now());
    milliseconds().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()).or_else(written)
}

fn parse_wait(written: &str, now: Timestamp) -> Option<Duration> {
    if let Ok(seconds) = written.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let until = rfc2822::parse(written).ok()?.timestamp();
    // A time that has passed: there is nothing to wait for.
    Some(Duration::try_from(until.duration_since(now)).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_told_in_seconds_or_as_a_date() {
        let now: Timestamp = "1994-11-06T08:49:00Z".parse().unwrap();
        for (written, seconds) in [
            ("0", Some(0.0)),
            ("1.5", Some(1.5)),
            ("120", Some(120.0)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", Some(37.0)),
            ("Sun, 06 Nov 1994 08:00:00 GMT", Some(0.0)),
            ("-3", None),
            ("soon", None),
            ("inf", None),
            ("", None),
        ] {
            assert_eq!(parse_wait(written, now).map(|wait| wait.as_secs_f64()), seconds, "{written}");
        }
    }

    #[test]
    fn milliseconds_are_more_exact_and_count_first() {
        let headers = |all: &[(&'static str, &'static str)]| {
            all.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
        };
        let both: HeaderMap = headers(&[("retry-after", "1"), ("retry-after-ms", "250")]);
        assert_eq!(retry_after(&both), Some(Duration::from_millis(250)));
        let odd: HeaderMap = headers(&[("retry-after", "1"), ("retry-after-ms", "x")]);
        assert_eq!(retry_after(&odd), Some(Duration::from_secs(1)));
        assert_eq!(retry_after(&HeaderMap::new()), None);
    }
}
