//! The records: runs with their events, the text of pages, and conversations.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::domain::corpus::{Hash, VaultPath};
use crate::domain::evidence::Source;
use crate::domain::id::RunId;
use crate::ports::event::{LoggedEvent, RunEnd, RunEvent, RunKind};
use crate::{Error, Result, WayOut};

/// The logs of runs: append-only, each event on disk before the next thing happens.
pub trait RunLogs: Send + Sync {
    /// Keeps a new run, as [`RunHeader::begin`] gives it, with its first event. An id that is taken is an error of kind
    /// `Conflict`.
    fn begin(&self, run: &RunHeader, first: &RunEvent) -> Result<()>;

    /// Claims a run, so that nobody else goes on with it; the claim ends as [`LockGuard`] says. Where somebody else has it, that
    /// is [`RunHeader::locked_error`].
    fn lock_run(&self, run: &RunId) -> Result<LockGuard>;

    /// Adds an event, by [`RunHeader::append`]: it must be the `number`th from 0, so that a second writer of the same run, who
    /// can only be one that lost its claim, is an error of kind `Conflict`.
    fn append(&self, run: &RunId, number: u64, at: Timestamp, event: &RunEvent) -> Result<()>;

    /// The events in order, each as it was written: one that is not is an error that names it. So is a run that is not there.
    fn events(&self, run: &RunId) -> Result<Vec<LoggedEvent>>;

    /// Runs, newest first as their ids are in order of time, with how they stand; those whose id begins so, where a beginning is given.
    fn runs(&self, beginning: &str, at_most: usize) -> Result<Vec<RunHeader>>;

    /// The notes that some run's evidence is of. A log that can't be read says nothing, and is no reason to say nothing.
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

/// A claim on a run, a finding or a worker's name, held until it is dropped.
///
/// How a store keeps others out is its own affair: a lock on a file, a lock on a row, or a lease that it renews behind the
/// scenes. It promises that the claim also ends with the process that holds it, whichever way that ends, at once or after a
/// time that it knows. It need not promise that a holder that was cut off notices: what such a holder still writes is refused
/// where it is written ([`RunLogs::append`], [`super::Findings::decide`], [`super::Lease::check`]).
pub type LockGuard = Box<dyn Send + Sync>;

/// A run as it is listed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunHeader {
    /// The run's id.
    pub id: RunId,
    /// The kind of run.
    pub kind: RunKind,
    /// What was asked, in a line.
    pub title: String,
    /// When the run began.
    pub began: Timestamp,
    /// When the last event was added, and how many there are.
    pub last: Timestamp,
    /// How many events its log has.
    pub events: u64,
    /// How it ended; none where it has not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
}

impl RunHeader {
    /// The header of a run that has its first event and no other.
    pub fn begin(&self) -> Self {
        Self { last: self.began, events: 1, ended: None, ..self.clone() }
    }

    /// Adds an event to the header. An error of kind `Conflict` where another event comes next.
    pub fn append(&mut self, number: u64, at: Timestamp, event: &RunEvent) -> Result<()> {
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

    /// Why a run can't be had.
    pub fn not_found_error(run: &RunId) -> Error {
        Error::not_found(format!("there is no run `{run}`"))
            .hint("`wellread runs` shows the runs with their ids")
            .with_way_out(WayOut::Runs)
    }

    /// Why a run can't be begun: its id is taken.
    pub fn exists_error(run: &RunId) -> Error {
        Error::conflict(format!("the run `{run}` already exists"))
    }

    /// Why a run can't be claimed: somebody else has it.
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

/// The text of pages as it was when it was cited: named by its hash, compressed, never changed.
pub trait Snapshots: Send + Sync {
    /// Stores a text and returns its hash.
    fn keep(&self, text: &str) -> Result<Hash>;

    /// The text of that hash; one that does not fit it is an error.
    fn load(&self, hash: Hash) -> Result<Option<String>>;
}

/// Conversations. What is in one is for the chat to know.
pub trait Sessions: Send + Sync {
    /// The conversation with this id.
    fn session(&self, id: &str) -> Result<Option<StoredSession>>;

    /// The conversation about a file, or the one about none: the last that was spoken in.
    fn latest_session_about(&self, active_file: Option<&str>) -> Result<Option<StoredSession>>;

    /// Stores a conversation.
    fn keep_session(&self, session: &StoredSession) -> Result<()>;

    /// Newest first.
    fn sessions(&self, at_most: usize) -> Result<Vec<StoredSession>>;

    /// Deletes a conversation and returns whether it existed.
    fn forget_session(&self, id: &str) -> Result<bool>;
}

/// A conversation as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredSession {
    /// The conversation's id.
    pub id: String,
    /// The note that the conversation is about.
    pub active_file: Option<String>,
    /// When it was last continued.
    pub last: Timestamp,
    /// The conversation as JSON.
    pub state: Value,
}
