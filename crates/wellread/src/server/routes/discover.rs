//! What the API can do.

use std::sync::Arc;

use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use serde_json::json;

use crate::server::ServerContext;
use crate::server::route::Route;

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/api/openapi.json", "This description", openapi)
            .answers_as("application/json", &json!({ "type": "object" })),
    ]
}

async fn openapi(State(site): State<Arc<ServerContext>>) -> impl IntoResponse {
    ([(CONTENT_TYPE, "application/json")], site.openapi.to_string())
}
