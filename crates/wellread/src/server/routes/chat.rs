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
use wellread_core::domain::rights::Right;
use wellread_core::faces::chat::{ChatEvent, ChatResponse as Said, Session};
use wellread_core::{Error, Result};

use crate::answers::{self, Conversation, ConversationList};
use crate::output::success;
use crate::server::body::{Json, PathParam};
use crate::server::events::{self, EventSender, wants_events};
use crate::server::problem::Problem;
use crate::server::route::{ApiAnswer, ApiResult, Route};
use crate::server::{BY_REQUEST, ServerContext};

pub fn routes() -> Vec<Route> {
    vec![
        Route::post("/chat", "Sends a message to the chat agent, or decides on a pending edit", chat)
            .needs(&[Right::Research])
            .with_body::<ChatRequest>()
            .answers::<Said>()
            .fails(&[404, 409, 424]),
        Route::get("/api/sessions", "The conversations, newest first", sessions)
            .answers::<ConversationList>(),
        Route::get("/api/sessions/{id}", "The messages of a conversation", session)
            .answers::<Conversation>()
            .fails(&[400, 404]),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ChatRequest {
    /// The user's message.
    message: Option<String>,
    /// The conversation to continue; by default, the one about `active_file`.
    session_id: Option<String>,
    /// The note that the user has open, relative to the vault.
    active_file: Option<String>,
    /// Starts a new conversation.
    new: Option<bool>,
    /// A pending edit to apply.
    confirm: Option<String>,
    /// A pending edit to discard.
    decline: Option<String>,
}

/// What of the three a request is.
enum ChatInput {
    Message(String),
    Decision { edit: String, confirmed: bool },
}

impl ChatRequest {
    fn parse_input(&self) -> Result<ChatInput> {
        match (&self.message, &self.confirm, &self.decline) {
            (Some(message), None, None) if self.session_id.is_none() || self.new != Some(true) => {
                Ok(ChatInput::Message(message.clone()))
            }
            (None, Some(edit), None) => Ok(ChatInput::Decision { edit: edit.clone(), confirmed: true }),
            (None, None, Some(edit)) => Ok(ChatInput::Decision { edit: edit.clone(), confirmed: false }),
            (Some(_), None, None) => Err(Error::invalid("a new conversation has no `session_id` yet")),
            _ => Err(Error::invalid("exactly one of `message`, `confirm` and `decline` must be given")),
        }
    }
}

async fn chat(
    State(site): State<Arc<ServerContext>>,
    headers: HeaderMap,
    Json(request): Json<ChatRequest>,
) -> Result<Response, Problem> {
    let what = request.parse_input()?;
    let (sender, receiver) = events::channel();
    let turn = take_turn(site, request, what, sender.clone());
    if !wants_events(&headers) {
        drop((sender, receiver));
        return Ok(ApiAnswer(turn.await?).into_response());
    }
    tokio::spawn(async move {
        match turn.await {
            Ok(said) => sender.send("done", &success(json!(said))),
            Err(error) => sender.send("error", &Problem::from(error).to_json()),
        }
    });
    let mut response = Response::new(Body::from_stream(receiver.into_stream()));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    Ok(response)
}

/// A turn, when it is its turn: those of one conversation follow each other. Whoever asked may have gone away meanwhile; it
/// is completed all the same.
async fn take_turn(
    site: Arc<ServerContext>,
    mut request: ChatRequest,
    what: ChatInput,
    sender: EventSender,
) -> Result<Said> {
    let turn = tokio::spawn(async move {
        if let Some(file) = request.active_file.take() {
            request.active_file =
                site.run_blocking(move |site| answers::resolve_active_file(&site.app, &file)).await?;
        }
        let about = match (&request.session_id, &request.active_file) {
            (Some(id), None) => {
                let id = id.clone();
                site.run_blocking(move |site| answers::find_active_file(&site.chat, &id)).await?
            }
            (_, file) => file.clone().unwrap_or_default(),
        };
        // Who waits for others takes no seat from those who could speak.
        let _order = site.turns.lock_topic(&about).await;
        let _seat = site.turns.acquire_seat().await?;
        let runtime = tokio::runtime::Handle::current();
        let held = tokio::task::spawn_blocking(move || {
            runtime.block_on(site.turns.run_until_shutdown(async {
                let chat = &site.chat;
                let (id, file) = (request.session_id.as_deref(), request.active_file.as_deref());
                let session = match request.new {
                    Some(true) => Session::new(file),
                    _ => chat.session(id, file)?,
                };
                let watch = |event: ChatEvent| sender.send_event(&event);
                match what {
                    ChatInput::Message(message) => chat.say(session, &message, &watch).await,
                    ChatInput::Decision { edit, confirmed } => {
                        chat.decide(BY_REQUEST, session, &edit, confirmed, &watch).await
                    }
                }
            }))
        });
        held.await.unwrap_or_else(|_| Err(turn_panicked()))
    });
    turn.await.unwrap_or_else(|_| Err(turn_panicked()))
}

fn turn_panicked() -> Error {
    Error::failed("internal error: this is a bug in Wellread")
}

async fn sessions(State(site): State<Arc<ServerContext>>) -> ApiResult<ConversationList> {
    Ok(ApiAnswer(site.run_blocking(|site| answers::list_conversations(&site.chat)).await?))
}

async fn session(
    State(site): State<Arc<ServerContext>>,
    PathParam(id): PathParam,
) -> ApiResult<Conversation> {
    Ok(ApiAnswer(site.run_blocking(move |site| answers::read_conversation(&site.chat, &id)).await?))
}
