//! Conversations as they are listed and read.

use schemars::JsonSchema;
use serde::Serialize;
use wellread_core::faces::chat::{Chat, Entry, Pending, Session};
use wellread_core::{Error, Kind, Result};

use crate::app::App;

const LISTED: usize = 200;

#[derive(Debug, Serialize, JsonSchema)]
pub struct Conversations {
    pub sessions: Vec<ConversationHead>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct ConversationHead {
    pub id: String,
    /// The note that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_file: Option<String>,
    /// When it was last spoken in.
    pub last: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Conversation {
    pub id: String,
    /// The note that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_file: Option<String>,
    pub messages: Vec<Spoken>,
    /// Edits that wait for the user's word.
    pub pending: Vec<Pending>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Spoken {
    /// `user`, `assistant` or `tool`.
    pub role: &'static str,
    /// What was said; of a tool, its name.
    pub text: String,
}

pub fn conversations(chat: &Chat) -> Result<Conversations> {
    let head = |stored: wellread_core::ports::StoredSession| ConversationHead {
        id: stored.id,
        active_file: stored.active_file,
        last: stored.last.to_string(),
    };
    Ok(Conversations { sessions: chat.sessions.sessions(LISTED)?.into_iter().map(head).collect() })
}

pub fn conversation(chat: &Chat, id: &str) -> Result<Conversation> {
    let stored = chat.sessions.session(id)?;
    let session = Session::restored(stored.ok_or_else(|| unknown(id))?)?;
    let spoken = |entry: &Entry| match entry {
        Entry::User { text } => Some(Spoken { role: "user", text: text.clone() }),
        Entry::Assistant { text, .. } if text.trim().is_empty() => None,
        Entry::Assistant { text, .. } => Some(Spoken { role: "assistant", text: text.clone() }),
        Entry::Tool { name, .. } => Some(Spoken { role: "tool", text: name.clone() }),
    };
    Ok(Conversation {
        messages: session.entries.iter().filter_map(spoken).collect(),
        pending: session.pending.iter().map(Pending::of).collect(),
        id: session.id,
        active_file: session.active_file,
    })
}

/// What a conversation is about: turns about one thing follow each other.
pub fn about(chat: &Chat, id: &str) -> Result<String> {
    let stored = chat.sessions.session(id)?.ok_or_else(|| unknown(id))?;
    Ok(stored.active_file.unwrap_or_default())
}

/// The note that a client has open, by its path however it is spelled. One that is not there yet may be about to be.
pub fn opened(app: &App, named: &str) -> Result<Option<String>> {
    let named = named.trim();
    if named.is_empty() {
        return Ok(None);
    }
    let vault = &app.ctx.vault;
    match vault.locate(named) {
        Err(error) if error.kind() == Kind::NotFound => vault.rules.file(named),
        located => located,
    }
    .map(|path| Some(path.to_string()))
}

fn unknown(id: &str) -> Error {
    Error::not_found(format!("there is no conversation `{id}`")).hint("GET /api/sessions lists them")
}
