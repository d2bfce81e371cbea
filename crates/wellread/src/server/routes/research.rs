//! Research: a note, a question, a codebase. Work that takes long streams its progress, or goes on after an answer that names its
//! run; it can be called off by that.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use wellread_core::domain::id::RunId;
use wellread_core::domain::rights::Right;
use wellread_core::research::{AskAnswer, CodeAnswer, Depth, NoteAnswer};
use wellread_core::{Error, WayOut};

use crate::server::ServerContext;
use crate::server::active_runs::start_research;
use crate::server::body::{Json, PathParam};
use crate::server::problem::Problem;
use crate::server::route::{ApiAnswer, ApiResult, Route};

pub fn routes() -> Vec<Route> {
    vec![
        recipe::<NoteBody>("/api/note/research", "Researches a note and writes the results into it"),
        recipe::<AskBody>("/api/ask", "Answers one factual question in a paragraph with its source"),
        recipe::<CodeBody>("/api/code/research", "Investigates a codebase and answers one question about it"),
        Route::post("/api/runs/{id}/cancel", "Cancels research that this server is running", cancel)
            .needs(&[Right::Research])
            .with_body::<CancelRunRequest>()
            .answers::<CancelRunAnswer>()
            .fails(&[404]),
    ]
}

/// The route of a recipe: answered at once, by a stream, or with the run that has begun.
fn recipe<B: RecipeBody>(path: &str, about: &str) -> Route {
    Route::post(path, about, research::<B>)
        .needs(B::NEEDS)
        .with_body::<B>()
        .answers::<B::Answer>()
        .answers_status("202", "Started, if `Prefer: respond-async` was sent: `run_id` identifies the run")
        .fails(&[404, 409, 424])
}

async fn research<B: RecipeBody>(
    State(site): State<Arc<ServerContext>>,
    headers: HeaderMap,
    Json(body): Json<B>,
) -> Result<Response, Problem> {
    start_research(site, B::TOOL, body.arguments(), &headers).await
}

/// The body of a request that a recipe answers.
trait RecipeBody: DeserializeOwned + JsonSchema + Send + 'static {
    /// The tool that does the work.
    const TOOL: &'static str;
    /// What a user needs for it, besides `read`.
    const NEEDS: &'static [Right] = &[Right::Research];
    /// What the tool answers with.
    type Answer: JsonSchema;

    /// The tool's arguments.
    fn arguments(self) -> Value;
}

impl RecipeBody for NoteBody {
    const TOOL: &'static str = "research_note";
    const NEEDS: &'static [Right] = &[Right::Research, Right::Write];
    type Answer = NoteAnswer;

    fn arguments(self) -> Value {
        let Self { path, depth, focus, dry_run, preview_run } = self;
        json!({ "path": path, "depth": depth, "focus": focus, "dry_run": dry_run, "preview_run": preview_run })
    }
}

impl RecipeBody for AskBody {
    const TOOL: &'static str = "research";
    type Answer = AskAnswer;

    fn arguments(self) -> Value {
        json!({ "query": self.query })
    }
}

impl RecipeBody for CodeBody {
    const TOOL: &'static str = "code_deep_research";
    type Answer = CodeAnswer;

    fn arguments(self) -> Value {
        let Self { question, scope, budget, debug, repository } = self;
        json!({
            "question": question,
            "scope": scope,
            "budget": budget,
            "debug": debug,
            "repository": repository,
        })
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct NoteBody {
    /// The note, relative to the vault; the `.md` is optional.
    path: String,
    /// `shallow`: use search results only; `deep`: also read the top pages for each topic.
    #[serde(default)]
    depth: Option<Depth>,
    /// What to focus on.
    #[serde(default)]
    focus: Option<String>,
    /// Research, but return the diff and change nothing.
    #[serde(default)]
    dry_run: Option<bool>,
    /// The id of a dry run of this note: write exactly what it showed, and research nothing again.
    #[serde(default)]
    preview_run: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AskBody {
    /// One factual question.
    query: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CodeBody {
    /// One question about the code.
    question: String,
    /// A path pattern, such as `src/**`; only matching files are read. `name:src/**` also names the repository.
    #[serde(default)]
    scope: Option<String>,
    /// How many steps, 1 to 20.
    #[serde(default)]
    budget: Option<u32>,
    /// Whether the answer lists its steps.
    #[serde(default)]
    debug: Option<bool>,
    /// The repository's name; if omitted and there are several, the one that the question is about.
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

async fn cancel(
    State(site): State<Arc<ServerContext>>,
    PathParam(id): PathParam,
    Json(_): Json<CancelRunRequest>,
) -> ApiResult<CancelRunAnswer> {
    let run = RunId::parse(&id)?;
    if !site.underway.cancel(&run) {
        let error = Error::not_found(format!("the run {run} is not running here"));
        return Err(error
            .hint("it may have ended: `GET /api/runs/{id}` shows")
            .with_way_out(WayOut::Runs)
            .into());
    }
    Ok(ApiAnswer(CancelRunAnswer { run_id: run.to_string() }))
}
