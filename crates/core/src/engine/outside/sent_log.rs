//! Requests that a tool has sent, collected for the run that called the tool.

use std::sync::{Arc, Mutex, PoisonError};

use crate::ports::event::SentRequest;

/// A shared list: clones refer to the same entries.
#[derive(Debug, Clone, Default)]
pub struct SentLog(Arc<Mutex<Vec<SentRequest>>>);

impl SentLog {
    /// Records a request before it is sent.
    pub fn record(&self, sent: SentRequest) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(sent);
    }

    /// Removes and returns what was recorded since the last call.
    pub fn take(&self) -> Vec<SentRequest> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
