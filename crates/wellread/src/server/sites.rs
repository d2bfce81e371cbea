//! The vaults of a server, each with its own routes: all of them below `/vaults/NAME`, the first without that, too.

use std::sync::Arc;

use axum::Router;
use axum::extract::{MatchedPath, Request};
use axum::http::Uri;
use axum::http::request::Parts;
use axum::http::uri::PathAndQuery;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use wellread_core::Result;
use wellread_core::engine::run::StopSignal;

use super::active_runs::ActiveRuns;
use super::problem::Problem;
use super::route::Route;
use super::state::ServerState;
use super::turns::TurnScheduler;
use super::{McpEndpoints, ServerContext, openapi, routes};
use crate::answers::HealthCache;
use crate::app::OpenVault;
use crate::wiring;
use crate::worker::Worker;

const PREFIX: &str = "/vaults/";

/// The routes of one vault, and what they work with.
#[derive(Clone)]
pub struct VaultSite {
    pub context: Arc<ServerContext>,
    pub router: Router,
}

impl VaultSite {
    /// The routes of a vault, with what answers clients of the Model Context Protocol there.
    pub fn open(server: &Arc<ServerState>, vault: &OpenVault, mcp: McpEndpoints) -> Result<Self> {
        let OpenVault { app, config } = vault;
        let is_first = server.vaults.first().is_none_or(|(name, _)| name == config.vault_name());
        let routes = routes::all_routes(&app.tools);
        let address = format!(
            "{}{}",
            server.place.url(),
            if is_first { String::new() } else { address_of(config.vault_name()) }
        );
        let openapi = openapi::build_document(&routes, &address);
        // Not part of the API: clients find it by its own metadata.
        let for_remote =
            if is_first && server.remote.is_some() { routes::remote_routes() } else { Vec::new() };
        let context = Arc::new(ServerContext {
            server: server.clone(),
            chat: wiring::open_chat(app, config)?,
            turns: TurnScheduler::default(),
            underway: ActiveRuns::default(),
            worker: Worker::new(app.clone(), StopSignal::default()),
            health: HealthCache::default(),
            mcp,
            app: app.clone(),
            config: config.clone(),
            openapi,
        });
        let routes = routes.into_iter().chain(for_remote).collect();
        Ok(Self { router: build_router(routes, &context), context })
    }
}

/// All that are served; never none.
pub struct Sites {
    pub first: VaultSite,
    pub others: Vec<VaultSite>,
}

impl Sites {
    pub fn all(&self) -> impl Iterator<Item = &VaultSite> {
        std::iter::once(&self.first).chain(&self.others)
    }

    /// The vault that a request is about; its address becomes the one within it. What names no vault is about the first.
    pub fn route(&self, request: &mut Parts) -> &VaultSite {
        let Some((name, inner)) = split_address(&request.uri) else { return &self.first };
        let named = self.all().find(|site| site.context.config.vault_name().eq_ignore_ascii_case(&name));
        request.uri = inner;
        let is_known = named.is_some();
        let name = named.map_or(name, |site| site.context.config.vault_name().to_owned());
        request.extensions.insert(InVault { name, is_known });
        named.unwrap_or(&self.first)
    }
}

/// That a request named a vault, and whether there is one of that name. Whoever is not let in must not learn it.
#[derive(Debug, Clone)]
pub struct InVault {
    /// As the settings write it, or as the request does where there is none.
    pub name: String,
    pub is_known: bool,
}

/// The name of a vault and the address within it, of an address that has both.
fn split_address(uri: &Uri) -> Option<(String, Uri)> {
    let below = uri.path().strip_prefix(PREFIX)?;
    let (name, rest) = below.split_once('/').unwrap_or((below, ""));
    let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(PathAndQuery::try_from(format!("/{rest}{query}")).ok()?);
    Some((name.to_owned(), Uri::from_parts(parts).ok()?))
}

/// Where the routes of a vault begin.
pub fn address_of(name: &str) -> String {
    format!("{PREFIX}{name}")
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
