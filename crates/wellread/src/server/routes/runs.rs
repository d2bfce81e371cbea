//! Runs: what was done, what became of it, and its documents.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::Response;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use wellread_core::Error;
use wellread_core::engine::log::{self, RunDocument};
use wellread_core::ports::event::RunKind;

use crate::answers;
use crate::server::ServerContext;
use crate::server::body::{PathParam, QueryParams};
use crate::server::problem::Problem;
use crate::server::route::{ApiAnswer, ApiResult, Route};

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/api/runs", "The runs, newest first", runs)
            .with_query::<RunsQuery>()
            .answers::<RunsAnswer>(),
        Route::get("/api/runs/{id}", "The state of a run: its result, what it used and what it sent", run)
            .answers_schema(&json!({ "type": "object" }))
            .fails(&[400, 404]),
        Route::get("/api/runs/{id}/{document}", "`trace.json`, `evidence.json` or `report.md`", document)
            .answers_schema(&json!({}))
            .fails(&[400, 404]),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RunsQuery {
    /// Maximum number to return.
    #[serde(default = "fifty")]
    limit: usize,
    /// Only runs of this kind.
    kind: Option<RunKind>,
}

fn fifty() -> usize {
    50
}

#[derive(Debug, Serialize, JsonSchema)]
struct RunsAnswer {
    runs: Vec<Value>,
}

async fn runs(
    State(site): State<Arc<ServerContext>>,
    QueryParams(query): QueryParams<RunsQuery>,
) -> ApiResult<RunsAnswer> {
    let found = site.run_blocking(move |site| answers::list_runs(&site.app, query.kind, query.limit)).await?;
    Ok(ApiAnswer(RunsAnswer { runs: found.iter().map(|run| json!(run)).collect() }))
}

async fn run(State(site): State<Arc<ServerContext>>, PathParam(id): PathParam) -> ApiResult<Value> {
    let summary = site.run_blocking(move |site| {
        let run = log::find_run(&*site.app.records, &id)?.id;
        let events = site.app.records.events(&run)?;
        Ok(json!(log::summarize_run(&run, &events)))
    });
    Ok(ApiAnswer(summary.await?))
}

async fn document(
    State(site): State<Arc<ServerContext>>,
    Path((id, name)): Path<(String, String)>,
) -> Result<Response, Problem> {
    let unknown =
        || Error::not_found(format!("a run has no `{name}`")).hint("trace.json, evidence.json and report.md");
    let document = RunDocument::from_file_name(&name).ok_or_else(unknown)?;
    let text = site.run_blocking(move |site| {
        let run = log::find_run(&*site.app.records, &id)?.id;
        Ok(document.render(&run, &site.app.records.events(&run)?))
    });
    let mut response = Response::new(Body::from(text.await?));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(document.mime_type()));
    Ok(response)
}
