//! The stores of agendas and findings.
//!
//! Every change is one transaction: the agenda, its new findings, the jobs that it creates or ends, and the events. The
//! pure functions of [`super::agenda`] decide what a change amounts to; a store writes all of it or nothing.

use wellread_text::Sketch;

use super::{EmbeddingModel, JobQueue, LockGuard};
use crate::Result;
use crate::domain::id::{AgendaId, FindingId};
use crate::ports::agenda::{
    Agenda, AgendaActor, AgendaChange, AgendaCounts, AgendaEvent, AgendaStatus, Finding, FindingStatus,
    IdempotentRequest, SuppressedTopic,
};

/// Stored agendas; their ids sort by time.
pub trait Agendas: Send + Sync {
    /// Stores a new agenda. If the key was used before, stores nothing and returns the agenda that it was used for.
    fn propose(&self, agenda: &Agenda, key: Option<&str>) -> Result<Agenda>;

    /// The agenda with this id.
    fn agenda(&self, id: &AgendaId) -> Result<Option<Agenda>>;

    /// The agendas that pass the filter, newest first, at most `at_most`.
    fn agendas(&self, which: AgendaFilter<'_>, at_most: usize) -> Result<Vec<Agenda>>;

    /// Changes an agenda and all that belongs to it, in one transaction: [`AgendaActor::check`], `change`,
    /// [`AgendaChange::settle`], and writing the result. If `change` fails, nothing is written.
    fn change_agenda(
        &self,
        id: &AgendaId,
        actor: AgendaActor<'_>,
        change: &mut dyn FnMut(&mut AgendaChange) -> Result<()>,
    ) -> Result<Agenda>;

    /// The events after this number, in order, at most `at_most`, and the number of the last event that exists. Old
    /// events may be gone ([`AgendaEvent::forgettable_up_to`]).
    fn events_after(&self, after: u64, at_most: usize) -> Result<(Vec<(u64, AgendaEvent)>, u64)>;
}

/// Which agendas to list.
#[derive(Debug, Clone, Copy)]
pub enum AgendaFilter<'a> {
    /// All of them.
    All,
    /// Those in this state.
    Status(AgendaStatus),
    /// The agenda that was proposed with this key.
    Key(&'a str),
}

/// Stored findings.
pub trait Findings: Send + Sync {
    /// The finding with this id.
    fn finding(&self, id: &FindingId) -> Result<Option<Finding>>;

    /// The findings that pass the filter, newest first, at most `at_most`.
    fn findings(&self, which: &FindingFilter, at_most: usize) -> Result<Vec<Finding>>;

    /// Changes a finding in one transaction, by [`super::agenda::FindingDecision::make`]. A topic that `change` returns
    /// is suppressed, and the changed finding is stored as the answer to `once`.
    fn decide(
        &self,
        id: &FindingId,
        once: Option<&IdempotentRequest>,
        change: &mut dyn FnMut(&mut Finding) -> Result<Option<SuppressedTopic>>,
    ) -> Result<Finding>;

    /// Locks a finding for a decision, and waits while somebody else has it. The lock ends as [`LockGuard`] says.
    fn lock_finding(&self, id: &FindingId) -> Result<LockGuard>;

    /// The vectors of this model, each with its finding; those of dismissed findings included.
    fn embeddings(&self, model: &EmbeddingModel) -> Result<Vec<(FindingId, Vec<f32>)>>;

    /// The number of findings, agendas and jobs by state, by [`AgendaCounts::count`].
    fn counts(&self) -> Result<AgendaCounts>;
}

/// Which findings to list. A field that is left out does not restrict the list.
#[derive(Debug, Clone, Default)]
pub struct FindingFilter {
    /// Only findings in this state.
    pub status: Option<FindingStatus>,
    /// Only findings of this agenda.
    pub agenda: Option<AgendaId>,
    /// Only findings whose acceptance was started and is not complete.
    pub accepting: bool,
    /// Only the finding of this page, by [`Finding::normalized_address`].
    pub address: Option<String>,
}

/// One store of everything about agendas, so that what belongs together changes in one transaction.
pub trait AgendaStore:
    Agendas + JobQueue + Findings + Sketches + SuppressedTopics + IdempotencyStore
{
}

impl<T: Agendas + JobQueue + Findings + Sketches + SuppressedTopics + IdempotencyStore> AgendaStore for T {}

/// Sketches of the findings' pages, by which a new page is compared with them word for word without reading them.
pub trait Sketches: Send + Sync {
    /// Findings without a sketch, at most `at_most`.
    fn findings_without_sketch(&self, at_most: usize) -> Result<Vec<Finding>>;

    /// Stores these sketches in one transaction, and replaces earlier ones.
    fn keep_sketches(&self, sketches: &[(FindingId, Sketch)]) -> Result<()>;

    /// Calls `see` with every sketch, in any order.
    fn for_each_sketch(&self, see: &mut dyn FnMut(&FindingId, &Sketch)) -> Result<()>;
}

/// Idempotency keys with their requests and answers. A key belongs to one request for good: with another request, both
/// methods return an error of kind `Conflict`.
pub trait IdempotencyStore: Send + Sync {
    /// Records the request, and returns its answer if it was answered before.
    fn record_request(&self, once: &IdempotentRequest) -> Result<Option<String>>;

    /// Stores the answer unless there is one, and returns the stored answer.
    fn keep_answer(&self, once: &IdempotentRequest, answer: &str) -> Result<String>;

    /// Removes the answers that `wanted` chooses by their text, and returns how many. Their keys stay with their requests: such a
    /// request is carried out again, and is answered by how things are then.
    fn forget_answers(&self, wanted: &dyn Fn(&str) -> bool) -> Result<u64>;
}

/// Topics that are not proposed any more.
pub trait SuppressedTopics: Send + Sync {
    /// The suppressed topics, newest first.
    fn topics(&self) -> Result<Vec<SuppressedTopic>>;

    /// Lets a topic be proposed again. Returns whether it was suppressed.
    fn allow(&self, topic: &str) -> Result<bool>;
}
