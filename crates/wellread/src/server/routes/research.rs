//! Research: a note, a question, a codebase, and the skills for bots. Work that takes long streams its progress, or goes on after an
//! answer that names its run; it can be called off by that.

use std::sync::{Arc, Mutex, PoisonError};

use axum::body::Body;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::oneshot;
use wellread_core::domain::id::RunId;
use wellread_core::engine::run::StopSignal;
use wellread_core::faces::skills::{Asker, Intent, Skills};
use wellread_core::research::{AskAnswer, CodeAnswer, Depth, NoteAnswer, ResearchEvent};
use wellread_core::{Error, ErrorKind, Result, WayOut};

use crate::output::success;
use crate::server::ServerContext;
use crate::server::body::{Json, PathParam};
use crate::server::events::{self, wants_events};
use crate::server::problem::Problem;
use crate::server::route::{ApiAnswer, ApiResult, Route};

/// What a person is told where something went wrong that they can do nothing about.
const UNAVAILABLE: &str = "I couldn't look that up right now; please try again in a few minutes.";

pub fn routes() -> Vec<Route> {
    vec![
        Route::post("/api/note/research", "Researches a note and writes what was found into it", note)
            .with_body::<NoteRequest>()
            .answers::<NoteAnswer>()
            .answers_status("202", "It has begun, where `Prefer: respond-async` was sent: `run_id` names it")
            .fails(&[404, 409, 424]),
        Route::post("/api/ask", "Answers one factual question in a paragraph with its source", ask)
            .with_body::<AskRequest>()
            .answers::<AskAnswer>()
            .answers_status("202", "It has begun, where `Prefer: respond-async` was sent: `run_id` names it")
            .fails(&[404, 409, 424]),
        Route::post("/api/code/research", "Investigates a codebase and answers one question about it", code)
            .with_body::<CodeRequest>()
            .answers::<CodeAnswer>()
            .answers_status("202", "It has begun, where `Prefer: respond-async` was sent: `run_id` names it")
            .fails(&[404, 409, 424]),
        Route::post("/api/runs/{id}/cancel", "Calls off research that this server is doing", cancel)
            .with_body::<CancelRunRequest>()
            .answers::<CancelRunAnswer>()
            .fails(&[404]),
        Route::get("/api/skills", "The skills that there are", skills).answers::<SkillList>(),
        Route::post("/api/skills/{intent}", "Hands what somebody said to a skill, for bots", skill)
            .with_body::<SkillRequest>()
            .answers::<SkillAnswer>()
            .fails(&[404]),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct NoteRequest {
    /// The note, relative to the vault; the `.md` may be left out.
    path: String,
    /// `shallow`: what search services say; `deep`: the first pages of each topic are read, too.
    #[serde(default)]
    depth: Option<Depth>,
    /// What to keep to.
    #[serde(default)]
    focus: Option<String>,
    /// Research, but answer with the difference and change nothing.
    #[serde(default)]
    dry_run: Option<bool>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AskRequest {
    /// One factual question.
    query: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CodeRequest {
    /// One question about the code.
    question: String,
    /// A pattern over paths, such as `src/**`: nothing else is looked at. `name:src/**` names the repository, too.
    #[serde(default)]
    scope: Option<String>,
    /// How many steps, 1 to 20.
    #[serde(default)]
    budget: Option<u32>,
    /// Whether the answer tells of its steps.
    #[serde(default)]
    debug: Option<bool>,
    /// The repository's name; where there are several and none is named, the one that the question is about.
    #[serde(default)]
    repository: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CancelRunRequest {}

#[derive(Debug, Serialize, JsonSchema)]
struct CancelRunAnswer {
    run_id: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct SkillList {
    skills: Vec<SkillEntry>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct SkillEntry {
    name: &'static str,
    description: &'static str,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SkillRequest {
    /// Who asks, as the bot knows them.
    #[serde(default)]
    user_id: Option<String>,
    /// What the bot made out of what was said.
    #[serde(default)]
    query: Option<String>,
    /// What was said.
    #[serde(default)]
    raw_text: Option<String>,
    /// The time zone of who asks, as `Europe/Paris`.
    #[serde(default)]
    user_tz: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct SkillAnswer {
    text: String,
}

async fn note(
    State(site): State<Arc<ServerContext>>,
    headers: HeaderMap,
    Json(request): Json<NoteRequest>,
) -> Result<Response, Problem> {
    let NoteRequest { path, depth, focus, dry_run } = request;
    let arguments = json!({ "path": path, "depth": depth, "focus": focus, "dry_run": dry_run });
    start_research(site, "research_note", arguments, &headers).await
}

async fn ask(
    State(site): State<Arc<ServerContext>>,
    headers: HeaderMap,
    Json(request): Json<AskRequest>,
) -> Result<Response, Problem> {
    start_research(site, "research", json!({ "query": request.query }), &headers).await
}

async fn code(
    State(site): State<Arc<ServerContext>>,
    headers: HeaderMap,
    Json(request): Json<CodeRequest>,
) -> Result<Response, Problem> {
    let CodeRequest { question, scope, budget, debug, repository } = request;
    let arguments = json!({
        "question": question,
        "scope": scope,
        "budget": budget,
        "debug": debug,
        "repository": repository,
    });
    start_research(site, "code_deep_research", arguments, &headers).await
}

/// Begins work that takes long. Whoever asked may have gone away meanwhile; it is completed all the same.
async fn start_research(
    site: Arc<ServerContext>,
    tool: &str,
    arguments: Value,
    headers: &HeaderMap,
) -> Result<Response, Problem> {
    let (told, heard) = events::channel();
    let stop = StopSignal::default();
    let (begun, run) = oneshot::channel::<RunId>();
    // The run is known once it has begun, and leaves the list with the work.
    let entry = Arc::new(Mutex::new(None));
    let begun = Mutex::new(Some(begun));
    let watch = {
        let (underway, stop, told, entry) =
            (site.underway.clone(), stop.clone(), told.clone(), entry.clone());
        Arc::new(move |progress: ResearchEvent| {
            if let ResearchEvent::Run { run_id } = &progress {
                *entry.lock().unwrap_or_else(PoisonError::into_inner) =
                    Some(underway.register(run_id.clone(), stop.clone()));
                if let Some(begun) = begun.lock().unwrap_or_else(PoisonError::into_inner).take() {
                    let _ = begun.send(run_id.clone());
                }
            }
            told.send_event(&progress);
        })
    };
    let ctx = site.app.ctx.with_progress(watch, stop.clone());
    let tool = tool.to_owned();
    let work = tokio::spawn({
        let site = site.clone();
        async move {
            let _seat = site.turns.acquire_seat().await?;
            let answer =
                site.turns.run_until_shutdown(site.app.clone().call_tool_in(ctx, tool, arguments)).await;
            drop(entry.lock().unwrap_or_else(PoisonError::into_inner).take());
            // Where the server ends, whoever works on it leaves off too; the run can be taken up.
            stop.request();
            answer.map(|answer| answer.fields)
        }
    });
    let done = async {
        work.await.unwrap_or_else(|_| Err(Error::failed("it broke down; this is a defect of Wellread")))
    };
    if wants_events(headers) {
        tokio::spawn(async move {
            match done.await {
                Ok(fields) => told.send("done", &success(fields)),
                Err(error) => told.send("error", &Problem::from(error).to_json()),
            }
        });
        let mut response = Response::new(Body::from_stream(heard.into_stream()));
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
        return Ok(response);
    }
    drop((told, heard));
    if !prefers_async(headers) {
        return Ok(ApiAnswer(done.await?).into_response());
    }
    let mut done = Box::pin(done);
    tokio::select! {
        biased;
        // What fails before it has begun, or is done at once, is answered as such.
        answer = &mut done => Ok(ApiAnswer(answer?).into_response()),
        Ok(run) = run => {
            tokio::spawn(done);
            let mut response = ApiAnswer(json!({ "run_id": run })).into_response();
            *response.status_mut() = StatusCode::ACCEPTED;
            let applied = (HeaderName::from_static("preference-applied"), HeaderValue::from_static("respond-async"));
            response.headers_mut().insert(applied.0, applied.1);
            Ok(response)
        }
    }
}

fn prefers_async(headers: &HeaderMap) -> bool {
    let preferences = headers.get_all("prefer").iter().filter_map(|value| value.to_str().ok());
    preferences
        .flat_map(|value| value.split(','))
        .any(|one| one.split(';').next().is_some_and(|one| one.trim().eq_ignore_ascii_case("respond-async")))
}

async fn cancel(
    State(site): State<Arc<ServerContext>>,
    PathParam(id): PathParam,
    Json(_): Json<CancelRunRequest>,
) -> ApiResult<CancelRunAnswer> {
    let run = RunId::parse(&id)?;
    if !site.underway.cancel(&run) {
        let error = Error::not_found(format!("the run {run} is not under way here"));
        return Err(error
            .hint("it may have ended: `GET /api/runs/{id}` says")
            .with_way_out(WayOut::Runs)
            .into());
    }
    Ok(ApiAnswer(CancelRunAnswer { run_id: run.to_string() }))
}

async fn skills() -> ApiAnswer<SkillList> {
    let skills = Skills::default().list_skills().into_iter();
    ApiAnswer(SkillList {
        skills: skills.map(|(name, description)| SkillEntry { name, description }).collect(),
    })
}

async fn skill(
    State(site): State<Arc<ServerContext>>,
    PathParam(intent): PathParam,
    Json(request): Json<SkillRequest>,
) -> ApiResult<SkillAnswer> {
    let SkillRequest { user_id, query, raw_text, user_tz } = request;
    let asker = Asker { user_id: user_id.unwrap_or_default(), user_tz: user_tz.unwrap_or_default() };
    let intent = Intent { name: intent, query, raw_text: raw_text.unwrap_or_default() };
    let runtime = tokio::runtime::Handle::current();
    let _seat = site.turns.acquire_seat().await?;
    let said = site.run_blocking(move |site| {
        let skills = Skills::default();
        let skill = skills.find_skill(&intent.name)?;
        site.app.wait_for_complete_index(&site.app.ctx.stop)?;
        runtime.block_on(site.turns.run_until_shutdown(skill.handle(&site.app.ctx, &asker, &intent)))
    });
    match said.await {
        Ok(text) => Ok(ApiAnswer(SkillAnswer { text })),
        // What the one who asked can do something about is told; the rest is for the log.
        Err(error)
            if matches!(error.kind(), ErrorKind::Failed | ErrorKind::Unavailable | ErrorKind::NotSetUp) =>
        {
            tracing::warn!("a skill failed: {error}");
            Ok(ApiAnswer(SkillAnswer { text: UNAVAILABLE.to_owned() }))
        }
        Err(error) => Err(error.into()),
    }
}
