//! Long work that this server does at the moment, by its run: so that it can be called off.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use wellread_core::domain::id::RunId;
use wellread_core::engine::run::Stop;

#[derive(Debug, Clone, Default)]
pub struct Underway(Arc<Mutex<HashMap<RunId, Stop>>>);

/// Takes the run out when the work ends, however it does.
#[derive(Debug)]
pub struct Entry {
    underway: Underway,
    run: RunId,
}

impl Underway {
    pub fn enter(&self, run: RunId, stop: Stop) -> Entry {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(run.clone(), stop);
        Entry { underway: self.clone(), run }
    }

    /// Whether there was something to call off.
    pub fn call_off(&self, run: &RunId) -> bool {
        let found = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(run).cloned();
        found.inspect(Stop::ask).is_some()
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        self.underway.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.run);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_under_way_can_be_called_off_and_nothing_else() {
        let (underway, run, stop) = (Underway::default(), RunId::fresh(), Stop::default());
        assert!(!underway.call_off(&run));
        let entry = underway.enter(run.clone(), stop.clone());
        assert!(!stop.is_asked() && underway.call_off(&run) && stop.is_asked());
        drop(entry);
        assert!(!underway.call_off(&run));
    }
}
