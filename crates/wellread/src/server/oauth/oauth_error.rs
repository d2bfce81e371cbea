//! What is wrong with a request of the OAuth protocol, in the form that its clients read.

use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::json;

use crate::server::problem::Problem;

/// An error of the protocol: a word from its specifications, and a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OAuthError {
    pub code: &'static str,
    pub description: String,
}

impl OAuthError {
    pub fn new(code: &'static str, description: impl Into<String>) -> Self {
        Self { code, description: description.into() }
    }

    pub fn invalid_request(description: impl Into<String>) -> Self {
        Self::new("invalid_request", description)
    }

    /// A code or a refresh token that is not good any more. Why is nobody's business.
    pub fn invalid_grant() -> Self {
        Self::new("invalid_grant", "this code or token is not valid, or no longer; connect again")
    }

    /// For the person in front of a browser. A browser is never sent on with an error that nobody has looked at.
    pub fn into_page(self) -> Response {
        let detail = format!("this request to connect a program can't be answered: {}", self.description);
        Problem::new(StatusCode::BAD_REQUEST, detail, "Close this page, and connect again from the program")
            .into_page()
    }
}

impl IntoResponse for OAuthError {
    fn into_response(self) -> Response {
        let body = json!({ "error": self.code, "error_description": self.description });
        let mut response = Response::new(Body::from(body.to_string()));
        *response.status_mut() = StatusCode::BAD_REQUEST;
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        response
    }
}
