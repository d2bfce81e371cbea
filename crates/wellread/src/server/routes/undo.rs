//! Takes edits back.

use std::sync::Arc;

use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;
use wellread_core::domain::rights::Right;
use wellread_core::faces::tools::UndoAnswer;

use crate::answers;
use crate::server::ServerContext;
use crate::server::body::Json;
use crate::server::route::{ApiAnswer, ApiResult, Route};

pub fn routes() -> Vec<Route> {
    vec![
        Route::post("/api/undo", "Undoes the last edit, or the given one", undo)
            .needs(&[Right::Write])
            .with_body::<UndoRequest>()
            .answers::<UndoAnswer>()
            .fails(&[404, 409]),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct UndoRequest {
    /// The id of an operation (or the end of it), batch or run; by default, the last operation.
    operation: Option<String>,
}

async fn undo(
    State(site): State<Arc<ServerContext>>,
    Json(request): Json<UndoRequest>,
) -> ApiResult<UndoAnswer> {
    Ok(ApiAnswer(
        site.run_blocking(move |site| answers::undo(&site.app, request.operation.as_deref())).await?,
    ))
}
