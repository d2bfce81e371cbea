//! The sources of a text as they are listed with it, and what was sent off the machine for it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Result;
use crate::domain::evidence::{Evidence, Source};
use crate::engine::log::sent_records;
use crate::engine::run::Run;
use crate::ports::RunLogs;
use crate::ports::event::SentRequest;

/// A page by its address, or a file by its path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SourceEntry {
    /// The title of the note or page.
    pub title: String,
    /// The page's address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// A note of the vault, or a file of the codebase that stands before the colon.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

impl SourceEntry {
    /// The source of a piece of evidence.
    pub fn from_evidence(entry: &Evidence) -> Self {
        match &entry.source {
            Source::Page(place) | Source::Paper { place, .. } => Self {
                title: place.title.clone().unwrap_or_else(|| place.url.clone()),
                url: Some(place.url.clone()),
                path: None,
            },
            Source::Note(place) => {
                Self { title: place.path.stem().to_owned(), url: None, path: Some(place.path.to_string()) }
            }
            Source::Code { repository, place, .. } => Self {
                title: place.path.name().to_owned(),
                url: None,
                path: Some(format!("{repository}: {}", place.path)),
            },
        }
    }

    /// The path of the note that a piece of evidence comes from; `None` for any other source.
    pub fn note_path(entry: &Evidence) -> Option<String> {
        match &entry.source {
            Source::Note(place) => Some(place.path.to_string()),
            _ => None,
        }
    }
}

/// One thing that left the machine, or went to another program on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SentItem {
    /// `model`, `search` or `page`.
    pub what: String,
    pub to: String,
    pub about: String,
    pub bytes: u64,
    /// Whether it only went to another program on this machine.
    pub stays: bool,
}

/// Everything that a run has sent, in order.
pub(super) fn collect_sent(records: &dyn RunLogs, run: &Run) -> Result<Vec<SentItem>> {
    let sent = sent_records(&records.events(run.id())?).into_iter();
    Ok(sent
        .map(|departure| departure.sent)
        .map(|SentRequest { what, to, about, bytes, stays }| SentItem { what, to, about, bytes, stays })
        .collect())
}
