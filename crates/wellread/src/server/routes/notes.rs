//! A note by its path.

use std::sync::Arc;

use axum::extract::State;

use crate::answers::{self, Note};
use crate::server::ServerContext;
use crate::server::body::PathParam;
use crate::server::route::{ApiAnswer, ApiResult, Route};

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/api/notes/{*path}", "A note's text, frontmatter and hash", note)
            .answers::<Note>()
            .fails(&[400, 404]),
    ]
}

async fn note(State(site): State<Arc<ServerContext>>, PathParam(path): PathParam) -> ApiResult<Note> {
    Ok(ApiAnswer(site.run_blocking(move |site| answers::read_note(&site.app, &path)).await?))
}
