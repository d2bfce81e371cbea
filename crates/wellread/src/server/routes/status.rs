//! What there is, and how much of it can be found.

use std::sync::Arc;

use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::answers::{self, StatusReport};
use crate::server::ServerContext;
use crate::server::body::QueryParams;
use crate::server::route::{ApiAnswer, ApiResult, Route};

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/api/status", "What the vault contains and how much of it is indexed", status)
            .with_query::<StatusQuery>()
            .answers::<StatusReport>(),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct StatusQuery {
    /// Also list every file with its state.
    #[serde(default)]
    files: bool,
}

async fn status(
    State(site): State<Arc<ServerContext>>,
    QueryParams(query): QueryParams<StatusQuery>,
) -> ApiResult<StatusReport> {
    Ok(ApiAnswer(
        site.run_blocking(move |site| answers::collect_status(&site.app, &site.config, query.files)).await?,
    ))
}
