//! Whether a background task keeps the index up to date with the files.

use std::sync::{Mutex, PoisonError};

/// Who is responsible for an up-to-date index.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub enum IndexSyncState {
    /// No background task runs: whoever needs an up-to-date index has to update it.
    #[default]
    Nobody,
    /// A background task is updating the index, and has not finished yet.
    Behind,
    /// A background task has finished: a change reaches the index a moment after it was made.
    Level,
}

/// The shared state: set by the task that follows the files, read by users of the index.
#[derive(Debug, Default)]
pub struct IndexSync(Mutex<IndexSyncState>);

impl IndexSync {
    /// The current state.
    pub fn state(&self) -> IndexSyncState {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the state.
    pub fn set_state(&self, followed: IndexSyncState) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = followed;
    }
}
