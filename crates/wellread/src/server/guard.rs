//! Who gets in: asked of every request before anything else, whatever its address.
//!
//! In order: the name that it calls us by, the page that sent it, the token. A refusal says no more than it has to.

use axum::http::header::{ACCEPT, ACCESS_CONTROL_REQUEST_METHOD, AUTHORIZATION, HOST, HeaderName, ORIGIN};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, StatusCode, Uri};

use super::ServerContext;
use super::attempts::SECONDS_EACH;
use super::browser::check_cookie;
use super::listen_address::PLUGIN;
use super::problem::Problem;

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
    Serve,
    /// A browser asks, for the plugin's page, whether it may send a request.
    Preflight,
}

pub fn admit(site: &ServerContext, request: &Parts) -> Result<Admission, Problem> {
    check_host(site, request)?;
    let from_plugin = check_origin(site, request)?;
    if from_plugin
        && request.method == Method::OPTIONS
        && request.headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD)
    {
        return Ok(Admission::Preflight);
    }
    let open = OPEN.contains(&request.uri.path()) || request.uri.path() == LINK;
    if from_plugin || !open {
        check_token(site, request, from_plugin)?;
    }
    Ok(Admission::Serve)
}

/// Whether it says that it comes from the plugin's page.
pub fn is_plugin(request: &Parts) -> bool {
    request.headers.get(ORIGIN).is_some_and(|origin| origin == PLUGIN)
}

/// Whether a person looks for the page: what is wrong is told in words, then.
pub fn is_page_visit(method: &Method, uri: &Uri, headers: &HeaderMap) -> bool {
    let accepts = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let reads = accepts.flat_map(|value| value.split(',')).any(|one| one.trim().starts_with("text/html"));
    method == Method::GET && reads && ["/", LINK].contains(&uri.path())
}

fn check_host(site: &ServerContext, request: &Parts) -> Result<(), Problem> {
    let mut hosts = request.headers.get_all(HOST).iter();
    let named = match (hosts.next(), hosts.next()) {
        (Some(host), None) => host.to_str().is_ok_and(|host| site.place.is_host(host)),
        _ => false,
    };
    // An address in the request line counts before the header, so it must be ours too.
    let aimed = request.uri.authority().is_none_or(|authority| site.place.is_host(authority.as_str()));
    if named && aimed {
        return Ok(());
    }
    Err(Problem::forbidden(
        "this server does not have that name",
        format!("use {}: the header `Host` must match", site.place.url()),
    ))
}

/// Whether it comes from the plugin's page. One that comes from a page of somebody else's is refused.
fn check_origin(site: &ServerContext, request: &Parts) -> Result<bool, Problem> {
    let foreign = || {
        Problem::forbidden(
            "this request comes from a foreign page",
            "programs leave out the header `Origin`; pages of other sites can't use this server",
        )
    };
    let mut plugin = false;
    for origin in request.headers.get_all(ORIGIN) {
        if origin == PLUGIN {
            plugin = true;
        } else if !origin.to_str().is_ok_and(|origin| site.place.is_origin(origin)) {
            return Err(foreign());
        }
    }
    // The plugin's page is another site by nature; its browser says so honestly, and the token decides.
    let ours = |said: &axum::http::HeaderValue| said == "same-origin" || said == "none";
    let elsewhere = request.headers.get_all(SEC_FETCH_SITE).iter().any(|said| !ours(said));
    if elsewhere && !plugin && !is_link_navigation(request) {
        return Err(foreign());
    }
    Ok(plugin)
}

/// The link may be clicked wherever it is shown. Its code can be used once, and whoever has it may.
fn is_link_navigation(request: &Parts) -> bool {
    let says = |name: &HeaderName, word: &str| request.headers.get(name).is_some_and(|said| said == word);
    request.method == Method::GET
        && request.uri.path() == LINK
        && says(&SEC_FETCH_MODE, "navigate")
        && says(&SEC_FETCH_DEST, "document")
}

fn check_token(site: &ServerContext, request: &Parts, bearer_only: bool) -> Result<(), Problem> {
    let mut given = request.headers.get_all(AUTHORIZATION).iter();
    let bearer = match (given.next(), given.next()) {
        (Some(value), None) => {
            Some(parse_bearer(value.as_bytes()).is_some_and(|token| site.token.matches(token)))
        }
        (Some(_), Some(_)) => Some(false),
        (None, _) => None,
    };
    let cookie = if bearer_only { None } else { check_cookie(&request.headers, &site.token, &site.place) };
    match (bearer, cookie) {
        (Some(true), _) | (None, Some(true)) => Ok(()),
        (None, None) => Err(Problem::new(
            StatusCode::UNAUTHORIZED,
            "this needs the token",
            "send it as `Authorization: Bearer …`; `wellread serve --json` names the file that it is in",
        )),
        _ => Err(reject_token(site, "wrong token")),
    }
}

/// A wrong token or code: one of a few, or one of too many.
pub fn reject_token(site: &ServerContext, detail: &str) -> Problem {
    if site.attempts.record_wrong() {
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
