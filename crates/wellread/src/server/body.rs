//! What a client sends: read within bounds of size, depth and time, then understood.

use std::time::Duration;

use axum::body::Body;
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, Uri};
use http_body_util::BodyExt as _;
use serde::de::DeserializeOwned;
use tokio::time::{Instant, timeout_at};
use wellread_core::WayOut;

use super::problem::Problem;

/// In bytes.
pub const LARGEST_BODY: usize = 1024 * 1024;
/// How deep lists and objects may stand in each other.
pub const DEEPEST: usize = 64;
/// Between two pieces, and for all of it.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);
const LONGEST_BODY: Duration = Duration::from_secs(60);

/// A body of JSON.
pub struct Json<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Json<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        let (parts, body) = request.into_parts();
        let bytes = read_json(&parts.headers, body).await?;
        // A list would be read as the fields in their order.
        if bytes.trim_ascii_start().starts_with(b"[") {
            return Err(bad_request("the body must be a JSON object"));
        }
        serde_json::from_slice(&bytes).map(Self).map_err(|error| {
            let what = if error.is_data() { "the JSON does not fit" } else { "the body is not JSON" };
            bad_request(&format!("{what}: {error}"))
        })
    }
}

/// The query's fields.
pub struct QueryParams<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for QueryParams<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let query = Query::try_from_uri(&parts.uri);
        query.map(|Query(fields)| Self(fields)).map_err(|error| bad_request(&error.body_text()))
    }
}

/// The part of the address that a route leaves open, its percent signs read.
pub struct PathParam(pub String);

impl<S: Send + Sync> FromRequestParts<S> for PathParam {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let path = Path::<String>::from_request_parts(parts, state).await;
        path.map(|Path(name)| Self(name)).map_err(|error| bad_request(&error.body_text()))
    }
}

/// A body that says that it is JSON, is not too large, and not too deep. Whether it is JSON is for the reader to say.
pub async fn read_json(headers: &HeaderMap, body: Body) -> Result<Vec<u8>, Problem> {
    if !is_json(headers) {
        return Err(Problem::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "the body must be JSON, with that content type",
            "send `Content-Type: application/json`",
        )
        .with_close());
    }
    let bytes = read_body(headers, body).await?;
    if is_too_deep(&bytes) {
        return Err(bad_request(&format!("the JSON is more than {DEEPEST} levels deep")));
    }
    Ok(bytes)
}

/// The fields of a form that is not too large.
pub async fn read_form<T: DeserializeOwned>(headers: &HeaderMap, body: Body) -> Result<T, Problem> {
    if !has_media_type(headers, "application/x-www-form-urlencoded") {
        return Err(Problem::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "the body must be a form, with that content type",
            "send `Content-Type: application/x-www-form-urlencoded`",
        )
        .with_close());
    }
    let bytes = read_body(headers, body).await?;
    // Its fields are written as those of an address.
    let address = String::from_utf8(bytes).ok().and_then(|form| format!("/?{form}").parse::<Uri>().ok());
    let fields = address.and_then(|address| Query::try_from_uri(&address).ok());
    fields.map(|Query(fields)| fields).ok_or_else(|| bad_request("the form does not fit"))
}

fn bad_request(detail: &str) -> Problem {
    let one_line = detail.replace(char::is_control, " ");
    let short = one_line.chars().take(500).collect::<String>();
    Problem::new(StatusCode::BAD_REQUEST, short, "GET /api/openapi.json says what this address takes")
        .with_way_out(WayOut::Overview)
}

fn is_json(headers: &HeaderMap) -> bool {
    has_media_type(headers, "application/json")
}

fn has_media_type(headers: &HeaderMap, media_type: &str) -> bool {
    let mut types = headers.get_all(CONTENT_TYPE).iter();
    let (Some(only), None) = (types.next(), types.next()) else { return false };
    let Ok(text) = only.to_str() else { return false };
    text.split(';').next().is_some_and(|essence| essence.trim().eq_ignore_ascii_case(media_type))
}

async fn read_body(headers: &HeaderMap, mut body: Body) -> Result<Vec<u8>, Problem> {
    let too_large = || {
        Problem::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            format!("the body is larger than {LARGEST_BODY} bytes"),
            "send less at once",
        )
        .with_close()
    };
    let said = headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if said.is_some_and(|said| said > LARGEST_BODY as u64) {
        return Err(too_large());
    }
    let end = Instant::now() + LONGEST_BODY;
    let mut bytes = Vec::new();
    loop {
        let pause = (Instant::now() + LONGEST_PAUSE).min(end);
        let frame = match timeout_at(pause, body.frame()).await {
            Ok(None) => return Ok(bytes),
            Ok(Some(Ok(frame))) => frame,
            Ok(Some(Err(_))) => return Err(bad_request("the body was cut off").with_close()),
            Err(_) => {
                let slow = "the body did not arrive in time";
                return Err(
                    Problem::new(StatusCode::REQUEST_TIMEOUT, slow, "send it without pauses").with_close()
                );
            }
        };
        if let Some(data) = frame.data_ref() {
            if bytes.len() + data.len() > LARGEST_BODY {
                return Err(too_large());
            }
            bytes.extend_from_slice(data);
        }
    }
}

/// Looked at before it is parsed, so that the parser's own bound is never what ends it.
fn is_too_deep(bytes: &[u8]) -> bool {
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for byte in bytes {
        if in_string {
            (in_string, escaped) = (escaped || *byte != b'"', !escaped && *byte == b'\\');
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > DEEPEST {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_is_counted_outside_of_strings() {
        let nested = |depth: usize| format!("{}{}", "[{\"a\":".repeat(depth / 2), "}]".repeat(depth / 2));
        assert!(!is_too_deep(nested(DEEPEST).as_bytes()));
        assert!(is_too_deep(nested(DEEPEST + 2).as_bytes()));
        assert!(is_too_deep("[".repeat(100_000).as_bytes()));
        let brackets = "[".repeat(DEEPEST * 2);
        for text in
            [format!("\"{brackets}\""), format!("\"\\\"{brackets}\""), format!("[\"\\\\\\\"{brackets}\"]")]
        {
            assert!(!is_too_deep(text.as_bytes()), "{text}");
        }
        assert!(
            is_too_deep(format!("[\"\\\\\",{brackets}").as_bytes()),
            "an escaped backslash ends no escape"
        );
        assert!(!is_too_deep("[],".repeat(1000).as_bytes()));
    }

    #[test]
    fn only_json_is_json() {
        let is = |said: &str| is_json(&HeaderMap::from_iter([(CONTENT_TYPE, said.parse().unwrap())]));
        assert!(is("application/json") && is("Application/JSON; charset=utf-8"));
        assert!(
            !is("text/plain") && !is("application/jsonp") && !is("") && !is("text/plain; application/json")
        );
        assert!(!is_json(&HeaderMap::new()));
    }
}
