//! The effects of a change of an agenda or of a finding.
//!
//! Pure functions: which findings are kept and counted, what is refused, which events are published. A store calls them
//! inside its transaction and writes what they return.

use jiff::Timestamp;

use super::{Agenda, AgendaCounts, AgendaEvent, AgendaStatus, Finding, FindingStatus, SuppressedTopic};
use crate::domain::id::{AgendaId, FindingId, TaskId};
use crate::ports::{EmbeddingModel, JobEnd, JobEntry, Lease};
use crate::{Error, Result, WayOut};

/// Who changes an agenda.
#[derive(Debug, Clone, Copy)]
pub enum AgendaActor<'a> {
    /// The user.
    User,
    /// The user, with an idempotency key: if the key was used before, the agenda is returned unchanged.
    UserOnce(&'a str),
    /// A worker, by its lease, and the current time. An expired or replaced lease is an error of kind `Conflict`.
    Worker(&'a Lease, Timestamp),
    /// A worker that releases its job. Its lease may have expired, as long as nobody else has taken the job.
    Leaving(&'a Lease),
}

impl<'a> AgendaActor<'a> {
    /// The lease whose job the store has to load for [`AgendaActor::check`]; `None` for the user.
    pub fn lease(self) -> Option<&'a Lease> {
        match self {
            Self::Worker(lease, _) | Self::Leaving(lease) => Some(lease),
            Self::User | Self::UserOnce(_) => None,
        }
    }

    /// An error of kind `Conflict` if a worker may not change this agenda. `job` is the stored job of its lease.
    pub fn check(self, agenda: &AgendaId, job: Option<&JobEntry>) -> Result<()> {
        let (lease, now) = match self {
            Self::User | Self::UserOnce(_) => return Ok(()),
            Self::Worker(lease, now) => (lease, Some(now)),
            Self::Leaving(lease) => (lease, None),
        };
        lease.check(job, now)?;
        if lease.agenda == *agenda { Ok(()) } else { Err(lease.lost_error()) }
    }

    /// The error to return when the store has no agendas at all.
    pub fn nothing_kept_error(self, agenda: &AgendaId) -> Error {
        self.lease().map_or_else(|| Agenda::not_found_error(agenda), Lease::lost_error)
    }
}

/// An agenda that is being changed, with the findings and jobs that the change brings.
#[derive(Debug, Clone)]
pub struct AgendaChange {
    /// The agenda as it is to be stored.
    pub agenda: Agenda,
    /// New findings; [`AgendaChange::settle`] decides which of them are stored.
    pub findings: Vec<NewFinding>,
    /// Tasks to add to the queue.
    pub jobs: Vec<TaskId>,
    /// What becomes of existing jobs.
    pub ends: Vec<(TaskId, JobEnd)>,
}

/// A finding, with the vector by which it is compared with others.
#[derive(Debug, Clone)]
pub struct NewFinding {
    /// The finding.
    pub finding: Finding,
    /// The vector of its text, and the model that computed it.
    pub embedding: Option<(EmbeddingModel, Vec<f32>)>,
}

/// The effects of a change of an agenda: a store writes all of them in one transaction.
#[derive(Debug, Clone)]
pub struct SettledChange {
    /// The agenda as it is to be stored.
    pub agenda: Agenda,
    /// Tasks to append to the queue; one that is in it already keeps its position.
    pub jobs: Vec<TaskId>,
    /// Jobs to change by [`JobEntry::after`]. Afterwards, jobs that [`Agenda::keeps_job`] does not keep are deleted.
    pub ends: Vec<(TaskId, JobEnd)>,
    /// The events to publish, in this order; [`AgendaCounts::event_since`] comes after them.
    pub events: Vec<AgendaEvent>,
}

impl AgendaChange {
    /// An unchanged agenda, to be modified by the caller.
    pub fn new(agenda: Agenda) -> Self {
        Self { agenda, findings: Vec::new(), jobs: Vec::new(), ends: Vec::new() }
    }

    /// Decides the effects of the change; `before` is the agenda as it is stored.
    ///
    /// `keep` is the store's: it stores a finding and returns true, or returns false if the finding's id or page is
    /// known. It is called in order, as long as the agenda has room. The findings that it stores are added to the
    /// stored count, whatever number the change itself put there. An error if the change is about another agenda or a
    /// task that the agenda does not have.
    pub fn settle<E: From<Error>>(
        self,
        before: &Agenda,
        mut keep: impl FnMut(&NewFinding) -> Result<bool, E>,
    ) -> Result<SettledChange, E> {
        let Self { mut agenda, findings, jobs, ends } = self;
        if agenda.id != before.id {
            return Err(Error::invalid(format!("the agenda {} can't become another", before.id)).into());
        }
        if let Some(unknown) = jobs.iter().find(|task| agenda.task(task).is_none()) {
            return Err(Error::invalid(format!("the agenda {} has no task {unknown}", agenda.id)).into());
        }
        agenda.findings = before.findings;
        let mut found = Vec::new();
        for new in &findings {
            if new.finding.agenda_id != agenda.id {
                let strange = format!("the finding {} belongs to another agenda", new.finding.id);
                return Err(Error::invalid(strange).into());
            }
            if !agenda.is_full() && keep(new)? {
                agenda.findings += 1;
                found.push(new.finding.event());
            }
        }
        let events = agenda.events_since(before).into_iter().chain(found).collect();
        Ok(SettledChange { agenda, jobs, ends, events })
    }
}

impl Agenda {
    /// The event for a new agenda.
    pub fn proposed_event(&self) -> AgendaEvent {
        AgendaEvent::Agenda { id: self.id.clone(), status: self.status, message: self.message.clone() }
    }

    /// The error for an id that no agenda has.
    pub fn not_found_error(id: &AgendaId) -> Error {
        Error::not_found(format!("there is no agenda {id}"))
            .hint("`wellread agenda list` shows the agendas with their ids")
            .with_way_out(WayOut::Agendas)
    }

    /// The error for a new agenda whose id is taken.
    pub fn exists_error(id: &AgendaId) -> Error {
        Error::conflict(format!("the agenda {id} already exists"))
    }
}

impl AgendaEvent {
    /// The number of events that a store must keep at least.
    const KEPT: u64 = 10_000;

    /// The number up to which events may be deleted when the last has this number. The last event is never deleted, so
    /// that no number is used twice.
    pub fn forgettable_up_to(last: u64) -> u64 {
        last.saturating_sub(Self::KEPT)
    }
}

impl AgendaCounts {
    /// Counts everything with the store's own functions, which count findings and agendas by state, and jobs set aside.
    pub fn count<E>(
        mut findings: impl FnMut(FindingStatus) -> Result<usize, E>,
        mut agendas: impl FnMut(AgendaStatus) -> Result<usize, E>,
        set_aside: impl FnOnce() -> Result<usize, E>,
    ) -> Result<Self, E> {
        Ok(Self {
            new: findings(FindingStatus::New)?,
            accepted: findings(FindingStatus::Accepted)?,
            dismissed: findings(FindingStatus::Dismissed)?,
            pending: agendas(AgendaStatus::Pending)?,
            running: agendas(AgendaStatus::Approved)? + agendas(AgendaStatus::Running)?,
            set_aside: set_aside()?,
        })
    }

    /// The event for changed counts; `None` if they are the same.
    pub fn event_since(self, before: Self) -> Option<AgendaEvent> {
        (self != before).then_some(AgendaEvent::Counts(self))
    }
}

/// The effects of a change of a finding: a store writes all of them in one transaction.
#[derive(Debug, Clone)]
pub struct FindingDecision {
    /// The finding as it is to be stored.
    pub finding: Finding,
    /// A topic that is suppressed from now on.
    pub topic: Option<SuppressedTopic>,
    is_changed: bool,
}

impl FindingDecision {
    /// Applies `change` to a copy of the finding. An error if it changes the finding's id, agenda or address.
    pub fn make(
        before: &Finding,
        change: &mut dyn FnMut(&mut Finding) -> Result<Option<SuppressedTopic>>,
    ) -> Result<Self> {
        let mut finding = before.clone();
        let topic = change(&mut finding)?;
        let identity =
            |finding: &Finding| (finding.id.clone(), finding.agenda_id.clone(), finding.url.clone());
        if identity(&finding) != identity(before) {
            return Err(Error::invalid(format!("the finding {} can't become another", before.id)));
        }
        let is_changed = finding != *before;
        Ok(Self { finding, topic, is_changed })
    }

    /// Whether the finding differs from the stored one.
    pub fn is_changed(&self) -> bool {
        self.is_changed
    }

    /// The event to publish once the finding is stored; `None` if it did not change. `count` is called only if it did.
    pub fn event<E>(
        &self,
        count: impl FnOnce() -> Result<AgendaCounts, E>,
    ) -> Result<Option<AgendaEvent>, E> {
        self.is_changed.then(count).transpose().map(|counts| counts.map(AgendaEvent::Counts))
    }
}

impl Finding {
    /// The event for a new finding.
    fn event(&self) -> AgendaEvent {
        AgendaEvent::Finding {
            id: self.id.clone(),
            agenda_id: self.agenda_id.clone(),
            task_id: self.task_id.clone(),
            title: self.title.clone(),
            url: self.url.clone(),
        }
    }

    /// The error for an id that no finding has.
    pub fn not_found_error(id: &FindingId) -> Error {
        Error::not_found(format!("there is no finding {id}"))
            .hint("`wellread inbox` shows the findings with their ids")
            .with_way_out(WayOut::Findings)
    }
}
