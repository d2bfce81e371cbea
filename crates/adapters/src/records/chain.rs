//! A run's events as a hash chain: each hash covers the one before it, so that no event can be changed, removed or
//! inserted unnoticed.

use jiff::Timestamp;
use wellread_core::Result;
use wellread_core::domain::corpus::{Hash, Hasher};
use wellread_core::domain::id::RunId;
use wellread_core::ports::event::RunEvent;

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
