//! Agendas: proposed, looked at, approved, cancelled.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wellread_core::Result;
use wellread_core::agendas::jobs::{AgendaList, AgendaRequest};
use wellread_core::domain::id::{AgendaId, TaskId};
use wellread_core::domain::rights::Right;
use wellread_core::ports::agenda::{Agenda, AgendaCounts, AgendaStatus};

use crate::server::body::{Json, PathParam, QueryParams};
use crate::server::idempotency::idempotent_request;
use crate::server::problem::Problem;
use crate::server::route::{ApiAnswer, ApiResult, Route};
use crate::server::{BY_REQUEST, ServerContext};
use crate::worker::jobs;

pub fn routes() -> Vec<Route> {
    vec![
        Route::post(
            "/api/research/trigger",
            "Proposes an agenda for a note, or for the whole vault",
            trigger,
        )
        .needs(&[Right::Research])
        .with_body::<TriggerRequest>()
        .with_idempotency_key()
        .answers_with::<Agenda>("201", "The agenda, pending approval")
        .fails(&[404, 424]),
        Route::get("/api/research/agenda", "The agendas, newest first", agendas)
            .with_query::<AgendasQuery>()
            .answers::<AgendaList>(),
        Route::get("/api/research/agenda/{id}", "One agenda with its tasks", agenda)
            .answers::<Agenda>()
            .fails(&[400, 404]),
        Route::post(
            "/api/research/agenda/{id}/approve",
            "Approves an agenda, except for blocked tasks",
            approve,
        )
        .needs(&[Right::Research, Right::Decide])
        .with_body::<ApproveRequest>()
        .with_idempotency_key()
        .answers_with::<Agenda>("202", "It runs in the background")
        .fails(&[404, 409, 424]),
        Route::post("/api/research/agenda/{id}/cancel", "Cancels an agenda", cancel)
            .needs(&[Right::Decide])
            .with_body::<CancelAgendaRequest>()
            .answers::<Agenda>()
            .fails(&[404, 409]),
        Route::get("/api/research/counts", "The number of findings and agendas by state", counts)
            .answers::<AgendaCounts>(),
    ]
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct TriggerRequest {
    /// The note, relative to the vault; by default, the whole vault.
    #[serde(default)]
    source_note_id: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AgendasQuery {
    /// Only entries with this status.
    status: Option<AgendaStatus>,
    /// Maximum number to return.
    #[serde(default = "fifty")]
    limit: usize,
}

pub fn fifty() -> usize {
    50
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct ApproveRequest {
    /// The ids of tasks to block: they never run.
    #[serde(default)]
    blocked_task_ids: Vec<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CancelAgendaRequest {}

async fn trigger(
    State(site): State<Arc<ServerContext>>,
    headers: HeaderMap,
    Json(request): Json<TriggerRequest>,
) -> Result<Response, Problem> {
    let once = idempotent_request(&site, &headers, "/api/research/trigger", &request)?;
    let runtime = tokio::runtime::Handle::current();
    // It may ask a model, so it takes a seat as a conversation does.
    let _seat = site.turns.acquire_seat().await?;
    let ending = site.clone();
    let agenda = site.run_blocking(move |site| {
        site.app.wait_for_complete_index(&site.app.ctx.stop)?;
        let wish = AgendaRequest { note: request.source_note_id, scheduled: false, once };
        runtime.block_on(site.turns.run_until_shutdown(jobs(&site.app.ctx).trigger(wish)))
    });
    let agenda = agenda.await?;
    ending.worker.wake();
    Ok((StatusCode::CREATED, ApiAnswer(agenda)).into_response())
}

async fn agendas(
    State(site): State<Arc<ServerContext>>,
    QueryParams(query): QueryParams<AgendasQuery>,
) -> ApiResult<AgendaList> {
    Ok(ApiAnswer(
        site.run_blocking(move |site| jobs(&site.app.ctx).agendas(query.status, query.limit)).await?,
    ))
}

async fn agenda(State(site): State<Arc<ServerContext>>, PathParam(id): PathParam) -> ApiResult<Agenda> {
    let id = AgendaId::parse(&id)?;
    Ok(ApiAnswer(site.run_blocking(move |site| jobs(&site.app.ctx).agenda(&id)).await?))
}

async fn approve(
    State(site): State<Arc<ServerContext>>,
    PathParam(id): PathParam,
    headers: HeaderMap,
    Json(request): Json<ApproveRequest>,
) -> Result<Response, Problem> {
    let id = AgendaId::parse(&id)?;
    let once = idempotent_request(&site, &headers, &format!("/api/research/agenda/{id}/approve"), &request)?;
    let blocked = request.blocked_task_ids.iter().map(|id| TaskId::parse(id)).collect::<Result<Vec<_>>>()?;
    let agenda = site
        .run_blocking(move |site| jobs(&site.app.ctx).approve(BY_REQUEST, &id, &blocked, once.as_ref()))
        .await?;
    site.worker.wake();
    Ok((StatusCode::ACCEPTED, ApiAnswer(agenda)).into_response())
}

async fn cancel(
    State(site): State<Arc<ServerContext>>,
    PathParam(id): PathParam,
    Json(_): Json<CancelAgendaRequest>,
) -> ApiResult<Agenda> {
    let id = AgendaId::parse(&id)?;
    let agenda = site.run_blocking(move |site| jobs(&site.app.ctx).cancel(BY_REQUEST, &id)).await?;
    site.worker.wake();
    Ok(ApiAnswer(agenda))
}

async fn counts(State(site): State<Arc<ServerContext>>) -> ApiResult<AgendaCounts> {
    Ok(ApiAnswer(site.run_blocking(|site| jobs(&site.app.ctx).counts()).await?))
}
