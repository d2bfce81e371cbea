//! The local server: the API, the tools over the Model Context Protocol, and the page, for clients that have the token.
//!
//! A request goes through the guard first, whatever its address (`guard`), then to its route. A family of routes is a file in
//! `routes/` and a line in `routes.rs`; each route is declared once, with what OpenAPI says of it beside its handler. Work that
//! waits for the disk is done on other threads, so many at a time; everything else on one.

mod active_runs;
#[cfg(test)]
mod api_page;
mod attempts;
mod audit;
mod body;
mod browser;
mod browser_sessions;
mod connections;
mod events;
mod guard;
mod headers;
mod idempotency;
mod listen;
mod listen_address;
mod metrics;
mod oauth;
mod openapi;
mod page;
mod problem;
mod route;
mod routes;
mod sites;
mod stall;
mod state;
mod token;
mod turns;
mod unread_body;
mod user_sites;
mod user_token;
mod users;

use std::future::Future;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::{MatchedPath, Request};
use axum::http::header::{AUTHORIZATION, CONNECTION, COOKIE};
use axum::http::{HeaderValue, StatusCode};

use axum::response::{IntoResponse as _, Response};
use hyper::body::Incoming;
use hyper::service::Service as _;
use hyper_util::service::TowerToHyperService;
use serde_json::Value;
use tokio::net::TcpListener;
use wellread_core::domain::decision::{DecidedBy, UserDecision};
use wellread_core::domain::rights::UserName;
use wellread_core::engine::run::StopSignal;
use wellread_core::faces::chat::Chat;
use wellread_core::ports::{Account, RecordViewer};
use wellread_core::{Error, Result};

use self::active_runs::ActiveRuns;
pub use self::audit::find_target;
pub use self::browser_sessions::BrowserSessions;
use self::browser_sessions::PAGE_KEY;
use self::connections::{Connection, ServedBody};
use self::guard::{Admission, Credentials};
pub use self::oauth::Grants;
use self::problem::Problem;
#[cfg(test)]
pub use self::routes::McpEndpoint;
pub use self::routes::McpEndpoints;
use self::sites::{InVault, Sites, VaultSite};
pub use self::state::{MOST_WORK, SHORTEST_REMOTE_TOKEN, ServerState};
pub use self::turns::{MOST_TURNS, TurnScheduler};
use self::unread_body::NotedBody;
use self::user_sites::find_site;
pub use self::user_token::{UserSecret, invitation_url};
use crate::answers::HealthCache;
use crate::app::{App, OpenVaults};
use crate::config::Config;
use crate::mcp::AccessScopes;
use crate::worker::Worker;

/// A request that the guard let in speaks for the user.
pub const BY_REQUEST: UserDecision = UserDecision::new(DecidedBy::Request);

/// All that requests about one vault share.
pub struct ServerContext {
    /// The user with an account whose requests these are; the server's owner where there is none.
    pub user: Option<Arc<Account>>,
    /// The vaults that exist for them, with their folders; the first is meant where none is named.
    pub vaults: Vec<(String, PathBuf)>,
    /// Whether the user has lost what these requests are served by.
    pub over: StopSignal,
    pub server: Arc<ServerState>,
    pub app: Arc<App>,
    pub config: Config,
    pub chat: Chat,
    pub turns: TurnScheduler,
    pub underway: ActiveRuns,
    pub worker: Worker,
    pub health: HealthCache,
    mcp: McpEndpoints,
    openapi: Value,
}

/// A server that has its port and its token, and takes no connections yet.
pub struct HttpServer {
    pub state: Arc<ServerState>,
    sites: Sites,
    listener: TcpListener,
}

impl HttpServer {
    /// Takes the port. Anything that others can reach only where the user said so twice: by the flag and with a token.
    pub async fn bind(vaults: &OpenVaults, port: Option<u16>, allow_remote: bool) -> Result<Self> {
        // Clients of the protocol reach all vaults by the first, and by its own address each of the others alone.
        let endpoint = McpEndpoints::new(&vaults.first, &vaults.others)?;
        Self::bind_with(vaults, port, allow_remote, endpoint).await
    }

    /// The same with what answers clients of the Model Context Protocol that ask about the first vault.
    pub async fn bind_with(
        vaults: &OpenVaults,
        port: Option<u16>,
        allow_remote: bool,
        endpoint: McpEndpoints,
    ) -> Result<Self> {
        let (state, listener) = ServerState::bind(vaults, port, allow_remote).await?;
        let state = Arc::new(state);
        let first = VaultSite::open_for_owner(&state, &vaults.first, endpoint)?;
        let others = vaults.others.iter().map(|vault| {
            let endpoint = McpEndpoints::new(vault, &[])?;
            VaultSite::open_for_owner(&state, vault, endpoint)
        });
        let sites = Sites::new(vaults, first, others.collect::<Result<_>>()?);
        Ok(Self { state, sites, listener })
    }

    /// What the requests of each vault share; the first vault's comes first.
    pub fn contexts(&self) -> impl Iterator<Item = &Arc<ServerContext>> {
        self.sites.all().map(|site| &site.context)
    }

    /// Serves until `end`, and then finishes what is being served. Says how long what is left to do may take.
    pub async fn serve(self, end: impl Future<Output = ()>) -> Duration {
        listen::listen(self.listener, self.state, self.sites, end).await
    }
}

impl ServerContext {
    /// The name of the user, if it is one with an account.
    pub fn user_name(&self) -> Option<&UserName> {
        self.user.as_ref().map(|user| &user.name)
    }

    /// As whom runs, conversations and answers are recorded.
    pub fn viewer(&self) -> RecordViewer {
        self.user.as_ref().map_or_else(RecordViewer::owner, |user| user.viewer())
    }

    /// The most that the user can allow a client.
    pub fn user_scopes(&self) -> AccessScopes {
        let Some(user) = &self.user else { return AccessScopes::all() };
        let theirs = user.vaults.iter().map(|vault| AccessScopes::from_rights(&vault.rights));
        theirs.fold(AccessScopes::default(), |all, one| all.union(&one))
    }

    /// Does this on a thread that may wait for the disk, when it is its turn.
    pub async fn run_blocking<T: Send + 'static>(
        self: &Arc<Self>,
        act: impl FnOnce(&Self) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let _turn = self.server.work.acquire().await;
        let site = self.clone();
        let done = tokio::task::spawn_blocking(move || act(&site)).await;
        done.unwrap_or_else(|_| Err(Error::failed("internal error: this is a bug in Wellread")))
    }

    /// Runs a tool, when it is its turn.
    pub async fn call_tool(self: &Arc<Self>, tool: String, args: Value) -> Result<Value> {
        let _turn = self.server.work.acquire().await;
        self.app.clone().call_tool(BY_REQUEST, tool, args).await
    }
}

/// One request, from its head to its answer.
async fn handle_request(
    state: Arc<ServerState>,
    sites: Arc<Sites>,
    connection: Arc<Connection>,
    request: hyper::Request<Incoming>,
) -> Response {
    let begun = Instant::now();
    let _in_flight = state.metrics.begin();
    let (mut parts, body) = request.into_parts();
    let (body, body_state) = NotedBody::new(body);
    let site = sites.route(&mut parts).clone();
    let (method, paired) = (parts.method.clone(), guard::paired_origin(&site.context, &parts));
    let mut response = match guard::admit(&site.context, &parts) {
        Err(problem) if guard::is_page_visit(&parts.method, &parts.uri, &parts.headers) => {
            problem.into_page()
        }
        Err(problem) => problem.into_response(),
        Ok(Admission::Preflight) => headers::preflight_response(),
        Ok(Admission::Serve(mut credentials)) => {
            let named = parts.extensions.get::<InVault>().cloned();
            match find_site(&state, &sites, site, &mut credentials, named.as_ref()).await {
                Err(problem) if guard::is_page_visit(&parts.method, &parts.uri, &parts.headers) => {
                    problem.into_page()
                }
                Err(problem) => problem.into_response(),
                Ok(VaultSite { router, .. }) => {
                    // Nobody needs to know them from here on, and what is not there can't be logged.
                    for secret in [&AUTHORIZATION, &COOKIE, &PAGE_KEY] {
                        parts.headers.remove(secret);
                    }
                    let known = credentials != Credentials::None;
                    parts.extensions.insert(credentials);
                    let request = Request::from_parts(parts, Body::new(body));
                    serve_request(router, &connection, known, request).await
                }
            }
        }
    };
    headers::add_common_headers(&mut response, paired);
    if !body_state.is_read() {
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    let route = response.extensions_mut().remove::<MatchedPath>();
    let route = route.as_ref().map_or("none", MatchedPath::as_str);
    state.metrics.record_answer(route, &method, response.status(), begun.elapsed());
    response
}

/// Serves a request that was let in. Whoever is known keeps the connection until the answer is sent.
async fn serve_request(
    router: Router,
    connection: &Arc<Connection>,
    known: bool,
    request: Request,
) -> Response {
    let busy = if known { connection.begin_request() } else { None };
    if known && busy.is_none() {
        let busy = "this connection was closed to make room for others";
        return Problem::new(StatusCode::SERVICE_UNAVAILABLE, busy, "try again").with_close().into_response();
    }
    let response = match TowerToHyperService::new(router).call(request).await {
        Ok(response) => response,
        Err(never) => match never {},
    };
    match busy {
        Some(busy) => response.map(|body| Body::new(ServedBody::new(body, busy))),
        None => response,
    }
}
