//! A run: its budget, its calls and its evidence, logged as they happen.
//!
//! A recipe reaches the outside world only through its run. An interrupted run can therefore be resumed: earlier
//! answers come from the log, and nothing is requested or paid for twice. A run can also be replayed without model and
//! network: then everything comes from the log, and what the log does not hold is an error.

mod budget;
mod calls;
mod envelope;
mod model_client;
mod opening;
mod replay_log;
mod snapshots;
mod stop;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::Value;

pub use budget::BudgetLimit;
pub use calls::{ModelCallFailure, ToolReply};
pub use envelope::{MAY_PASS, envelope};
pub use model_client::RunModelClient;
pub use opening::{RunSpec, outcome};
use replay_log::ReplayLog;
pub use replay_log::operation_ids;
pub use snapshots::RunSnapshots;
pub use stop::StopSignal;

use crate::domain::corpus::Hash;
use crate::domain::evidence::{Ledger, NewEvidence};
use crate::domain::id::{EvidenceId, RunId};
use crate::ports::event::{RunEnd, RunEvent, RunOutcome, RunUsage, SentRequest};
use crate::ports::{Clock, LockGuard, ModelIdentity, RunLogs};
use crate::{Error, ErrorKind, Result};

/// Where runs are stored, and the clock that stamps their events.
#[derive(Clone)]
pub struct RunStore {
    /// The logs of runs.
    pub records: Arc<dyn RunLogs>,
    /// The current time.
    pub clock: Arc<dyn Clock>,
}

/// A run that is in progress, or is being replayed.
pub struct Run {
    id: RunId,
    store: RunStore,
    spec: RunSpec,
    /// Whether everything comes from the log and nothing is written.
    is_replay: bool,
    taken_up: Instant,
    state: Mutex<RunState>,
    /// Keeps other processes from working on this run.
    _claim: Option<LockGuard>,
}

struct RunState {
    past: ReplayLog,
    /// The number of the next event.
    next: u64,
    ledger: Ledger,
    spent: RunUsage,
    /// Why nothing more is logged: the records could not be reached.
    suspended: Option<Error>,
}

impl Run {
    /// The run's id.
    pub fn id(&self) -> &RunId {
        &self.id
    }

    /// The parameters that the run was started with.
    pub fn spec(&self) -> &RunSpec {
        &self.spec
    }

    /// Whether the run only repeats its log.
    pub fn is_replay(&self) -> bool {
        self.is_replay
    }

    /// Computes a value that may differ each time: once, and from the log on resume and replay.
    pub fn draw<T: Serialize + serde::de::DeserializeOwned>(
        &self,
        name: &str,
        draw: impl FnOnce() -> T,
    ) -> Result<T> {
        let key = key("drawn", &name)?;
        let mut state = self.state();
        if let Some(value) = state.past.next_draw(key) {
            return serde_json::from_value(value).map_err(|error| unwritable_error(&error));
        }
        drop(state);
        self.ensure_live(name)?;
        let drawn = draw();
        let value = serde_json::to_value(&drawn).map_err(|error| unwritable_error(&error))?;
        state = self.state();
        self.write(&mut state, &RunEvent::Drawn { key, name: name.to_owned(), value })?;
        Ok(drawn)
    }

    /// Adds a piece of evidence to the ledger, and logs it if it is new.
    pub fn add_evidence(&self, found: NewEvidence) -> Result<EvidenceId> {
        let mut state = self.state();
        let (id, is_new) = state.ledger.add(found);
        if is_new && let Some(entry) = state.ledger.entry(&id).cloned() {
            self.write_once(&mut state, &RunEvent::Evidence(Box::new(entry)))?;
        }
        Ok(id)
    }

    /// Records that these are in a prompt as a whole and can be cited from now on.
    pub fn mark_shown(&self, ids: Vec<EvidenceId>) -> Result<()> {
        let mut state = self.state();
        let fresh: Vec<EvidenceId> = ids.into_iter().filter(|id| state.ledger.mark_shown(id)).collect();
        if fresh.is_empty() { Ok(()) } else { self.write_once(&mut state, &RunEvent::Shown { ids: fresh }) }
    }

    /// A copy of the run's ledger.
    pub fn ledger(&self) -> Ledger {
        self.state().ledger.clone()
    }

    /// Logs a decision of the recipe itself: a plan, a verdict, a write.
    pub fn record_event(&self, event: &RunEvent) -> Result<()> {
        self.write_once(&mut self.state(), event)
    }

    /// Logs a request that is about to be sent, and counts it against the budget.
    pub fn record_sent(&self, sent: SentRequest) -> Result<()> {
        let mut state = self.state();
        state.spent.requests += 1;
        self.write(&mut state, &RunEvent::Sent(sent))
    }

    /// Counts one more step of the recipe.
    pub fn count_step(&self) {
        self.state().spent.steps += 1;
    }

    /// The limit of the budget that is reached, if any; a replay has none.
    pub fn exhausted_limit(&self, model: Option<&ModelIdentity>) -> Option<BudgetLimit> {
        let spent = self.spent();
        if self.is_replay { None } else { budget::reached_limit(&self.spec.budget, &spent, model) }
    }

    /// What the run has used of its budget so far.
    pub fn spent(&self) -> RunUsage {
        let mut spent = self.state().spent;
        spent.seconds += self.taken_up.elapsed().as_secs_f64();
        spent
    }

    /// Logs how the run ended. A replay compares instead; a difference is an error.
    pub fn end(&self, outcome: RunOutcome, result: Value, report: String) -> Result<()> {
        let ended = RunEnd { outcome, result, report, spent: self.spent() };
        let mut state = self.state();
        if !self.is_replay {
            return self.write(&mut state, &RunEvent::Ended(ended));
        }
        match state.past.ending() {
            Some(before) if before.result == ended.result && before.report == ended.report => Ok(()),
            Some(_) => Err(replay_differs_error(&self.id, "its result")),
            None => Err(Error::not_found(format!("the run {} never ended", self.id))
                .hint(format!("`wellread resume {}` continues it", self.id))),
        }
    }

    /// Suspends the run if something failed because the records can't be reached: nothing more is logged, even if they
    /// are back a moment later. So what failed for that reason is in no log, and whoever resumes the run does it again.
    pub fn suspend_on(&self, error: &Error) {
        self.state().suspend_on(error);
    }

    /// Why the run is suspended, if it is.
    pub fn suspension(&self) -> Option<Error> {
        self.state().suspended.clone()
    }

    /// Logs an event once: a resumed run skips one that its log already holds.
    fn write_once(&self, state: &mut RunState, event: &RunEvent) -> Result<()> {
        if state.past.take_recorded_event(event) {
            return Ok(());
        }
        if self.is_replay {
            return Err(replay_differs_error(&self.id, "what it did"));
        }
        self.write(state, event)
    }

    fn write(&self, state: &mut RunState, event: &RunEvent) -> Result<()> {
        if self.is_replay {
            return Err(replay_differs_error(&self.id, "what it did"));
        }
        if let Some(error) = &state.suspended {
            return Err(error.clone());
        }
        let at = self.store.clock.now().timestamp();
        self.store.records.append(&self.id, state.next, at, event).map_err(|error| match error.kind() {
            ErrorKind::Conflict => claimed_elsewhere_error(&self.id),
            _ => {
                state.suspend_on(&error);
                error
            }
        })?;
        state.next += 1;
        Ok(())
    }

    fn ensure_live(&self, what: &str) -> Result<()> {
        if !self.is_replay {
            return Ok(());
        }
        Err(Error::not_found(format!("the log of the run {} does not contain {what}", self.id))
            .hint("it was cut off there, or made by another version of Wellread"))
    }

    fn time_left(&self, limit: Duration) -> Duration {
        let Some(seconds) = self.spec.budget.seconds else { return limit };
        limit.min(Duration::from_secs_f64((seconds as f64 - self.spent().seconds).max(0.1)))
    }

    fn state(&self) -> MutexGuard<'_, RunState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RunState {
    fn suspend_on(&mut self, error: &Error) {
        if error.kind() == ErrorKind::Unavailable && self.suspended.is_none() {
            self.suspended = Some(error.clone());
        }
    }
}

fn claimed_elsewhere_error(id: &RunId) -> Error {
    Error::conflict(format!("the run {id} is already running elsewhere"))
        .hint("wait for it to end, or end that process")
        .with_detail("elsewhere", true)
}

fn replay_differs_error(id: &RunId, what: &str) -> Error {
    Error::failed(format!("replayed, the run {id} differs from its log in {what}"))
        .hint("it was made by another version of Wellread, or the log was changed")
}

fn key(kind: &str, asked: &impl Serialize) -> Result<Hash> {
    let asked = serde_json::to_vec(&(kind, asked)).map_err(|error| unwritable_error(&error))?;
    Ok(Hash::compute(&asked))
}

fn unwritable_error(error: &serde_json::Error) -> Error {
    Error::failed(format!("the run's log can't store this: {error}"))
}
