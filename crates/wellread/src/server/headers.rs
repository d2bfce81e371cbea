//! What every answer says to a browser: run nothing that is not ours, keep nothing, show it in no frame.

use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, CACHE_CONTROL, CONTENT_SECURITY_POLICY,
    HeaderName, REFERRER_POLICY, VARY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};

use super::listen_address::PLUGIN;

const ALWAYS: [(HeaderName, &str); 8] = [
    (
        CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; \
         worker-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    ),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (X_FRAME_OPTIONS, "DENY"),
    (REFERRER_POLICY, "no-referrer"),
    (CACHE_CONTROL, "no-store"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("permissions-policy"), "camera=(), geolocation=(), microphone=()"),
];

const FOR_PLUGIN: [(HeaderName, &str); 3] = [
    (ACCESS_CONTROL_ALLOW_ORIGIN, PLUGIN),
    (ACCESS_CONTROL_EXPOSE_HEADERS, "mcp-session-id, retry-after, www-authenticate"),
    (VARY, "Origin"),
];

const FOR_PREFLIGHT: [(HeaderName, &str); 4] = [
    (ACCESS_CONTROL_ALLOW_METHODS, "GET, POST, DELETE"),
    (
        ACCESS_CONTROL_ALLOW_HEADERS,
        "accept, authorization, content-type, idempotency-key, last-event-id, mcp-protocol-version, mcp-session-id, prefer",
    ),
    (ACCESS_CONTROL_MAX_AGE, "600"),
    (HeaderName::from_static("access-control-allow-private-network"), "true"),
];

/// Adds what every answer has, and what the plugin's page needs to read it.
pub fn add_common_headers(response: &mut Response, for_plugin: bool) {
    insert_headers(response.headers_mut(), &ALWAYS);
    if for_plugin {
        insert_headers(response.headers_mut(), &FOR_PLUGIN);
    }
}

/// What the plugin's page may send.
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
