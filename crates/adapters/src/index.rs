//! The index: one SQLite file beside the vault's journal.
//!
//! It can always be rebuilt from the files, and is, whenever something is wrong with it. Only the vectors are
//! expensive: intact ones are salvaged from an old file.
//!
//! | file | what |
//! | --- | --- |
//! | `schema` | the tables |
//! | `database` `seal` `salvage` | opening the file, detecting damage, rebuilding |
//! | `write` | changes, each all or nothing |
//! | `lookup` `filter` | reading files and passages |
//! | `query` `postings` `word_statistics` | finding passages by words; `index_format` ranks them |
//! | `frequent_words` | lists of the passages of frequent words, which make that fast |
//! | `vectors` `matrix` | finding them by meaning |
//! | `symbols` | what code defines and uses |
//! | `digest` | a hash of the whole content, independent of order |

mod database;
mod digest;
mod filter;
mod frequent_words;
mod lookup;
mod matrix;
mod postings;
mod query;
mod salvage;
mod schema;
mod seal;
mod symbols;
mod vectors;
mod word_statistics;
mod write;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use wellread_core::Result;
use wellread_core::domain::corpus::{CorpusName, VaultPath};
use wellread_core::ports::{
    EmbeddingModel, Index, IndexChange, IndexCoverage, IndexState, IndexUpkeep, IntegrityCheck, KnownFile,
    KnownFileFilter, PassageFilter, PassageId, PassageScope, PassageScore, Passages, StoredPassage,
    StoredStructure, StoredSymbol, Symbols, TextHash, Vectors, WordMatches,
};
use wellread_text::{ChunkKind, QueryTerm};

use self::database::IndexDatabase;
use self::matrix::MatrixCache;
use crate::index_format::structure_cache::StructureCache;
use crate::index_format::{MARK_LINK, MARK_NAME};

/// The index of one vault and the repositories beside it.
#[derive(Debug)]
pub struct SqliteIndex {
    folder: PathBuf,
    vault: String,
    store: OnceLock<IndexDatabase>,
    opening: Mutex<()>,
    matrices: MatrixCache,
    structures: StructureCache,
    /// How many texts have a vector, cached by version and model: counting takes as long as a search.
    counted: Mutex<Option<CachedVectorProgress>>,
}

/// The version, the model, and how many of how many texts have a vector.
type CachedVectorProgress = ((u64, EmbeddingModel, PassageScope), (usize, usize));

impl SqliteIndex {
    /// The index in this folder. It is opened, or an empty one is created, on first use. `vault` identifies the vault.
    pub fn new(folder: &Path, vault: &str) -> Self {
        Self {
            folder: folder.to_owned(),
            vault: vault.to_owned(),
            store: OnceLock::new(),
            opening: Mutex::default(),
            matrices: MatrixCache::default(),
            structures: StructureCache::default(),
            counted: Mutex::default(),
        }
    }

    fn store(&self) -> Result<&IndexDatabase> {
        let _opening = self.opening.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(store) = self.store.get() {
            return Ok(store);
        }
        let store = IndexDatabase::open(&self.folder, &self.vault)?;
        Ok(self.store.get_or_init(|| store))
    }

    /// A hash of the whole content, independent of the order of insertion.
    pub fn digest(&self) -> Result<String> {
        self.store()?.read_snapshot(digest::digest)
    }
}

impl IndexUpkeep for SqliteIndex {
    fn is_damaged(&self) -> bool {
        self.store.get().is_some_and(IndexDatabase::is_damaged)
    }

    fn check_integrity(&self, check: IntegrityCheck) -> Result<()> {
        self.store()?.check_integrity(check)
    }

    fn begin_anew(&self, reason: &str) -> Result<()> {
        self.store()?.reset(reason)
    }

    fn purge_deleted(&self) -> Result<()> {
        self.store()?.compact()
    }

    fn take_notice(&self) -> Option<String> {
        self.store.get().and_then(IndexDatabase::take_reason)
    }
}

impl Index for SqliteIndex {
    fn known_files(&self, corpus: &CorpusName, which: KnownFileFilter<'_>) -> Result<Vec<KnownFile>> {
        self.store()?.read(|connection| lookup::known_files(connection, corpus, which))
    }

    fn apply(&self, corpus: &CorpusName, changes: &[IndexChange]) -> Result<()> {
        self.store()?.write(|transaction| write::apply(transaction, corpus, changes))
    }

    fn tidy(&self, corpora: &[CorpusName], rules: u64) -> Result<()> {
        if self.store()?.read(|connection| write::is_tidy(connection, corpora, rules))? {
            return Ok(());
        }
        self.store()?.write(|transaction| write::tidy(transaction, corpora, rules))
    }

    fn read_state(&self) -> Result<IndexState> {
        // Asking for the state must not create an index.
        if self.store.get().is_none() && !database::exists(&self.folder) {
            return Ok(IndexState { version: 0, complete: false, rules: 0 });
        }
        self.store()?.read(lookup::read_state)
    }

    fn coverage(&self) -> Result<IndexCoverage> {
        let mut coverage = self.store()?.read(lookup::coverage)?;
        coverage.bytes = self.store()?.bytes();
        Ok(coverage)
    }

    fn count_files(&self, most: usize) -> Result<Vec<(CorpusName, usize)>> {
        self.store()?.read(|connection| lookup::count_files(connection, most))
    }
}

impl Passages for SqliteIndex {
    fn find_matching(
        &self,
        terms: &[QueryTerm],
        filter: &PassageFilter,
        limit: usize,
    ) -> Result<WordMatches> {
        self.store()?.read_snapshot(|connection| query::find_matching(connection, terms, filter, limit))
    }

    fn list_names(&self, first_letter: char, filter: &PassageFilter) -> Result<Vec<String>> {
        self.store()?.read_snapshot(|connection| query::list_names(connection, first_letter, filter))
    }

    fn list_files(&self, filter: &PassageFilter, limit: usize) -> Result<Vec<PassageId>> {
        self.store()?.read_snapshot(|connection| query::list_files(connection, filter, limit))
    }

    fn load_passages(&self, ids: &[PassageId]) -> Result<Vec<StoredPassage>> {
        self.store()?.read(|connection| lookup::load_passages(connection, ids))
    }

    fn find_linking_files(&self, corpus: &CorpusName, keys: &[String]) -> Result<Vec<VaultPath>> {
        self.store()?.read(|connection| lookup::find_marked_files(connection, corpus, MARK_LINK, keys))
    }

    fn find_named_files(&self, corpus: &CorpusName, keys: &[String]) -> Result<Vec<VaultPath>> {
        self.store()?.read(|connection| lookup::find_marked_files(connection, corpus, MARK_NAME, keys))
    }
}

impl Symbols for SqliteIndex {
    fn structure(&self, corpus: &CorpusName, path: &VaultPath) -> Result<Option<StoredStructure>> {
        self.store()?
            .read_snapshot(|connection| symbols::read_structure(connection, &self.structures, corpus, path))
    }

    fn find_definitions(&self, corpus: &CorpusName, name: &str) -> Result<Vec<StoredSymbol>> {
        self.store()?.read(|connection| symbols::find_definitions(connection, corpus, name))
    }

    fn find_definitions_containing(
        &self,
        corpus: &CorpusName,
        part: &str,
        limit: usize,
    ) -> Result<Vec<StoredSymbol>> {
        self.store()?.read(|connection| symbols::find_definitions_containing(connection, corpus, part, limit))
    }

    fn find_using_files(&self, corpus: &CorpusName, name: &str) -> Result<Vec<VaultPath>> {
        self.store()?.read(|connection| symbols::find_using_files(connection, corpus, name))
    }

    fn source_files(&self, corpus: &CorpusName) -> Result<Vec<(VaultPath, String)>> {
        self.store()?.read(|connection| symbols::list_source_files(connection, corpus))
    }
}

impl Vectors for SqliteIndex {
    fn pending_passages(
        &self,
        model: &EmbeddingModel,
        scope: PassageScope,
        limit: usize,
    ) -> Result<Vec<StoredPassage>> {
        self.store()?.read(|connection| vectors::pending_passages(connection, model, scope, limit))
    }

    fn progress(&self, model: &EmbeddingModel, scope: PassageScope) -> Result<(usize, usize)> {
        let version = self.read_state()?.version;
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        let of = (version, model.clone(), scope);
        if let Some((_, progress)) = counted.as_ref().filter(|(known, _)| *known == of) {
            return Ok(*progress);
        }
        let progress = self.store()?.read(|connection| vectors::progress(connection, model, scope))?;
        *counted = Some((of, progress));
        Ok(progress)
    }

    fn keep(&self, model: &EmbeddingModel, made: &[(TextHash, Vec<f32>)]) -> Result<()> {
        model.check_vectors(made.iter().map(|(_, vector)| vector.as_slice()))?;
        self.store()?.write(|transaction| vectors::insert_vectors(transaction, model, made))
    }

    fn nearest(
        &self,
        model: &EmbeddingModel,
        vector: &[f32],
        filter: &PassageFilter,
        limit: usize,
    ) -> Result<Vec<PassageScore>> {
        // A snapshot: words that are left out are looked up in a table of each corpus, and one may go meanwhile.
        self.store()?.read_snapshot(|connection| {
            let matrix = self.matrices.current(connection, model)?;
            vectors::find_nearest(connection, &matrix, vector, filter, limit)
        })
    }

    fn cosines(&self, model: &EmbeddingModel, vector: &[f32], ids: &[PassageId]) -> Result<Vec<Option<f32>>> {
        self.store()?.read(|connection| {
            let matrix = self.matrices.current(connection, model)?;
            vectors::cosines(connection, &matrix, vector, ids)
        })
    }

    fn for_each_vector(
        &self,
        model: &EmbeddingModel,
        corpus: &CorpusName,
        see: &mut dyn FnMut(&VaultPath, ChunkKind, &[f32]),
    ) -> Result<()> {
        self.store()?.read(|connection| {
            let matrix = self.matrices.current(connection, model)?;
            vectors::for_each_vector(connection, &matrix, corpus, see)
        })
    }
}
