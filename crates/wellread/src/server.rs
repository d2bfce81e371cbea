//! The local server: the API, the tools over the Model Context Protocol, and the page, for clients that have the token.
//!
//! A request goes through the guard first, whatever its address (`guard`), then to its route. A family of routes is a file in
//! `routes/` and a line in `routes.rs`; each route is declared once, with what OpenAPI says of it beside its handler. Work that
//! waits for the disk is done on other threads, so many at a time; everything else on one.

mod active_runs;
#[cfg(test)]
mod api_page;
mod attempts;
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
mod openapi;
mod page;
mod problem;
mod route;
mod routes;
mod stall;
mod token;
mod turns;

use std::future::Future;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::{MatchedPath, Request};
use axum::http::StatusCode;
use axum::http::header::{AUTHORIZATION, COOKIE};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse as _, Response};
use hyper::body::Incoming;
use hyper::service::Service as _;
use hyper_util::service::TowerToHyperService;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use wellread_core::domain::decision::{DecidedBy, UserDecision};
use wellread_core::engine::run::StopSignal;
use wellread_core::faces::chat::Chat;
use wellread_core::{Error, Result};

use self::active_runs::ActiveRuns;
use self::attempts::TokenAttempts;
use self::browser::OneTimeLinks;
pub use self::browser_sessions::BrowserSessions;
use self::browser_sessions::PAGE_KEY;
use self::connections::{Connection, IdleConnections, ServedBody};
use self::guard::{Admission, Credentials};
use self::listen_address::{ListenAddress, is_loopback_only};
use self::metrics::Metrics;
use self::problem::Problem;
use self::route::Route;
use self::token::AccessToken;
pub use self::token::create_private_file;
pub use self::turns::{MOST_TURNS, TurnScheduler};
use crate::answers::HealthCache;
use crate::app::App;
use crate::config::Config;
use crate::platform;
use crate::wiring;
use crate::worker::Worker;

/// How many requests may wait for the disk at a time, each on a thread of its own. The others wait for their turn.
pub const MOST_WORK: usize = 32;
/// What others can reach must not be guessed.
const SHORTEST_REMOTE_TOKEN: usize = 16;

/// A request that the guard let in speaks for the user.
pub const BY_REQUEST: UserDecision = UserDecision::new(DecidedBy::Request);

/// All that requests share.
pub struct ServerContext {
    pub app: Arc<App>,
    pub config: Config,
    pub chat: Chat,
    pub turns: TurnScheduler,
    pub underway: ActiveRuns,
    pub worker: Worker,
    pub place: ListenAddress,
    pub token: AccessToken,
    pub links: OneTimeLinks,
    pub sessions: BrowserSessions,
    pub health: HealthCache,
    /// Pages of other origins that the user lets in, with the token.
    paired_origins: Vec<String>,
    attempts: TokenAttempts,
    connections: Arc<IdleConnections>,
    metrics: Metrics,
    mcp: routes::McpEndpoint,
    openapi: Value,
    work: Semaphore,
    ending: AtomicBool,
}

/// A server that has its port and its token, and takes no connections yet.
pub struct HttpServer {
    pub site: Arc<ServerContext>,
    router: Router,
    listener: TcpListener,
}

impl HttpServer {
    /// Takes the port. Anything that others can reach only where the user said so twice: by the flag and with a token.
    pub async fn bind(app: Arc<App>, config: Config, port: Option<u16>, allow_remote: bool) -> Result<Self> {
        let settings = config.server()?;
        let set = settings.token()?;
        if !is_loopback_only(settings.bind) {
            let strong =
                set.as_ref().is_some_and(|token| token.expose_secret().len() >= SHORTEST_REMOTE_TOKEN);
            if !allow_remote || !strong {
                return Err(Error::refused(format!("others can reach {}", settings.bind)).hint(format!(
                    "give --allow-remote and set `server.token`, at least {SHORTEST_REMOTE_TOKEN} characters; or listen on \
                     127.0.0.1"
                )));
            }
        }
        let token = match &set {
            Some(secret) => AccessToken::from_secret(secret)?,
            None => AccessToken::load_or_create(&token_folder(&app, &config)?)?,
        };
        let sessions = BrowserSessions::new(&config.shared_data_folder()?);
        let wanted = SocketAddr::new(settings.bind, port.unwrap_or(settings.port));
        let listener = TcpListener::bind(wanted).await.map_err(|error| bind_error(wanted, &error))?;
        let at = listener.local_addr().map_err(|error| bind_error(wanted, &error))?;
        let place = ListenAddress::new(at, host_names);
        let routes = routes::all_routes(&app.tools);
        let openapi = openapi::build_document(&routes, &place.url());
        let site = ServerContext {
            chat: wiring::open_chat(&app, &config)?,
            turns: TurnScheduler::default(),
            underway: ActiveRuns::default(),
            worker: Worker::new(app.clone(), StopSignal::default()),
            mcp: routes::McpEndpoint::new(app.clone(), &config.mcp()?),
            app,
            config,
            place,
            token,
            links: OneTimeLinks::default(),
            sessions,
            paired_origins: settings.origins,
            health: HealthCache::default(),
            attempts: TokenAttempts::default(),
            connections: Arc::default(),
            metrics: Metrics::default(),
            openapi,
            work: Semaphore::new(MOST_WORK),
            ending: AtomicBool::new(false),
        };
        let site = Arc::new(site);
        Ok(Self { router: build_router(routes, &site), site, listener })
    }

    /// Serves until `end`, and then finishes what is being served. Says how long what is left to do may take.
    pub async fn serve(self, end: impl Future<Output = ()>) -> Duration {
        listen::listen(self.listener, self.site, self.router, end).await
    }
}

impl ServerContext {
    /// Does this on a thread that may wait for the disk, when it is its turn.
    pub async fn run_blocking<T: Send + 'static>(
        self: &Arc<Self>,
        act: impl FnOnce(&Self) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let _turn = self.work.acquire().await;
        let site = self.clone();
        let done = tokio::task::spawn_blocking(move || act(&site)).await;
        done.unwrap_or_else(|_| Err(Error::failed("internal error: this is a bug in Wellread")))
    }

    /// Runs a tool, when it is its turn.
    pub async fn call_tool(self: &Arc<Self>, tool: String, args: Value) -> Result<Value> {
        let _turn = self.work.acquire().await;
        self.app.clone().call_tool(BY_REQUEST, tool, args).await
    }

    /// No new work: what waits for events is told that none will come.
    fn begin_shutdown(&self) {
        self.ending.store(true, Ordering::Relaxed);
        self.mcp.end();
    }

    fn is_shutting_down(&self) -> bool {
        self.ending.load(Ordering::Relaxed)
    }
}

/// One request, from its head to its answer.
async fn handle_request(
    site: Arc<ServerContext>,
    router: Router,
    connection: Arc<Connection>,
    request: hyper::Request<Incoming>,
) -> Response {
    let begun = Instant::now();
    let _in_flight = site.metrics.begin();
    let (mut parts, body) = request.into_parts();
    let (method, paired) = (parts.method.clone(), guard::paired_origin(&site, &parts));
    let mut response = match guard::admit(&site, &parts) {
        Err(problem) if guard::is_page_visit(&parts.method, &parts.uri, &parts.headers) => {
            problem.into_page()
        }
        Err(problem) => problem.into_response(),
        Ok(Admission::Preflight) => headers::preflight_response(),
        Ok(Admission::Serve(credentials)) => {
            // Nobody needs to know them from here on, and what is not there can't be logged.
            for secret in [&AUTHORIZATION, &COOKIE, &PAGE_KEY] {
                parts.headers.remove(secret);
            }
            let known = credentials != Credentials::None;
            parts.extensions.insert(credentials);
            serve_request(router, &connection, known, Request::from_parts(parts, Body::new(body))).await
        }
    };
    headers::add_common_headers(&mut response, paired);
    let route = response.extensions_mut().remove::<MatchedPath>();
    let route = route.as_ref().map_or("none", MatchedPath::as_str);
    site.metrics.record_answer(route, &method, response.status(), begun.elapsed());
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

/// Where each route leads. What leads nowhere is answered too.
fn build_router(routes: Vec<Route>, site: &Arc<ServerContext>) -> Router {
    let mut router = Router::new();
    for Route { path, handler, .. } in routes {
        router = router.route(&path, handler);
    }
    router
        .method_not_allowed_fallback(async || Problem::method_not_allowed())
        .route_layer(from_fn(keep_path))
        .fallback(async || Problem::not_found())
        .with_state(site.clone())
}

/// Hands on to the answer by which route it came.
async fn keep_path(request: Request, next: Next) -> Response {
    let path = request.extensions().get::<MatchedPath>().cloned();
    let mut response = next.run(request).await;
    if let Some(path) = path {
        response.extensions_mut().insert(path);
    }
    response
}

/// The folder that keeps the token: the data folder of all vaults together, which no tool may look into.
fn token_folder(app: &App, config: &Config) -> Result<PathBuf> {
    let folder = config.shared_data_folder()?;
    let within = app.roots.iter().find(|root| folder.starts_with(platform::canonicalize_existing(root)));
    match within {
        None => Ok(folder),
        Some(root) => Err(Error::refused(format!(
            "the token would be stored in `{}`, which is read for notes and code",
            root.display()
        ))
        .hint("choose another data folder with --data, or set `server.token`")),
    }
}

fn host_names() -> Vec<String> {
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    vec![format!("{name}.local"), name]
}

fn bind_error(at: SocketAddr, error: &std::io::Error) -> Error {
    match error.kind() {
        std::io::ErrorKind::AddrInUse => Error::conflict(format!("port {} is already in use", at.port()))
            .hint("another server may be running already; `--port 0` picks a free one"),
        _ => Error::failed(format!("could not listen on {at}: {error}"))
            .hint("check `server.bind` and `server.port`, or choose another with --port"),
    }
}
