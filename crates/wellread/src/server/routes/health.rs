//! Whether it lives, whether it is ready, and what it has done so far.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use wellread_core::Result;
use wellread_core::domain::corpus::CorpusName;
use wellread_core::domain::rights::Right;
use wellread_core::library::indexing::IndexSyncState;
use wellread_core::library::indexing::embedding_scope;
use wellread_core::ports::Embedder as _;
use wellread_core::ports::{Measure, Metric};

use crate::server::ServerContext;
use crate::server::metrics::PrometheusText;
use crate::server::problem::Problem;
use crate::server::route::{ApiAnswer, ApiResult, Route};
use crate::telemetry;

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/healthz", "Whether the process responds", healthz)
            .answers::<HealthzAnswer>()
            .without_token(),
        Route::get("/readyz", "Whether it accepts work, and the state of the index", readyz)
            .answers::<ReadyzAnswer>()
            .without_token(),
        Route::get("/metrics", "Counters and gauges in the Prometheus text format", metrics)
            .needs(&[Right::Admin])
            .answers_as("text/plain", &json!({ "type": "string" })),
    ]
}

#[derive(Debug, Serialize, JsonSchema)]
struct HealthzAnswer {
    version: &'static str,
}

async fn healthz() -> ApiAnswer<HealthzAnswer> {
    ApiAnswer(HealthzAnswer { version: env!("CARGO_PKG_VERSION") })
}

#[derive(Debug, Serialize, JsonSchema)]
struct ReadyzAnswer {
    /// `level` if it matches the files, `behind` while it is being updated, `unwatched` if each search checks the files first.
    index: &'static str,
}

async fn readyz(State(site): State<Arc<ServerContext>>) -> ApiResult<ReadyzAnswer> {
    if site.server.is_shutting_down() {
        let ending = "the server is shutting down";
        return Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, ending, "start it again"));
    }
    let index = match site.app.following.state() {
        IndexSyncState::UpToDate => "level",
        IndexSyncState::Updating => "behind",
        IndexSyncState::Off => "unwatched",
    };
    Ok(ApiAnswer(ReadyzAnswer { index }))
}

async fn metrics(State(site): State<Arc<ServerContext>>) -> Result<impl IntoResponse, Problem> {
    let text = site
        .run_blocking(|site| {
            Ok(site.server.metrics.render(site.server.connections.closed_count())
                + &index_metrics(site)?
                + &research_metrics())
        })
        .await?;
    Ok(([(CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text))
}

/// How far research has come since the start, under the names that it has everywhere.
fn research_metrics() -> String {
    let (tally, dropped) = telemetry::current_counts();
    let mut page = PrometheusText::default();
    for Metric { name, about, measure } in tally.metrics() {
        match measure {
            Measure::Counter(count) => page.counter(name, about, count),
            Measure::Times(times) => page.histogram(name, about, &times),
        }
    }
    page.counter(
        "wellread_telemetry_dropped_total",
        "Spans that were dropped before they were sent.",
        dropped,
    );
    page.0
}

/// How much of what there is can be found.
fn index_metrics(site: &ServerContext) -> Result<String> {
    let app = &site.app;
    let coverage = app.library.index.coverage()?;
    let mut page = PrometheusText::default();
    page.gauge("wellread_index_passages", "Passages in the index.", coverage.passages);
    page.gauge("wellread_index_bytes", "Size of the index.", coverage.bytes);
    page.family("wellread_index_files", "gauge", "Files in the index, by corpus and state.");
    for corpus in &coverage.corpora {
        let name = match &corpus.corpus {
            CorpusName::Vault => "vault".to_owned(),
            CorpusName::Repository(name) => format!("repo:{}", name.replace(['\\', '"', '\n'], "_")),
        };
        for (state, count) in
            [("known", corpus.files), ("indexed", corpus.indexed), ("skipped", corpus.skipped)]
        {
            page.line("wellread_index_files", &format!("{{corpus=\"{name}\",state=\"{state}\"}}"), count);
        }
    }
    if let Ok(model) = app.embedder.model() {
        let (made, all) = app.library.vectors.progress(&model, embedding_scope(&*app.embedder))?;
        page.gauge("wellread_vectors", "Passages that have a vector.", made);
        page.gauge(
            "wellread_vectors_pending",
            "Passages that do not have a vector yet.",
            all.saturating_sub(made),
        );
    }
    Ok(page.0)
}
