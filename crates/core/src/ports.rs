//! What `core` needs from the outside world, on one page.
//!
//! Files, links, records and the clock are on this machine and answer at once, so these calls block: a face runs each
//! tool call on a thread that may block (see `docs/decisions`). A model, the web and a language server are slow, so
//! asking them is `async`. No implementation holds policy: what to do about a conflict, how links resolve and what a
//! date means is decided by the groups that use the ports.

mod accounts;
pub mod agenda;
mod agendas;
pub mod event;
mod history;
mod index;
mod jobs;
mod model;
mod outside_text;
mod passage_filter;
mod passages;
mod reader;
mod records;
mod scope;
mod servers;
mod speech;
mod symbols;
mod telemetry;
mod upkeep;
mod verifier;
mod viewer;
mod web;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

pub use accounts::{Account, AccountState, Accounts, AuditEntry, Invitation, VaultRights, invitation_error};
pub use agenda::{AgendaActor, AgendaChange, NewFinding};
pub use agendas::{
    AgendaFilter, AgendaStore, Agendas, FindingFilter, Findings, IdempotencyStore, Sketches, SuppressedTopics,
};
pub use history::{FileVersion, History, NoHistory};
pub use index::{
    CorpusCoverage, FieldFilter, FileStamp, FileState, Index, IndexChange, IndexCoverage, IndexState,
    IndexedFile, IndexedPassage, KnownFile, KnownFileFilter, PassageId, StoredPassage, TextHash, Vectors,
};
use jiff::civil::Date;
use jiff::{Timestamp, Zoned};
pub use jobs::{JobEnd, JobEntry, JobQueue, JobState, Lease, LeaseTerm, TakenJob, setting_since};
pub use model::{
    Delta, DeltaHandler, Message, Model, ModelFailure, ModelIdentity, ModelRequest, Reply, ReplyFormat,
    ReplyFormatMode, StopReason, TokenUsage, ToolCall, ToolChoice, ToolSpec,
};
pub use outside_text::{LineDigest, NoOutsideText, OutsideText};
pub use passage_filter::{Exclusions, PassageFilter, PathPattern};
pub use passages::{PassageScore, Passages, WORD_WEIGHTS, WordMatches};
pub use reader::AnswerReader;
pub use records::{LockGuard, RunHeader, RunLogs, Sessions, Snapshots, StoredSession};
pub use scope::PassageScope;
use serde_json::Value;
pub use servers::{
    LanguageServers, NoServers, ServerAnswer, ServerFailure, ServerPlace, ServerQuestion, ServerQuestionKind,
};
pub use speech::{Recording, Speech};
pub use symbols::{StoredStructure, StoredSymbol, Structure, Symbols};
pub use telemetry::{ExportError, Histogram, Measure, Metric, TelemetryCollector, TraceField, TraceSpan};
pub use upkeep::{
    CorpusPaths, FilesUpkeep, ForgottenRecords, IndexUpkeep, IntegrityCheck, RecordTotals, RecordUpkeep,
    Records, RecoveryReport, SaveGuarantee,
};
pub use verifier::{OpinionVerdict, SupportShares, Verifier};
pub use viewer::{RecordViewer, RecordViews};
pub use web::{
    FetchableUrl, FetchedPage, PageFetcher, PageLimits, Paper, ServiceIdentity, WebAnswer, WebFailure,
    WebQuery, WebResult, WebSearchService,
};
use wellread_text::FileNames;

use crate::domain::corpus::{ChangeSet, Hash, Operation, VaultPath};
use crate::domain::id::OperationId;
use crate::{Error, Result};

/// The future that an `async` method of a port returns.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Files that can be listed and read: a vault's, or those of a repository of code.
///
/// Paths were parsed before they get here; an implementation may rely on that, and must still refuse to follow
/// a link out of its root or into an excluded folder.
pub trait Corpus: Send + Sync {
    /// Every file, sorted by path, and the files that had to be skipped.
    fn list(&self) -> Result<FileListing>;

    /// The file's properties; `None` if there is no file. A folder is an error of kind `Invalid`.
    fn find(&self, path: &VaultPath) -> Result<Option<FileEntry>>;

    /// Reads a whole file. An error of kind `NotFound` if there is none.
    fn read(&self, path: &VaultPath) -> Result<FileContent>;

    /// What a path really leads to, whether there is a file or not. Privacy and origin are judged by this as well as by
    /// the path itself.
    fn identify(&self, path: &VaultPath) -> Result<FileIdentity>;

    /// The commit that is checked out, if the corpus is under version control.
    fn head_commit(&self) -> Option<String> {
        None
    }
}

/// Where notes live: a corpus that can be changed. A repository's files have no such trait.
pub trait Files: Corpus {
    /// The same as [`Corpus::list`], shared. As long as nothing changed, it may be the very same one as before.
    fn share_list(&self) -> Result<Arc<FileListing>> {
        self.list().map(Arc::new)
    }

    /// Makes all steps of the change or none, and journals it. If somebody saved in between, their text stays: the
    /// result is an error of kind `Changed`, and nothing is changed. If two versions collided and neither could be
    /// dropped, the error's detail `kept` names the copies that were made.
    fn commit(&self, change: &ChangeSet) -> Result<OperationId>;

    /// The last operations of the journal, newest first.
    fn operations(&self, at_most: usize) -> Result<Vec<Operation>>;
}

/// The files of a corpus.
#[derive(Debug, Clone, Default)]
pub struct FileListing {
    /// The files, sorted by path.
    pub files: Vec<FileEntry>,
    /// Every folder's path, empty ones included, without the vault itself.
    pub folders: Vec<String>,
    /// Files and folders that could not be listed.
    pub skipped: Vec<SkippedFile>,
}

/// A file as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEntry {
    /// The file's path.
    pub path: VaultPath,
    /// The size in bytes.
    pub size: u64,
    /// When the content was last modified.
    pub modified: Timestamp,
    /// The birth time, if the file system records one.
    pub created: Option<Timestamp>,
    /// When the content or the metadata last changed, by the system's clock. No program can set this one back.
    pub changed: Timestamp,
    /// The inode or its equivalent: two entries with the same number, times and size have the same content.
    pub number: u64,
    /// Whether the file has other paths, by a symbolic link or as another name: it can change by one of them, unheard of
    /// at this one.
    pub linked: bool,
}

/// What a path really leads to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileIdentity {
    /// The other paths of the same file: the one behind its symbolic links, and its other names.
    pub other_paths: Vec<VaultPath>,
    /// Whether the file is below a folder with a `.git` of its own.
    pub in_nested_repository: bool,
}

/// A file that was left out of a result, and why.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct SkippedFile {
    /// The file's path.
    pub path: String,
    /// Why it was skipped.
    pub reason: String,
}

/// A file's content with its hash and dates.
#[derive(Debug, Clone)]
pub struct FileContent {
    /// The content.
    pub bytes: Vec<u8>,
    /// The hash of the content.
    pub hash: Hash,
    /// The file's dates and size.
    pub entry: FileEntry,
}

/// The links between the notes of a vault, and the fields of their frontmatter.
pub trait LinkIndex: Send + Sync {
    /// Brings the index up to date with the files, so that a change can rely on it. Nothing to do for an implementation
    /// that reads the files at each call.
    fn sync(&self) -> Result<()> {
        Ok(())
    }

    /// Every file's name, for resolving links.
    fn names(&self) -> Result<Arc<FileNames>>;

    /// The names of only those files whose key is one of these: all that links with such a key can mean. With an index,
    /// the cost does not grow with the vault.
    fn names_for_keys(&self, keys: &[String]) -> Result<FileNames>;

    /// The notes that have a link with one of these keys ([`wellread_text::link_key`]). The caller resolves the links.
    fn find_mentions(&self, keys: &[String]) -> Result<Mentions>;

    /// The notes whose frontmatter has a field of exactly this name with a value that is accepted, sorted.
    fn find_notes_by_field(&self, name: &str, accepts: &dyn Fn(&Value) -> bool) -> Result<Vec<VaultPath>>;
}

/// Notes that may link to some names.
#[derive(Debug, Clone, Default)]
pub struct Mentions {
    /// The notes.
    pub notes: Vec<VaultPath>,
    /// Notes that could not be read.
    pub skipped: Vec<SkippedFile>,
}

/// The user's clock and time zone.
pub trait Clock: Send + Sync {
    /// The current time in the user's time zone.
    fn now(&self) -> Zoned;

    /// The day of a moment in the user's time zone.
    fn day_of(&self, moment: Timestamp) -> Date {
        moment.to_zoned(self.now().time_zone().clone()).date()
    }
}

/// Turns text into vectors. If no model is set up, `model` and `embed` return errors, and search works by words alone.
pub trait Embedder: Send + Sync {
    /// The model that computes the vectors. An error if none is set up.
    fn model(&self) -> Result<EmbeddingModel>;

    /// Whether the texts stay on this machine.
    fn is_local(&self) -> bool {
        true
    }

    /// The lowest cosine at which a passage without a word of the query counts as related to it. Depends on the model:
    /// cosines of different models can't be compared.
    fn related_from(&self) -> f32 {
        0.2
    }

    /// Whether its cosines have the scale of the built-in model, which the choice of answers was learned with.
    fn has_standard_scale(&self) -> bool {
        false
    }

    /// A vector of length one for each text, in the order of the texts. Text beyond the model's input limit is ignored.
    fn embed(&self, texts: &[&str], purpose: EmbeddingPurpose) -> Result<Vec<Vec<f32>>>;
}

/// The model that vectors are computed with. Vectors of different models can't be compared.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct EmbeddingModel {
    /// The model's name.
    pub name: String,
    /// Distinguishes models with the same name: the hash of the weights, or the address of the endpoint.
    pub hash: String,
    /// The length of its vectors.
    pub dimension: usize,
}

impl EmbeddingModel {
    /// An error of kind `Failed` if one of these vectors does not have the model's dimension.
    pub fn check_vectors<'a>(&self, mut vectors: impl Iterator<Item = &'a [f32]>) -> Result<()> {
        match vectors.find(|vector| vector.len() != self.dimension) {
            Some(wrong) => Err(Error::failed(format!(
                "a vector of {} numbers for a model with {}",
                wrong.len(),
                self.dimension
            ))),
            None => Ok(()),
        }
    }
}

/// What a text is embedded for; some models distinguish the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmbeddingPurpose {
    /// A passage that will be searched.
    Passage,
    /// A query.
    Query,
}
