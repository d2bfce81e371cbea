//! What there is, and how much of it can be found.

use std::sync::Arc;

use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::answers::{self, Status};
use crate::server::Site;
use crate::server::body::Asked;
use crate::server::route::{Answer, Answered, Route};

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/api/status", "What the vault holds and how much of it can be found", status)
            .asks::<StatusQuery>()
            .answers::<Status>(),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct StatusQuery {
    /// Add every file with its state.
    #[serde(default)]
    files: bool,
}

async fn status(State(site): State<Arc<Site>>, Asked(query): Asked<StatusQuery>) -> Answered<Status> {
    Ok(Answer(site.work(move |site| answers::status(&site.app, &site.config, query.files)).await?))
}
