//! One job, from the queue to its end: taken by a lease, carried out as a run, and settled.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::{Jobs, unknown};
use crate::agenda::{Agenda, Task, TaskEnd};
use crate::corpus::Hash;
use crate::id::RunId;
use crate::ports::{Alteration, JobEnd, Lease, NewFinding, Taken, Word};
use crate::research::{Carried, Kept, Progress, TaskFailure, TaskRun, TaskStep};
use crate::run::Run;
use crate::{Error, Kind, Result};

/// How long a job is one worker's. It is renewed long before.
pub const LEASE: Duration = Duration::from_secs(60);
/// How often a worker says that it is still there.
pub const PULSE: Duration = Duration::from_secs(15);
/// A job that ended its worker so often is set aside.
const MOST_CRASHES: u32 = 3;
/// How often what may pass is tried again, and how long that is put off at first.
const MOST_TRIES: u32 = 2;
const FIRST_PAUSE: i64 = 2_000;
const PAUSE_GROWS: i64 = 4;
/// As long as somebody who asks to be left alone is waited for, in seconds.
const LONGEST_WAIT: u64 = 600;

/// A job that is one's own for a while.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    pub lease: Lease,
    pub tries: u32,
}

/// What became of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    Done,
    Failed,
    /// It will be tried again.
    Later,
    /// It is no longer one's own: it was cancelled, or somebody else has it.
    Lost,
}

impl Jobs<'_> {
    /// Takes the next job that is due; those that ended their worker too often are set aside on the way.
    pub fn take(&self, worker: &str) -> Result<Option<Held>> {
        loop {
            let now = self.now();
            let Some(Taken { lease, tries, crashes }) =
                self.research.agendas.take(worker, now, until(now))?
            else {
                return Ok(None);
            };
            if crashes < MOST_CRASHES {
                return Ok(Some(Held { lease, tries }));
            }
            match self.set_aside(&lease, crashes) {
                // Cancelled meanwhile, or taken by somebody else: theirs to see to.
                Err(error) if error.kind() == Kind::Conflict => {}
                set_aside => set_aside?,
            }
        }
    }

    /// Says that one is still there. An error of kind `Conflict` says that the job is not one's own any more.
    pub fn renew(&self, held: &Held) -> Result<()> {
        let now = self.now();
        self.research.agendas.renew(&held.lease, now, until(now))
    }

    /// Carries the job out and settles it.
    pub async fn carry_out(&self, held: &Held) -> Result<Ended> {
        match self.carried_out(held).await {
            Err(error) if error.kind() == Kind::Conflict => {
                tracing::info!("the task {} is left to others: {error}", held.lease.task);
                Ok(Ended::Lost)
            }
            ended => ended,
        }
    }

    async fn carried_out(&self, held: &Held) -> Result<Ended> {
        let (agenda, task) = self.begun(held)?;
        let carried = match self.run_of(held, &agenda, &task)? {
            TaskRun::Over(carried) => Ok(*carried),
            TaskRun::Open(run) => {
                let hand = |found: NewFinding| self.hand_over(held, &found);
                self.research.carry_out(self.around, &run, &hand).await
            }
        };
        match carried {
            Ok(Carried { failed: Some(failure), counts, .. }) => self.failed(held, &failure, Some(counts)),
            Ok(carried) => self.done(held, &carried),
            Err(error) if error.kind() == Kind::Conflict => Err(error),
            Err(error) => {
                let failure = TaskFailure::lasting(error.message());
                self.failed(held, &failure, None)
            }
        }
    }

    /// Gives a job back as it is, to be taken up where it was left: the worker ends.
    pub fn hand_back(&self, held: &Held) -> Result<()> {
        let now = self.now();
        let task = &held.lease.task;
        let handed = self.research.agendas.alter(
            &held.lease.agenda,
            Word::Leaving(&held.lease),
            &mut |alteration: &mut Alteration| {
                // Not begun yet is as good as handed back.
                let _ = alteration.agenda.hand_back(task, None);
                alteration.ends = vec![(task.clone(), JobEnd::Later { not_before: now, tried: false })];
                Ok(())
            },
        );
        match handed {
            Err(error) if error.kind() == Kind::Conflict => Ok(()),
            handed => handed.map(drop),
        }
    }

    fn begun(&self, held: &Held) -> Result<(Agenda, Task)> {
        let task = &held.lease.task;
        // The id is written down before there is a run: so that it is found again, whenever it ends.
        let agenda = self.alter(held, &mut |alteration| {
            let known = alteration.agenda.task(task).and_then(|task| task.run_id.clone());
            let run = known.unwrap_or_else(RunId::fresh);
            alteration.agenda.begin(task, Some(&run)).map(drop)
        })?;
        let task = agenda.task(task).cloned().ok_or_else(|| unknown(&agenda.id))?;
        Ok((agenda, task))
    }

    fn run_of(&self, held: &Held, agenda: &Agenda, task: &Task) -> Result<TaskRun> {
        let id = task.run_id.clone().unwrap_or_else(RunId::fresh);
        if let Some(known) = self.research.take_up_task(&id, held.tries)? {
            return Ok(known);
        }
        let run: Run = self.research.begin_task(agenda, task, &id).map_err(|error| match error.kind() {
            Kind::Conflict => {
                Error::conflict(format!("the task {} was begun by somebody else", held.lease.task))
            }
            _ => error,
        })?;
        Ok(TaskRun::Open(Box::new(run)))
    }

    fn hand_over(&self, held: &Held, found: &NewFinding) -> Result<Kept> {
        let id = found.finding.id.clone();
        let agenda = self.alter(held, &mut |alteration| {
            alteration.findings = vec![found.clone()];
            Ok(())
        })?;
        Ok(match self.research.agendas.finding(&id)? {
            Some(_) => Kept::Kept,
            None if agenda.is_full() => Kept::Full,
            None => Kept::Known,
        })
    }

    fn done(&self, held: &Held, carried: &Carried) -> Result<Ended> {
        let (now, task) = (self.now(), &held.lease.task);
        self.alter(held, &mut |alteration| {
            // Handed over one by one before; once more changes nothing.
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
        Ok(Ended::Done)
    }

    fn failed(
        &self,
        held: &Held,
        failure: &TaskFailure,
        counts: Option<crate::agenda::TaskCounts>,
    ) -> Result<Ended> {
        let (now, task) = (self.now(), &held.lease.task);
        let again = failure.may_pass && held.tries < MOST_TRIES;
        let pause = pause(held, failure.wait_s);
        let later = format!("{}; it is tried again in {} s", failure.message, pause.as_secs());
        self.alter(held, &mut |alteration| {
            if again {
                let not_before = now.saturating_add(pause).unwrap_or(now);
                alteration.ends = vec![(task.clone(), JobEnd::Later { not_before, tried: true })];
                return alteration.agenda.hand_back(task, Some(later.clone()));
            }
            alteration.ends = vec![(task.clone(), JobEnd::Over)];
            let end = TaskEnd::Failed { counts, message: failure.message.clone() };
            alteration.agenda.end_task(task, end, now)
        })?;
        if !again {
            return Ok(Ended::Failed);
        }
        (self.around.watch)(Progress::Step { step: TaskStep::Wait, about: later });
        Ok(Ended::Later)
    }

    fn set_aside(&self, lease: &Lease, crashes: u32) -> Result<()> {
        let now = self.now();
        let message = format!("set aside: whoever worked on it ended without a word {crashes} times");
        let held = Held { lease: lease.clone(), tries: 0 };
        self.alter(&held, &mut |alteration| {
            alteration.agenda.begin(&lease.task, None)?;
            alteration.ends = vec![(lease.task.clone(), JobEnd::SetAside)];
            let end = TaskEnd::Failed { counts: None, message: message.clone() };
            alteration.agenda.end_task(&lease.task, end, now)
        })?;
        Ok(())
    }

    fn alter(&self, held: &Held, change: &mut dyn FnMut(&mut Alteration) -> Result<()>) -> Result<Agenda> {
        let Lease { agenda, .. } = &held.lease;
        self.research.agendas.alter(agenda, Word::Worker(&held.lease, self.now()), change)
    }

    fn now(&self) -> Timestamp {
        self.research.desk.clock.now().timestamp()
    }
}

fn until(now: Timestamp) -> Timestamp {
    now.saturating_add(SignedDuration::try_from(LEASE).unwrap_or_default()).unwrap_or(now)
}

/// Longer each time, and for each task by a little more or less, so that not all come back at once; and as long as whoever was
/// asked wants to be left alone, within bounds.
fn pause(held: &Held, wait_s: Option<u64>) -> SignedDuration {
    let base = FIRST_PAUSE * PAUSE_GROWS.pow(held.tries);
    let seed = Hash::of(format!("{} {}", held.lease.task, held.tries).as_bytes());
    let share = i64::from(seed.as_bytes()[0]);
    let own = SignedDuration::from_millis(base + base * share / 512);
    let wait = Duration::from_secs(wait_s.unwrap_or_default().min(LONGEST_WAIT));
    own.max(SignedDuration::try_from(wait).unwrap_or_default())
}
