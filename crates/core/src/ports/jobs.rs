//! The job queue: tasks that wait to be carried out, who works on them, and until when.
//!
//! The rules are here, as pure functions: when a job is due, what counts as a crash, whether a lease is still valid,
//! and what becomes of a job. A store loads a job, calls these functions, and writes the result.

use jiff::{SignedDuration, Timestamp};

use super::LockGuard;
use crate::domain::id::{AgendaId, TaskId};
use crate::ports::agenda::{Agenda, AgendaStatus};
use crate::{Error, Result};

/// The queue of jobs.
///
/// Every call is one transaction of the store. A lease number is never used twice, whatever became of its job.
pub trait JobQueue: Send + Sync {
    /// Registers a worker under a unique name, until the guard is dropped or the worker's process ends in any way. The
    /// leases of a worker that is gone have expired, whatever their time.
    fn register_worker(&self, worker: &str) -> Result<LockGuard>;

    /// Takes the first job that is due ([`JobState::is_due`]), by [`JobEntry::take`]; `None` if no job is due.
    fn take_job(&self, worker: &str, now: Timestamp, until: Timestamp) -> Result<Option<TakenJob>>;

    /// Extends a lease. A lease that is not valid any more ([`Lease::check`]) is an error of kind `Conflict`.
    fn renew_lease(&self, lease: &Lease, now: Timestamp, until: Timestamp) -> Result<()>;

    /// Records the value of a setting, and returns since when it has had this value, by [`setting_since`]. `None` as
    /// the value deletes the record.
    fn record_setting(&self, what: &str, how: Option<&str>, now: Timestamp) -> Result<Option<Timestamp>>;

    /// All jobs, in the order in which they are taken.
    fn jobs(&self) -> Result<Vec<JobEntry>>;
}

/// A stored job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobEntry {
    /// The task.
    pub task: TaskId,
    /// The agenda that it belongs to.
    pub agenda: AgendaId,
    /// The state that the job is in.
    pub state: JobState,
    /// The number of its last lease; 0 if it had none.
    pub lease_number: u64,
    /// How many attempts failed with an error that may be temporary.
    pub tries: u32,
    /// How often its worker disappeared without ending the job.
    pub crashes: u32,
}

/// The state of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobState {
    /// Waits for a worker.
    Waiting {
        /// The earliest time at which it may be taken.
        not_before: Timestamp,
    },
    /// A worker is carrying it out.
    Leased {
        /// The worker.
        worker: String,
        /// When the lease ends.
        until: Timestamp,
    },
    /// Kept for display, but never taken again.
    SetAside,
}

/// What becomes of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobEnd {
    /// Done, failed or cancelled: the job is deleted.
    Over,
    /// To be taken again later.
    Later {
        /// The earliest time at which it may be taken again.
        not_before: Timestamp,
        /// Whether this counts as a failed attempt.
        tried: bool,
    },
    /// Kept for display, but never taken again.
    SetAside,
}

/// The right to work on a job for a while. A later lease of the same job has a higher number, and invalidates this one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// The task.
    pub task: TaskId,
    /// The agenda that it belongs to.
    pub agenda: AgendaId,
    /// The lease's number: a later lease on the same job has a higher one.
    pub number: u64,
}

/// A job as the worker that took it sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TakenJob {
    /// The worker's lease on it.
    pub lease: Lease,
    /// How many attempts failed before with an error that may be temporary.
    pub tries: u32,
    /// How often its worker disappeared without ending the job.
    pub crashes: u32,
}

/// The period of a new lease, from now on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeaseTerm {
    now: Timestamp,
    until: Timestamp,
}

impl LeaseTerm {
    /// An existing lease that ends more than this many times the length of a new one from now was given by a clock that
    /// has been set back since.
    const IMPLAUSIBLE: i32 = 4;

    /// A period from `now` to `until`; an error of kind `Invalid` if it would end before it begins.
    pub fn new(now: Timestamp, until: Timestamp) -> Result<Self> {
        if until > now {
            Ok(Self { now, until })
        } else {
            Err(Error::invalid("a lease must end after it begins"))
        }
    }

    /// The latest time at which a lease that was given earlier can plausibly end.
    fn latest_end(&self) -> Timestamp {
        let length: SignedDuration = self.until.duration_since(self.now);
        let longest = length.checked_mul(Self::IMPLAUSIBLE);
        longest.and_then(|longest| self.now.checked_add(longest).ok()).unwrap_or(Timestamp::MAX)
    }
}

impl JobState {
    /// Whether the job may be taken: its time has come, its lease has expired, its worker is gone, or its lease ends
    /// implausibly late.
    pub fn is_due(&self, term: &LeaseTerm, is_gone: &dyn Fn(&str) -> bool) -> bool {
        match self {
            Self::Waiting { not_before } => *not_before <= term.now,
            Self::Leased { until, .. } => *until > term.latest_end() || self.is_abandoned(term, is_gone),
            Self::SetAside => false,
        }
    }

    /// Whether its worker disappeared: the lease has expired, or the worker is gone. An implausibly late lease does not
    /// count, since it was given by a wrong clock.
    fn is_abandoned(&self, term: &LeaseTerm, is_gone: &dyn Fn(&str) -> bool) -> bool {
        matches!(self, Self::Leased { until, worker } if *until < term.now || is_gone(worker))
    }
}

impl JobEntry {
    /// The job of a task that has just been queued.
    pub fn new(task: TaskId, agenda: AgendaId) -> Self {
        let state = JobState::Waiting { not_before: Timestamp::UNIX_EPOCH };
        Self { task, agenda, state, lease_number: 0, tries: 0, crashes: 0 }
    }

    /// Leases a job that is due to a worker, under this lease number. Counts a crash if the job was abandoned.
    pub fn take(
        &mut self,
        worker: &str,
        term: &LeaseTerm,
        number: u64,
        is_gone: &dyn Fn(&str) -> bool,
    ) -> TakenJob {
        self.crashes += u32::from(self.state.is_abandoned(term, is_gone));
        self.state = JobState::Leased { worker: worker.to_owned(), until: term.until };
        self.lease_number = number;
        let lease = Lease { task: self.task.clone(), agenda: self.agenda.clone(), number };
        TakenJob { lease, tries: self.tries, crashes: self.crashes }
    }

    /// The job after this end; `None` if it is deleted.
    pub fn after(mut self, end: JobEnd) -> Option<Self> {
        self.state = match end {
            JobEnd::Over => return None,
            JobEnd::Later { not_before, tried } => {
                self.tries += u32::from(tried);
                JobState::Waiting { not_before }
            }
            JobEnd::SetAside => JobState::SetAside,
        };
        Some(self)
    }
}

impl Lease {
    /// An error of kind `Conflict` if the lease is no longer valid; `job` is the task's stored job. Without `now`, an
    /// expired lease is valid as long as nobody else has taken the job.
    pub fn check(&self, job: Option<&JobEntry>, now: Option<Timestamp>) -> Result<()> {
        let is_held = |job: &&JobEntry| {
            let in_time =
                matches!(job.state, JobState::Leased { until, .. } if now.is_none_or(|now| until >= now));
            in_time && (&job.task, &job.agenda, job.lease_number) == (&self.task, &self.agenda, self.number)
        };
        job.filter(is_held).map(drop).ok_or_else(|| self.lost_error())
    }

    /// The error for a worker that has lost its lease.
    pub fn lost_error(&self) -> Error {
        Error::conflict(format!("the lease of the task {} has expired", self.task))
            .hint("nothing was changed; the task's current worker continues it")
    }
}

impl Agenda {
    /// Whether a job of one of its tasks is kept. Jobs of settled tasks are not, except that a job that was set aside
    /// is shown until the agenda is cancelled.
    pub fn keeps_job(&self, job: &JobEntry) -> bool {
        let is_shown = job.state == JobState::SetAside && self.status != AgendaStatus::Cancelled;
        is_shown || !self.task(&job.task).is_some_and(|task| task.status.is_settled())
    }
}

/// Since when a setting has had the value `how`; `known` is the recorded value and since when.
pub fn setting_since(known: Option<(&str, Timestamp)>, how: &str, now: Timestamp) -> Timestamp {
    known.filter(|(known, _)| *known == how).map_or(now, |(_, since)| since)
}
