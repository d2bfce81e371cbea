//! Records in memory: the same rules as on disk, and gone with the test.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use wellread_core::domain::corpus::Hash;
use wellread_core::domain::id::RunId;
use wellread_core::ports::event::{LoggedEvent, RunEvent};
use wellread_core::ports::{LockGuard, RunHeader, RunLogs, Sessions, Snapshots, StoredSession};
use wellread_core::{Error, Result};

/// What is under way.
type ClaimedRuns = Arc<Mutex<BTreeSet<RunId>>>;

struct RunClaim {
    run: RunId,
    claimed: ClaimedRuns,
}

impl Drop for RunClaim {
    fn drop(&mut self) {
        self.claimed.lock().unwrap().remove(&self.run);
    }
}

#[derive(Debug, Default)]
pub struct MemoryRecords {
    claimed: ClaimedRuns,
    runs: Mutex<BTreeMap<RunId, (RunHeader, Vec<LoggedEvent>)>>,
    snapshots: Mutex<HashMap<Hash, String>>,
    sessions: Mutex<BTreeMap<String, StoredSession>>,
}

/// An event as it comes back from a log.
fn round_trip(event: &RunEvent) -> Result<RunEvent> {
    let json = serde_json::to_string(event).unwrap();
    serde_json::from_str(&json).map_err(|error| Error::invalid(format!("an event can't be saved: {error}")))
}

impl RunLogs for MemoryRecords {
    fn begin(&self, run: &RunHeader, first: &RunEvent) -> Result<()> {
        let mut runs = self.runs.lock().unwrap();
        if runs.contains_key(&run.id) {
            return Err(RunHeader::exists_error(&run.id));
        }
        let header = run.begin();
        let first = LoggedEvent { number: 0, at: run.began, event: round_trip(first)? };
        runs.insert(run.id.clone(), (header, vec![first]));
        Ok(())
    }

    fn lock_run(&self, run: &RunId) -> Result<LockGuard> {
        if !self.claimed.lock().unwrap().insert(run.clone()) {
            return Err(RunHeader::locked_error(run));
        }
        Ok(Box::new(RunClaim { run: run.clone(), claimed: self.claimed.clone() }))
    }

    fn append(&self, run: &RunId, number: u64, at: Timestamp, event: &RunEvent) -> Result<()> {
        let mut runs = self.runs.lock().unwrap();
        let (header, events) = runs.get_mut(run).ok_or_else(|| RunHeader::not_found_error(run))?;
        let logged = LoggedEvent { number, at, event: round_trip(event)? };
        header.append(number, at, event)?;
        events.push(logged);
        Ok(())
    }

    fn events(&self, run: &RunId) -> Result<Vec<LoggedEvent>> {
        let runs = self.runs.lock().unwrap();
        runs.get(run).map(|(_, events)| events.clone()).ok_or_else(|| RunHeader::not_found_error(run))
    }

    fn runs(&self, beginning: &str, at_most: usize) -> Result<Vec<RunHeader>> {
        let runs = self.runs.lock().unwrap();
        let found = runs.values().rev().map(|(header, _)| header);
        Ok(found.filter(|header| header.id.as_str().starts_with(beginning)).take(at_most).cloned().collect())
    }
}

impl Snapshots for MemoryRecords {
    fn keep(&self, text: &str) -> Result<Hash> {
        let hash = Hash::compute(text.as_bytes());
        self.snapshots.lock().unwrap().insert(hash, text.to_owned());
        Ok(hash)
    }

    fn load(&self, hash: Hash) -> Result<Option<String>> {
        Ok(self.snapshots.lock().unwrap().get(&hash).cloned())
    }
}

impl Sessions for MemoryRecords {
    fn session(&self, id: &str) -> Result<Option<StoredSession>> {
        Ok(self.sessions.lock().unwrap().get(id).cloned())
    }

    fn latest_session_about(&self, active_file: Option<&str>) -> Result<Option<StoredSession>> {
        let all = self.sessions(usize::MAX)?;
        Ok(all.into_iter().find(|session| session.active_file.as_deref() == active_file))
    }

    fn keep_session(&self, session: &StoredSession) -> Result<()> {
        self.sessions.lock().unwrap().insert(session.id.clone(), session.clone());
        Ok(())
    }

    fn sessions(&self, at_most: usize) -> Result<Vec<StoredSession>> {
        let mut all: Vec<StoredSession> = self.sessions.lock().unwrap().values().cloned().collect();
        all.sort_by(|one, other| (other.last, &other.id).cmp(&(one.last, &one.id)));
        all.truncate(at_most);
        Ok(all)
    }

    fn forget_session(&self, id: &str) -> Result<bool> {
        Ok(self.sessions.lock().unwrap().remove(id).is_some())
    }
}
