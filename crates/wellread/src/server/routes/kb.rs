//! How the knowledge base is, and its link graph to be drawn.

use std::sync::Arc;

use axum::extract::State;
use wellread_core::insight::health::{Health, LinkGraph};

use crate::server::ServerContext;
use crate::server::route::{ApiAnswer, ApiResult, Route};

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/api/kb/health", "Reports on the health of the whole vault", health).answers::<Health>(),
        Route::get("/api/kb/graph", "The graph of links between notes", graph).answers::<LinkGraph>(),
    ]
}

async fn health(State(site): State<Arc<ServerContext>>) -> ApiResult<Health> {
    Ok(ApiAnswer(site.run_blocking(|site| Ok(site.health.get_or_examine(&site.app)?.health.clone())).await?))
}

async fn graph(State(site): State<Arc<ServerContext>>) -> ApiResult<LinkGraph> {
    Ok(ApiAnswer(site.run_blocking(|site| Ok(site.health.get_or_examine(&site.app)?.graph.clone())).await?))
}
