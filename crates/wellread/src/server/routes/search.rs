//! Passages of notes and code.

use std::sync::Arc;

use axum::extract::State;

use crate::answers::{self, SearchResponse};
use crate::server::ServerContext;
use crate::server::body::QueryParams;
use crate::server::route::{ApiAnswer, ApiResult, Route};

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/api/search", "Searches notes and code by words, by meaning, or both", search)
            .with_query::<answers::SearchParams>()
            .answers::<SearchResponse>()
            .fails(&[404]),
    ]
}

async fn search(
    State(site): State<Arc<ServerContext>>,
    QueryParams(asked): QueryParams<answers::SearchParams>,
) -> ApiResult<SearchResponse> {
    Ok(ApiAnswer(site.run_blocking(move |site| answers::search(&site.app, &asked, &|_| {})).await?))
}
