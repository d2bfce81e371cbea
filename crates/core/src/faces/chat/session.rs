//! A conversation: its messages, stubs of tool answers for later turns, and edits waiting for the user.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Attachment;
use crate::domain::id::RunId;
use crate::domain::untrusted::{Origin, Untrusted};
use crate::library::public_view::ReadPeriod;
use crate::ports::{StoredSession, ToolCall};
use crate::{Error, Result};

/// The most bytes of a conversation that a model is sent; the oldest turns are dropped first.
const LONGEST_HISTORY: usize = 60_000;
/// The most addresses that are remembered.
const MOST_URLS: usize = 2_000;

/// A conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Session {
    /// The conversation's id.
    pub id: String,
    /// The note that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active_file: Option<String>,
    /// The messages, oldest first.
    pub entries: Vec<SessionEntry>,
    /// The least trusted origin that was ever in it: replacing a page by a stub does not restore trust.
    pub origin: Origin,
    /// Whether it ever contained something private: then it continues only with local models.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub private: bool,
    /// The files of the vault whose text it was ever shown; `None` for conversations stored before this was tracked.
    #[serde(default)]
    pub files: Option<BTreeSet<SeenFile>>,
    /// Whether it was begun because the one before it stays on this machine.
    #[serde(skip)]
    pub begun_apart: bool,
    /// Whether it ever contained words of notes; true for conversations stored before this was tracked.
    #[serde(default = "default_notes")]
    pub notes: bool,
    /// Edits that wait for the user's decision.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pending: Vec<PendingEdit>,
    /// How many edits were ever submitted to the user, for their ids.
    #[serde(default)]
    pub asked: u32,
    /// Addresses that the user gave or that were read; no others are shown.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub urls: BTreeSet<String>,
}

/// A file of the vault whose text a conversation was shown.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "StoredFile")]
pub struct SeenFile {
    /// The name that it had: by now it may be that of another file.
    pub path: String,
    /// When the turn began and ended that was shown it first.
    #[serde(flatten)]
    pub read: ReadPeriod,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum StoredFile {
    /// As earlier versions stored it.
    Name(String),
    File {
        path: String,
        #[serde(flatten)]
        read: ReadPeriod,
    },
}

impl From<StoredFile> for SeenFile {
    fn from(stored: StoredFile) -> Self {
        match stored {
            StoredFile::Name(path) => Self { path, read: ReadPeriod::UNKNOWN },
            StoredFile::File { path, read } => Self { path, read },
        }
    }
}

/// A message of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "entry", rename_all = "snake_case")]
pub enum SessionEntry {
    /// A message of the user.
    User {
        /// The text.
        text: String,
        /// What a client attached to it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        attached: Vec<Attachment>,
    },
    /// A message of the model.
    Assistant {
        /// The text.
        text: String,
        /// The tools that it calls.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        calls: Vec<ToolCall>,
        /// Sentences that make a claim and cite nothing: they were not checked.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        unchecked: Vec<String>,
    },
    /// A stub of a tool's answer.
    Tool {
        /// The id of the call that this answers.
        call_id: String,
        /// The tool's name.
        name: String,
        /// What later turns need of the answer.
        stub: Untrusted,
        /// Whether the tool failed.
        failed: bool,
    },
}

impl SessionEntry {
    /// A message of the user, with nothing attached.
    pub fn from_user(text: impl Into<String>) -> Self {
        Self::User { text: text.into(), attached: Vec::new() }
    }

    /// A message of the model that calls no tools, and of which nothing has to be checked.
    pub(super) fn from_reply(text: String) -> Self {
        Self::Assistant { text, calls: Vec::new(), unchecked: Vec::new() }
    }
}

/// An edit that waits for the user because the conversation contains text from outside.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PendingEdit {
    /// The id by which the user confirms it: `edit-1`.
    pub id: String,
    /// The tool that makes the edit.
    pub tool: String,
    /// The arguments of the call.
    pub arguments: Value,
    /// The diff that was shown.
    pub diff: String,
}

impl Session {
    /// A new conversation, about a note if one is given.
    pub fn new(active_file: Option<&str>) -> Self {
        Self {
            id: RunId::fresh().to_string(),
            active_file: active_file.map(str::to_owned),
            entries: Vec::new(),
            origin: Origin::User,
            private: false,
            files: Some(BTreeSet::new()),
            begun_apart: false,
            notes: false,
            pending: Vec::new(),
            asked: 0,
            urls: BTreeSet::new(),
        }
    }

    /// Restores a stored conversation.
    pub fn from_stored(stored: StoredSession) -> Result<Self> {
        serde_json::from_value(stored.state).map_err(|error| {
            Error::failed(format!("the conversation {} can't be read: {error}", stored.id))
                .hint("it was saved by another version of Wellread; start a new one")
        })
    }

    /// The conversation as it is stored.
    pub fn to_stored(&self, last: Timestamp) -> Result<StoredSession> {
        let state = serde_json::to_value(self);
        let state =
            state.map_err(|error| Error::failed(format!("the conversation can't be saved: {error}")))?;
        Ok(StoredSession { id: self.id.clone(), active_file: self.active_file.clone(), last, state })
    }

    /// Remembers the addresses that the user gave.
    pub fn remember_urls(&mut self, text: &str) {
        self.add_urls(find_urls(text));
    }

    /// Remembers the addresses in a tool's answer, except those that the model put into the call: repeating an address
    /// does not mean that it was read.
    pub fn remember_found_urls(&mut self, call: &ToolCall, envelope: &Value) {
        if super::has_failed(envelope) {
            return;
        }
        let asked = call.arguments.to_string().to_lowercase();
        let composed: Vec<String> = find_urls(&asked).collect();
        let is_composed = |url: &String| {
            let url = url.to_lowercase();
            asked.contains(&url) || composed.iter().any(|given| url.starts_with(given))
        };
        self.add_urls(find_urls(&envelope.to_string()).filter(|url| !is_composed(url)));
    }

    fn add_urls(&mut self, urls: impl Iterator<Item = String>) {
        for url in urls {
            if self.urls.len() < MOST_URLS {
                self.urls.insert(url);
            }
        }
    }

    /// Drops the oldest turns of a conversation that is too long. Turns are dropped as a whole, since services reject a
    /// tool's answer without its call.
    pub fn shorten(&mut self) {
        let size = |entry: &SessionEntry| match entry {
            SessionEntry::User { text, attached } => {
                text.len() + attached.iter().map(Attachment::size).sum::<usize>()
            }
            SessionEntry::Assistant { text, calls, unchecked } => {
                text.len()
                    + unchecked.iter().map(String::len).sum::<usize>()
                    + calls.iter().map(|call| call.arguments.to_string().len()).sum::<usize>()
            }
            SessionEntry::Tool { stub, .. } => stub.size(),
        };
        let mut total: usize = self.entries.iter().map(size).sum();
        while total > LONGEST_HISTORY {
            let begins = |entry: &SessionEntry| matches!(entry, SessionEntry::User { .. });
            let Some(next) = self.entries.iter().skip(1).position(begins) else { break };
            total -= self.entries.drain(..=next).map(|entry| size(&entry)).sum::<usize>();
        }
    }
}

fn default_notes() -> bool {
    true
}

/// The http and https addresses in a text, as written.
fn find_urls(text: &str) -> impl Iterator<Item = String> {
    let ends = |c: char| c.is_whitespace() || c.is_control() || "<>\"'`()[]{}|\\^".contains(c);
    text.match_indices("://").filter_map(move |(at, _)| {
        let start = text[..at]
            .rfind(|c: char| !c.is_ascii_alphabetic())
            .map_or(0, |before| before + text[before..].chars().next().map_or(1, char::len_utf8));
        if !["http", "https"].contains(&&*text[start..at].to_ascii_lowercase()) {
            return None;
        }
        let rest = &text[start..];
        let end = rest.find(ends).unwrap_or(rest.len());
        let url = rest[..end].trim_end_matches(['.', ',', ';', ':', '!', '?']);
        (url.len() > at - start + 3 && url.len() <= 2048).then(|| url.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_found_as_they_stand() {
        let text =
            "See https://a.org/x?y=1, (http://b.org) and <HTTPS://c.org/>. javascript://d e://f http://";
        assert_eq!(
            find_urls(text).collect::<Vec<_>>(),
            ["https://a.org/x?y=1", "http://b.org", "HTTPS://c.org/"]
        );
        assert_eq!(find_urls("ü://x éhttp://z.org").collect::<Vec<_>>(), ["http://z.org"]);
    }

    #[test]
    fn a_long_conversation_loses_whole_turns_from_the_front() {
        let mut session = Session::new(None);
        for turn in 0..10 {
            session.entries.push(SessionEntry::from_user(format!("{turn} {}", "x".repeat(9_000))));
            session.entries.push(SessionEntry::from_reply("yes".to_owned()));
        }
        session.shorten();
        assert_eq!(session.entries.len(), 12);
        assert!(matches!(&session.entries[0], SessionEntry::User { text, .. } if text.starts_with("4 ")));
    }
}
