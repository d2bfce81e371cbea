//! Pictures and other files that notes embed.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderValue;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::Response;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::answers;
use crate::server::ServerContext;
use crate::server::body::QueryParams;
use crate::server::problem::Problem;
use crate::server::route::Route;

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/api/attachments", "A picture or another file that a note embeds", attachment)
            .with_query::<AttachmentQuery>()
            .answers_as("*/*", &json!({ "type": "string", "format": "binary" }))
            .fails(&[404]),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AttachmentQuery {
    /// The file as the note names it.
    name: String,
    /// The note that embeds it, relative to the vault.
    note: String,
}

async fn attachment(
    State(site): State<Arc<ServerContext>>,
    QueryParams(query): QueryParams<AttachmentQuery>,
) -> Result<Response, Problem> {
    let found = site.run_blocking(move |site| answers::read_attachment(&site.app, &query.name, &query.note));
    let found = found.await?;
    let mut response = Response::new(Body::from(found.bytes));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(found.media_type));
    // Whoever opens the address itself saves a file: none is ever shown as a document of this server.
    headers.insert(CONTENT_DISPOSITION, HeaderValue::from_static("attachment"));
    Ok(response)
}
