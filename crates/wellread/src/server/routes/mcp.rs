//! The Model Context Protocol by streamable HTTP: the same server as on standard input, behind our own guard.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode};
use axum::response::Response;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::json;
use wellread_core::Result;

use crate::app::OpenVault;
use crate::mcp::McpServer;
use crate::server::ServerContext;
use crate::server::body;
use crate::server::problem::Problem;
use crate::server::route::Route;

const PATH: &str = "/mcp";
const SESSION: &str = "mcp-session-id";
/// Of clients of the revisions that have sessions. One that is not used for some minutes ends.
const MOST_SESSIONS: usize = 256;

pub fn routes() -> Vec<Route> {
    let any = json!({ "type": "object" });
    vec![
        Route::post(PATH, "Accepts a message of the Model Context Protocol", mcp)
            .with_body_schema(&any)
            .answers_schema(&any)
            .answers_status("202", "Taken")
            .fails(&[404, 406]),
        Route::get(PATH, "Streams the server's messages to a session", mcp)
            .answers_as("text/event-stream", &json!({ "type": "string" }))
            .fails(&[400, 404, 405, 406]),
        Route::delete(PATH, "Ends a session", mcp).answers_status("202", "Ended").fails(&[400, 404, 405]),
    ]
}

type RequestHandler = Box<dyn Fn(Request) -> BoxFuture<'static, Response> + Send + Sync>;

/// The protocol's side of it.
pub struct McpEndpoint {
    handle: RequestHandler,
    end: Box<dyn Fn() + Send + Sync>,
    sessions: Arc<LocalSessionManager>,
}

impl McpEndpoint {
    /// For a vault, and for these others besides.
    pub fn new(vault: &OpenVault, others: &[OpenVault]) -> Result<Self> {
        let first = McpServer::new(vault, others, &vault.config.mcp()?);
        Ok(Self::of(move || first.for_another_client()))
    }

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

async fn mcp(State(site): State<Arc<ServerContext>>, request: Request) -> Result<Response, Problem> {
    let (parts, body) = request.into_parts();
    let bytes =
        if parts.method == Method::POST { body::read_json(&parts.headers, body).await? } else { Vec::new() };
    if !parts.headers.contains_key(SESSION) && site.mcp.sessions.sessions.read().await.len() >= MOST_SESSIONS
    {
        let many = "too many clients of the Model Context Protocol are connected";
        return Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, many, "end some, or wait some minutes")
            .with_retry_after(60));
    }
    Ok((site.mcp.handle)(Request::from_parts(parts, Body::from(bytes))).await)
}
