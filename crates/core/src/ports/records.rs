//! The records: runs with their events, the text of pages, and conversations.

use std::collections::BTreeSet;
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::domain::corpus::{Hash, VaultPath};
use crate::domain::evidence::Source;
use crate::domain::id::RunId;
use crate::ports::event::{LoggedEvent, RunEnd, RunEvent, RunKind};
use crate::{Error, Result, WayOut};

/// The logs of runs: append-only. Each event is on disk before the run continues.
pub trait RunLogs: Send + Sync {
    /// Stores a new run, as [`RunHeader::begin`] returns it, with its first event. A taken id is an error (`Conflict`).
    fn begin(&self, run: &RunHeader, first: &RunEvent) -> Result<()>;

    /// Locks a run, so that nobody else continues it; the lock ends as [`LockGuard`] says. If it is locked already, the
    /// result is [`RunHeader::locked_error`].
    fn lock_run(&self, run: &RunId) -> Result<LockGuard>;

    /// Appends an event, by [`RunHeader::append`]. `number` counts from 0 and must be the next one; otherwise another
    /// writer has taken over the run, which is an error of kind `Conflict`.
    fn append(&self, run: &RunId, number: u64, at: Timestamp, event: &RunEvent) -> Result<()>;

    /// All events in order. A damaged event is an error that names it; a run that does not exist is an error too.
    fn events(&self, run: &RunId) -> Result<Vec<LoggedEvent>>;

    /// The runs whose id starts with `beginning`, newest first, at most `at_most`. An empty beginning matches all.
    fn runs(&self, beginning: &str, at_most: usize) -> Result<Vec<RunHeader>>;

    /// The notes that are in the evidence of any run. Logs that can't be read are skipped.
    fn notes_in_evidence(&self) -> Result<BTreeSet<VaultPath>> {
        let mut notes = BTreeSet::new();
        for run in self.runs("", usize::MAX)? {
            for stamped in self.events(&run.id).unwrap_or_default() {
                if let RunEvent::Evidence(entry) = stamped.event
                    && let Source::Note(place) = entry.source
                {
                    notes.insert(place.path);
                }
            }
        }
        Ok(notes)
    }
}

/// A lock on a run, a finding or a worker's name, until it is dropped.
///
/// How a store keeps others out is its own affair: a file lock, a row lock, or a lease that it renews in the
/// background. It promises that the lock also ends with its process, however that ends, at once or after a known time.
/// It need not promise that a holder that was cut off notices: what such a holder still writes is refused when it is
/// written ([`RunLogs::append`], [`super::Findings::decide`], [`super::Lease::check`]).
pub type LockGuard = Box<dyn Send + Sync>;

/// A run in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunHeader {
    /// The run's id.
    pub id: RunId,
    /// The kind of run.
    pub kind: RunKind,
    /// What was asked, in one line.
    pub title: String,
    /// When the run began.
    pub began: Timestamp,
    /// When the last event was added.
    pub last: Timestamp,
    /// How many events its log has.
    pub events: u64,
    /// The name of its outcome; `None` if it has not ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
    /// When the run's text was removed: what was asked, its events, and the pages that only it has cited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forgotten: Option<Timestamp>,
}

impl RunHeader {
    /// The header as it is stored with the run's first event: one event, not ended.
    pub fn begin(&self) -> Self {
        Self { last: self.began, events: 1, ended: None, forgotten: None, ..self.clone() }
    }

    /// The header without any text: what is kept of a run that is forgotten.
    #[must_use]
    pub fn forget(&self, at: Timestamp) -> Self {
        Self { title: String::new(), forgotten: Some(at), ..self.clone() }
    }

    /// Whether the run was last worked on longer ago than this.
    pub fn is_older_than(&self, age: Duration, now: Timestamp) -> bool {
        is_older_than(self.last, age, now)
    }

    /// Returns an error if the run was forgotten.
    pub fn check_remembered(&self) -> Result<()> {
        let Some(at) = self.forgotten else { return Ok(()) };
        let day = at.strftime("%Y-%m-%d");
        Err(Error::not_found(format!("the run `{}` was forgotten on {day}", self.id))
            .hint("only that it happened is kept; start it again if you need its result")
            .with_way_out(WayOut::Runs))
    }

    /// Updates the header for an appended event. An error of kind `Conflict` if `number` is not the next one.
    pub fn append(&mut self, number: u64, at: Timestamp, event: &RunEvent) -> Result<()> {
        self.check_remembered()?;
        if number != self.events {
            return Err(self.out_of_order_error(number));
        }
        self.last = at;
        self.events += 1;
        match event {
            RunEvent::Ended(RunEnd { outcome, .. }) => self.ended = Some(outcome.name().to_owned()),
            RunEvent::Resumed => self.ended = None,
            _ => {}
        }
        Ok(())
    }

    /// The error for an id that no run has.
    pub fn not_found_error(run: &RunId) -> Error {
        Error::not_found(format!("there is no run `{run}`"))
            .hint("`wellread runs` shows the runs with their ids")
            .with_way_out(WayOut::Runs)
    }

    /// The error for a new run whose id is taken.
    pub fn exists_error(run: &RunId) -> Error {
        Error::conflict(format!("the run `{run}` already exists"))
    }

    /// The error for a run that is locked by somebody else.
    pub fn locked_error(run: &RunId) -> Error {
        Error::conflict(format!("the run {run} is already running elsewhere"))
            .hint("wait for it to end, or end that process")
    }

    fn out_of_order_error(&self, number: u64) -> Error {
        let Self { id, events: next, .. } = self;
        let message = if number < *next {
            format!("event {number} of run `{id}` is there already: somebody else goes on with it")
        } else {
            format!("event {number} of run `{id}` would leave a gap: {next} comes next")
        };
        Error::conflict(message)
            .hint("nothing was written; `wellread runs show` shows the state of the run")
            .with_way_out(WayOut::Runs)
    }
}

/// The text of pages as of when they were cited: identified by its hash, compressed, immutable.
pub trait Snapshots: Send + Sync {
    /// Stores a text and returns its hash.
    fn keep(&self, text: &str) -> Result<Hash>;

    /// The text with this hash; `None` if there is none, an error if the stored text does not match the hash.
    fn load(&self, hash: Hash) -> Result<Option<String>>;
}

/// Stored conversations. Their content is opaque to the store.
pub trait Sessions: Send + Sync {
    /// The conversation with this id.
    fn session(&self, id: &str) -> Result<Option<StoredSession>>;

    /// The conversation about this file, or about no file, that was continued last.
    fn latest_session_about(&self, active_file: Option<&str>) -> Result<Option<StoredSession>>;

    /// Stores a conversation, and replaces an earlier state of it.
    fn keep_session(&self, session: &StoredSession) -> Result<()>;

    /// The conversations, newest first, at most `at_most`.
    fn sessions(&self, at_most: usize) -> Result<Vec<StoredSession>>;

    /// Deletes a conversation and returns whether it existed.
    fn forget_session(&self, id: &str) -> Result<bool>;
}

/// A conversation as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredSession {
    /// The conversation's id.
    pub id: String,
    /// The path of the note that the conversation is about, if any.
    pub active_file: Option<String>,
    /// When it was last continued.
    pub last: Timestamp,
    /// The conversation as JSON.
    pub state: Value,
}

impl StoredSession {
    /// Whether the conversation was last continued longer ago than this.
    pub fn is_older_than(&self, age: Duration, now: Timestamp) -> bool {
        is_older_than(self.last, age, now)
    }
}

fn is_older_than(last: Timestamp, age: Duration, now: Timestamp) -> bool {
    last < now && now.duration_since(last).unsigned_abs() > age
}
