//! Agendas, their tasks as jobs, and findings: what is kept of research that goes on behind everything else.
//!
//! Whatever changes is changed in one transaction: the agenda, the findings that came with it, the jobs that it makes or ends,
//! and what is told of it. What a change means is for the caller to say; here it is made as a whole or not at all.

use jiff::Timestamp;
use wellread_text::Sketch;

use super::{Claim, EmbeddingModel};
use crate::Result;
use crate::agenda::{Agenda, AgendaStatus, Counts, Finding, FindingStatus, Happening, Once, SuppressedTopic};
use crate::id::{AgendaId, FindingId, TaskId};

/// Agendas, in order of time by their ids.
pub trait Agendas: Send + Sync {
    /// Keeps a new agenda. Where the key was used before, the agenda that it stands for is given back instead, and nothing
    /// is kept.
    fn propose(&self, agenda: &Agenda, key: Option<&str>) -> Result<Agenda>;

    fn agenda(&self, id: &AgendaId) -> Result<Option<Agenda>>;

    /// Newest first.
    fn agendas(&self, which: WhichAgendas<'_>, at_most: usize) -> Result<Vec<Agenda>>;

    /// Changes an agenda and what hangs on it, all or nothing: where `change` fails, nothing has happened. On whose word
    /// it is made is looked at first, in the same transaction.
    fn alter(
        &self,
        id: &AgendaId,
        word: Word<'_>,
        change: &mut dyn FnMut(&mut Alteration) -> Result<()>,
    ) -> Result<Agenda>;

    /// What happened after that number, in order, at most so much; and the number of the last that there is.
    fn happened(&self, after: u64, at_most: usize) -> Result<(Vec<(u64, Happening)>, u64)>;
}

#[derive(Debug, Clone, Copy)]
pub enum WhichAgendas<'a> {
    All,
    Status(AgendaStatus),
    /// The one that was proposed with this key.
    Key(&'a str),
}

/// On whose word an agenda is changed.
#[derive(Debug, Clone, Copy)]
pub enum Word<'a> {
    User,
    /// The same word once more changes nothing: the agenda is given back as it is.
    UserOnce(&'a str),
    /// A worker's, by the lease that it holds at this moment. Where it holds it no more, that is an error of kind `Conflict`.
    Worker(&'a Lease, Timestamp),
    /// A worker's that lets go of its job, whether its time was up or not, as long as nobody else has taken it.
    Leaving(&'a Lease),
}

/// An agenda that is being changed, and what comes with the change.
#[derive(Debug, Clone)]
pub struct Alteration {
    pub agenda: Agenda,
    /// New ones. One whose id is known is left as it is, and a page that any agenda has found before is found; those that are kept are counted in the agenda by who keeps them, and
    /// none is kept beyond the agenda's `max_findings`.
    pub findings: Vec<NewFinding>,
    /// Tasks that are to be carried out.
    pub jobs: Vec<TaskId>,
    /// What becomes of jobs that there are.
    pub ends: Vec<(TaskId, JobEnd)>,
}

/// A finding, with what it is compared by.
#[derive(Debug, Clone)]
pub struct NewFinding {
    pub finding: Finding,
    pub embedding: Option<(EmbeddingModel, Vec<f32>)>,
}

/// What becomes of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobEnd {
    /// It is gone: done, failed or called off.
    Over,
    /// It is taken up again, not before that moment. `tried` counts as one of its attempts.
    Later { not_before: Timestamp, tried: bool },
    /// It is kept and shown, and not taken up any more.
    SetAside,
}

/// Jobs: tasks that wait to be carried out, or are being so.
pub trait Queue: Send + Sync {
    /// Says that a worker of this name, which nobody else ever has, is there: until what is given is dropped or its process
    /// ends, whichever way that comes. A lease of one that was there and is gone has run out, whatever the time.
    fn present(&self, worker: &str) -> Result<Claim>;

    /// Takes the first job that is due: one that waits, or one whose lease has run out, which counts as a crash of whoever had
    /// it. A lease that ends later than any could is of a clock that was set back, and counts as run out.
    fn take(&self, worker: &str, now: Timestamp, until: Timestamp) -> Result<Option<Taken>>;

    /// The same lease for longer. One that is not held any more is an error of kind `Conflict`.
    fn renew(&self, lease: &Lease, now: Timestamp, until: Timestamp) -> Result<()>;

    /// Since when something is set like this, whoever says so: from now on, where it was not set before, or otherwise. Where it
    /// is set to nothing, all that was known of it is forgotten.
    fn set_since(&self, what: &str, how: Option<&str>, now: Timestamp) -> Result<Option<Timestamp>>;

    /// Every job that there is, in the order in which they are taken.
    fn jobs(&self) -> Result<Vec<JobEntry>>;
}

/// The right to work on a job for a while. A later lease of the same job has a higher number, and ends this one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    pub task: TaskId,
    pub agenda: AgendaId,
    pub number: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken {
    pub lease: Lease,
    /// How often it was tried before and failed in a way that may pass.
    pub tries: u32,
    /// How often whoever worked on it went away without a word.
    pub crashes: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobEntry {
    pub task: TaskId,
    pub agenda: AgendaId,
    pub state: JobState,
    pub tries: u32,
    pub crashes: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobState {
    Waiting { not_before: Timestamp },
    Leased { worker: String, until: Timestamp },
    SetAside,
}

/// What was found.
pub trait Findings: Send + Sync {
    fn finding(&self, id: &FindingId) -> Result<Option<Finding>>;

    /// Newest first.
    fn findings(&self, which: &WhichFindings, at_most: usize) -> Result<Vec<Finding>>;

    /// Changes a finding, all or nothing. A topic that `change` gives is suppressed with it, and the finding as it is then is
    /// kept as the answer to `once`.
    fn decide(
        &self,
        id: &FindingId,
        once: Option<&Once>,
        change: &mut dyn FnMut(&mut Finding) -> Result<Option<SuppressedTopic>>,
    ) -> Result<Finding>;

    /// Waits until nobody else decides on this finding, in whatever process, until what is given is dropped.
    fn alone(&self, id: &FindingId) -> Result<Claim>;

    /// What each finding is compared by, where it was made with this model; dismissed ones included.
    fn embeddings(&self, model: &EmbeddingModel) -> Result<Vec<(FindingId, Vec<f32>)>>;

    fn counts(&self) -> Result<Counts>;
}

/// Which findings. What is left out lets everything through.
#[derive(Debug, Clone, Default)]
pub struct WhichFindings {
    pub status: Option<FindingStatus>,
    pub agenda: Option<AgendaId>,
    /// Only those whose acceptance was begun and has not ended.
    pub accepting: bool,
    /// Only the one of this page, by [`Finding::address`].
    pub address: Option<String>,
}

/// All of it, as one store keeps it.
pub trait AgendaStore: Agendas + Queue + Findings + Sketches + Suppressed + Answers {}

impl<T: Agendas + Queue + Findings + Sketches + Suppressed + Answers> AgendaStore for T {}

/// What the pages of findings are compared by, word for word, without reading them.
pub trait Sketches: Send + Sync {
    /// Findings that have none yet, at most so many.
    fn unsketched(&self, at_most: usize) -> Result<Vec<Finding>>;

    /// Keeps these, all or none, instead of what there was.
    fn keep_sketches(&self, sketches: &[(FindingId, Sketch)]) -> Result<()>;

    /// Shows each that there is, in whatever order.
    fn each_sketch(&self, see: &mut dyn FnMut(&FindingId, &Sketch)) -> Result<()>;
}

/// What was asked with a key, and what was answered. A key stands for one request for good: with another, both are errors of
/// kind `Conflict`.
pub trait Answers: Send + Sync {
    /// Writes down that this is asked. The answer that it had, where it had one.
    fn ask(&self, once: &Once) -> Result<Option<String>>;

    /// Keeps the answer, unless there is one. What is given back is the answer that is kept.
    fn answer(&self, once: &Once, answer: &str) -> Result<String>;
}

/// Topics that are not proposed any more.
pub trait Suppressed: Send + Sync {
    /// Newest first.
    fn topics(&self) -> Result<Vec<SuppressedTopic>>;

    /// Whether there was such a topic.
    fn allow(&self, topic: &str) -> Result<bool>;
}
