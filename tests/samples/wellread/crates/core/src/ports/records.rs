//! What is kept of the work: runs with their events, the text of pages, conversations.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Result;
use crate::corpus::{Hash, VaultPath};
use crate::event::{Ended, Event, RunKind, Stamped};
use crate::evidence::Source;
use crate::id::RunId;

/// The logs of runs: append-only, each event on disk before the next thing happens.
pub trait Records: Send + Sync {
    /// A new run, with its first event. An id that is taken is an error of kind `Conflict`.
    fn begin(&self, run: &RunHeader, first: &Event) -> Result<()>;

    /// Says that a run is under way here, until what is given is dropped or the process ends. Where it is elsewhere, that is an
    /// error of kind `Conflict`.
    fn claim(&self, run: &RunId) -> Result<Claim>;

    /// Adds an event, which must be the `number`th from 0: another writer of the same run is an error of kind `Conflict`.
    fn append(&self, run: &RunId, number: u64, at: Timestamp, event: &Event) -> Result<()>;

    /// The events in order, each as it was written: one that is not is an error that names it. So is a run that is not there.
    fn events(&self, run: &RunId) -> Result<Vec<Stamped>>;

    /// Runs, newest first as their ids are in order of time, with how they stand; those whose id begins so, where a beginning is given.
    fn runs(&self, beginning: &str, at_most: usize) -> Result<Vec<RunHeader>>;

    /// The notes that some run's evidence is of. A log that can't be read says nothing, and is no reason to say nothing.
    fn drawn_on(&self) -> Result<BTreeSet<VaultPath>> {
        let mut notes = BTreeSet::new();
        for run in self.runs("", usize::MAX)? {
            for stamped in self.events(&run.id).unwrap_or_default() {
                if let Event::Evidence(entry) = stamped.event
                    && let Source::Note(place) = entry.source
                {
                    notes.insert(place.path);
                }
            }
        }
        Ok(notes)
    }
}

/// Held by whoever works on a run.
pub type Claim = Box<dyn Send + Sync>;

/// A run as it is listed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunHeader {
    pub id: RunId,
    pub kind: RunKind,
    /// What was asked, in a line.
    pub title: String,
    pub began: Timestamp,
    /// When the last event was added, and how many there are.
    pub last: Timestamp,
    pub events: u64,
    /// How it ended; none where it has not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
}

impl RunHeader {
    /// How the run stands after one more event.
    pub fn follow(&mut self, at: Timestamp, event: &Event) {
        self.last = at;
        self.events += 1;
        match event {
            Event::Ended(Ended { outcome, .. }) => self.ended = Some(outcome.name().to_owned()),
            Event::Resumed => self.ended = None,
            _ => {}
        }
    }
}

/// The text of pages as it was when it was cited: named by its hash, compressed, never changed.
pub trait Snapshots: Send + Sync {
    fn keep(&self, text: &str) -> Result<Hash>;

    /// The text of that hash; one that does not fit it is an error.
    fn kept(&self, hash: Hash) -> Result<Option<String>>;
}

/// Conversations. What is in one is for the chat to know.
pub trait Sessions: Send + Sync {
    fn session(&self, id: &str) -> Result<Option<StoredSession>>;

    /// The conversation about a file, or the one about none: the last that was spoken in.
    fn about(&self, active_file: Option<&str>) -> Result<Option<StoredSession>>;

    fn keep_session(&self, session: &StoredSession) -> Result<()>;

    /// Newest first.
    fn sessions(&self, at_most: usize) -> Result<Vec<StoredSession>>;

    fn forget_session(&self, id: &str) -> Result<bool>;
}

#[derive(Debug, Clone, PartialEq)]
pub struct StoredSession {
    pub id: String,
    pub active_file: Option<String>,
    pub last: Timestamp,
    pub state: Value,
}
