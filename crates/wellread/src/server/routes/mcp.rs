//! The Model Context Protocol by streamable HTTP: the same server as on standard input, behind our own guard.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::Extension;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode};
use axum::response::Response;
use futures_util::future::BoxFuture;
use futures_util::{FutureExt as _, StreamExt as _};
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::{Value, json};
use wellread_core::Result;
use wellread_core::domain::rights::Right;
use wellread_core::faces::tools::Effect;

use crate::app::OpenVault;
use crate::config::McpSettings;
use crate::mcp::{AccessScopes, McpServer};
use crate::server::ServerContext;
use crate::server::audit;
use crate::server::body;
use crate::server::guard::Credentials;
use crate::server::oauth::{GrantId, Grants, RemoteAccess, RemoteClient, VaultRef};
use crate::server::problem::Problem;
use crate::server::route::Route;

const PATH: &str = "/mcp";
const SESSION: &str = "mcp-session-id";
/// Of clients of the revisions that have sessions. One that is not used for some minutes ends.
const MOST_SESSIONS: usize = 256;
/// How soon a stream to a client elsewhere ends after the user has signed it out.
const LOOKED_AT_EVERY: Duration = Duration::from_secs(2);

pub fn routes() -> Vec<Route> {
    let any = json!({ "type": "object" });
    vec![
        Route::post(PATH, "Accepts a message of the Model Context Protocol", mcp)
            .needs(&[Right::Read])
            .with_body_schema(&any)
            .answers_schema(&any)
            .answers_status("202", "Taken")
            .fails(&[404, 406]),
        Route::get(PATH, "Streams the server's messages to a session", mcp)
            .answers_as("text/event-stream", &json!({ "type": "string" }))
            .fails(&[400, 404, 405, 406]),
        Route::delete(PATH, "Ends a session", mcp)
            .needs(&[Right::Read])
            .answers_status("202", "Ended")
            .fails(&[400, 404, 405]),
    ]
}

/// The protocol's side of it: one for clients that the token lets in, and one for each client elsewhere, which sees nothing of the
/// others' sessions, questions and tasks.
pub struct McpEndpoints {
    local: Arc<McpEndpoint>,
    /// What decides which scopes a message needs.
    full: McpServer,
    vaults: Vec<OpenVault>,
    settings: McpSettings,
    remote: Mutex<HashMap<GrantId, Arc<McpEndpoint>>>,
}

impl McpEndpoints {
    /// For a vault, and for these others besides.
    pub fn new(vault: &OpenVault, others: &[OpenVault]) -> Result<Self> {
        let server = McpServer::new(vault, others, &vault.config.mcp()?);
        Self::with_local(vault, others, McpEndpoint::of(move || server.for_another_client()))
    }

    /// With what answers clients that the token lets in.
    pub fn with_local(vault: &OpenVault, others: &[OpenVault], local: McpEndpoint) -> Result<Self> {
        let settings = vault.config.mcp()?;
        let full = McpServer::new(vault, others, &settings);
        let vaults = std::iter::once(vault).chain(others).cloned().collect();
        Ok(Self { local: Arc::new(local), full, vaults, settings, remote: Mutex::default() })
    }

    /// Tells every stream that nothing more will come.
    pub fn end(&self) {
        self.local.end();
        self.lock_remote().values().for_each(|endpoint| endpoint.end());
    }

    /// The calls among the messages of a request that decide something, with what they are about.
    fn find_decisions(&self, body: &[u8]) -> Vec<(String, Option<String>)> {
        let calls = read_messages(body).into_iter().filter_map(|message| self.full.find_call(&message));
        let decisions = calls.filter(|(tool, _)| tool.effect == Effect::Decides);
        decisions.map(|(tool, arguments)| (tool.name.to_owned(), audit::find_target(&arguments))).collect()
    }

    fn lock_remote(&self) -> MutexGuard<'_, HashMap<GrantId, Arc<McpEndpoint>>> {
        self.remote.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The one of a client elsewhere, over those of the vaults that the user has allowed it; `None` if none of them is here.
    fn for_client(&self, client: &RemoteClient, grants: &Grants) -> Option<Arc<McpEndpoint>> {
        let mut remote = self.lock_remote();
        if let Some(known) = remote.get(&client.grant) {
            return Some(known.clone());
        }
        // Each has a grant, and there are only so many.
        remote.retain(|grant, endpoint| {
            grants.is_open(grant) || {
                endpoint.end();
                false
            }
        });
        let is_allowed = |vault: &&OpenVault| {
            VaultRef::from_config(&vault.config).is_ok_and(|vault| client.vaults.contains(&vault))
        };
        let vaults: Vec<OpenVault> = self.vaults.iter().filter(is_allowed).cloned().collect();
        let (first, others) = vaults.split_first()?;
        // Nobody knows where its model runs, but it is not here.
        let settings =
            McpSettings { scopes: Some(client.scopes.clone()), sees_private: false, ..self.settings.clone() };
        let server = McpServer::new(first, others, &settings);
        let endpoint = Arc::new(McpEndpoint::of(move || server.for_another_client()));
        remote.insert(client.grant.clone(), endpoint.clone());
        Some(endpoint)
    }
}

type RequestHandler = Box<dyn Fn(Request) -> BoxFuture<'static, Response> + Send + Sync>;

/// What one kind of client speaks to.
pub struct McpEndpoint {
    handle: RequestHandler,
    end: Box<dyn Fn() + Send + Sync>,
    sessions: Arc<LocalSessionManager>,
}

impl McpEndpoint {
    /// For whatever answers a client; each gets its own.
    pub fn of<S: ServerHandler + Send + 'static>(server: impl Fn() -> S + Send + Sync + 'static) -> Self {
        let sessions = Arc::new(LocalSessionManager::default());
        // Names and pages were looked at before: the guard knows our port.
        let config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .with_max_request_body_bytes(body::LARGEST_BODY);
        let stop = config.cancellation_token.clone();
        let service = StreamableHttpService::new(move || Ok(server()), sessions.clone(), config);
        let handle = move |request: Request| {
            let service = service.clone();
            async move { service.handle(request).await.map(Body::new) }.boxed()
        };
        Self { handle: Box::new(handle), end: Box::new(move || stop.cancel()), sessions }
    }

    /// Tells every stream that nothing more will come.
    pub fn end(&self) {
        (self.end)();
    }
}

async fn mcp(
    State(site): State<Arc<ServerContext>>,
    Extension(credentials): Extension<Credentials>,
    request: Request,
) -> Result<Response, Problem> {
    let (parts, body) = request.into_parts();
    let bytes =
        if parts.method == Method::POST { body::read_json(&parts.headers, body).await? } else { Vec::new() };
    let endpoint = match (credentials.remote(), &site.server.remote) {
        (Some(client), Some(remote)) => {
            check_scopes(&site, remote, client, &bytes)?;
            let gone = "none of the vaults that the user has allowed this client is served here";
            let hint = "the user can connect the client anew";
            let endpoint = site.mcp.for_client(client, &remote.grants);
            endpoint.ok_or_else(|| Problem::forbidden(gone, hint))?
        }
        _ => site.mcp.local.clone(),
    };
    if !parts.headers.contains_key(SESSION) && endpoint.sessions.sessions.read().await.len() >= MOST_SESSIONS
    {
        let many = "too many clients of the Model Context Protocol are connected";
        return Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, many, "end some, or wait some minutes")
            .with_retry_after(60));
    }
    for (tool, target) in site.mcp.find_decisions(&bytes) {
        audit::record(site.clone(), "mcp", tool, target).await;
    }
    let is_standing = parts.method == Method::GET || is_subscription(&bytes);
    let response = (endpoint.handle)(Request::from_parts(parts, Body::from(bytes))).await;
    if credentials.remote().is_none() && site.user.is_none() {
        return Ok(response);
    }
    let ended = wait_until_ended(site.clone(), credentials.remote().cloned(), is_standing);
    Ok(response.map(|body| Body::from_stream(body.into_data_stream().take_until(Box::pin(ended)))))
}

/// The messages of a request. What is no JSON is refused by the protocol.
fn read_messages(body: &[u8]) -> Vec<Value> {
    match serde_json::from_slice(body).unwrap_or_default() {
        Value::Array(messages) => messages,
        one => vec![one],
    }
}

/// Whether a request opens a stream that ends with nothing in particular.
fn is_subscription(body: &[u8]) -> bool {
    read_messages(body).iter().any(|message| message["method"] == "subscriptions/listen")
}

/// Refuses a message for which the user has not allowed the client enough, and says what it needs.
fn check_scopes(
    site: &ServerContext,
    remote: &RemoteAccess,
    client: &RemoteClient,
    body: &[u8],
) -> Result<(), Problem> {
    let messages = read_messages(body);
    let needed = messages.iter().map(|message| site.mcp.full.required_scopes(message));
    let needed = needed.fold(AccessScopes::default(), |all, one| all.union(&one));
    if client.scopes.covers(&needed) { Ok(()) } else { Err(remote.demand_scopes(client, &needed)) }
}

/// Waits until the user has ended the grant, or is none any more. A stream that stands open for no particular answer ends with its
/// token; the answer to a call that was let in is finished.
async fn wait_until_ended(site: Arc<ServerContext>, client: Option<RemoteClient>, is_standing: bool) {
    let began = Instant::now();
    let is_over = |client: &RemoteClient| {
        let is_open = site.server.remote.as_ref().is_some_and(|remote| remote.grants.is_open(&client.grant));
        !is_open || (is_standing && began.elapsed() >= client.remaining)
    };
    loop {
        tokio::time::sleep(LOOKED_AT_EVERY).await;
        if site.over.is_requested() || client.as_ref().is_some_and(is_over) {
            return;
        }
    }
}
