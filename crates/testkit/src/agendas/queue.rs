//! Jobs in memory.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use wellread_core::domain::id::{AgendaId, TaskId};
use wellread_core::ports::agenda::{Agenda, AgendaStatus};
use wellread_core::ports::{JobEnd, JobEntry, JobQueue, JobState, Lease, LockGuard, TakenJob};
use wellread_core::{Error, Result};

use super::{MemoryAgendas, MemoryAgendasState};

#[derive(Debug, Clone)]
pub(super) struct MemoryJob {
    pub(super) task: TaskId,
    pub(super) agenda: AgendaId,
    pub(super) state: JobState,
    /// Of its last lease.
    number: u64,
    tries: u32,
    crashes: u32,
}

impl MemoryAgendasState {
    /// The job of a lease that is held; without a moment, its time does not matter.
    pub(super) fn leased_job(
        &mut self,
        lease: &Lease,
        now: Option<Timestamp>,
        agenda: Option<&AgendaId>,
    ) -> Result<&mut MemoryJob> {
        let is_held = |job: &&mut MemoryJob| {
            let in_time =
                matches!(job.state, JobState::Leased { until, .. } if now.is_none_or(|now| until >= now));
            in_time
                && (&job.task, &job.agenda, job.number) == (&lease.task, &lease.agenda, lease.number)
                && agenda.is_none_or(|agenda| *agenda == job.agenda)
        };
        self.jobs.iter_mut().find(is_held).ok_or_else(|| {
            Error::conflict(format!("the lease of the task {} is not held any more", lease.task))
        })
    }

    pub(super) fn change_jobs(
        &mut self,
        agenda: &Agenda,
        queued: &[TaskId],
        ends: &[(TaskId, JobEnd)],
    ) -> Result<()> {
        for task in queued {
            if agenda.task(task).is_none() {
                return Err(Error::invalid(format!("the agenda {} has no task {task}", agenda.id)));
            }
            if self.jobs.iter().all(|job| job.task != *task) {
                let state = JobState::Waiting { not_before: Timestamp::UNIX_EPOCH };
                let (task, agenda) = (task.clone(), agenda.id.clone());
                self.jobs.push(MemoryJob { task, agenda, state, number: 0, tries: 0, crashes: 0 });
            }
        }
        for (task, end) in ends {
            let is_it = |job: &MemoryJob| job.task == *task && job.agenda == agenda.id;
            match *end {
                JobEnd::Over => self.jobs.retain(|job| !is_it(job)),
                JobEnd::Later { not_before, tried } => {
                    for job in self.jobs.iter_mut().filter(|job| is_it(job)) {
                        job.state = JobState::Waiting { not_before };
                        job.tries += u32::from(tried);
                    }
                }
                JobEnd::SetAside => {
                    for job in self.jobs.iter_mut().filter(|job| is_it(job)) {
                        job.state = JobState::SetAside;
                    }
                }
            }
        }
        let stays =
            |job: &MemoryJob| job.state == JobState::SetAside && agenda.status != AgendaStatus::Cancelled;
        let is_settled = |task: &TaskId| agenda.task(task).is_some_and(|task| task.status.is_settled());
        self.jobs.retain(|job| stays(job) || !is_settled(&job.task));
        Ok(())
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
        if until <= now {
            return Err(Error::invalid("a lease ends after it begins"));
        }
        let latest = now + 4 * until.duration_since(now);
        let gone = self.gone.lock().unwrap().clone();
        self.transact(|state| {
            let is_due = |job: &&mut MemoryJob| match &job.state {
                JobState::Waiting { not_before } => *not_before <= now,
                JobState::Leased { until, worker } => *until < now || *until > latest || gone.contains(worker),
                JobState::SetAside => false,
            };
            let Some(job) = state.jobs.iter_mut().find(is_due) else { return Ok(None) };
            state.leases += 1;
            job.number = state.leases;
            let is_crash = matches!(&job.state, JobState::Leased { until, worker } if *until < now || gone.contains(worker));
            job.crashes += u32::from(is_crash);
            job.state = JobState::Leased { worker: worker.to_owned(), until };
            let lease = Lease { task: job.task.clone(), agenda: job.agenda.clone(), number: job.number };
            Ok(Some(TakenJob { lease, tries: job.tries, crashes: job.crashes }))
        })
    }

    fn record_setting(&self, what: &str, how: Option<&str>, now: Timestamp) -> Result<Option<Timestamp>> {
        self.transact(|state| {
            let known = state.set.remove(what).filter(|(known, _)| Some(known.as_str()) == how);
            let Some(how) = how else { return Ok(None) };
            let (_, since) =
                state.set.entry(what.to_owned()).or_insert(known.unwrap_or((how.to_owned(), now)));
            Ok(Some(*since))
        })
    }

    fn renew_lease(&self, lease: &Lease, now: Timestamp, until: Timestamp) -> Result<()> {
        self.transact(|state| {
            let job = state.leased_job(lease, Some(now), None)?;
            if let JobState::Leased { until: ends, .. } = &mut job.state {
                *ends = until;
            }
            Ok(())
        })
    }

    fn jobs(&self) -> Result<Vec<JobEntry>> {
        let state = self.state.lock().unwrap();
        let entry = |job: &MemoryJob| JobEntry {
            task: job.task.clone(),
            agenda: job.agenda.clone(),
            state: job.state.clone(),
            tries: job.tries,
            crashes: job.crashes,
        };
        Ok(state.jobs.iter().map(entry).collect())
    }
}
