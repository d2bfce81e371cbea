//! The stores of agendas and findings.
//!
//! Whatever changes is changed in one transaction: the agenda, the findings that came with it, the jobs that it makes or ends,
//! and what is told of it. What a change comes to is decided by the pure functions of [`super::agenda`]; a store makes it as a
//! whole or not at all.

use wellread_text::Sketch;

use super::{EmbeddingModel, JobQueue, LockGuard};
use crate::Result;
use crate::domain::id::{AgendaId, FindingId};
use crate::ports::agenda::{
    Agenda, AgendaActor, AgendaChange, AgendaCounts, AgendaEvent, AgendaStatus, Finding, FindingStatus,
    IdempotentRequest, SuppressedTopic,
};

/// Agendas, in order of time by their ids.
pub trait Agendas: Send + Sync {
    /// Keeps a new agenda. Where the key was used before, the agenda that it stands for is given back instead, and nothing
    /// is kept.
    fn propose(&self, agenda: &Agenda, key: Option<&str>) -> Result<Agenda>;

    /// The agenda of that id.
    fn agenda(&self, id: &AgendaId) -> Result<Option<Agenda>>;

    /// The agendas that pass the filter, newest first.
    fn agendas(&self, which: AgendaFilter<'_>, at_most: usize) -> Result<Vec<Agenda>>;

    /// Changes an agenda and what hangs on it, all or nothing: where `change` fails, nothing has happened. In one transaction:
    /// [`AgendaActor::check`], `change`, [`AgendaChange::settle`], and what that gives is written down.
    fn change_agenda(
        &self,
        id: &AgendaId,
        actor: AgendaActor<'_>,
        change: &mut dyn FnMut(&mut AgendaChange) -> Result<()>,
    ) -> Result<Agenda>;

    /// The events after that number, in order, at most so many; and the number of the last that there is. Old ones may be gone
    /// ([`AgendaEvent::forgettable_up_to`]).
    fn events_after(&self, after: u64, at_most: usize) -> Result<(Vec<(u64, AgendaEvent)>, u64)>;
}

/// Which agendas are listed.
#[derive(Debug, Clone, Copy)]
pub enum AgendaFilter<'a> {
    /// All of them.
    All,
    /// Those in this state.
    Status(AgendaStatus),
    /// The agenda that was proposed with this key.
    Key(&'a str),
}

/// Findings: pages and papers with what they say.
pub trait Findings: Send + Sync {
    /// The finding of that id.
    fn finding(&self, id: &FindingId) -> Result<Option<Finding>>;

    /// The findings that pass the filter, newest first.
    fn findings(&self, which: &FindingFilter, at_most: usize) -> Result<Vec<Finding>>;

    /// Changes a finding, all or nothing, by [`super::agenda::FindingDecision::make`]. A topic that `change` gives is suppressed
    /// with it, and the finding as it is then is kept as the answer to `once`.
    fn decide(
        &self,
        id: &FindingId,
        once: Option<&IdempotentRequest>,
        change: &mut dyn FnMut(&mut Finding) -> Result<Option<SuppressedTopic>>,
    ) -> Result<Finding>;

    /// Claims a finding for a decision, and waits as long as somebody else has it, in whatever process. The claim ends as
    /// [`LockGuard`] says.
    fn lock_finding(&self, id: &FindingId) -> Result<LockGuard>;

    /// What each finding is compared by, where it was made with this model; dismissed ones included.
    fn embeddings(&self, model: &EmbeddingModel) -> Result<Vec<(FindingId, Vec<f32>)>>;

    /// How much there is of everything, by [`AgendaCounts::count`].
    fn counts(&self) -> Result<AgendaCounts>;
}

/// Which findings are listed. A field that is left out lets everything through.
#[derive(Debug, Clone, Default)]
pub struct FindingFilter {
    /// Only findings in this state.
    pub status: Option<FindingStatus>,
    /// Only findings of this agenda.
    pub agenda: Option<AgendaId>,
    /// Only those whose acceptance was begun and has not ended.
    pub accepting: bool,
    /// Only the one of this page, by [`Finding::normalized_address`].
    pub address: Option<String>,
}

/// Everything about agendas, as one store keeps it: what changes together is changed in one transaction.
pub trait AgendaStore:
    Agendas + JobQueue + Findings + Sketches + SuppressedTopics + IdempotencyStore
{
}

impl<T: Agendas + JobQueue + Findings + Sketches + SuppressedTopics + IdempotencyStore> AgendaStore for T {}

/// What the pages of findings are compared by, word for word, without reading them.
pub trait Sketches: Send + Sync {
    /// Findings that have none yet, at most so many.
    fn findings_without_sketch(&self, at_most: usize) -> Result<Vec<Finding>>;

    /// Keeps these, all or none, instead of what there was.
    fn keep_sketches(&self, sketches: &[(FindingId, Sketch)]) -> Result<()>;

    /// Shows each that there is, in whatever order.
    fn for_each_sketch(&self, see: &mut dyn FnMut(&FindingId, &Sketch)) -> Result<()>;
}

/// What was asked with a key, and what was answered. A key stands for one request for good: with another, both are errors of
/// kind `Conflict`.
pub trait IdempotencyStore: Send + Sync {
    /// Writes down that this is asked. The answer that it had, where it had one.
    fn record_request(&self, once: &IdempotentRequest) -> Result<Option<String>>;

    /// Keeps the answer, unless there is one. What is given back is the answer that is kept.
    fn keep_answer(&self, once: &IdempotentRequest, answer: &str) -> Result<String>;
}

/// Topics that are not proposed any more.
pub trait SuppressedTopics: Send + Sync {
    /// The suppressed topics, newest first.
    fn topics(&self) -> Result<Vec<SuppressedTopic>>;

    /// Lets a topic be proposed again. Whether it was suppressed.
    fn allow(&self, topic: &str) -> Result<bool>;
}
