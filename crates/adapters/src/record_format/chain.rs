//! A run's events as a hash chain: each hash covers the one before it, so that no event can be changed, removed or
//! inserted unnoticed.

use jiff::Timestamp;
use wellread_core::domain::corpus::{Hash, Hasher};
use wellread_core::domain::id::RunId;
use wellread_core::ports::event::{LoggedEvent, RunEvent};
use wellread_core::{Error, Result};

/// An event as stored.
#[derive(Debug)]
pub struct ChainEntry {
    pub number: u64,
    pub moment: Timestamp,
    /// When the event was logged, in nanoseconds.
    pub at: i64,
    pub json: String,
}

impl ChainEntry {
    pub fn new(number: u64, moment: Timestamp, event: &RunEvent) -> Result<Self> {
        let json = super::to_checked_json("an event", event)?;
        Ok(Self { number, moment, at: super::nanoseconds(moment)?, json })
    }

    pub fn hash(&self, before: Hash) -> Hash {
        link_hash(before, self.number, self.at, self.json.as_bytes())
    }
}

/// The hash before the first event, made of the run's id: a log can't be mistaken for another run's.
pub fn start_hash(run: &RunId) -> Hash {
    Hash::compute(run.as_str().as_bytes())
}

pub fn link_hash(before: Hash, number: u64, at: i64, json: &[u8]) -> Hash {
    let mut hasher = Hasher::default();
    hasher.add(before.as_bytes());
    hasher.add(&number.to_le_bytes());
    hasher.add(&at.to_le_bytes());
    hasher.add(json);
    hasher.finish()
}

/// A stored event as a database returns it.
#[derive(Debug)]
pub struct StoredEvent<'a> {
    pub number: u64,
    pub at: i64,
    pub json: &'a [u8],
    pub hash: Hash,
}

/// Reads a run's events one by one, and verifies that each continues the chain.
#[derive(Debug)]
pub struct ChainReader<'a> {
    run: &'a RunId,
    before: Hash,
    found: Vec<LoggedEvent>,
}

impl<'a> ChainReader<'a> {
    pub fn new(run: &'a RunId) -> Self {
        Self { run, before: start_hash(run), found: Vec::new() }
    }

    /// Adds the next event; `None` stands for a row that can't be read.
    pub fn add(&mut self, row: Option<StoredEvent<'_>>) -> Result<()> {
        let number = self.found.len() as u64;
        let Some((row, at)) = row.and_then(|row| self.verify(row, number)) else {
            return Err(self.damaged_error());
        };
        let event = serde_json::from_slice::<RunEvent>(row.json)
            .map_err(|error| unreadable_event_error(self.run, number, &error.to_string()))?;
        self.before = row.hash;
        self.found.push(LoggedEvent { number, at, event });
        Ok(())
    }

    /// All events, if there are as many as the header says and the last one is its `head`.
    pub fn finish(self, events: u64, head: Hash) -> Result<Vec<LoggedEvent>> {
        if self.found.len() as u64 != events || self.before != head {
            return Err(self.damaged_error());
        }
        Ok(self.found)
    }

    fn verify<'b>(&self, row: StoredEvent<'b>, expected: u64) -> Option<(StoredEvent<'b>, Timestamp)> {
        if row.number != expected || row.hash != link_hash(self.before, row.number, row.at, row.json) {
            return None;
        }
        let at = super::from_nanoseconds(row.at)?;
        Some((row, at))
    }

    /// Any failure is reported as damage of the event that would come next.
    fn damaged_error(&self) -> Error {
        super::damaged_error(&format!("event {} of run `{}`", self.found.len(), self.run))
    }
}

fn unreadable_event_error(run: &RunId, number: u64, reason: &str) -> Error {
    Error::failed(format!("event {number} of run `{run}` can't be read: {reason}"))
        .hint("it is intact, but from another version of Wellread; use that one")
}
