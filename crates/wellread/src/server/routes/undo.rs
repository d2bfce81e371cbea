//! Takes edits back.

use std::sync::Arc;

use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::answers::{self, Undo};
use crate::server::Site;
use crate::server::body::Json;
use crate::server::route::{Answer, Answered, Route};

pub fn routes() -> Vec<Route> {
    vec![
        Route::post("/api/undo", "Takes back the last edit, or the one that is named", undo)
            .takes::<UndoRequest>()
            .answers::<Undo>()
            .fails(&[404, 409]),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct UndoRequest {
    /// An operation's id or the end of it, or the id of a batch or run; the last operation where left out.
    operation: Option<String>,
}

async fn undo(State(site): State<Arc<Site>>, Json(request): Json<UndoRequest>) -> Answered<Undo> {
    Ok(Answer(site.work(move |site| answers::undo(&site.app, request.operation.as_deref())).await?))
}
