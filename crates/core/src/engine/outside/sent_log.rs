//! What has been sent while somebody else waits for the answer: a tool asks, and the run that called it writes down.

use std::sync::{Arc, Mutex, PoisonError};

use crate::ports::event::SentRequest;

/// Clones are one list.
#[derive(Debug, Clone, Default)]
pub struct SentLog(Arc<Mutex<Vec<SentRequest>>>);

impl SentLog {
    /// Records a request before it is sent.
    pub fn record(&self, sent: SentRequest) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(sent);
    }

    /// What was noted since this was last asked.
    pub fn take(&self) -> Vec<SentRequest> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
