//! What has been sent while somebody else waits for the answer: a tool asks, and the run that called it writes down.

use std::sync::{Arc, Mutex, PoisonError};

use crate::event::Sent;

/// Clones are one list.
#[derive(Debug, Clone, Default)]
pub struct Sendings(Arc<Mutex<Vec<Sent>>>);

impl Sendings {
    pub fn note(&self, sent: Sent) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(sent);
    }

    /// What was noted since this was last asked.
    pub fn take(&self) -> Vec<Sent> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
