//! A run's events as a chain: each one's hash is over the hash before it, so that none can be changed, lost or put in
//! without all after it telling.

use jiff::Timestamp;
use wellread_core::Result;
use wellread_core::domain::corpus::{Hash, Hasher};
use wellread_core::domain::id::RunId;
use wellread_core::ports::event::RunEvent;

/// An event as it is kept.
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

/// What stands before the first event: a log can't be taken for another run's.
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
