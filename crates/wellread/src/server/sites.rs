//! The vaults of a server, each with its own routes: all of them below `/vaults/NAME`, the first without that, too.

use std::path::PathBuf;
use std::sync::Arc;

use axum::Router;
use axum::extract::{MatchedPath, Request};
use axum::http::Uri;
use axum::http::request::Parts;
use axum::http::uri::PathAndQuery;
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::Response;
use axum::routing::{MethodFilter, MethodRouter, any, on};
use wellread_core::Result;
use wellread_core::domain::rights::Rights;
use wellread_core::engine::run::StopSignal;
use wellread_core::faces::tools::catalog;
use wellread_core::ports::Account;

use super::active_runs::ActiveRuns;
use super::audit::record_request;
use super::problem::Problem;
use super::route::Route;
use super::state::ServerState;
use super::turns::TurnScheduler;
use super::user_sites::UserSites;
use super::{McpEndpoints, ServerContext, openapi, routes};
use crate::answers::HealthCache;
use crate::app::{OpenVault, OpenVaults};
use crate::wiring;
use crate::worker::Worker;

const PREFIX: &str = "/vaults/";

/// The routes of one vault, and what they work with.
#[derive(Clone)]
pub struct VaultSite {
    pub context: Arc<ServerContext>,
    pub router: Router,
}

/// For whom a site is.
pub struct SiteOwner {
    /// A user with an account; the server's owner where there is none.
    pub user: Option<Arc<Account>>,
    pub worker: Worker,
    /// The vaults that exist for them.
    pub vaults: Vec<(String, PathBuf)>,
    /// Whether it has ended.
    pub over: StopSignal,
    /// Whether it is meant where an address names no vault.
    pub is_first: bool,
}

impl VaultSite {
    /// The site of the server's owner.
    pub fn open_for_owner(server: &Arc<ServerState>, vault: &OpenVault, mcp: McpEndpoints) -> Result<Self> {
        let name = vault.config.vault_name();
        let owner = SiteOwner {
            user: None,
            worker: Worker::new(&vault.app, StopSignal::default()),
            vaults: server.vaults.clone(),
            over: StopSignal::default(),
            is_first: server.vaults.first().is_none_or(|(first, _)| first == name),
        };
        Self::open(server, vault, mcp, owner)
    }

    /// The routes of a vault, with what answers clients of the Model Context Protocol there.
    pub fn open(
        server: &Arc<ServerState>,
        vault: &OpenVault,
        mcp: McpEndpoints,
        owner: SiteOwner,
    ) -> Result<Self> {
        let OpenVault { app, config } = vault;
        let SiteOwner { user, worker, vaults, over, is_first } = owner;
        // Also those of tools that a user may not call: they say what is missing.
        let routes = routes::all_routes(&catalog());
        let address = format!(
            "{}{}",
            server.place.url(),
            if is_first { String::new() } else { address_of(config.vault_name()) }
        );
        let openapi = openapi::build_document(&routes, &address);
        // Not part of the API: clients find it by its own metadata.
        let for_remote =
            if is_first && server.remote.is_some() { routes::remote_routes() } else { Vec::new() };
        let rights = user.as_ref().and_then(|user| user.rights_in(config.vault_name()));
        let rights = rights.map(|rights| rights.rights.clone());
        let context = Arc::new(ServerContext {
            user,
            vaults,
            over,
            server: server.clone(),
            chat: wiring::open_chat(app, config)?,
            turns: TurnScheduler::default(),
            underway: ActiveRuns::default(),
            worker,
            health: HealthCache::default(),
            mcp,
            app: app.clone(),
            config: config.clone(),
            openapi,
        });
        let routes = routes.into_iter().chain(for_remote).collect();
        Ok(Self { router: build_router(routes, rights.as_ref(), &context), context })
    }
}

/// All that are served; never none.
pub struct Sites {
    pub first: VaultSite,
    pub others: Vec<VaultSite>,
    pub users: UserSites,
}

impl Sites {
    /// The sites of the server's owner; those of users are made when they come.
    pub fn new(vaults: &OpenVaults, first: VaultSite, others: Vec<VaultSite>) -> Self {
        let contexts = std::iter::once(&first).chain(&others).map(|site| site.context.clone());
        let users = UserSites::new(vaults.all().cloned().zip(contexts).collect());
        Self { first, others, users }
    }

    /// What all requests share, also those of users who came.
    pub fn contexts(&self) -> Vec<Arc<ServerContext>> {
        let owners = self.all().map(|site| site.context.clone());
        owners.chain(self.users.contexts()).collect()
    }

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

/// Where each route leads. What leads nowhere is answered too. Where there are rights, a route that needs others only says so.
fn build_router(routes: Vec<Route>, rights: Option<&Rights>, site: &Arc<ServerContext>) -> Router {
    let mut router = Router::new();
    for route in routes {
        let is_allowed = route.open || rights.is_none_or(|rights| rights.covers(&route.needs));
        let action: Arc<str> = format!("{} {}", route.method, route.path).into();
        let is_recorded = route.is_recorded();
        let handler = match is_allowed {
            true if is_recorded => {
                route.handler.route_layer(from_fn_with_state((site.clone(), action), record_request))
            }
            true => route.handler,
            false => refuse(&route),
        };
        router = router.route(&route.path, handler);
    }
    router
        .method_not_allowed_fallback(async || Problem::method_not_allowed())
        .route_layer(from_fn(keep_path))
        .fallback(async || Problem::not_found())
        .with_state(site.clone())
}

/// A route for which a user lacks a right.
fn refuse(route: &Route) -> MethodRouter<Arc<ServerContext>> {
    let detail = format!("this needs the rights `{}` in this vault", route.needs);
    let refuse = async move || {
        let hint = "whoever runs this server can give them: `wellread users rights`";
        Problem::forbidden(detail.clone(), hint)
    };
    match MethodFilter::try_from(route.method.clone()) {
        Ok(filter) => on(filter, refuse),
        Err(_) => any(refuse),
    }
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
