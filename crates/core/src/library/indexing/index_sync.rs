//! Whether somebody keeps the index level with the files.

use std::sync::{Mutex, PoisonError};

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub enum IndexSyncState {
    /// Whoever needs it level has to see to that.
    #[default]
    Nobody,
    /// Somebody is at it, and has not come to the end yet.
    Behind,
    /// A change is in the index a moment after it was made.
    Level,
}

/// Said by who follows the files, asked by who uses the index.
#[derive(Debug, Default)]
pub struct IndexSync(Mutex<IndexSyncState>);

impl IndexSync {
    pub fn state(&self) -> IndexSyncState {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn set_state(&self, followed: IndexSyncState) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = followed;
    }
}
