//! The index: what is stored about files so that they can be found.
//!
//! The index stores words and places, but no text; text is read from its file whenever it is shown.

use jiff::Timestamp;
use serde_json::Value;
use wellread_text::{Chunk, ChunkKind, Span};

use super::{EmbeddingModel, FileEntry, PassageFilter, PassageScope, PassageScore, Structure};
use crate::Result;
use crate::domain::corpus::{CorpusName, Hash, VaultPath};

/// The files of the corpora, and what is stored about them. Several processes may use one index at once; readers never
/// wait for a writer.
pub trait Index: Send + Sync {
    /// The files of a corpus that the index knows, restricted by the filter.
    fn known_files(&self, corpus: &CorpusName, which: KnownFileFilter<'_>) -> Result<Vec<KnownFile>>;

    /// Makes these changes in one transaction; one that does not apply ([`IndexChange::applies`]) is skipped.
    fn apply(&self, corpus: &CorpusName, changes: &[IndexChange]) -> Result<()>;

    /// Called at the end of an update by rules with this fingerprint: deletes corpora other than these, and data that
    /// nothing refers to any more.
    fn tidy(&self, corpora: &[CorpusName], rules: u64) -> Result<()>;

    /// The index's version, and whether it is complete. Does not create an index.
    fn read_state(&self) -> Result<IndexState>;

    /// How many files and passages are indexed.
    fn coverage(&self) -> Result<IndexCoverage>;

    /// How many files of each corpus the index knows, counted no further than `most` in each: a large index is not read to
    /// learn that it is large.
    fn count_files(&self, most: usize) -> Result<Vec<(CorpusName, usize)>>;
}

/// The state of the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexState {
    /// Changes with every change of the index, made by any process.
    pub version: u64,
    /// Whether an update has ever been completed.
    pub complete: bool,
    /// The fingerprint of the rules by which files were judged at the last completed update.
    pub rules: u64,
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
    /// Notes with a field in their frontmatter, sorted by path.
    WithField(FieldFilter<'a>),
}

/// Which values of a field of the frontmatter to look for.
#[derive(Clone, Copy)]
pub struct FieldFilter<'a> {
    /// The field's exact name.
    pub name: &'a str,
    /// Whether a value is one of them; `None` is a value that is too long to be indexed.
    pub accepts: &'a dyn Fn(Option<&Value>) -> bool,
}

impl std::fmt::Debug for FieldFilter<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FieldFilter").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The vectors of passages. Content-addressed: equal texts share one vector for each model, wherever they are.
pub trait Vectors: Send + Sync {
    /// Passages whose text has no vector of this model yet, each text once. Notes come before code.
    fn pending_passages(
        &self,
        model: &EmbeddingModel,
        scope: PassageScope,
        limit: usize,
    ) -> Result<Vec<StoredPassage>>;

    /// How many distinct texts have a vector of this model, and how many texts there are.
    fn progress(&self, model: &EmbeddingModel, scope: PassageScope) -> Result<(usize, usize)>;

    /// Stores these vectors in one transaction, after [`EmbeddingModel::check_vectors`].
    fn keep(&self, model: &EmbeddingModel, vectors: &[(TextHash, Vec<f32>)]) -> Result<()>;

    /// The passages nearest to a vector of length one, best first. The score is the cosine.
    fn nearest(
        &self,
        model: &EmbeddingModel,
        vector: &[f32],
        filter: &PassageFilter,
        limit: usize,
    ) -> Result<Vec<PassageScore>>;

    /// The cosine of each of these passages and the vector, in their order; `None` for a passage without a vector.
    fn cosines(&self, model: &EmbeddingModel, vector: &[f32], ids: &[PassageId]) -> Result<Vec<Option<f32>>>;

    /// Calls `see` with the file, kind and vector of every passage of a corpus that has a vector: file by file, and in
    /// the order of the text within a file.
    fn for_each_vector(
        &self,
        model: &EmbeddingModel,
        corpus: &CorpusName,
        see: &mut dyn FnMut(&VaultPath, ChunkKind, &[f32]),
    ) -> Result<()>;
}

/// Identifies a passage in the index, until its file is indexed again.
pub type PassageId = i64;

/// The metadata that distinguishes versions of a file without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileStamp {
    /// The size in bytes.
    pub size: u64,
    /// When the content was last modified.
    pub modified: Timestamp,
    /// When the file's metadata last changed.
    pub changed: Timestamp,
    /// The file's number on its disk, as in [`FileEntry`].
    pub number: u64,
    /// False if the file had changed just before it was read: a second change might leave the same metadata.
    pub settled: bool,
}

impl FileStamp {
    /// The coarsest resolution of file times: changes closer together may have the same time.
    const COARSEST_CLOCK: jiff::SignedDuration = jiff::SignedDuration::from_secs(2);

    /// The stamp of a file that was read at this time.
    pub fn from_entry(entry: &FileEntry, read_at: Timestamp) -> Self {
        let settled = read_at.duration_since(entry.changed) > Self::COARSEST_CLOCK;
        let FileEntry { size, modified, changed, number, .. } = *entry;
        Self { size, modified, changed, number, settled }
    }

    /// Whether the file is certainly unchanged.
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
    /// The file's metadata when it was indexed.
    pub stamp: FileStamp,
    /// How much of it is in the index.
    pub state: FileState,
    /// Whether it is private, as it was judged when it was indexed. A file of which only the name is indexed is not judged.
    pub private: bool,
}

/// How much of a file is in the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileState {
    /// Its text can be searched.
    Indexed {
        /// The hash of the indexed content.
        hash: Hash,
    },
    /// Only its name is indexed: its content is not searchable text.
    Named,
    /// It could not be indexed, for this reason.
    Skipped(String),
}

/// A change to what is kept about one file.
#[derive(Debug, Clone)]
pub enum IndexChange {
    /// Adds a file with its passages, or replaces its older version.
    Put(Box<IndexedFile>),
    /// Adds a file by its name only, with the reason if it could not be indexed.
    Note {
        /// The file's path.
        path: VaultPath,
        /// The file's metadata.
        stamp: FileStamp,
        /// How much of it is in the index.
        state: FileState,
    },
    /// The content is unchanged, but the metadata differs.
    Seen {
        /// The file's path.
        path: VaultPath,
        /// The file's new metadata.
        stamp: FileStamp,
    },
    /// Removes a file, if the index still has the version with this stamp.
    Gone {
        /// The file's path.
        path: VaultPath,
        /// The metadata that the index has.
        stamp: FileStamp,
    },
}

impl IndexChange {
    /// The file that the change is about.
    pub fn path(&self) -> &VaultPath {
        match self {
            Self::Put(file) => &file.path,
            Self::Note { path, .. } | Self::Seen { path, .. } | Self::Gone { path, .. } => path,
        }
    }

    /// The version of the file that the change is about.
    pub fn stamp(&self) -> &FileStamp {
        match self {
            Self::Put(file) => &file.stamp,
            Self::Note { stamp, .. } | Self::Seen { stamp, .. } | Self::Gone { stamp, .. } => stamp,
        }
    }

    /// Whether the change is to be made. `known` is the `changed` time of the stored version, `changed` that of this
    /// change's stamp, both as the store represents them. A newer version is never overwritten, and only the exact
    /// version that is gone is removed.
    pub fn applies<T: Ord>(&self, known: Option<T>, changed: T) -> bool {
        match self {
            Self::Put(_) | Self::Note { .. } => known.is_none_or(|known| known <= changed),
            Self::Seen { .. } => known.is_some_and(|known| known <= changed),
            Self::Gone { .. } => known == Some(changed),
        }
    }
}

/// Everything that is stored about an indexed file.
#[derive(Debug, Clone)]
pub struct IndexedFile {
    /// The file's path.
    pub path: VaultPath,
    /// The file's metadata.
    pub stamp: FileStamp,
    /// The hash of the content.
    pub hash: Hash,
    /// Whether the file must not leave this machine. Its words have no influence on the scores of public passages.
    pub private: bool,
    /// The language; `None` if the file is not source code of a known language.
    pub language: Option<&'static str>,
    /// The terms of the file's name, of its title and of its aliases.
    pub title: String,
    /// The keys ([`wellread_text::name_key`]) of the names that a note has: its file's name, title, first heading and aliases.
    pub names: Vec<String>,
    /// The terms of the folders' names.
    pub folders: String,
    /// The passages.
    pub passages: Vec<IndexedPassage>,
    /// The keys of its links ([`wellread_text::link_key`]), by which the files that they may lead to are found.
    pub links: Vec<String>,
    /// The note's tags, case-folded.
    pub tags: Vec<String>,
    /// The frontmatter's fields and values, case-folded; a list is several entries with the same name.
    pub fields: Vec<(String, String)>,
    /// The frontmatter's fields as they are; no value where it is too long to be indexed.
    pub values: Vec<(String, Option<Value>)>,
    /// What the file defines and uses; source code only.
    pub structure: Option<Structure>,
    /// Why its text can't be searched, if only its links are indexed.
    pub trouble: Option<String>,
}

impl IndexedFile {
    /// The file's state once this is stored.
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

/// A passage as the index returns it: its place and its context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredPassage {
    /// The passage's id.
    pub id: PassageId,
    /// The corpus that the file belongs to.
    pub corpus: CorpusName,
    /// The file's path.
    pub path: VaultPath,
    /// The hash of the file's content when it was indexed.
    pub hash: Hash,
    /// The kind of passage.
    pub kind: ChunkKind,
    /// The range in bytes.
    pub span: Span,
    /// The first and the last line, from 1, both included.
    pub lines: (usize, usize),
    /// The headings above it, or the names of the definitions around it.
    pub context: Vec<String>,
    /// The hash of the text that its vector is computed from.
    pub text: TextHash,
}

/// Identifies the text that a vector is computed from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TextHash(pub [u8; 16]);

impl TextHash {
    /// The first 16 bytes of the text's BLAKE3 hash.
    pub fn compute(text: &str) -> Self {
        let mut short = [0; 16];
        short.copy_from_slice(&Hash::compute(text.as_bytes()).as_bytes()[..16]);
        Self(short)
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
