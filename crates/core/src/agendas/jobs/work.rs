//! One job, from the queue to its end: leased, carried out as a run, and settled.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::{Jobs, unknown_agenda};
use crate::domain::corpus::Hash;
use crate::domain::display::render_duration;
use crate::domain::id::RunId;
use crate::ports::agenda::{Agenda, Task, TaskEnd};
use crate::ports::{AgendaActor, AgendaChange, JobEnd, Lease, NewFinding, TakenJob};
use crate::research::{KeepOutcome, ResearchEvent, TaskAnswer, TaskFailure, TaskRequest, TaskRun, TaskStep};
use crate::{Error, ErrorKind, Result};

/// How long a lease lasts; it is renewed long before.
pub const LEASE: Duration = Duration::from_secs(60);
/// How often a worker renews its lease.
pub const PULSE: Duration = Duration::from_secs(15);
/// A job whose worker crashed this often is set aside.
const MOST_CRASHES: u32 = 3;
/// How often a transient failure is retried; the first pause in milliseconds, and the factor by which it grows.
const MOST_TRIES: u32 = 2;
const FIRST_PAUSE: i64 = 2_000;
const PAUSE_GROWS: i64 = 4;
/// The longest wait that a service may ask for, in seconds.
const LONGEST_WAIT: u64 = 600;

/// A job that a worker holds a lease on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActiveJob {
    /// The worker's lease on the job.
    pub lease: Lease,
    /// How often the job was tried before.
    pub tries: u32,
}

/// The outcome of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WorkOutcome {
    /// The task is done.
    Done,
    /// The task failed.
    Failed,
    /// It will be tried again.
    Later,
    /// The lease is lost: the job was cancelled, or another worker has it.
    Lost,
}

impl Jobs<'_> {
    /// Takes the next due job; jobs whose workers crashed too often are set aside on the way. `None` if nothing is due.
    pub fn take(&self, worker: &str) -> Result<Option<ActiveJob>> {
        loop {
            let now = self.now();
            let Some(TakenJob { lease, tries, crashes }) =
                self.research.agendas.take_job(worker, now, lease_end(now))?
            else {
                return Ok(None);
            };
            if crashes < MOST_CRASHES {
                return Ok(Some(ActiveJob { lease, tries }));
            }
            match self.set_aside(&lease, crashes) {
                // It was cancelled or taken by another worker meanwhile.
                Err(error) if error.kind() == ErrorKind::Conflict => {}
                set_aside => set_aside?,
            }
        }
    }

    /// Renews the lease. An error of kind `Conflict` means that it is lost.
    pub fn renew(&self, held: &ActiveJob) -> Result<()> {
        let now = self.now();
        self.research.agendas.renew_lease(&held.lease, now, lease_end(now))
    }

    /// Carries the job out and settles it. An error of kind `Unavailable` says that the records could not be reached: the
    /// job is still this worker's, to be handed back.
    pub async fn run_job(&self, held: &ActiveJob) -> Result<WorkOutcome> {
        match self.try_run_job(held).await {
            Err(error) if error.kind() == ErrorKind::Conflict => {
                tracing::info!("the task {} is left to other workers: {error}", held.lease.task);
                Ok(WorkOutcome::Lost)
            }
            ended => ended,
        }
    }

    async fn try_run_job(&self, held: &ActiveJob) -> Result<WorkOutcome> {
        let (agenda, task) = self.begin_job(held)?;
        let carried = match self.open_run(held, &agenda, &task)? {
            TaskRun::Over(carried) => Ok(*carried),
            TaskRun::Open(run) => {
                let store =
                    |found: NewFinding| self.store_finding(held, &found).inspect_err(|e| run.suspend_on(e));
                let carried = self.research.run_task(self.context, &run, &store).await;
                // That the records are away is no failure of the task.
                if let Some(error) = run.suspension() {
                    return Err(error);
                }
                carried
            }
        };
        match carried {
            Ok(TaskAnswer { failed: Some(failure), counts, .. }) => {
                self.fail_job(held, &failure, Some(counts))
            }
            Ok(carried) => self.finish_job(held, &carried),
            Err(error) if error.kind() == ErrorKind::Conflict => Err(error),
            Err(error) => {
                let may_pass = error.kind() == ErrorKind::Unavailable;
                let failure = TaskFailure { may_pass, ..TaskFailure::lasting(error.message()) };
                self.fail_job(held, &failure, None)
            }
        }
    }

    /// Returns a job to the queue, to be resumed where it was left, when its worker ends.
    pub fn hand_back(&self, held: &ActiveJob) -> Result<()> {
        let now = self.now();
        let task = &held.lease.task;
        let handed = self.research.agendas.change_agenda(
            &held.lease.agenda,
            AgendaActor::Leaving(&held.lease),
            &mut |alteration: &mut AgendaChange| {
                // A task that has not begun needs no change.
                let _ = alteration.agenda.requeue_task(task, None);
                alteration.ends = vec![(task.clone(), JobEnd::Later { not_before: now, tried: false })];
                Ok(())
            },
        );
        match handed {
            Err(error) if error.kind() == ErrorKind::Conflict => Ok(()),
            handed => handed.map(drop),
        }
    }

    fn begin_job(&self, held: &ActiveJob) -> Result<(Agenda, Task)> {
        let task = &held.lease.task;
        // The run's id is stored before the run starts, so that it can be found after an interruption.
        let agenda = self.alter(held, &mut |alteration| {
            let known = alteration.agenda.task(task).and_then(|task| task.run_id.clone());
            let run = known.unwrap_or_else(RunId::fresh);
            alteration.agenda.begin_task(task, Some(&run)).map(drop)
        })?;
        let task = agenda.task(task).cloned().ok_or_else(|| unknown_agenda(&agenda.id))?;
        Ok((agenda, task))
    }

    fn open_run(&self, held: &ActiveJob, agenda: &Agenda, task: &Task) -> Result<TaskRun> {
        let id = task.run_id.clone().unwrap_or_else(RunId::fresh);
        if let Some(known) = self.research.resume_task(&id, held.tries)? {
            return Ok(known);
        }
        let request = TaskRequest { agenda: agenda.clone(), task: task.clone() };
        let begun = self.research.begin_task(self.context, request, &id);
        let run = begun.map_err(|error| match error.kind() {
            ErrorKind::Conflict => {
                Error::conflict(format!("the task {} was started by another worker", held.lease.task))
            }
            _ => error,
        })?;
        Ok(TaskRun::Open(Box::new(run)))
    }

    fn store_finding(&self, held: &ActiveJob, found: &NewFinding) -> Result<KeepOutcome> {
        let id = found.finding.id.clone();
        let agenda = self.alter(held, &mut |alteration| {
            alteration.findings = vec![found.clone()];
            Ok(())
        })?;
        Ok(match self.research.agendas.finding(&id)? {
            Some(_) => KeepOutcome::Kept,
            None if agenda.is_full() => KeepOutcome::Full,
            None => KeepOutcome::Known,
        })
    }

    fn finish_job(&self, held: &ActiveJob, carried: &TaskAnswer) -> Result<WorkOutcome> {
        let (now, task) = (self.now(), &held.lease.task);
        self.alter(held, &mut |alteration| {
            // They were stored one by one before; storing them again changes nothing.
            let findings = carried.findings.iter().cloned();
            alteration.findings = findings.map(|finding| NewFinding { finding, embedding: None }).collect();
            alteration.ends = vec![(task.clone(), JobEnd::Over)];
            let message = carried.message.clone();
            let end = match message {
                Some(message) if carried.left_out => TaskEnd::LeftOut { message },
                message => TaskEnd::Done { counts: carried.counts, message },
            };
            alteration.agenda.end_task(task, end, now)
        })?;
        Ok(WorkOutcome::Done)
    }

    fn fail_job(
        &self,
        held: &ActiveJob,
        failure: &TaskFailure,
        counts: Option<crate::ports::agenda::TaskCounts>,
    ) -> Result<WorkOutcome> {
        let (now, task) = (self.now(), &held.lease.task);
        let again = failure.may_pass && held.tries < MOST_TRIES;
        let pause = retry_pause(held, failure.wait_s);
        let wait = render_duration(pause.unsigned_abs());
        let later = format!("{}; it is retried in {wait}", failure.message);
        self.alter(held, &mut |alteration| {
            if again {
                let not_before = now.saturating_add(pause).unwrap_or(now);
                alteration.ends = vec![(task.clone(), JobEnd::Later { not_before, tried: true })];
                return alteration.agenda.requeue_task(task, Some(later.clone()));
            }
            alteration.ends = vec![(task.clone(), JobEnd::Over)];
            let end = TaskEnd::Failed { counts, message: failure.message.clone() };
            alteration.agenda.end_task(task, end, now)
        })?;
        if !again {
            return Ok(WorkOutcome::Failed);
        }
        (self.context.progress)(ResearchEvent::Step { step: TaskStep::Wait, about: later });
        Ok(WorkOutcome::Later)
    }

    fn set_aside(&self, lease: &Lease, crashes: u32) -> Result<()> {
        let now = self.now();
        let message = format!("given up: its worker ended without a report {crashes} times");
        let held = ActiveJob { lease: lease.clone(), tries: 0 };
        self.alter(&held, &mut |alteration| {
            alteration.agenda.begin_task(&lease.task, None)?;
            alteration.ends = vec![(lease.task.clone(), JobEnd::SetAside)];
            let end = TaskEnd::Failed { counts: None, message: message.clone() };
            alteration.agenda.end_task(&lease.task, end, now)
        })?;
        Ok(())
    }

    fn alter(
        &self,
        held: &ActiveJob,
        change: &mut dyn FnMut(&mut AgendaChange) -> Result<()>,
    ) -> Result<Agenda> {
        let Lease { agenda, .. } = &held.lease;
        self.research.agendas.change_agenda(agenda, AgendaActor::Worker(&held.lease, self.now()), change)
    }

    fn now(&self) -> Timestamp {
        self.research.runs.clock.now().timestamp()
    }
}

fn lease_end(now: Timestamp) -> Timestamp {
    now.saturating_add(SignedDuration::try_from(LEASE).unwrap_or_default()).unwrap_or(now)
}

/// The pause before a retry: longer each time, with a jitter per task, and at least as long as the service asked for,
/// up to `LONGEST_WAIT`.
fn retry_pause(held: &ActiveJob, wait_s: Option<u64>) -> SignedDuration {
    let base = FIRST_PAUSE * PAUSE_GROWS.pow(held.tries);
    let seed = Hash::compute(format!("{} {}", held.lease.task, held.tries).as_bytes());
    let share = i64::from(seed.as_bytes()[0]);
    let own = SignedDuration::from_millis(base + base * share / 512);
    let wait = Duration::from_secs(wait_s.unwrap_or_default().min(LONGEST_WAIT));
    own.max(SignedDuration::try_from(wait).unwrap_or_default())
}
