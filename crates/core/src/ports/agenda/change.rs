//! What a change of an agenda or of a finding comes to.
//!
//! Pure functions: which findings are kept and counted, what is refused, what is told. A store calls them inside its
//! transaction and writes down what they give.

use jiff::Timestamp;

use super::{Agenda, AgendaCounts, AgendaEvent, AgendaStatus, Finding, FindingStatus, SuppressedTopic};
use crate::domain::id::{AgendaId, FindingId, TaskId};
use crate::ports::{EmbeddingModel, JobEnd, JobEntry, Lease};
use crate::{Error, Result, WayOut};

/// On whose word an agenda is changed.
#[derive(Debug, Clone, Copy)]
pub enum AgendaActor<'a> {
    /// The user.
    User,
    /// The user's, under a key: when the same key comes again, nothing is changed, and the agenda is given back as it is.
    UserOnce(&'a str),
    /// A worker's, by the lease that it holds at this moment. Where it holds it no more, that is an error of kind `Conflict`.
    Worker(&'a Lease, Timestamp),
    /// A worker's that lets go of its job, whether its time was up or not, as long as nobody else has taken it.
    Leaving(&'a Lease),
}

impl<'a> AgendaActor<'a> {
    /// The lease that a store has to look up before it lets the change happen.
    pub fn lease(self) -> Option<&'a Lease> {
        match self {
            Self::Worker(lease, _) | Self::Leaving(lease) => Some(lease),
            Self::User | Self::UserOnce(_) => None,
        }
    }

    /// An error of kind `Conflict` where a worker may not change this agenda. `job` is the job of its lease, as it is kept.
    pub fn check(self, agenda: &AgendaId, job: Option<&JobEntry>) -> Result<()> {
        let (lease, now) = match self {
            Self::User | Self::UserOnce(_) => return Ok(()),
            Self::Worker(lease, now) => (lease, Some(now)),
            Self::Leaving(lease) => (lease, None),
        };
        lease.check(job, now)?;
        if lease.agenda == *agenda { Ok(()) } else { Err(lease.lost_error()) }
    }

    /// Why nothing could be changed, where the store holds nothing at all.
    pub fn nothing_kept_error(self, agenda: &AgendaId) -> Error {
        self.lease().map_or_else(|| Agenda::not_found_error(agenda), Lease::lost_error)
    }
}

/// An agenda that is being changed, and what comes with the change.
#[derive(Debug, Clone)]
pub struct AgendaChange {
    /// The agenda as it is to be stored.
    pub agenda: Agenda,
    /// New findings; which of them are kept is decided by [`AgendaChange::settle`].
    pub findings: Vec<NewFinding>,
    /// Tasks that are to be carried out.
    pub jobs: Vec<TaskId>,
    /// What becomes of jobs that there are.
    pub ends: Vec<(TaskId, JobEnd)>,
}

/// A finding, with what it is compared by.
#[derive(Debug, Clone)]
pub struct NewFinding {
    /// The finding.
    pub finding: Finding,
    /// The vector of its text, and the model that computed it.
    pub embedding: Option<(EmbeddingModel, Vec<f32>)>,
}

/// What a change comes to: a store writes it down as a whole.
#[derive(Debug, Clone)]
pub struct SettledChange {
    /// The agenda as it is to be stored.
    pub agenda: Agenda,
    /// Tasks to put at the end of the queue; one that is in it stays where it is.
    pub jobs: Vec<TaskId>,
    /// Jobs to change by [`JobEntry::after`]. When that is done, those go that [`Agenda::keeps_job`] does not keep.
    pub ends: Vec<(TaskId, JobEnd)>,
    /// What is told, in this order; then [`AgendaCounts::event_since`].
    pub events: Vec<AgendaEvent>,
}

impl AgendaChange {
    /// A change of an agenda in which nothing is changed yet.
    pub fn new(agenda: Agenda) -> Self {
        Self { agenda, findings: Vec::new(), jobs: Vec::new(), ends: Vec::new() }
    }

    /// Decides what the change comes to, `before` being the agenda as it is kept.
    ///
    /// `keep` is the store's: it keeps a finding and says so, or says that its id or its page is known and keeps nothing. It is
    /// asked in order, and only as long as the agenda has room; the findings that it keeps are counted in the agenda, whatever
    /// number the change itself put there.
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
    /// What is told of an agenda that is new.
    pub fn proposed_event(&self) -> AgendaEvent {
        AgendaEvent::Agenda { id: self.id.clone(), status: self.status, message: self.message.clone() }
    }

    /// Why an agenda can't be had.
    pub fn not_found_error(id: &AgendaId) -> Error {
        Error::not_found(format!("there is no agenda {id}"))
            .hint("`wellread agenda list` shows the agendas with their ids")
            .with_way_out(WayOut::Agendas)
    }

    /// Why an agenda can't be kept: its id is taken.
    pub fn exists_error(id: &AgendaId) -> Error {
        Error::conflict(format!("the agenda {id} already exists"))
    }
}

impl AgendaEvent {
    /// As many events as a store keeps at least, and need not keep more.
    const KEPT: u64 = 10_000;

    /// The number up to which events may be forgotten when the last has this number. The last never is, so that no number
    /// comes back.
    pub fn forgettable_up_to(last: u64) -> u64 {
        last.saturating_sub(Self::KEPT)
    }
}

impl AgendaCounts {
    /// Counts everything, by how a store counts findings and agendas in a state, and jobs that were set aside.
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

    /// What is told when the counts are not what they were.
    pub fn event_since(self, before: Self) -> Option<AgendaEvent> {
        (self != before).then_some(AgendaEvent::Counts(self))
    }
}

/// What a change of a finding comes to: a store writes it down as a whole.
#[derive(Debug, Clone)]
pub struct FindingDecision {
    /// The finding as it is to be stored.
    pub finding: Finding,
    /// A topic that is suppressed from now on.
    pub topic: Option<SuppressedTopic>,
    is_changed: bool,
}

impl FindingDecision {
    /// Lets `change` decide on a finding. It may not make another of it.
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

    /// Whether there is something to write down.
    pub fn is_changed(&self) -> bool {
        self.is_changed
    }

    /// What is told of it once it is written down, `count` being how a store counts.
    pub fn event<E>(
        &self,
        count: impl FnOnce() -> Result<AgendaCounts, E>,
    ) -> Result<Option<AgendaEvent>, E> {
        self.is_changed.then(count).transpose().map(|counts| counts.map(AgendaEvent::Counts))
    }
}

impl Finding {
    /// What is told of a finding that is new.
    fn event(&self) -> AgendaEvent {
        AgendaEvent::Finding {
            id: self.id.clone(),
            agenda_id: self.agenda_id.clone(),
            task_id: self.task_id.clone(),
            title: self.title.clone(),
            url: self.url.clone(),
        }
    }

    /// Why a finding can't be had.
    pub fn not_found_error(id: &FindingId) -> Error {
        Error::not_found(format!("there is no finding {id}"))
            .hint("`wellread inbox` shows the findings with their ids")
            .with_way_out(WayOut::Findings)
    }
}
