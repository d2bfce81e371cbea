//! A conversation as stored: whole, with a checksum.

use wellread_core::domain::corpus::Hash;
use wellread_core::ports::StoredSession;
use wellread_core::{Error, Result};

use super::checksum::Checksum;
use super::{damaged_error, from_nanoseconds, nanoseconds};

/// A conversation as stored.
#[derive(Debug)]
pub struct SessionRow {
    pub id: String,
    pub active_file: Option<String>,
    pub last: i64,
    pub state: String,
    pub sum: Hash,
}

impl SessionRow {
    pub fn new(session: &StoredSession) -> Result<Self> {
        let state = serde_json::to_string(&session.state)
            .map_err(|error| Error::failed(format!("a conversation can't be saved: {error}")))?;
        let (id, active_file) = (session.id.clone(), session.active_file.clone());
        let mut row =
            Self { id, active_file, last: nanoseconds(session.last)?, state, sum: Hash::from_bytes([0; 32]) };
        row.sum = row.checksum();
        Ok(row)
    }

    pub fn into_session(self) -> Result<StoredSession> {
        let wrong = || damaged_error(&format!("the conversation `{}`", self.id));
        if self.sum != self.checksum() {
            return Err(wrong());
        }
        let last = from_nanoseconds(self.last).ok_or_else(wrong)?;
        let state = serde_json::from_str(&self.state).map_err(|_| wrong())?;
        Ok(StoredSession { id: self.id, active_file: self.active_file, last, state })
    }

    fn checksum(&self) -> Hash {
        let sum = Checksum::default().text(&self.id).text_or_none(self.active_file.as_deref());
        sum.text(&self.state).number(self.last).finish()
    }
}
