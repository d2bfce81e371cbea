//! What the head of an answer says about keeping it: whether, for how long, and by what it is asked about later.

use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822;
use reqwest::header::{AGE, CACHE_CONTROL, DATE, ETAG, EXPIRES, HeaderMap, HeaderName, LAST_MODIFIED, VARY};

/// Nothing is taken for fresh longer than this, whatever its server says.
const LONGEST: Duration = Duration::from_hours(7 * 24);

/// How an answer may be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CachePolicy {
    pub fresh_for: Duration,
    pub etag: Option<String>,
    pub last_modified: Option<String>,
}

impl CachePolicy {
    /// Nothing where the server does not want it kept, and where keeping it would never save a request.
    pub(super) fn from_headers(headers: &HeaderMap, now: Timestamp) -> Option<Self> {
        if forbids_caching(headers) {
            return None;
        }
        let directives = directives(headers);
        let has_to_ask = directives.iter().any(|(name, _)| name == "no-cache");
        let fresh_for =
            if has_to_ask { Duration::ZERO } else { freshness_duration(headers, &directives, now) };
        let keeping = Self {
            fresh_for,
            etag: header_text(headers, ETAG),
            last_modified: header_text(headers, LAST_MODIFIED),
        };
        (!fresh_for.is_zero() || keeping.can_be_revalidated()).then_some(keeping)
    }

    fn can_be_revalidated(&self) -> bool {
        self.etag.is_some() || self.last_modified.is_some()
    }
}

/// Whether the server does not want it kept, or it would be another for everybody who asks.
pub(super) fn forbids_caching(headers: &HeaderMap) -> bool {
    directives(headers).iter().any(|(name, _)| name == "no-store")
        || header_text(headers, VARY).is_some_and(|vary| vary.contains('*'))
}

/// The shortest that is said, less the time that it has spent in other caches.
fn freshness_duration(
    headers: &HeaderMap,
    directives: &[(String, Option<String>)],
    now: Timestamp,
) -> Duration {
    let max_ages: Vec<_> = directives.iter().filter(|(name, _)| name == "max-age").collect();
    let whole = if max_ages.is_empty() {
        expires_in(headers, now)
    } else {
        let seconds = max_ages.iter().map(|(_, value)| value.as_deref().and_then(|value| value.parse().ok()));
        Duration::from_secs(
            seconds.min_by_key(|seconds: &Option<u32>| seconds.unwrap_or(0)).flatten().unwrap_or(0).into(),
        )
    };
    let age = header_text(headers, AGE).and_then(|age| age.trim().parse().ok()).unwrap_or(0);
    whole.saturating_sub(Duration::from_secs(age)).min(LONGEST)
}

/// By the older header, which says when it ends.
fn expires_in(headers: &HeaderMap, now: Timestamp) -> Duration {
    let moment = |name| rfc2822::parse(&header_text(headers, name)?).ok().map(|moment| moment.timestamp());
    let Some(end) = moment(EXPIRES) else { return Duration::ZERO };
    Duration::try_from(end.duration_since(moment(DATE).unwrap_or(now))).unwrap_or_default()
}

fn directives(headers: &HeaderMap) -> Vec<(String, Option<String>)> {
    let values = headers.get_all(CACHE_CONTROL).iter().filter_map(|value| value.to_str().ok());
    let parts = values.flat_map(|value| value.split(','));
    let directive = |part: &str| {
        let (name, value) = part.split_once('=').map_or((part, None), |(name, value)| (name, Some(value)));
        let value = value.map(|value| value.trim().trim_matches('"').to_owned());
        (name.trim().to_ascii_lowercase(), value)
    };
    parts.map(directive).collect()
}

fn header_text(headers: &HeaderMap, name: HeaderName) -> Option<String> {
    headers.get(name)?.to_str().ok().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(head: &str) -> Option<u64> {
        let pairs = head.lines().map(|line| line.split_once(": ").unwrap());
        let headers: HeaderMap =
            pairs.map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect();
        let now = "1994-11-06T08:49:00Z".parse().unwrap();
        CachePolicy::from_headers(&headers, now).map(|keeping| keeping.fresh_for.as_secs())
    }

    #[test]
    fn an_answer_is_kept_as_long_as_its_head_says() {
        for (head, seconds) in [
            ("cache-control: max-age=60", Some(60)),
            ("cache-control: public, MAX-AGE=\"60\"", Some(60)),
            ("cache-control: max-age=60\nage: 20", Some(40)),
            ("cache-control: max-age=60\nage: 90", None),
            ("cache-control: max-age=60\nage: 90\netag: \"a\"", Some(0)),
            ("cache-control: max-age=60, max-age=5", Some(5)),
            ("cache-control: max-age=60\ncache-control: no-store", None),
            ("cache-control: No-Store\netag: \"a\"", None),
            ("cache-control: no-cache, max-age=60\netag: \"a\"", Some(0)),
            ("cache-control: no-cache, max-age=60", None),
            ("cache-control: private, max-age=60", Some(60)),
            ("cache-control: s-maxage=60", None),
            ("cache-control: max-age=-1\netag: \"a\"", Some(0)),
            ("cache-control: max-age=x", None),
            ("cache-control: max-age=4000000000", Some(7 * 24 * 3600)),
            ("cache-control: max-age=99999999999999999999", None),
            ("cache-control: max-age=60\nvary: *", None),
            ("cache-control: max-age=60\nvary: accept", Some(60)),
            ("expires: Sun, 06 Nov 1994 08:49:37 GMT", Some(37)),
            ("expires: Sun, 06 Nov 1994 08:49:37 GMT\ndate: Sun, 06 Nov 1994 08:49:30 GMT", Some(7)),
            ("expires: Sun, 06 Nov 1994 08:00:00 GMT", None),
            ("expires: 0\nlast-modified: Sun, 06 Nov 1994 08:00:00 GMT", Some(0)),
            ("expires: Sun, 06 Nov 1994 09:49:00 GMT\ncache-control: max-age=5", Some(5)),
            ("etag: \"a\"", Some(0)),
            ("content-type: text/html", None),
        ] {
            assert_eq!(kept(head), seconds, "{head}");
        }
    }
}
