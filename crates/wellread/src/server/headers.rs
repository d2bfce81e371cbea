//! What every answer says to a browser: run nothing that is not ours, keep nothing, show it in no frame.

use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, CACHE_CONTROL, CONTENT_SECURITY_POLICY,
    HeaderName, REFERRER_POLICY, VARY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};

pub const OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");

const ALWAYS: [(HeaderName, &str); 8] = [
    (
        CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; font-src 'self'; connect-src 'self'; \
         worker-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    ),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (X_FRAME_OPTIONS, "DENY"),
    (REFERRER_POLICY, "no-referrer"),
    (CACHE_CONTROL, "no-store"),
    (OPENER_POLICY, "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("permissions-policy"), "camera=(), geolocation=(), microphone=()"),
];

const FOR_PAIRED: [(HeaderName, &str); 2] =
    [(ACCESS_CONTROL_EXPOSE_HEADERS, "mcp-session-id, retry-after, www-authenticate"), (VARY, "Origin")];

const FOR_PREFLIGHT: [(HeaderName, &str); 4] = [
    (ACCESS_CONTROL_ALLOW_METHODS, "GET, POST, DELETE"),
    (
        ACCESS_CONTROL_ALLOW_HEADERS,
        "accept, authorization, content-type, idempotency-key, last-event-id, mcp-protocol-version, mcp-session-id, prefer",
    ),
    (ACCESS_CONTROL_MAX_AGE, "600"),
    (HeaderName::from_static("access-control-allow-private-network"), "true"),
];

/// Adds what every answer has, and what the page of a paired origin needs to read it.
pub fn add_common_headers(response: &mut Response, paired: Option<HeaderValue>) {
    let headers = response.headers_mut();
    // Those that the answer chose count: a form could not say where it comes from, and a window that a client has opened could
    // not be closed by it.
    let chosen = [REFERRER_POLICY, OPENER_POLICY].map(|name| (headers.remove(&name), name));
    insert_headers(headers, &ALWAYS);
    for (policy, name) in chosen {
        policy.map(|policy| headers.insert(name, policy));
    }
    if let Some(origin) = paired {
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        insert_headers(headers, &FOR_PAIRED);
    }
}

/// What the page of a paired origin may send.
pub fn preflight_response() -> Response {
    let mut response = StatusCode::NO_CONTENT.into_response();
    insert_headers(response.headers_mut(), &FOR_PREFLIGHT);
    response
}

fn insert_headers(headers: &mut HeaderMap, fields: &[(HeaderName, &'static str)]) {
    for (name, value) in fields {
        headers.insert(name.clone(), HeaderValue::from_static(value));
    }
}
