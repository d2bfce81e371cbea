//! Jobs in memory.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use wellread_core::Result;
use wellread_core::domain::id::TaskId;
use wellread_core::ports::agenda::Agenda;
use wellread_core::ports::{
    JobEnd, JobEntry, JobQueue, JobState, Lease, LeaseTerm, LockGuard, TakenJob, setting_since,
};

use super::{MemoryAgendas, MemoryAgendasState};

impl MemoryAgendasState {
    pub(super) fn job(&self, task: &TaskId) -> Option<&JobEntry> {
        self.jobs.iter().find(|job| job.task == *task)
    }

    pub(super) fn change_jobs(&mut self, agenda: &Agenda, queued: &[TaskId], ends: &[(TaskId, JobEnd)]) {
        for task in queued {
            if self.job(task).is_none() {
                self.jobs.push(JobEntry::new(task.clone(), agenda.id.clone()));
            }
        }
        let ended = |job: JobEntry| {
            let mut ends = ends.iter().filter(|(task, _)| *task == job.task && job.agenda == agenda.id);
            ends.try_fold(job.clone(), |job, (_, end)| job.after(*end))
        };
        let jobs = std::mem::take(&mut self.jobs).into_iter();
        self.jobs = jobs.filter_map(ended).filter(|job| agenda.keeps_job(job)).collect();
    }
}

/// A worker that is there as long as this lives.
struct WorkerPresence {
    worker: String,
    gone: Arc<Mutex<BTreeSet<String>>>,
}

impl Drop for WorkerPresence {
    fn drop(&mut self) {
        self.gone.lock().unwrap().insert(self.worker.clone());
    }
}

impl JobQueue for MemoryAgendas {
    fn register_worker(&self, worker: &str) -> Result<LockGuard> {
        Ok(Box::new(WorkerPresence { worker: worker.to_owned(), gone: self.gone.clone() }))
    }

    fn take_job(&self, worker: &str, now: Timestamp, until: Timestamp) -> Result<Option<TakenJob>> {
        let term = LeaseTerm::new(now, until)?;
        let gone = self.gone.lock().unwrap().clone();
        let is_gone = |worker: &str| gone.contains(worker);
        self.transact(|state| {
            let due = state.jobs.iter_mut().find(|job| job.state.is_due(&term, &is_gone));
            let Some(job) = due else { return Ok(None) };
            state.leases += 1;
            Ok(Some(job.take(worker, &term, state.leases, &is_gone)))
        })
    }

    fn record_setting(&self, what: &str, how: Option<&str>, now: Timestamp) -> Result<Option<Timestamp>> {
        self.transact(|state| {
            let known = state.set.remove(what);
            let Some(how) = how else { return Ok(None) };
            let since = setting_since(known.as_ref().map(|(how, since)| (how.as_str(), *since)), how, now);
            state.set.insert(what.to_owned(), (how.to_owned(), since));
            Ok(Some(since))
        })
    }

    fn renew_lease(&self, lease: &Lease, now: Timestamp, until: Timestamp) -> Result<()> {
        self.transact(|state| {
            lease.check(state.job(&lease.task), Some(now))?;
            let job = state.jobs.iter_mut().find(|job| job.task == lease.task);
            if let Some(JobEntry { state: JobState::Leased { until: ends, .. }, .. }) = job {
                *ends = until;
            }
            Ok(())
        })
    }

    fn jobs(&self) -> Result<Vec<JobEntry>> {
        Ok(self.state.lock().unwrap().jobs.clone())
    }
}
