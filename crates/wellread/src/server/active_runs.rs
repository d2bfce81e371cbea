//! Long work that this server does at the moment, by its run: so that it can be called off.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use wellread_core::domain::id::RunId;
use wellread_core::engine::run::StopSignal;

#[derive(Debug, Clone, Default)]
pub struct ActiveRuns(Arc<Mutex<HashMap<RunId, StopSignal>>>);

/// Takes the run out when the work ends, however it does.
#[derive(Debug)]
pub struct ActiveRunGuard {
    underway: ActiveRuns,
    run: RunId,
}

impl ActiveRuns {
    pub fn register(&self, run: RunId, stop: StopSignal) -> ActiveRunGuard {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(run.clone(), stop);
        ActiveRunGuard { underway: self.clone(), run }
    }

    /// Whether there was something to call off.
    pub fn cancel(&self, run: &RunId) -> bool {
        let found = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(run).cloned();
        found.inspect(StopSignal::request).is_some()
    }
}

impl Drop for ActiveRunGuard {
    fn drop(&mut self) {
        self.underway.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.run);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_under_way_can_be_called_off_and_nothing_else() {
        let (underway, run, stop) = (ActiveRuns::default(), RunId::fresh(), StopSignal::default());
        assert!(!underway.cancel(&run));
        let entry = underway.register(run.clone(), stop.clone());
        assert!(!stop.is_requested() && underway.cancel(&run) && stop.is_requested());
        drop(entry);
        assert!(!underway.cancel(&run));
    }
}
