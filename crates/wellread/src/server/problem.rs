//! Errors as `application/problem+json`: what `core` says mapped to a status once, and what only HTTP knows.

use axum::body::Body;
use axum::http::header::{CONNECTION, CONTENT_TYPE, REFERRER_POLICY, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value, json};
use wellread_core::{Error, ErrorKind, WayOut};

pub const MEDIA_TYPE: &str = "application/problem+json";

/// How a browser is let in.
const BY_LINK: &str = "Open the link that `wellread serve` prints to a terminal, which works once; `wellread serve --open` opens it. \
    Or enter the token, which is in the file that `wellread serve --json` names";
/// Where the token is entered.
const TOKEN_FIELD: &str = "\n<form method=\"post\" action=\"/open\"><p><label>Token <input type=\"password\" name=\"token\" required \
    autocomplete=\"current-password\"></label> <button>Sign in</button></p></form>";

/// Why a request is not served.
#[derive(Debug, Clone)]
pub struct Problem(Box<ProblemDetails>);

#[derive(Debug, Clone)]
struct ProblemDetails {
    status: StatusCode,
    detail: String,
    hint: String,
    /// Where the hint leads within the page.
    way_out: Option<WayOut>,
    /// Further fields, for programs.
    more: Map<String, Value>,
    /// What comes after it on this connection can't be trusted to be a request.
    closes: bool,
    retry_after: Option<u64>,
    /// How a client elsewhere gets what it lacks, for `WWW-Authenticate`.
    challenge: Option<String>,
}

impl Problem {
    pub fn new(status: StatusCode, detail: impl Into<String>, hint: impl Into<String>) -> Self {
        Self(Box::new(ProblemDetails {
            status,
            detail: detail.into(),
            hint: hint.into(),
            way_out: None,
            more: Map::new(),
            closes: false,
            retry_after: None,
            challenge: None,
        }))
    }

    pub fn forbidden(detail: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, detail, hint)
    }

    pub fn not_found() -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            "there is nothing at this address",
            "GET /api/openapi.json lists what there is",
        )
        .with_way_out(WayOut::Overview)
    }

    pub fn method_not_allowed() -> Self {
        Self::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "this address does not take that method",
            "the header `Allow` names those that it takes",
        )
    }

    /// Names where the hint leads within the page.
    #[must_use]
    pub fn with_way_out(mut self, way: WayOut) -> Self {
        self.0.way_out = Some(way);
        self
    }

    /// Closes the connection after the response.
    #[must_use]
    pub fn with_close(mut self) -> Self {
        self.0.closes = true;
        self
    }

    /// Says how a client elsewhere gets what it lacks.
    #[must_use]
    pub fn with_challenge(mut self, challenge: String) -> Self {
        self.0.challenge = Some(challenge);
        self
    }

    /// Whether it is that the request made no sense.
    pub fn is_bad_request(&self) -> bool {
        self.0.status == StatusCode::BAD_REQUEST
    }

    /// Whether it is that nobody was let in.
    pub fn is_unauthorized(&self) -> bool {
        self.0.status == StatusCode::UNAUTHORIZED
    }

    /// Tells the client to retry only after this many seconds.
    #[must_use]
    pub fn with_retry_after(mut self, seconds: u64) -> Self {
        self.0.retry_after = Some(seconds);
        self
    }
}

fn status_for_kind(kind: ErrorKind) -> StatusCode {
    match kind {
        ErrorKind::Invalid => StatusCode::BAD_REQUEST,
        ErrorKind::NotFound => StatusCode::NOT_FOUND,
        ErrorKind::Refused => StatusCode::FORBIDDEN,
        ErrorKind::Conflict | ErrorKind::Changed => StatusCode::CONFLICT,
        // The server is well; what it would have to ask is the user's to name.
        ErrorKind::NotSetUp => StatusCode::FAILED_DEPENDENCY,
        ErrorKind::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        ErrorKind::BadReply => StatusCode::BAD_GATEWAY,
        ErrorKind::Failed | ErrorKind::Denied => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// The hint where the error has none, and where it leads.
fn usual_hint(kind: ErrorKind) -> (&'static str, Option<WayOut>) {
    match kind {
        ErrorKind::Invalid => ("GET /api/openapi.json says what this address takes", Some(WayOut::Overview)),
        ErrorKind::NotFound => ("GET /api/search finds notes and code", Some(WayOut::Search)),
        ErrorKind::Refused => ("this rule keeps the vault safe", None),
        ErrorKind::Conflict => ("choose another name, or look at what is there", None),
        ErrorKind::Changed => ("nothing was written; try again", None),
        ErrorKind::NotSetUp | ErrorKind::Unavailable | ErrorKind::BadReply => {
            ("`wellread doctor` says what is missing", Some(WayOut::CheckSetup))
        }
        ErrorKind::Failed | ErrorKind::Denied => {
            ("`wellread doctor` may say what is wrong", Some(WayOut::CheckSetup))
        }
    }
}

fn status_title(status: StatusCode) -> &'static str {
    match status {
        StatusCode::UNAUTHORIZED => "Token needed",
        StatusCode::FORBIDDEN => "Refused",
        StatusCode::INTERNAL_SERVER_ERROR => "Failed",
        other => other.canonical_reason().unwrap_or("Not served"),
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let (hint, way_out) = match error.hint_text() {
            Some(hint) => (hint, error.way_out()),
            None => usual_hint(error.kind()),
        };
        let mut problem = Self::new(status_for_kind(error.kind()), error.message(), hint);
        problem.0.way_out = way_out;
        problem.0.more = error.details().clone();
        problem
    }
}

impl Problem {
    /// As it is sent.
    pub fn to_json(&self) -> Value {
        let problem = &*self.0;
        let mut body = json!({
            "type": "about:blank",
            "title": status_title(problem.status),
            "status": problem.status.as_u16(),
            "detail": problem.detail,
            "hint": problem.hint,
        });
        if let Some(fields) = body.as_object_mut() {
            fields.extend(problem.way_out.map(|way| ("code".to_owned(), json!(way.code()))));
            for (name, value) in &problem.more {
                fields.entry(name.clone()).or_insert_with(|| value.clone());
            }
        }
        body
    }
}

impl Problem {
    /// The problem as a page for a browser.
    pub fn into_page(self) -> Response {
        let ProblemDetails { status, detail, hint, .. } = &*self.0;
        let is_door = *status == StatusCode::UNAUTHORIZED;
        let (hint, field) = if is_door { (BY_LINK, TOKEN_FIELD) } else { (hint.as_str(), "") };
        let (title, detail, hint) = (status_title(*status), escape_html(detail), escape_html(hint));
        let html = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>Wellread: {title}</title></head>\n\
             <body><main><h1>{title}</h1>\n<p>Wellread: {detail}.</p>\n<p>{hint}.</p>{field}</main></body>\n</html>\n"
        );
        let mut response = self.into_response();
        *response.body_mut() = Body::from(html);
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
        if is_door {
            // Without this, the form would not say that it comes from us.
            headers.insert(REFERRER_POLICY, HeaderValue::from_static("same-origin"));
        }
        response
    }
}

fn escape_html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::from(self.to_json().to_string()));
        let problem = *self.0;
        *response.status_mut() = problem.status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE));
        let challenge = problem.challenge.and_then(|challenge| HeaderValue::try_from(challenge).ok());
        if problem.status == StatusCode::UNAUTHORIZED || challenge.is_some() {
            let usual = HeaderValue::from_static("Bearer realm=\"wellread\"");
            headers.insert(WWW_AUTHENTICATE, challenge.unwrap_or(usual));
        }
        if problem.closes {
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        if let Some(seconds) = problem.retry_after {
            headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::page::PageFile;

    #[test]
    fn a_person_reads_the_same_and_nothing_of_it_is_html() {
        let response = Problem::forbidden("no <b>honey", "ask \"kindly\"").into_page();
        assert_eq!(response.status(), StatusCode::FORBIDDEN);
        assert_eq!(response.headers()[CONTENT_TYPE], "text/html; charset=utf-8");
        assert_eq!(escape_html("a <b \"c\" & d"), "a &lt;b &quot;c&quot; &amp; d");
    }

    #[test]
    fn the_page_knows_every_way_out_and_no_other() {
        let ways = PageFile::find("js/ways.js").unwrap().text;
        let codes = ways.lines().filter_map(|line| line.strip_prefix("    ")?.split_once(": ["));
        let known: Vec<&str> = codes.map(|(code, _)| code).collect();
        let sent: Vec<&str> = WayOut::ALL.iter().map(|way| way.code()).collect();
        assert_eq!(known, sent, "`WAYS` in web/js/ways.js has the codes of `WayOut`, in their order");
    }

    #[test]
    fn a_way_out_is_sent_as_a_code_and_goes_with_its_hint() {
        let lost = Error::not_found("no run").hint("see the runs").with_way_out(WayOut::Runs);
        assert_eq!(Problem::from(lost.clone()).to_json()["code"], "runs");
        assert!(Problem::from(lost.hint("try again")).to_json().get("code").is_none());
        assert_eq!(Problem::from(Error::not_found("no note")).to_json()["code"], "search");
        assert_eq!(Problem::not_found().to_json()["code"], "overview");
    }

    #[test]
    fn every_kind_of_error_has_its_status() {
        for (kind, status) in [
            (ErrorKind::Invalid, 400),
            (ErrorKind::NotFound, 404),
            (ErrorKind::Refused, 403),
            (ErrorKind::Conflict, 409),
            (ErrorKind::Changed, 409),
            (ErrorKind::NotSetUp, 424),
            (ErrorKind::Unavailable, 503),
            (ErrorKind::BadReply, 502),
            (ErrorKind::Denied, 500),
            (ErrorKind::Failed, 500),
        ] {
            let problem = Problem::from(
                Error::new(kind, "no honey").with_detail("path", "Bees.md").with_detail("status", 1),
            );
            assert!(!problem.0.hint.is_empty());
            let response = problem.into_response();
            assert_eq!(response.status().as_u16(), status, "{kind:?}");
            assert_eq!(response.headers()[CONTENT_TYPE], MEDIA_TYPE);
        }
    }
}
