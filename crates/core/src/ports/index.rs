//! The index: what is stored about files so that they can be found.
//!
//! The index holds no text. It holds words and places; the text is read from its file whenever it is shown.

use jiff::Timestamp;
use wellread_text::{Chunk, ChunkKind, QueryTerm, Span, fold};

use super::{EmbeddingModel, FileEntry, Structure};
use crate::Result;
use crate::domain::corpus::{CorpusName, Hash, VaultPath};

/// Which files there are, and what is kept about them. Several processes may use one at once; nobody who looks something
/// up waits for one who writes.
pub trait Index: Send + Sync {
    /// What is known of a corpus' files.
    fn known_files(&self, corpus: &CorpusName, which: KnownFileFilter<'_>) -> Result<Vec<KnownFile>>;

    /// Makes these changes, all or none; one that does not apply ([`IndexChange::applies`]) is left out.
    fn apply(&self, corpus: &CorpusName, changes: &[IndexChange]) -> Result<()>;

    /// Called when an update has come to its end: forgets corpora other than these, and what nothing refers to any more.
    fn tidy(&self, corpora: &[CorpusName]) -> Result<()>;

    /// Which version it is, and whether it is complete. To ask is no reason to create one.
    fn read_state(&self) -> Result<IndexState>;

    /// How much there is.
    fn coverage(&self) -> Result<IndexCoverage>;
}

/// The state of the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexState {
    /// Another number whenever something was changed, by whatever process.
    pub version: u64,
    /// Whether an update has ever come to its end.
    pub complete: bool,
}

/// Which files of the index to list.
#[derive(Debug, Clone, Copy)]
pub enum KnownFileFilter<'a> {
    /// All files of the corpus.
    All,
    /// These files.
    These(&'a [&'a VaultPath]),
    /// Those that could not be indexed.
    Skipped,
}

/// Finding passages by their words.
pub trait Passages: Send + Sync {
    /// The passages that hold some of the terms, best first. The score is positive, and higher is better.
    fn find_matching(
        &self,
        terms: &[QueryTerm],
        filter: &PassageFilter,
        limit: usize,
    ) -> Result<Vec<PassageScore>>;

    /// The passages that hold every one of the terms as a whole, in no order.
    fn find_holding_all(&self, terms: &[QueryTerm], filter: &PassageFilter) -> Result<Vec<PassageId>>;

    /// These passages, in this order; one that is gone is left out.
    fn load_passages(&self, ids: &[PassageId]) -> Result<Vec<StoredPassage>>;

    /// The files of a corpus that hold a link with one of these keys.
    fn find_linking_files(&self, corpus: &CorpusName, keys: &[String]) -> Result<Vec<VaultPath>>;

    /// The files of a corpus, indexed or not, whose own key is one of these: those that a link with such a key can mean.
    fn find_named_files(&self, corpus: &CorpusName, keys: &[String]) -> Result<Vec<VaultPath>>;
}

/// What passages mean, as vectors. Content-addressed: the same text has one vector for each model, wherever it stands.
pub trait Vectors: Send + Sync {
    /// Passages whose text has no vector of this model yet; each text once. Notes come before code.
    fn pending_passages(&self, model: &EmbeddingModel, limit: usize) -> Result<Vec<StoredPassage>>;

    /// How many different texts have a vector of this model, and how many there are.
    fn progress(&self, model: &EmbeddingModel) -> Result<(usize, usize)>;

    /// Keeps these vectors, all or none, after [`EmbeddingModel::check_vectors`].
    fn keep(&self, model: &EmbeddingModel, vectors: &[(TextHash, Vec<f32>)]) -> Result<()>;

    /// The passages nearest to a vector of length one, best first. The score is the cosine.
    fn nearest(
        &self,
        model: &EmbeddingModel,
        vector: &[f32],
        filter: &PassageFilter,
        limit: usize,
    ) -> Result<Vec<PassageScore>>;

    /// The cosine of each of these passages; none where it has no vector.
    fn cosines(&self, model: &EmbeddingModel, vector: &[f32], ids: &[PassageId]) -> Result<Vec<Option<f32>>>;

    /// Shows the vector of each passage of a corpus that has one, with its file and what kind of passage it is: file after
    /// file, those of one file in the order of its text.
    fn for_each_vector(
        &self,
        model: &EmbeddingModel,
        corpus: &CorpusName,
        see: &mut dyn FnMut(&VaultPath, ChunkKind, &[f32]),
    ) -> Result<()>;
}

/// Identifies a passage in the index, until its file is indexed again.
pub type PassageId = i64;

/// What tells one version of a file from another without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileStamp {
    /// The size in bytes.
    pub size: u64,
    /// When the content was last modified.
    pub modified: Timestamp,
    /// When the file's metadata last changed.
    pub changed: Timestamp,
    /// The file's number on its disk.
    pub number: u64,
    /// Not so for a file that had just been changed when it was read: it could change again and look the same.
    pub settled: bool,
}

impl FileStamp {
    /// Changes closer together than this may look the same.
    const COARSEST_CLOCK: jiff::SignedDuration = jiff::SignedDuration::from_secs(2);

    /// The stamp of a file that was read at this time.
    pub fn from_entry(entry: &FileEntry, read_at: Timestamp) -> Self {
        let settled = read_at.duration_since(entry.changed) > Self::COARSEST_CLOCK;
        let FileEntry { size, modified, changed, number, .. } = *entry;
        Self { size, modified, changed, number, settled }
    }

    /// Whether the file is certainly as it was.
    pub fn matches(&self, entry: &FileEntry) -> bool {
        self.settled
            && (self.size, self.modified, self.changed, self.number)
                == (entry.size, entry.modified, entry.changed, entry.number)
    }
}

/// A file in the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownFile {
    /// The file's path.
    pub path: VaultPath,
    /// The file's dates and size when it was indexed.
    pub stamp: FileStamp,
    /// How much of it is in the index.
    pub state: FileState,
}

/// How much of a file is in the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileState {
    /// Its text can be found.
    Indexed {
        /// The hash of the indexed content.
        hash: Hash,
    },
    /// Its name is known; its content is no text that is searched.
    Named,
    /// It could not be indexed, for this reason.
    Skipped(String),
}

/// A change to what is kept about one file.
#[derive(Debug, Clone)]
pub enum IndexChange {
    /// A file is indexed; an older version of it is replaced.
    Put(Box<IndexedFile>),
    /// Its name, or why its content is not there.
    Note {
        /// The file's path.
        path: VaultPath,
        /// The file's dates and size.
        stamp: FileStamp,
        /// How much of it is in the index.
        state: FileState,
    },
    /// The content is unchanged, but the file has another date.
    Seen {
        /// The file's path.
        path: VaultPath,
        /// The file's new dates and size.
        stamp: FileStamp,
    },
    /// Gone, where it is still the version with this stamp.
    Gone {
        /// The file's path.
        path: VaultPath,
        /// The dates and size that the index knows.
        stamp: FileStamp,
    },
}

impl IndexChange {
    /// The file.
    pub fn path(&self) -> &VaultPath {
        match self {
            Self::Put(file) => &file.path,
            Self::Note { path, .. } | Self::Seen { path, .. } | Self::Gone { path, .. } => path,
        }
    }

    /// The version of the file that it is about.
    pub fn stamp(&self) -> &FileStamp {
        match self {
            Self::Put(file) => &file.stamp,
            Self::Note { stamp, .. } | Self::Seen { stamp, .. } | Self::Gone { stamp, .. } => stamp,
        }
    }

    /// Whether it is made. `known` is the `changed` of the version that is kept, `changed` that of this change's stamp, both as
    /// a store keeps them. What is known of a newer version stays; only the very version that is gone is taken away.
    pub fn applies<T: Ord>(&self, known: Option<T>, changed: T) -> bool {
        match self {
            Self::Put(_) | Self::Note { .. } => known.is_none_or(|known| known <= changed),
            Self::Seen { .. } => known.is_some_and(|known| known <= changed),
            Self::Gone { .. } => known == Some(changed),
        }
    }
}

/// How much a word counts by where it stands: in the title, in headings, in the names of folders, in the text, and as a part
/// of a word of the text.
pub const WORD_WEIGHTS: [f32; 5] = [4.0, 2.0, 0.5, 1.0, 0.6];

/// All that is kept about a file whose text can be found.
#[derive(Debug, Clone)]
pub struct IndexedFile {
    /// The file's path.
    pub path: VaultPath,
    /// The file's dates and size.
    pub stamp: FileStamp,
    /// The hash of the content.
    pub hash: Hash,
    /// The language of source code.
    pub language: Option<&'static str>,
    /// Words of its name and its other names.
    pub title: String,
    /// The terms of the folders' names.
    pub folders: String,
    /// The passages.
    pub passages: Vec<IndexedPassage>,
    /// What its links have in common with the files that they lead to ([`wellread_text::link_key`]).
    pub links: Vec<String>,
    /// Folded.
    pub tags: Vec<String>,
    /// Frontmatter, folded: a list is several values of one name.
    pub fields: Vec<(String, String)>,
    /// Of code alone.
    pub structure: Option<Structure>,
    /// Why its text can't be found, where only what it links to is known.
    pub trouble: Option<String>,
}

impl IndexedFile {
    /// What is known of the file once this is kept.
    pub fn state(&self) -> FileState {
        match &self.trouble {
            Some(reason) => FileState::Skipped(reason.clone()),
            None => FileState::Indexed { hash: self.hash },
        }
    }
}

/// A passage as it is stored in the index.
#[derive(Debug, Clone)]
pub struct IndexedPassage {
    /// Where the passage is, and its kind.
    pub chunk: Chunk,
    /// The hash of the text that its vector is computed from.
    pub text: TextHash,
    /// The terms of the headings above it.
    pub heading: String,
    /// The terms of its text.
    pub words: String,
    /// The parts of compound words and identifiers in its text.
    pub parts: String,
}

/// A passage as it is kept: where it stands, and what it stands under.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredPassage {
    /// The passage's id.
    pub id: PassageId,
    /// The corpus that the file belongs to.
    pub corpus: CorpusName,
    /// The file's path.
    pub path: VaultPath,
    /// Of the file, as it was when it was indexed.
    pub hash: Hash,
    /// The kind of passage.
    pub kind: ChunkKind,
    /// The range in bytes.
    pub span: Span,
    /// The first and the last line, from 1, both included.
    pub lines: (usize, usize),
    /// The headings above it, or the definitions around it.
    pub context: Vec<String>,
    /// The hash of the text that its vector is computed from.
    pub text: TextHash,
}

/// What stands for the text that a vector is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TextHash(pub [u8; 16]);

impl TextHash {
    /// The hash of a text.
    pub fn compute(text: &str) -> Self {
        let mut short = [0; 16];
        short.copy_from_slice(&Hash::compute(text.as_bytes()).as_bytes()[..16]);
        Self(short)
    }
}

/// A passage with its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PassageScore {
    /// The passage's id.
    pub id: PassageId,
    /// The score; higher is better.
    pub score: f32,
}

/// Which passages are looked at. What is left out lets everything through.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PassageFilter {
    /// One of these.
    pub corpora: Option<Vec<CorpusName>>,
    /// Below this folder.
    pub folder: Option<String>,
    /// With this tag or one below it.
    pub tag: Option<String>,
    /// Each of these fields has that value among its values.
    pub fields: Vec<(String, String)>,
    /// Only files modified at this time or later.
    pub modified_from: Option<Timestamp>,
    /// Only files modified before this time.
    pub modified_before: Option<Timestamp>,
    /// Only files in this language.
    pub language: Option<String>,
    /// Only this file.
    pub path: Option<(CorpusName, VaultPath)>,
}

impl PassageFilter {
    /// A tag as it is kept, from how a person writes it.
    pub fn normalize_tag(written: &str) -> Option<String> {
        let tag = fold(written.trim().trim_start_matches('#').trim_end_matches('/'));
        (!tag.is_empty()).then_some(tag)
    }
}

/// How much is in the index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IndexCoverage {
    /// The counts of each corpus.
    pub corpora: Vec<CorpusCoverage>,
    /// The number of passages.
    pub passages: usize,
    /// The size of the index in bytes.
    pub bytes: u64,
}

/// How much of a corpus is in the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CorpusCoverage {
    /// The corpus.
    pub corpus: CorpusName,
    /// The number of files.
    pub files: usize,
    /// The number of files whose content is indexed.
    pub indexed: usize,
    /// The number of files that could not be indexed.
    pub skipped: usize,
}
