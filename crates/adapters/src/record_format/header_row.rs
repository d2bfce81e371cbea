//! The header of a run as stored, with a checksum over it and the last event's hash.

use wellread_core::domain::corpus::{Hash, Hasher};
use wellread_core::ports::RunHeader;
use wellread_core::{Error, Result};

use super::damaged_error;

/// The header of a run as stored.
#[derive(Debug)]
pub struct HeaderRow {
    pub id: String,
    pub header: String,
    /// The hash of the last event.
    pub head: Hash,
    pub sum: Hash,
}

impl HeaderRow {
    pub fn new(header: &RunHeader, head: Hash) -> Result<Self> {
        let json = serde_json::to_string(header).map_err(|_| damaged_error("the run"))?;
        let sum = checksum(&json, head);
        Ok(Self { id: header.id.as_str().to_owned(), header: json, head, sum })
    }

    /// The header and the hash of the last event.
    pub fn into_header(self) -> Result<(RunHeader, Hash)> {
        let header: Option<RunHeader> = serde_json::from_str(&self.header).ok();
        let is_sound = self.sum == checksum(&self.header, self.head);
        header
            .filter(|header| is_sound && header.id.as_str() == self.id)
            .map(|header| (header, self.head))
            .ok_or_else(|| damaged_header_error(&self.id))
    }
}

pub fn damaged_header_error(id: &str) -> Error {
    damaged_error(&format!("the header of run `{id}`"))
}

fn checksum(json: &str, head: Hash) -> Hash {
    let mut hasher = Hasher::default();
    hasher.add(head.as_bytes());
    hasher.add(json.as_bytes());
    hasher.finish()
}
