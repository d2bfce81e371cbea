//! The browsers that are signed in: listed, and signed out one by one or all together.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wellread_core::domain::rights::Right;

use crate::server::ServerContext;
use crate::server::body::{Json, PathParam};
use crate::server::browser_sessions::SignIn;
use crate::server::guard::Credentials;
use crate::server::route::{ApiAnswer, ApiResult, Route};

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/api/sign-ins", "The browsers that are signed in", list).answers::<SignInList>(),
        Route::post("/api/sign-ins/end", "Signs every browser out", end_all)
            .needs(&[Right::Read])
            .with_body::<EndRequest>()
            .answers::<EndedSignIns>(),
        Route::post("/api/sign-ins/{id}/end", "Signs one browser out", end)
            .needs(&[Right::Read])
            .with_body::<EndRequest>()
            .answers::<EndedSignIns>()
            .fails(&[404]),
    ]
}

#[derive(Debug, Serialize, JsonSchema)]
struct SignInList {
    /// Those used last first.
    sign_ins: Vec<SignIn>,
}

/// Says nothing.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EndRequest {}

#[derive(Debug, Serialize, JsonSchema)]
struct EndedSignIns {
    /// How many were signed out.
    ended: usize,
}

async fn list(
    State(site): State<Arc<ServerContext>>,
    Extension(credentials): Extension<Credentials>,
) -> ApiResult<SignInList> {
    let listed =
        site.run_blocking(move |site| Ok(site.server.sessions.list(credentials.session(), site.user_name())));
    Ok(ApiAnswer(SignInList { sign_ins: listed.await? }))
}

async fn end(
    State(site): State<Arc<ServerContext>>,
    PathParam(id): PathParam,
    Json(_): Json<EndRequest>,
) -> ApiResult<EndedSignIns> {
    site.run_blocking(move |site| site.server.sessions.end(&id, site.user_name())).await?;
    Ok(ApiAnswer(EndedSignIns { ended: 1 }))
}

async fn end_all(
    State(site): State<Arc<ServerContext>>,
    Json(_): Json<EndRequest>,
) -> ApiResult<EndedSignIns> {
    let ended = site.run_blocking(|site| site.server.sessions.end_all(site.user_name())).await?;
    Ok(ApiAnswer(EndedSignIns { ended }))
}
