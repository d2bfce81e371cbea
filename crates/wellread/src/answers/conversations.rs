//! Conversations as they are listed and read.

use schemars::JsonSchema;
use serde::Serialize;
use wellread_core::faces::chat::{Chat, PendingEditView, Session, SessionEntry};
use wellread_core::{Error, ErrorKind, Result, WayOut};

use crate::app::App;

const LISTED: usize = 200;

#[derive(Debug, Serialize, JsonSchema)]
pub struct ConversationList {
    pub sessions: Vec<ConversationHead>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct ConversationHead {
    pub id: String,
    /// The note that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_file: Option<String>,
    /// When its last message was sent.
    pub last: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Conversation {
    pub id: String,
    /// The note that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_file: Option<String>,
    pub messages: Vec<ConversationMessage>,
    /// Edits that wait for the user's decision.
    pub pending: Vec<PendingEditView>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct ConversationMessage {
    /// `user`, `assistant` or `tool`.
    pub role: &'static str,
    /// The message; for a tool, its name.
    pub text: String,
    /// Sentences of an answer that make a claim and cite nothing: they were not checked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unchecked: Vec<String>,
}

pub fn list_conversations(chat: &Chat) -> Result<ConversationList> {
    let head = |stored: wellread_core::ports::StoredSession| ConversationHead {
        id: stored.id,
        active_file: stored.active_file,
        last: stored.last.to_string(),
    };
    Ok(ConversationList { sessions: chat.sessions.sessions(LISTED)?.into_iter().map(head).collect() })
}

pub fn read_conversation(chat: &Chat, id: &str) -> Result<Conversation> {
    let stored = chat.sessions.session(id)?;
    let session = Session::from_stored(stored.ok_or_else(|| unknown_conversation(id))?)?;
    let message = |role, text: &str, unchecked: &[String]| ConversationMessage {
        role,
        text: text.to_owned(),
        unchecked: unchecked.to_vec(),
    };
    let spoken = |entry: &SessionEntry| match entry {
        SessionEntry::User { text, .. } => Some(message("user", text, &[])),
        SessionEntry::Assistant { text, .. } if text.trim().is_empty() => None,
        SessionEntry::Assistant { text, unchecked, .. } => Some(message("assistant", text, unchecked)),
        SessionEntry::Tool { name, .. } => Some(message("tool", name, &[])),
    };
    Ok(Conversation {
        messages: session.entries.iter().filter_map(spoken).collect(),
        pending: session.pending.iter().map(PendingEditView::from_edit).collect(),
        id: session.id,
        active_file: session.active_file,
    })
}

/// What a conversation is about: turns about one thing follow each other.
pub fn find_active_file(chat: &Chat, id: &str) -> Result<String> {
    let stored = chat.sessions.session(id)?.ok_or_else(|| unknown_conversation(id))?;
    Ok(stored.active_file.unwrap_or_default())
}

/// The note that a client has open, by its path however it is spelled. One that is not there yet may be about to be.
pub fn resolve_active_file(app: &App, named: &str) -> Result<Option<String>> {
    let named = named.trim();
    if named.is_empty() {
        return Ok(None);
    }
    let vault = &app.ctx.vault;
    match vault.locate(named) {
        Err(error) if error.kind() == ErrorKind::NotFound => vault.rules.parse_file(named),
        located => located,
    }
    .map(|path| Some(path.to_string()))
}

fn unknown_conversation(id: &str) -> Error {
    Error::not_found(format!("there is no conversation `{id}`"))
        .hint("GET /api/sessions lists them")
        .with_way_out(WayOut::Conversations)
}
