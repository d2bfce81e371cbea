//! The inbox: findings, and what the user decides about them.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wellread_core::Result;
use wellread_core::agendas::inbox::{FindingEdits, FindingList, Inbox, ReopenedFinding, SuppressedTopicList};
use wellread_core::domain::id::{AgendaId, FindingId};
use wellread_core::domain::rights::Right;
use wellread_core::ports::FindingFilter;
use wellread_core::ports::agenda::{Finding, FindingStatus};

use super::agenda::fifty;
use crate::server::body::{Json, PathParam, QueryParams};
use crate::server::idempotency::idempotent_request;
use crate::server::route::{ApiAnswer, ApiResult, Route};
use crate::server::{BY_REQUEST, ServerContext};

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/api/research/findings", "The findings, newest first", findings)
            .with_query::<FindingsQuery>()
            .answers::<FindingList>(),
        Route::get("/api/research/findings/{id}", "One finding with its evidence", finding)
            .answers::<Finding>()
            .fails(&[400, 404]),
        Route::post(
            "/api/research/findings/{id}/accept",
            "Accepts a finding: turns it into a note, once",
            accept,
        )
        .needs(&[Right::Decide])
        .with_body::<AcceptRequest>()
        .with_idempotency_key()
        .answers::<Finding>()
        .fails(&[404, 409]),
        Route::post("/api/research/findings/{id}/dismiss", "Dismisses a finding permanently", dismiss)
            .needs(&[Right::Decide])
            .with_body::<DismissRequest>()
            .answers::<Finding>()
            .fails(&[404, 409]),
        Route::post("/api/research/findings/{id}/undo", "Undoes an acceptance, and removes its note", undo)
            .needs(&[Right::Decide])
            .with_body::<UndoAcceptRequest>()
            .answers::<ReopenedFinding>()
            .fails(&[404, 409]),
        Route::get("/api/research/suppressed", "Topics that are no longer proposed", suppressed_topics)
            .answers::<SuppressedTopicList>(),
        Route::post("/api/research/suppressed/forget", "Allows a topic to be proposed again", forget_topic)
            .needs(&[Right::Decide])
            .with_body::<ForgetRequest>()
            .answers::<SuppressedTopicList>()
            .fails(&[404]),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FindingsQuery {
    /// Only findings with this status; all by default.
    status: Option<FindingStatusFilter>,
    /// Only findings of this agenda.
    agenda: Option<String>,
    /// Maximum number to return.
    #[serde(default = "fifty")]
    limit: usize,
}

/// How findings stand that are asked for.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum FindingStatusFilter {
    New,
    Accepted,
    Dismissed,
    All,
}

impl FindingStatusFilter {
    fn status(self) -> Option<FindingStatus> {
        match self {
            Self::New => Some(FindingStatus::New),
            Self::Accepted => Some(FindingStatus::Accepted),
            Self::Dismissed => Some(FindingStatus::Dismissed),
            Self::All => None,
        }
    }
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AcceptRequest {
    /// A different title for the note.
    #[serde(default)]
    title: Option<String>,
    /// The user's own words instead of the summary.
    #[serde(default)]
    summary: Option<String>,
    /// A folder to use instead of the configured one.
    #[serde(default)]
    folder: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct DismissRequest {
    /// Stop proposing its topic.
    #[serde(default)]
    suppress_topic: Option<bool>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct UndoAcceptRequest {}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ForgetRequest {
    topic: String,
}

/// Does something with the inbox, on a thread that may wait for the disk.
async fn with_inbox<T: Send + 'static>(
    site: &Arc<ServerContext>,
    act: impl FnOnce(&Inbox<'_>) -> Result<T> + Send + 'static,
) -> ApiResult<T> {
    let done = site.run_blocking(move |site| {
        act(&Inbox { research: &site.app.ctx.research, vault: &site.app.ctx.vault })
    });
    Ok(ApiAnswer(done.await?))
}

async fn findings(
    State(site): State<Arc<ServerContext>>,
    QueryParams(query): QueryParams<FindingsQuery>,
) -> ApiResult<FindingList> {
    let agenda = query.agenda.as_deref().map(AgendaId::parse).transpose()?;
    let status = query.status.and_then(FindingStatusFilter::status);
    let which = FindingFilter { status, agenda, ..FindingFilter::default() };
    with_inbox(&site, move |inbox| inbox.findings(&which, query.limit)).await
}

async fn finding(State(site): State<Arc<ServerContext>>, PathParam(id): PathParam) -> ApiResult<Finding> {
    let id = FindingId::parse(&id)?;
    with_inbox(&site, move |inbox| inbox.finding(&id)).await
}

async fn accept(
    State(site): State<Arc<ServerContext>>,
    PathParam(id): PathParam,
    headers: HeaderMap,
    Json(request): Json<AcceptRequest>,
) -> ApiResult<Finding> {
    let id = FindingId::parse(&id)?;
    let once = idempotent_request(&site, &headers, &format!("/api/research/findings/{id}/accept"), &request)?;
    let AcceptRequest { title, summary, folder } = request;
    let edited = FindingEdits { title, summary, folder };
    with_inbox(&site, move |inbox| inbox.accept_once(BY_REQUEST, &id, &edited, once.as_ref())).await
}

async fn dismiss(
    State(site): State<Arc<ServerContext>>,
    PathParam(id): PathParam,
    Json(request): Json<DismissRequest>,
) -> ApiResult<Finding> {
    let id = FindingId::parse(&id)?;
    with_inbox(&site, move |inbox| inbox.dismiss(BY_REQUEST, &id, request.suppress_topic.unwrap_or_default()))
        .await
}

async fn undo(
    State(site): State<Arc<ServerContext>>,
    PathParam(id): PathParam,
    Json(_): Json<UndoAcceptRequest>,
) -> ApiResult<ReopenedFinding> {
    let id = FindingId::parse(&id)?;
    with_inbox(&site, move |inbox| inbox.undo(BY_REQUEST, &id)).await
}

#[allow(
    clippy::redundant_closure_for_method_calls,
    reason = "the method is of one lifetime, and any is wanted"
)]
async fn suppressed_topics(State(site): State<Arc<ServerContext>>) -> ApiResult<SuppressedTopicList> {
    with_inbox(&site, |inbox| inbox.suppressed_topics()).await
}

async fn forget_topic(
    State(site): State<Arc<ServerContext>>,
    Json(request): Json<ForgetRequest>,
) -> ApiResult<SuppressedTopicList> {
    with_inbox(&site, move |inbox| inbox.allow_topic(BY_REQUEST, &request.topic)).await
}
