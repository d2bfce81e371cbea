//! Agendas: proposed, looked at, approved, cancelled; and what happens, as it happens.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use futures_util::Stream;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::sync::broadcast::error::RecvError;
use wellread_core::Result;
use wellread_core::agenda::{Agenda, AgendaStatus, Counts};
use wellread_core::id::{AgendaId, TaskId};
use wellread_core::jobs::{Listed, Wish};
use wellread_core::ports::{Agendas as _, Findings as _};

use crate::server::Site;
use crate::server::body::{Asked, Json, Named};
use crate::server::events::{self, Told};
use crate::server::once::once;
use crate::server::problem::Problem;
use crate::server::route::{Answer, Answered, Route};
use crate::worker::jobs;

/// How often is looked whether another process changed something.
const LOOKS: Duration = Duration::from_secs(1);
/// As much as is told at once.
const AT_ONCE: usize = 500;

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
        Route::get("/api/research/events", "What happens, as it happens", follow)
            .answers_as("text/event-stream", &json!({ "type": "string" })),
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

/// Counts first, then whatever happens. One that comes back says by `Last-Event-ID` what it has heard.
async fn follow(State(site): State<Arc<Site>>, headers: HeaderMap) -> Result<Response, Problem> {
    let heard = headers.get("last-event-id").and_then(|id| id.to_str().ok()?.trim().parse::<u64>().ok());
    let (counts, last) =
        site.work(|site| Ok((site.app.records.counts()?, site.app.records.happened(u64::MAX, 0)?.1))).await?;
    let (told, stream) = events::channel();
    told.tell("counts", &json!(counts));
    // What a newer file has never told can't have been heard.
    let after = heard.filter(|heard| *heard <= last).unwrap_or(last);
    tokio::spawn(tell(site, told, after));
    Ok(streamed(stream.stream()))
}

fn streamed(stream: impl Stream<Item = Result<Bytes, Infallible>> + Send + 'static) -> Response {
    let mut response = Response::new(Body::from_stream(stream));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    response
}

async fn tell(site: Arc<Site>, told: Told, mut after: u64) {
    let mut steps = site.worker.news.listen();
    loop {
        tokio::select! {
            step = steps.recv() => match step {
                Ok(step) => told.tell("progress", &json!(step)),
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return,
            },
            () = tokio::time::sleep(LOOKS) => {}
        }
        if told.is_unheard() || site.is_ending() {
            return;
        }
        let Ok((happened, last)) = site.work(move |site| site.app.records.happened(after, AT_ONCE)).await
        else {
            continue;
        };
        // The records were begun anew.
        if last < after {
            after = 0;
        }
        for (number, happening) in happened {
            after = number;
            told.tell_numbered(number, &happening);
        }
    }
}
