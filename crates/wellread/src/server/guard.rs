//! Who gets in: asked of every request before anything else, whatever its address.
//!
//! In order: the name that it calls us by, the page that sent it, the token or the session. A refusal says no more than it has
//! to. As whom a request was let in is known from here on (`users`); what they may do, their routes and tools say (`user_sites`).

use axum::http::header::{ACCEPT, ACCESS_CONTROL_REQUEST_METHOD, AUTHORIZATION, HOST, HeaderName, ORIGIN};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};

use super::ServerContext;
use super::attempts::SECONDS_EACH;
use super::browser_sessions::{SessionAccess, SessionId};
use super::oauth::{ACCESS_PREFIX, PublicRoute, RemoteAccess, RemoteClient};
use super::problem::Problem;
use super::sites::InVault;
use super::user_token::ShownSecret;
use super::users::{UserClaim, UserRef};

/// Served without the token.
const OPEN: [&str; 2] = ["/healthz", "/readyz"];
/// Has a code of its own in place of the token.
pub const LINK: &str = "/open";
/// Has the code of an invitation in place of the token.
pub const INVITATION: &str = "/join";

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
    /// By the server's own token, which is its owner's.
    Token,
    /// By the token of a user, which is still to be checked.
    User(ShownSecret),
    /// By the cookie of a session alone, which is enough for the page's own files.
    Cookie(Option<UserRef>),
    Session(SessionId),
    /// By a client's access token, which is for the Model Context Protocol alone.
    Remote(Box<RemoteClient>),
}

impl Credentials {
    pub fn session(&self) -> Option<&SessionId> {
        match self {
            Self::Session(id) => Some(id),
            _ => None,
        }
    }

    /// As whom the request is made, if not as the owner: what is behind it, the accounts say.
    pub fn claim(&self) -> Option<UserClaim> {
        match self {
            Self::None | Self::Token => None,
            Self::Cookie(user) => user.clone().map(UserClaim::Given),
            Self::User(shown) => Some(shown.clone().into()),
            Self::Session(id) => id.user.clone().map(UserClaim::Given),
            Self::Remote(client) => client.user.clone().map(UserClaim::Given),
        }
    }

    pub fn remote(&self) -> Option<&RemoteClient> {
        match self {
            Self::Remote(client) => Some(client),
            _ => None,
        }
    }
}

/// The name that a request calls us by, and what it may look for under it.
#[derive(Clone, Copy)]
struct Door<'a> {
    host: &'a str,
    /// Whether it is a name of this machine, under which everything is served.
    is_local: bool,
    /// What there is for clients elsewhere, if it is the name that they use.
    remote: Option<&'a RemoteAccess>,
}

pub fn admit(site: &ServerContext, request: &Parts) -> Result<Admission, Problem> {
    let door = check_host(site, request)?;
    let is_paired = check_origin(site, request, door)?;
    if is_paired
        && request.method == Method::OPTIONS
        && request.headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD)
    {
        return Ok(Admission::Preflight);
    }
    let public = door.remote.and_then(|remote| PublicRoute::find(request).map(|route| (remote, route)));
    let credentials = match public {
        Some((_, PublicRoute::Open)) if !is_paired => Ok(Credentials::None),
        Some((_, PublicRoute::Open)) => check_credentials(site, request, door, is_paired),
        Some((remote, PublicRoute::Mcp)) => check_client(site, request, door, remote, is_paired),
        None if !door.is_local => Err(Problem::not_found()),
        _ if is_open(request) && !is_paired => Ok(Credentials::None),
        _ => check_credentials(site, request, door, is_paired),
    };
    credentials.map(Admission::Serve)
}

/// A client of the protocol under the public address. Unless that is an address of this machine, only an access token lets it in.
fn check_client(
    site: &ServerContext,
    request: &Parts,
    door: Door<'_>,
    remote: &RemoteAccess,
    is_paired: bool,
) -> Result<Credentials, Problem> {
    let resource = remote.resource(request.extensions.get::<InVault>().map(|vault| vault.name.as_str()));
    let given = read_bearer(request);
    let access = given.flatten().and_then(|token| str::from_utf8(token).ok());
    let checked = match access.filter(|token| token.starts_with(ACCESS_PREFIX)) {
        Some(access) => remote
            .grants
            .check(&site.server.token, access, &resource)
            .map(|client| Credentials::Remote(Box::new(client)))
            .ok_or_else(|| need_access("this access token is not valid here, or no longer")),
        None if door.is_local => check_credentials(site, request, door, is_paired),
        None => Err(need_access("this needs an access token")),
    };
    checked.map_err(|problem| match problem.is_unauthorized() {
        true => remote.challenge(problem, &resource, given.is_some()),
        false => problem,
    })
}

fn need_access(detail: &str) -> Problem {
    let hint = "the header `WWW-Authenticate` says where a client gets one";
    Problem::new(StatusCode::UNAUTHORIZED, detail, hint)
}

/// Whether it is served without the token. Nothing of a vault is, so that nobody learns their names.
fn is_open(request: &Parts) -> bool {
    let path = request.uri.path();
    request.extensions.get::<InVault>().is_none()
        && (OPEN.contains(&path) || path == LINK || path == INVITATION)
}

/// The origin that it says it comes from, if the user has paired that one.
pub fn paired_origin(site: &ServerContext, request: &Parts) -> Option<HeaderValue> {
    let origin = request.headers.get(ORIGIN)?;
    site.server.paired_origins.iter().any(|paired| origin == paired.as_str()).then(|| origin.clone())
}

/// Whether a person looks for the page: what is wrong is told in words, then.
pub fn is_page_visit(method: &Method, uri: &Uri, headers: &HeaderMap) -> bool {
    method == Method::GET && accepts_html(headers) && ["/", LINK, INVITATION].contains(&uri.path())
}

/// Whether a browser would show the answer.
pub fn accepts_html(headers: &HeaderMap) -> bool {
    let accepts = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    accepts.flat_map(|value| value.split(',')).any(|one| one.trim().starts_with("text/html"))
}

/// The name that it calls us by.
fn check_host<'a>(site: &'a ServerContext, request: &'a Parts) -> Result<Door<'a>, Problem> {
    let server = &site.server;
    let mut hosts = request.headers.get_all(HOST).iter();
    let named = match (hosts.next(), hosts.next()) {
        (Some(host), None) => host.to_str().ok(),
        _ => None,
    };
    if let Some(host) = named {
        let remote = server.remote.as_ref().filter(|remote| remote.public.is_host(host));
        let is_local = server.place.is_host(host);
        // An address in the request line counts before the header, so it must be ours too, and the same.
        let aimed = request.uri.authority().is_none_or(|authority| match is_local {
            true => server.place.is_host(authority.as_str()),
            false => authority.as_str().eq_ignore_ascii_case(host),
        });
        if aimed && (is_local || remote.is_some()) {
            return Ok(Door { host, is_local, remote });
        }
    }
    Err(Problem::forbidden(
        "this server does not have that name",
        format!("use {}: the header `Host` must match", site.server.place.url()),
    ))
}

/// Whether it comes from a page of a paired origin. One that comes from any other page but our own is refused.
fn check_origin(site: &ServerContext, request: &Parts, door: Door<'_>) -> Result<bool, Problem> {
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
            let is_asked =
                || origin.strip_prefix("http://").is_some_and(|host| host.eq_ignore_ascii_case(door.host));
            door.remote.is_some_and(|remote| origin == remote.public.origin())
                || (door.is_local && is_asked())
        };
        let known = site.server.paired_origins.iter().any(|paired| origin == paired.as_str());
        if !known && !origin.to_str().is_ok_and(own) {
            return Err(foreign());
        }
    }
    // The page of an app is another site by nature; its browser says so honestly, and the token decides.
    let ours = |said: &HeaderValue| said == "same-origin" || said == "none";
    let elsewhere = request.headers.get_all(SEC_FETCH_SITE).iter().any(|said| !ours(said));
    if elsewhere && !paired && !is_arrival(request, door) {
        return Err(foreign());
    }
    Ok(paired)
}

/// The link may be clicked wherever it is shown. Its code can be used once, and whoever has it may. And a client sends the browser
/// here, for the user to see what it asks for.
fn is_arrival(request: &Parts, door: Door<'_>) -> bool {
    let is_link = request.method == Method::GET
        && [LINK, INVITATION].contains(&request.uri.path())
        && request.extensions.get::<InVault>().is_none();
    let says = |name: &HeaderName, word: &str| request.headers.get(name).is_some_and(|said| said == word);
    (is_link || (door.remote.is_some() && PublicRoute::is_arrival(request)))
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
    door: Door<'_>,
    bearer_only: bool,
) -> Result<Credentials, Problem> {
    // Under the public address, the token is only entered into the form at the door.
    let is_right = |token: &[u8]| door.is_local && site.server.token.matches(token);
    match read_bearer(request) {
        Some(Some(token)) if is_right(token) => return Ok(Credentials::Token),
        Some(given) => {
            let shown = given.filter(|_| door.is_local).and_then(ShownSecret::parse_token);
            return shown.map(Credentials::User).ok_or_else(|| reject_token(site, "wrong token"));
        }
        None => {}
    }
    let access = if bearer_only {
        SessionAccess::None
    } else {
        site.server.sessions.check(&request.headers, &site.server.token, &site.server.place, door.host)
    };
    match access {
        SessionAccess::Full(session) => Ok(Credentials::Session(session)),
        SessionAccess::CookieOnly(user) if is_page_file(request) => Ok(Credentials::Cookie(user)),
        SessionAccess::CookieOnly(_) => Err(Problem::new(
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

/// The token that a request comes with: `None` if it has none, and `Some(None)` if what it has can't be one.
fn read_bearer(request: &Parts) -> Option<Option<&[u8]>> {
    let mut given = request.headers.get_all(AUTHORIZATION).iter();
    match (given.next(), given.next()) {
        (Some(value), None) => Some(parse_bearer(value.as_bytes())),
        (Some(_), Some(_)) => Some(None),
        (None, _) => None,
    }
}

fn parse_bearer(value: &[u8]) -> Option<&[u8]> {
    let (scheme, token) = value.split_at_checked(7)?;
    scheme.eq_ignore_ascii_case(b"bearer ").then(|| token.trim_ascii())
}
