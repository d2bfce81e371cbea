//! Who gets in: asked of every request before anything else, whatever its address.
//!
//! In order: the name that it calls us by, the page that sent it, the token or the session. A refusal says no more than it has
//! to.

use axum::http::header::{ACCEPT, ACCESS_CONTROL_REQUEST_METHOD, AUTHORIZATION, HOST, HeaderName, ORIGIN};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};

use super::ServerContext;
use super::attempts::SECONDS_EACH;
use super::browser_sessions::{SessionAccess, SessionId};
use super::problem::Problem;
use super::sites::InVault;

/// Served without the token.
const OPEN: [&str; 2] = ["/healthz", "/readyz"];
/// Has a code of its own in place of the token.
pub const LINK: &str = "/open";

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const SEC_FETCH_MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");
const SEC_FETCH_DEST: HeaderName = HeaderName::from_static("sec-fetch-dest");

/// What is to be done with a request that was let in.
#[derive(Debug, PartialEq, Eq)]
pub enum Admission {
    Serve(Credentials),
    /// A browser asks, for the page of a paired origin, whether it may send a request.
    Preflight,
}

/// By what a request was let in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Credentials {
    /// By nothing: what it asks for is open to all.
    None,
    Token,
    /// By the cookie of a session alone, which is enough for the page's own files.
    Cookie,
    Session(SessionId),
}

impl Credentials {
    pub fn session(&self) -> Option<&SessionId> {
        match self {
            Self::Session(id) => Some(id),
            _ => None,
        }
    }
}

pub fn admit(site: &ServerContext, request: &Parts) -> Result<Admission, Problem> {
    let host = check_host(site, request)?;
    let is_paired = check_origin(site, request, host)?;
    if is_paired
        && request.method == Method::OPTIONS
        && request.headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD)
    {
        return Ok(Admission::Preflight);
    }
    if is_open(request) && !is_paired {
        return Ok(Admission::Serve(Credentials::None));
    }
    check_credentials(site, request, host, is_paired).map(Admission::Serve)
}

/// Whether it is served without the token. Nothing of a vault is, so that nobody learns their names.
fn is_open(request: &Parts) -> bool {
    let path = request.uri.path();
    request.extensions.get::<InVault>().is_none() && (OPEN.contains(&path) || path == LINK)
}

/// The origin that it says it comes from, if the user has paired that one.
pub fn paired_origin(site: &ServerContext, request: &Parts) -> Option<HeaderValue> {
    let origin = request.headers.get(ORIGIN)?;
    site.server.paired_origins.iter().any(|paired| origin == paired.as_str()).then(|| origin.clone())
}

/// Whether a person looks for the page: what is wrong is told in words, then.
pub fn is_page_visit(method: &Method, uri: &Uri, headers: &HeaderMap) -> bool {
    method == Method::GET && accepts_html(headers) && ["/", LINK].contains(&uri.path())
}

/// Whether a browser would show the answer.
pub fn accepts_html(headers: &HeaderMap) -> bool {
    let accepts = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    accepts.flat_map(|value| value.split(',')).any(|one| one.trim().starts_with("text/html"))
}

/// The name that it calls us by.
fn check_host<'a>(site: &ServerContext, request: &'a Parts) -> Result<&'a str, Problem> {
    let mut hosts = request.headers.get_all(HOST).iter();
    let named = match (hosts.next(), hosts.next()) {
        (Some(host), None) => host.to_str().ok().filter(|host| site.server.place.is_host(host)),
        _ => None,
    };
    // An address in the request line counts before the header, so it must be ours too.
    let aimed = request.uri.authority().is_none_or(|authority| site.server.place.is_host(authority.as_str()));
    if let (Some(host), true) = (named, aimed) {
        return Ok(host);
    }
    Err(Problem::forbidden(
        "this server does not have that name",
        format!("use {}: the header `Host` must match", site.server.place.url()),
    ))
}

/// Whether it comes from a page of a paired origin. One that comes from any other page but our own is refused.
fn check_origin(site: &ServerContext, request: &Parts, host: &str) -> Result<bool, Problem> {
    let foreign = || {
        Problem::forbidden(
            "this request comes from a foreign page",
            "programs leave out the header `Origin`; the setting `server.origins` pairs an app that has pages of its own",
        )
    };
    let paired = paired_origin(site, request).is_some();
    for origin in request.headers.get_all(ORIGIN) {
        // Our page asks under the name that it was opened by.
        let own = |origin: &str| {
            origin.strip_prefix("http://").is_some_and(|authority| authority.eq_ignore_ascii_case(host))
        };
        let known = site.server.paired_origins.iter().any(|paired| origin == paired.as_str());
        if !known && !origin.to_str().is_ok_and(own) {
            return Err(foreign());
        }
    }
    // The page of an app is another site by nature; its browser says so honestly, and the token decides.
    let ours = |said: &HeaderValue| said == "same-origin" || said == "none";
    let elsewhere = request.headers.get_all(SEC_FETCH_SITE).iter().any(|said| !ours(said));
    if elsewhere && !paired && !is_link_navigation(request) {
        return Err(foreign());
    }
    Ok(paired)
}

/// The link may be clicked wherever it is shown. Its code can be used once, and whoever has it may.
fn is_link_navigation(request: &Parts) -> bool {
    let says = |name: &HeaderName, word: &str| request.headers.get(name).is_some_and(|said| said == word);
    request.method == Method::GET
        && request.uri.path() == LINK
        && request.extensions.get::<InVault>().is_none()
        && says(&SEC_FETCH_MODE, "navigate")
        && says(&SEC_FETCH_DEST, "document")
}

/// The files of the page are served to whoever has the cookie: a browser asks for them without the page's key.
fn is_page_file(request: &Parts) -> bool {
    let path = request.uri.path();
    [Method::GET, Method::HEAD].contains(&request.method) && (path == "/" || path.starts_with("/page/"))
}

fn check_credentials(
    site: &ServerContext,
    request: &Parts,
    host: &str,
    bearer_only: bool,
) -> Result<Credentials, Problem> {
    let mut given = request.headers.get_all(AUTHORIZATION).iter();
    let bearer = match (given.next(), given.next()) {
        (Some(value), None) => {
            Some(parse_bearer(value.as_bytes()).is_some_and(|token| site.server.token.matches(token)))
        }
        (Some(_), Some(_)) => Some(false),
        (None, _) => None,
    };
    match bearer {
        Some(true) => return Ok(Credentials::Token),
        Some(false) => return Err(reject_token(site, "wrong token")),
        None => {}
    }
    let access = if bearer_only {
        SessionAccess::None
    } else {
        site.server.sessions.check(&request.headers, &site.server.token, &site.server.place, host)
    };
    match access {
        SessionAccess::Full(session) => Ok(Credentials::Session(session)),
        SessionAccess::CookieOnly if is_page_file(request) => Ok(Credentials::Cookie),
        SessionAccess::CookieOnly => Err(Problem::new(
            StatusCode::UNAUTHORIZED,
            "this needs the key of the page besides its cookie",
            "the page sends it by itself; sign in again at /open if it has none",
        )),
        SessionAccess::None => Err(Problem::new(
            StatusCode::UNAUTHORIZED,
            "this needs the token",
            "send it as `Authorization: Bearer …`; `wellread serve --json` names the file that it is in",
        )),
    }
}

/// A wrong token or code: one of a few, or one of too many.
pub fn reject_token(site: &ServerContext, detail: &str) -> Problem {
    if site.server.attempts.record_wrong() {
        return Problem::new(
            StatusCode::TOO_MANY_REQUESTS,
            "too many wrong tokens",
            "wait a little; a request with the right one is served immediately",
        )
        .with_retry_after(SECONDS_EACH);
    }
    Problem::new(
        StatusCode::UNAUTHORIZED,
        detail,
        "the token is in the file that `wellread serve --json` names, and a link works once: `POST /api/link` with the token gives a new one",
    )
}

fn parse_bearer(value: &[u8]) -> Option<&[u8]> {
    let (scheme, token) = value.split_at_checked(7)?;
    scheme.eq_ignore_ascii_case(b"bearer ").then(|| token.trim_ascii())
}
