//! Starts a run: new, resumed where it was interrupted, or replayed from its log.

use std::sync::Mutex;
use std::time::Instant;

use serde_json::Value;

use super::replay_log::ReplayLog;
use super::{Run, RunState, RunStore, claimed_elsewhere_error};
use crate::domain::evidence::Ledger;
use crate::domain::id::RunId;
use crate::ports::event::{Budget, LoggedEvent, RunEvent, RunKind, RunOutcome};
use crate::ports::{LockGuard, RunHeader};
use crate::{Error, ErrorKind, Result, WayOut};

/// How often to try to take over a run that another process still writes to.
const ATTEMPTS: usize = 5;

/// The parameters of a run.
#[derive(Debug, Clone)]
pub struct RunSpec {
    /// The kind of run.
    pub kind: RunKind,
    /// What was asked, in a line.
    pub title: String,
    /// Everything that the recipe needs, as JSON.
    pub request: Value,
    /// The limits of the run.
    pub budget: Budget,
    /// Whether the request has something that must not leave this machine: then the run is hidden for good where private
    /// notes are.
    pub private: bool,
}

impl RunSpec {
    /// The parameters that the run of this log was started with; `None` if the log has no first event.
    ///
    /// Earlier versions wrote one kind for proposals and tasks of agendas. This is the one place that tells them apart.
    pub fn from_log(events: &[LoggedEvent]) -> Option<Self> {
        let RunEvent::Began { kind, title, request, budget, private, .. } = &events.first()?.event else {
            return None;
        };
        let kind = match kind {
            RunKind::Agenda if request.get("propose").is_some() => RunKind::Proposal,
            RunKind::Agenda => RunKind::Task,
            kind => *kind,
        };
        Some(Self {
            kind,
            title: title.clone(),
            request: request.clone(),
            budget: *budget,
            private: *private,
        })
    }
}

impl Run {
    /// Begins a run.
    pub fn begin(store: &RunStore, spec: RunSpec) -> Result<Self> {
        Self::begin_as(store, RunId::fresh(), spec)
    }

    /// Begins a run under an id that was stored beforehand, so that it can be found even if it is interrupted early.
    pub fn begin_as(store: &RunStore, id: RunId, spec: RunSpec) -> Result<Self> {
        let began = store.clock.now().timestamp();
        let header = RunHeader {
            forgotten: None,
            id: id.clone(),
            kind: spec.kind.listed(),
            title: spec.title.clone(),
            began,
            last: began,
            events: 1,
            ended: None,
        };
        let first = RunEvent::Began {
            kind: spec.kind,
            title: spec.title.clone(),
            request: spec.request.clone(),
            budget: spec.budget,
            private: spec.private,
            wellread: env!("CARGO_PKG_VERSION").to_owned(),
        };
        let claim = store.records.lock_run(&id)?;
        store.records.begin(&header, &first)?;
        Ok(Self::from_parts(id, store, spec, ReplayLog::default(), 1, Some(claim), false))
    }

    /// Resumes a run that was interrupted, was cancelled or failed. `Err` if it has ended otherwise or runs elsewhere, and for a turn
    /// of a conversation that was cancelled: the user took it back, and the conversation went on without it.
    pub fn resume(store: &RunStore, id: &RunId) -> Result<Self> {
        Self::resume_claimed(store, id, Some(store.records.lock_run(id)?))
    }

    /// Resumes a run even if another process holds its lock, for the scheduler of the work. That process can't write to
    /// the run any more, since events are numbered.
    pub fn take_over(store: &RunStore, id: &RunId) -> Result<Self> {
        let mut claimed = store.records.lock_run(id).ok();
        for _ in 0..ATTEMPTS {
            match Self::resume_claimed(store, id, claimed.take()) {
                Err(error)
                    if error.kind() == ErrorKind::Conflict && error.details().contains_key("elsewhere") => {}
                taken => return taken,
            }
        }
        Err(claimed_elsewhere_error(id))
    }

    fn resume_claimed(store: &RunStore, id: &RunId, claim: Option<LockGuard>) -> Result<Self> {
        let events = store.records.events(id)?;
        let spec = RunSpec::from_log(&events).ok_or_else(|| unknown_run_error(id))?;
        let is_over = |outcome: &RunOutcome| match outcome {
            RunOutcome::Failed => false,
            RunOutcome::Cancelled => spec.kind == RunKind::Chat,
            _ => true,
        };
        if let Some(outcome) = outcome(&events).filter(is_over) {
            let ended = match outcome {
                RunOutcome::Done => "is done",
                RunOutcome::Cancelled => "was cancelled",
                _ => "has ended",
            };
            return Err(Error::conflict(format!("the run {id} {ended}; there is nothing to resume"))
                .hint(format!("`wellread runs show {id}` shows what came of it"))
                .with_way_out(WayOut::Runs));
        }
        let past = ReplayLog::for_resume(&events);
        let run = Self::from_parts(id.clone(), store, spec, past, events.len() as u64, claim, false);
        run.write(&mut run.state(), &RunEvent::Resumed)?;
        Ok(run)
    }

    /// Opens a run for replay, from its log alone.
    pub fn replay(store: &RunStore, id: &RunId) -> Result<Self> {
        let events = store.records.events(id)?;
        let spec = RunSpec::from_log(&events).ok_or_else(|| unknown_run_error(id))?;
        // A replay writes nothing, so it needs no lock.
        Ok(Self::from_parts(
            id.clone(),
            store,
            spec,
            ReplayLog::for_replay(&events),
            events.len() as u64,
            None,
            true,
        ))
    }

    fn from_parts(
        id: RunId,
        store: &RunStore,
        spec: RunSpec,
        past: ReplayLog,
        next: u64,
        claim: Option<LockGuard>,
        is_replay: bool,
    ) -> Self {
        let spent = past.spent();
        let ledger = Ledger::restore(id.clone(), past.evidence(), []);
        let state = Mutex::new(RunState { past, next, ledger, spent, suspended: None });
        Self { id, store: store.clone(), spec, is_replay, taken_up: Instant::now(), state, _claim: claim }
    }
}

/// How a run ended; `None` if it has not, or was resumed since.
pub fn outcome(events: &[LoggedEvent]) -> Option<RunOutcome> {
    match &events.last()?.event {
        RunEvent::Ended(ended) => Some(ended.outcome),
        _ => None,
    }
}

fn unknown_run_error(id: &RunId) -> Error {
    Error::not_found(format!("there is no run {id}"))
        .hint("`wellread runs` shows the runs")
        .with_way_out(WayOut::Runs)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn spec(kind: &str, request: &Value) -> RunSpec {
        let began = json!({
            "number": 0, "at": "2026-02-25T06:13:20Z", "event": "began", "kind": kind, "title": "x",
            "request": request, "budget": Budget::default(), "wellread": "0.1.0",
        });
        RunSpec::from_log(&[serde_json::from_value(began).unwrap()]).unwrap()
    }

    #[test]
    fn proposals_and_tasks_of_earlier_logs_are_two_kinds() {
        let (proposal, task) = (json!({ "propose": "vault" }), json!({ "agenda": "a", "task": {} }));
        assert_eq!(spec("agenda", &proposal).kind, RunKind::Proposal);
        assert_eq!(spec("agenda", &task).kind, RunKind::Task);
        // A log of today says so itself.
        assert_eq!(spec("agenda_proposal", &task).kind, RunKind::Proposal);
        assert_eq!(spec("agenda_task", &proposal).kind, RunKind::Task);
        for kind in [RunKind::Proposal, RunKind::Task] {
            assert_eq!((kind.listed(), kind.name()), (RunKind::Agenda, "agenda"));
        }
    }

    #[test]
    fn a_log_without_a_beginning_has_no_spec() {
        let resumed = json!({ "number": 0, "at": "2026-02-25T06:13:20Z", "event": "resumed" });
        assert_eq!(RunSpec::from_log(&[]).map(|spec| spec.title), None);
        let events = [serde_json::from_value(resumed).unwrap()];
        assert_eq!(RunSpec::from_log(&events).map(|spec| spec.title), None);
    }
}
