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
use wellread_core::engine::log::{self, Document};
use wellread_core::ports::Records as _;
use wellread_core::ports::event::RunKind;

use crate::answers;
use crate::server::Site;
use crate::server::body::{Asked, Named};
use crate::server::problem::Problem;
use crate::server::route::{Answer, Answered, Route};

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/api/runs", "The runs, newest first", runs).asks::<RunsQuery>().answers::<Runs>(),
        Route::get("/api/runs/{id}", "How a run stands: what it gave, what it used, what it sent", run)
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
    /// How many at the most.
    #[serde(default = "fifty")]
    limit: usize,
    /// Only runs of this kind.
    kind: Option<RunKind>,
}

fn fifty() -> usize {
    50
}

#[derive(Debug, Serialize, JsonSchema)]
struct Runs {
    runs: Vec<Value>,
}

async fn runs(State(site): State<Arc<Site>>, Asked(query): Asked<RunsQuery>) -> Answered<Runs> {
    let found = site.work(move |site| answers::runs(&site.app, query.kind, query.limit)).await?;
    Ok(Answer(Runs { runs: found.iter().map(|run| json!(run)).collect() }))
}

async fn run(State(site): State<Arc<Site>>, Named(id): Named) -> Answered<Value> {
    let summary = site.work(move |site| {
        let run = log::find(&*site.app.records, &id)?.id;
        let events = site.app.records.events(&run)?;
        Ok(json!(log::summary(&run, &events)))
    });
    Ok(Answer(summary.await?))
}

async fn document(
    State(site): State<Arc<Site>>,
    Path((id, name)): Path<(String, String)>,
) -> Result<Response, Problem> {
    let unknown =
        || Error::not_found(format!("a run has no `{name}`")).hint("trace.json, evidence.json and report.md");
    let document = Document::named(&name).ok_or_else(unknown)?;
    let text = site.work(move |site| {
        let run = log::find(&*site.app.records, &id)?.id;
        Ok(document.text(&run, &site.app.records.events(&run)?))
    });
    let mut response = Response::new(Body::from(text.await?));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(document.mime_type()));
    Ok(response)
}
