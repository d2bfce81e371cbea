//! Keeps the index up to date with the files: changed files are read, split into passages and stored; nothing else is
//! touched.
//!
//! Dates and sizes only decide which files need not be read; whether a content changed is decided by its hash. An
//! update can be stopped at any moment: a file is in the index as a whole or not at all, and the next update continues
//! from there.

mod answer_memory;
mod index_sync;
mod links;
mod listing_cache;
mod name_cache;
mod prepare;
mod reindexing_files;
mod scanned_links;
mod update;
mod vectors;

use std::sync::Arc;

pub use answer_memory::AnswerMemory;
pub use index_sync::{HeardChanges, IndexSync, IndexSyncState};
pub use links::IndexedLinks;
pub(crate) use name_cache::NameCache;
pub use prepare::{embedding_text, is_searchable};
pub use reindexing_files::ReindexingFiles;
pub use scanned_links::ScannedLinks;
pub(crate) use scanned_links::parse_file_links;
pub use update::{IndexProgress, UpdateSummary};
pub use vectors::{EmbedSummary, embed_pending, embedding_scope};

use crate::domain::corpus::{CorpusName, VaultPath};
use crate::library::judge::JudgeRules;
use crate::ports::{Clock, Corpus, FileContent, Index, Passages, Symbols, Vectors};
use crate::{Error, Result};

/// The corpora that can be searched, and the index over them.
#[derive(Clone)]
pub struct Library {
    /// The vault and the repositories.
    pub corpora: Vec<(CorpusName, Arc<dyn Corpus>)>,
    /// Corpora that are not reachable now. Their entries in the index are kept.
    pub away: Vec<CorpusName>,
    /// The files in the index.
    pub index: Arc<dyn Index>,
    /// The passages of the files, searched by words.
    pub passages: Arc<dyn Passages>,
    /// The vectors of the passages, searched by meaning.
    pub vectors: Arc<dyn Vectors>,
    /// The symbols that source files define and use.
    pub symbols: Arc<dyn Symbols>,
    /// The current time.
    pub clock: Arc<dyn Clock>,
    /// What the vault's files are judged by.
    pub rules: JudgeRules,
    /// The library with private notes, if this is a view without them: updates go there.
    pub whole: Option<Arc<Library>>,
    /// What was computed from the current version of the index.
    pub memory: AnswerMemory,
}

impl std::fmt::Debug for Library {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&CorpusName> = self.corpora.iter().map(|(name, _)| name).collect();
        f.debug_struct("Library").field("corpora", &names).finish_non_exhaustive()
    }
}

impl Library {
    /// The corpus with this name; an error if it is not reachable.
    pub fn corpus(&self, name: &CorpusName) -> Result<&Arc<dyn Corpus>> {
        self.corpora.iter().find(|(known, _)| known == name).map(|(_, corpus)| corpus).ok_or_else(|| {
            let known: Vec<&str> = self.repositories().collect();
            let error = Error::not_found(format!("there is no repository `{name}`"));
            if known.is_empty() {
                error.hint("`wellread repo add DIR` adds one")
            } else {
                error.hint(format!("choose one of: {}", known.join(", ")))
            }
        })
    }

    /// The names of the reachable repositories.
    pub fn repositories(&self) -> impl Iterator<Item = &str> {
        self.corpora.iter().filter_map(|(name, _)| name.repository())
    }

    /// Reads a file of a corpus.
    pub fn read(&self, corpus: &CorpusName, path: &VaultPath) -> Result<FileContent> {
        self.corpus(corpus)?.read(path)
    }
}
