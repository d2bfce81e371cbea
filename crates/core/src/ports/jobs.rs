//! The job queue: tasks that wait to be carried out, who works on them, and until when.
//!
//! The rules are here, as pure functions: when a job is due, what counts as a crash, whether a lease is still held, what becomes
//! of a job. A store looks a job up, asks these, and writes down what comes out.

use jiff::{SignedDuration, Timestamp};

use super::LockGuard;
use crate::domain::id::{AgendaId, TaskId};
use crate::ports::agenda::{Agenda, AgendaStatus};
use crate::{Error, Result};

/// The queue of jobs.
///
/// Every call is one transaction of the store. Numbers of leases are never given twice, whatever became of their jobs.
pub trait JobQueue: Send + Sync {
    /// Announces a worker under a name that nobody else ever has, until the guard is dropped or the worker's process ends,
    /// whichever way that comes. A lease of a worker that is gone has run out, whatever the time.
    fn register_worker(&self, worker: &str) -> Result<LockGuard>;

    /// Takes the first job for which [`JobState::is_due`] holds, by [`JobEntry::take`].
    fn take_job(&self, worker: &str, now: Timestamp, until: Timestamp) -> Result<Option<TakenJob>>;

    /// Makes a lease last longer. One that is not held any more ([`Lease::check`]) is an error of kind `Conflict`.
    fn renew_lease(&self, lease: &Lease, now: Timestamp, until: Timestamp) -> Result<()>;

    /// Records how something is set, and returns since when it is set like this, by [`setting_since`]. Where it is set to
    /// nothing, all that was known of it is forgotten.
    fn record_setting(&self, what: &str, how: Option<&str>, now: Timestamp) -> Result<Option<Timestamp>>;

    /// Every job that there is, in the order in which they are taken.
    fn jobs(&self) -> Result<Vec<JobEntry>>;
}

/// A job as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobEntry {
    /// The task.
    pub task: TaskId,
    /// The agenda that it belongs to.
    pub agenda: AgendaId,
    /// The state that the job is in.
    pub state: JobState,
    /// The number of its last lease; 0 where it had none.
    pub lease_number: u64,
    /// How often it was tried and failed in a way that may pass.
    pub tries: u32,
    /// How often its worker went away without a word.
    pub crashes: u32,
}

/// Where a job stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobState {
    /// Waits for a worker.
    Waiting {
        /// When it may be taken at the earliest.
        not_before: Timestamp,
    },
    /// A worker is at it.
    Leased {
        /// The worker.
        worker: String,
        /// When the lease ends.
        until: Timestamp,
    },
    /// It is kept and shown, and not taken up any more.
    SetAside,
}

/// What becomes of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobEnd {
    /// It is gone: done, failed or called off.
    Over,
    /// It is taken up again, not before that moment. `tried` counts as one of its attempts.
    Later {
        /// When to try again at the earliest.
        not_before: Timestamp,
        /// Whether this counts as a try.
        tried: bool,
    },
    /// It is kept and shown, and not taken up any more.
    SetAside,
}

/// The right to work on a job for a while. A later lease of the same job has a higher number, and ends this one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// The task.
    pub task: TaskId,
    /// The agenda that it belongs to.
    pub agenda: AgendaId,
    /// The lease's number: a later lease on the same job has a higher one.
    pub number: u64,
}

/// A job in the hands of the worker that took it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TakenJob {
    /// The worker's lease on it.
    pub lease: Lease,
    /// How often it was tried before and failed in a way that may pass.
    pub tries: u32,
    /// How often its worker went away without a word.
    pub crashes: u32,
}

/// The time of a lease that begins now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeaseTerm {
    now: Timestamp,
    until: Timestamp,
}

impl LeaseTerm {
    /// A lease that ends later than this many times as long as one is given for comes from a clock that was set back.
    const IMPLAUSIBLE: i32 = 4;

    /// An error where the lease would end before it begins.
    pub fn new(now: Timestamp, until: Timestamp) -> Result<Self> {
        if until > now {
            Ok(Self { now, until })
        } else {
            Err(Error::invalid("a lease must end after it begins"))
        }
    }

    /// The latest moment at which a lease that was given before can end.
    fn latest_end(&self) -> Timestamp {
        let length: SignedDuration = self.until.duration_since(self.now);
        let longest = length.checked_mul(Self::IMPLAUSIBLE);
        longest.and_then(|longest| self.now.checked_add(longest).ok()).unwrap_or(Timestamp::MAX)
    }
}

impl JobState {
    /// Whether a job may be taken: its time has come, or its lease has run out, or its worker is gone, or its lease ends later
    /// than any could.
    pub fn is_due(&self, term: &LeaseTerm, is_gone: &dyn Fn(&str) -> bool) -> bool {
        match self {
            Self::Waiting { not_before } => *not_before <= term.now,
            Self::Leased { until, .. } => *until > term.latest_end() || self.is_abandoned(term, is_gone),
            Self::SetAside => false,
        }
    }

    /// Whether its worker went away without a word. A lease that was given by a clock that was set back says nothing of that.
    fn is_abandoned(&self, term: &LeaseTerm, is_gone: &dyn Fn(&str) -> bool) -> bool {
        matches!(self, Self::Leased { until, worker } if *until < term.now || is_gone(worker))
    }
}

impl JobEntry {
    /// A task that has just been put into the queue.
    pub fn new(task: TaskId, agenda: AgendaId) -> Self {
        let state = JobState::Waiting { not_before: Timestamp::UNIX_EPOCH };
        Self { task, agenda, state, lease_number: 0, tries: 0, crashes: 0 }
    }

    /// Gives a job that is due to a worker, under the next number; that it was abandoned counts as a crash.
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

    /// The job after this end; none where it is gone.
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
    /// An error of kind `Conflict` where the lease is not held any more, `job` being the task's job as it is kept. Without a
    /// moment, the end of its time does not matter.
    pub fn check(&self, job: Option<&JobEntry>, now: Option<Timestamp>) -> Result<()> {
        let is_held = |job: &&JobEntry| {
            let in_time =
                matches!(job.state, JobState::Leased { until, .. } if now.is_none_or(|now| until >= now));
            in_time && (&job.task, &job.agenda, job.lease_number) == (&self.task, &self.agenda, self.number)
        };
        job.filter(is_held).map(drop).ok_or_else(|| self.lost_error())
    }

    /// Why a worker can't go on.
    pub fn lost_error(&self) -> Error {
        Error::conflict(format!("the lease of the task {} has expired", self.task))
            .hint("nothing was changed; the task's current worker continues it")
    }
}

impl Agenda {
    /// Whether a job of one of its tasks stays. Nothing more comes of a settled task; a job that was set aside is shown until
    /// the agenda is cancelled.
    pub fn keeps_job(&self, job: &JobEntry) -> bool {
        let is_shown = job.state == JobState::SetAside && self.status != AgendaStatus::Cancelled;
        is_shown || !self.task(&job.task).is_some_and(|task| task.status.is_settled())
    }
}

/// Since when something is set like this: `known` is how it was set, and since when.
pub fn setting_since(known: Option<(&str, Timestamp)>, how: &str, now: Timestamp) -> Timestamp {
    known.filter(|(known, _)| *known == how).map_or(now, |(_, since)| since)
}
