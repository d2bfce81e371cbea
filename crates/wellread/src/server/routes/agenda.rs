//! Agendas: proposed, looked at, approved, cancelled.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wellread_core::Result;
use wellread_core::agendas::jobs::{Listed, Wish};
use wellread_core::domain::id::{AgendaId, TaskId};
use wellread_core::ports::agenda::{Agenda, AgendaStatus, Counts};

use crate::server::Site;
use crate::server::body::{Asked, Json, Named};
use crate::server::idempotency::once;
use crate::server::problem::Problem;
use crate::server::route::{Answer, Answered, Route};
use crate::worker::jobs;

pub fn routes() -> Vec<Route> {
    vec![
        Route::post(
            "/api/research/trigger",
            "Proposes an agenda for a note, or for the whole vault",
            trigger,
        )
        .takes::<TriggerRequest>()
        .once()
        .answers_with::<Agenda>("201", "The agenda, which waits for approval")
        .fails(&[404, 424]),
        Route::get("/api/research/agenda", "The agendas, newest first", agendas)
            .asks::<AgendasQuery>()
            .answers::<Listed>(),
        Route::get("/api/research/agenda/{id}", "One agenda with its tasks", agenda)
            .answers::<Agenda>()
            .fails(&[400, 404]),
        Route::post(
            "/api/research/agenda/{id}/approve",
            "Approves an agenda, but for blocked tasks",
            approve,
        )
        .takes::<ApproveRequest>()
        .once()
        .answers_with::<Agenda>("202", "It is worked off in the background")
        .fails(&[404, 409, 424]),
        Route::post("/api/research/agenda/{id}/cancel", "Ends an agenda wherever it is", cancel)
            .takes::<CancelRequest>()
            .answers::<Agenda>()
            .fails(&[404, 409]),
        Route::get("/api/research/counts", "How many findings and agendas there are of each sort", counts)
            .answers::<Counts>(),
    ]
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct TriggerRequest {
    /// The note, relative to the vault; the whole vault where it is left out.
    #[serde(default)]
    source_note_id: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AgendasQuery {
    /// Only those that stand like this.
    status: Option<AgendaStatus>,
    /// How many at the most.
    #[serde(default = "fifty")]
    limit: usize,
}

pub fn fifty() -> usize {
    50
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct ApproveRequest {
    /// Tasks that never run.
    #[serde(default)]
    blocked_task_ids: Vec<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CancelRequest {}

async fn trigger(
    State(site): State<Arc<Site>>,
    headers: HeaderMap,
    Json(request): Json<TriggerRequest>,
) -> Result<Response, Problem> {
    let once = once(&headers, "/api/research/trigger", &request)?;
    let runtime = tokio::runtime::Handle::current();
    // It may ask a model, so it takes a seat as a conversation does.
    let _seat = site.turns.seat().await?;
    let ending = site.clone();
    let agenda = site.work(move |site| {
        site.app.make_complete(&site.app.ctx.stop)?;
        let wish = Wish { note: request.source_note_id, scheduled: false, once };
        runtime.block_on(site.turns.unless_over(jobs(&site.app.ctx).trigger(wish)))
    });
    let agenda = agenda.await?;
    ending.worker.ring();
    Ok((StatusCode::CREATED, Answer(agenda)).into_response())
}

async fn agendas(State(site): State<Arc<Site>>, Asked(query): Asked<AgendasQuery>) -> Answered<Listed> {
    Ok(Answer(site.work(move |site| jobs(&site.app.ctx).agendas(query.status, query.limit)).await?))
}

async fn agenda(State(site): State<Arc<Site>>, Named(id): Named) -> Answered<Agenda> {
    let id = AgendaId::parse(&id)?;
    Ok(Answer(site.work(move |site| jobs(&site.app.ctx).agenda(&id)).await?))
}

async fn approve(
    State(site): State<Arc<Site>>,
    Named(id): Named,
    headers: HeaderMap,
    Json(request): Json<ApproveRequest>,
) -> Result<Response, Problem> {
    let id = AgendaId::parse(&id)?;
    let once = once(&headers, &format!("/api/research/agenda/{id}/approve"), &request)?;
    let blocked = request.blocked_task_ids.iter().map(|id| TaskId::parse(id)).collect::<Result<Vec<_>>>()?;
    let agenda = site.work(move |site| jobs(&site.app.ctx).approve(&id, &blocked, once.as_ref())).await?;
    site.worker.ring();
    Ok((StatusCode::ACCEPTED, Answer(agenda)).into_response())
}

async fn cancel(
    State(site): State<Arc<Site>>,
    Named(id): Named,
    Json(_): Json<CancelRequest>,
) -> Answered<Agenda> {
    let id = AgendaId::parse(&id)?;
    let agenda = site.work(move |site| jobs(&site.app.ctx).cancel(&id)).await?;
    site.worker.ring();
    Ok(Answer(agenda))
}

async fn counts(State(site): State<Arc<Site>>) -> Answered<Counts> {
    Ok(Answer(site.work(|site| jobs(&site.app.ctx).counts()).await?))
}
