//! The clients elsewhere that the user has allowed something: listed, and signed out one by one.

use std::sync::Arc;

use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wellread_core::domain::rights::Right;

use crate::server::ServerContext;
use crate::server::body::{Json, PathParam};
use crate::server::oauth::ListedGrant;
use crate::server::problem::Problem;
use crate::server::route::{ApiAnswer, ApiResult, Route};

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/api/remote-clients", "The MCP clients elsewhere that are connected by OAuth", list)
            .answers::<RemoteClientList>(),
        Route::post("/api/remote-clients/{id}/end", "Signs a remote MCP client out", end)
            .needs(&[Right::Read])
            .with_body::<EndRemoteClient>()
            .answers::<EndedRemoteClients>()
            .fails(&[404]),
    ]
}

#[derive(Debug, Serialize, JsonSchema)]
struct RemoteClientList {
    /// The address that they connect to; left out if the setting `server.public_url` is empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<String>,
    /// Those used last first.
    clients: Vec<ListedGrant>,
}

/// Says nothing.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EndRemoteClient {}

#[derive(Debug, Serialize, JsonSchema)]
struct EndedRemoteClients {
    /// How many were signed out.
    ended: usize,
}

async fn list(State(site): State<Arc<ServerContext>>) -> ApiResult<RemoteClientList> {
    let listed = site.run_blocking(|site| {
        let remote = site.server.remote.as_ref();
        Ok(RemoteClientList {
            address: remote.map(|remote| remote.resource(None)),
            clients: remote.map(|remote| remote.grants.list(site.user_name())).unwrap_or_default(),
        })
    });
    Ok(ApiAnswer(listed.await?))
}

async fn end(
    State(site): State<Arc<ServerContext>>,
    PathParam(id): PathParam,
    Json(_): Json<EndRemoteClient>,
) -> ApiResult<EndedRemoteClients> {
    if site.server.remote.is_none() {
        return Err(Problem::not_found());
    }
    site.run_blocking(move |site| {
        site.server.remote.as_ref().map_or(Ok(()), |remote| remote.grants.end(&id, site.user_name()))
    })
    .await?;
    Ok(ApiAnswer(EndedRemoteClients { ended: 1 }))
}
