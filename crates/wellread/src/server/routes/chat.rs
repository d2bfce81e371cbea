//! Conversations: a message in, an answer out, at once or as it comes.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse as _, Response};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use wellread_core::faces::chat::{ChatEvent, Response as Said, Session};
use wellread_core::{Error, Result};

use crate::answers::{self, Conversation, Conversations};
use crate::output::success;
use crate::server::Site;
use crate::server::body::{Json, Named};
use crate::server::events::{self, Told, wants_events};
use crate::server::problem::Problem;
use crate::server::route::{Answer, Answered, Route};

pub fn routes() -> Vec<Route> {
    vec![
        Route::post("/chat", "Says something to the chat agent, or decides about an edit that waits", chat)
            .takes::<ChatRequest>()
            .answers::<Said>()
            .fails(&[404, 409, 424]),
        Route::get("/api/sessions", "The conversations, newest first", sessions).answers::<Conversations>(),
        Route::get("/api/sessions/{id}", "What was said in a conversation", session)
            .answers::<Conversation>()
            .fails(&[400, 404]),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ChatRequest {
    /// What the user says.
    message: Option<String>,
    /// The conversation to go on with; where left out, the one about `active_file`.
    session_id: Option<String>,
    /// The note that the user has open, relative to the vault.
    active_file: Option<String>,
    /// Begins a new conversation, whatever there was before.
    new: Option<bool>,
    /// An edit that waits, which the user wants made.
    confirm: Option<String>,
    /// An edit that waits, which the user does not want.
    decline: Option<String>,
}

/// What of the three a request is.
enum What {
    Message(String),
    Decision { edit: String, confirmed: bool },
}

impl ChatRequest {
    fn what(&self) -> Result<What> {
        match (&self.message, &self.confirm, &self.decline) {
            (Some(message), None, None) if self.session_id.is_none() || self.new != Some(true) => {
                Ok(What::Message(message.clone()))
            }
            (None, Some(edit), None) => Ok(What::Decision { edit: edit.clone(), confirmed: true }),
            (None, None, Some(edit)) => Ok(What::Decision { edit: edit.clone(), confirmed: false }),
            (Some(_), None, None) => Err(Error::invalid("a new conversation has no `session_id` yet")),
            _ => Err(Error::invalid("exactly one of `message`, `confirm` and `decline` must be given")),
        }
    }
}

async fn chat(
    State(site): State<Arc<Site>>,
    headers: HeaderMap,
    Json(request): Json<ChatRequest>,
) -> Result<Response, Problem> {
    let what = request.what()?;
    let (told, heard) = events::channel();
    let turn = take_turn(site, request, what, told.clone());
    if !wants_events(&headers) {
        drop((told, heard));
        return Ok(Answer(turn.await?).into_response());
    }
    tokio::spawn(async move {
        match turn.await {
            Ok(said) => told.tell("done", &success(json!(said))),
            Err(error) => told.tell("error", &Problem::from(error).object()),
        }
    });
    let mut response = Response::new(Body::from_stream(heard.stream()));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    Ok(response)
}

/// A turn, when it is its turn: those of one conversation follow each other. Whoever asked may have gone away meanwhile; it
/// is completed all the same.
async fn take_turn(site: Arc<Site>, mut request: ChatRequest, what: What, told: Told) -> Result<Said> {
    let turn = tokio::spawn(async move {
        if let Some(file) = request.active_file.take() {
            request.active_file = site.work(move |site| answers::opened(&site.app, &file)).await?;
        }
        let about = match (&request.session_id, &request.active_file) {
            (Some(id), None) => {
                let id = id.clone();
                site.work(move |site| answers::about(&site.chat, &id)).await?
            }
            (_, file) => file.clone().unwrap_or_default(),
        };
        // Who waits for others takes no seat from those who could speak.
        let _order = site.turns.order(&about).await;
        let _seat = site.turns.seat().await?;
        let runtime = tokio::runtime::Handle::current();
        let held = tokio::task::spawn_blocking(move || {
            runtime.block_on(site.turns.unless_over(async {
                let chat = &site.chat;
                let (id, file) = (request.session_id.as_deref(), request.active_file.as_deref());
                let session = match request.new {
                    Some(true) => Session::new(file),
                    _ => chat.session(id, file)?,
                };
                let watch = |event: ChatEvent| told.tell_event(&event);
                match what {
                    What::Message(message) => chat.say(session, &message, &watch).await,
                    What::Decision { edit, confirmed } => {
                        chat.decide(session, &edit, confirmed, &watch).await
                    }
                }
            }))
        });
        held.await.unwrap_or_else(|_| Err(broke_down()))
    });
    turn.await.unwrap_or_else(|_| Err(broke_down()))
}

fn broke_down() -> Error {
    Error::failed("the turn broke down; this is a defect of Wellread")
}

async fn sessions(State(site): State<Arc<Site>>) -> Answered<Conversations> {
    Ok(Answer(site.work(|site| answers::conversations(&site.chat)).await?))
}

async fn session(State(site): State<Arc<Site>>, Named(id): Named) -> Answered<Conversation> {
    Ok(Answer(site.work(move |site| answers::conversation(&site.chat, &id)).await?))
}
