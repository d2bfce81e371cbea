//! The inbox: findings, and what the user decides about them.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wellread_core::Result;
use wellread_core::agendas::inbox::{Edited, Inbox, Listed, ListedTopics, TakenBack};
use wellread_core::domain::id::{AgendaId, FindingId};
use wellread_core::ports::WhichFindings;
use wellread_core::ports::agenda::{Finding, FindingStatus};

use super::agenda::fifty;
use crate::server::Site;
use crate::server::body::{Asked, Json, Named};
use crate::server::idempotency::once;
use crate::server::route::{Answer, Answered, Route};

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/api/research/findings", "What was found, newest first", findings)
            .asks::<FindingsQuery>()
            .answers::<Listed>(),
        Route::get("/api/research/findings/{id}", "One finding with its evidence", finding)
            .answers::<Finding>()
            .fails(&[400, 404]),
        Route::post("/api/research/findings/{id}/accept", "Makes a note of a finding, once", accept)
            .takes::<AcceptRequest>()
            .once()
            .answers::<Finding>()
            .fails(&[404, 409]),
        Route::post("/api/research/findings/{id}/dismiss", "Hides a finding for good", dismiss)
            .takes::<DismissRequest>()
            .answers::<Finding>()
            .fails(&[404, 409]),
        Route::post("/api/research/findings/{id}/undo", "Takes an acceptance back, and its note", undo)
            .takes::<UndoRequest>()
            .answers::<TakenBack>()
            .fails(&[404, 409]),
        Route::get("/api/research/suppressed", "Topics that are not proposed any more", suppressed)
            .answers::<ListedTopics>(),
        Route::post("/api/research/suppressed/forget", "Lets a topic be proposed again", forget)
            .takes::<ForgetRequest>()
            .answers::<ListedTopics>()
            .fails(&[404]),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FindingsQuery {
    /// Only those that stand like this; all where it is left out.
    status: Option<Stands>,
    /// Only those of this agenda.
    agenda: Option<String>,
    /// How many at the most.
    #[serde(default = "fifty")]
    limit: usize,
}

/// How findings stand that are asked for.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Stands {
    New,
    Accepted,
    Dismissed,
    All,
}

impl Stands {
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
    /// Another title for the note.
    #[serde(default)]
    title: Option<String>,
    /// The user's own words instead of the summary.
    #[serde(default)]
    summary: Option<String>,
    /// Another folder than the one that is set.
    #[serde(default)]
    folder: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct DismissRequest {
    /// Propose its topic no more.
    #[serde(default)]
    suppress_topic: Option<bool>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct UndoRequest {}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ForgetRequest {
    topic: String,
}

/// Does something with the inbox, on a thread that may wait for the disk.
async fn with<T: Send + 'static>(
    site: &Arc<Site>,
    act: impl FnOnce(&Inbox<'_>) -> Result<T> + Send + 'static,
) -> Answered<T> {
    let done =
        site.work(move |site| act(&Inbox { research: &site.app.ctx.research, vault: &site.app.ctx.vault }));
    Ok(Answer(done.await?))
}

async fn findings(State(site): State<Arc<Site>>, Asked(query): Asked<FindingsQuery>) -> Answered<Listed> {
    let agenda = query.agenda.as_deref().map(AgendaId::parse).transpose()?;
    let status = query.status.and_then(Stands::status);
    let which = WhichFindings { status, agenda, ..WhichFindings::default() };
    with(&site, move |inbox| inbox.findings(&which, query.limit)).await
}

async fn finding(State(site): State<Arc<Site>>, Named(id): Named) -> Answered<Finding> {
    let id = FindingId::parse(&id)?;
    with(&site, move |inbox| inbox.finding(&id)).await
}

async fn accept(
    State(site): State<Arc<Site>>,
    Named(id): Named,
    headers: HeaderMap,
    Json(request): Json<AcceptRequest>,
) -> Answered<Finding> {
    let id = FindingId::parse(&id)?;
    let once = once(&headers, &format!("/api/research/findings/{id}/accept"), &request)?;
    let AcceptRequest { title, summary, folder } = request;
    let edited = Edited { title, summary, folder };
    with(&site, move |inbox| inbox.accept_once(&id, &edited, once.as_ref())).await
}

async fn dismiss(
    State(site): State<Arc<Site>>,
    Named(id): Named,
    Json(request): Json<DismissRequest>,
) -> Answered<Finding> {
    let id = FindingId::parse(&id)?;
    with(&site, move |inbox| inbox.dismiss(&id, request.suppress_topic.unwrap_or_default())).await
}

async fn undo(
    State(site): State<Arc<Site>>,
    Named(id): Named,
    Json(_): Json<UndoRequest>,
) -> Answered<TakenBack> {
    let id = FindingId::parse(&id)?;
    with(&site, move |inbox| inbox.undo(&id)).await
}

#[allow(
    clippy::redundant_closure_for_method_calls,
    reason = "the method is of one lifetime, and any is wanted"
)]
async fn suppressed(State(site): State<Arc<Site>>) -> Answered<ListedTopics> {
    with(&site, |inbox| inbox.suppressed()).await
}

async fn forget(State(site): State<Arc<Site>>, Json(request): Json<ForgetRequest>) -> Answered<ListedTopics> {
    with(&site, move |inbox| inbox.allow(&request.topic)).await
}
