//! The ports of the index, by the functions of the other modules.

use std::sync::atomic::Ordering;

use wellread_core::Result;
use wellread_core::domain::corpus::{CorpusName, VaultPath};
use wellread_core::ports::{
    EmbeddingModel, Index, IndexChange, IndexCoverage, IndexState, IndexUpkeep, IntegrityCheck, KnownFile,
    KnownFileFilter, PassageFilter, PassageId, PassageScope, PassageScore, Passages, StoredPassage,
    StoredStructure, StoredSymbol, Symbols, TextHash, Vectors, WordMatches,
};
use wellread_text::{ChunkKind, QueryTerm};

use super::nearest::NearestQuery;
use super::vectors::QueryVector;
use super::write::ChangeOrigin;
use super::{PostgresIndex, lookup, nearest, places, query, removal, state, symbols, vectors, write};
use crate::index_format::{MARK_LINK, MARK_NAME, MARK_USE};
use crate::sqlite::lock;

impl IndexUpkeep for PostgresIndex {
    fn is_damaged(&self) -> bool {
        self.damaged.load(Ordering::Relaxed)
    }

    /// The database looks after what it stores; what a lookup can't read is damage.
    fn check_integrity(&self, _check: IntegrityCheck) -> Result<()> {
        Ok(())
    }

    fn begin_anew(&self, reason: &str) -> Result<()> {
        self.clear(reason)
    }

    /// The rows are gone with the files; the database reuses their space.
    fn purge_deleted(&self) -> Result<()> {
        self.write(|session, _| removal::remove_unused_vectors(session))
    }

    fn take_notice(&self) -> Option<String> {
        lock(&self.notice).take()
    }
}

impl Index for PostgresIndex {
    fn known_files(&self, corpus: &CorpusName, which: KnownFileFilter<'_>) -> Result<Vec<KnownFile>> {
        let place = self.place.id()?;
        self.read(|session| lookup::known_files(session, place, corpus, which))
    }

    fn apply(&self, corpus: &CorpusName, changes: &[IndexChange]) -> Result<()> {
        let (place, changes) = (self.place.id()?, write::prepare(changes));
        self.write(|session, version| {
            write::apply(session, &ChangeOrigin { place, version }, corpus, changes)
        })
    }

    fn tidy(&self, corpora: &[CorpusName], rules: u64) -> Result<()> {
        let place = self.place.id()?;
        if self.read(|session| places::is_tidy(session, place, corpora, rules))? {
            return Ok(());
        }
        self.write(|session, _| places::tidy(session, place, corpora, rules))
    }

    fn read_state(&self) -> Result<IndexState> {
        let empty = IndexState { version: 0, complete: false, rules: 0 };
        self.read(|session| state::read(session)?.map_or(Ok(empty), |row| row.index_state()))
    }

    fn coverage(&self) -> Result<IndexCoverage> {
        self.read(lookup::coverage)
    }

    fn count_files(&self, most: usize) -> Result<Vec<(CorpusName, usize)>> {
        self.read(|session| lookup::count_files(session, most))
    }
}

impl Passages for PostgresIndex {
    fn find_matching(
        &self,
        terms: &[QueryTerm],
        filter: &PassageFilter,
        limit: usize,
    ) -> Result<WordMatches> {
        self.read_snapshot(|session| query::find_matching(session, terms, filter, limit))
    }

    fn list_names(&self, first_letter: char, filter: &PassageFilter) -> Result<Vec<String>> {
        self.read_snapshot(|session| query::list_names(session, first_letter, filter))
    }

    fn list_files(&self, filter: &PassageFilter, limit: usize) -> Result<Vec<PassageId>> {
        self.read_snapshot(|session| query::list_files(session, filter, limit))
    }

    fn load_passages(&self, ids: &[PassageId]) -> Result<Vec<StoredPassage>> {
        self.read(|session| lookup::load_passages(session, ids))
    }

    fn find_linking_files(&self, corpus: &CorpusName, keys: &[String]) -> Result<Vec<VaultPath>> {
        self.read(|session| lookup::find_marked_files(session, corpus, MARK_LINK, keys))
    }

    fn find_named_files(&self, corpus: &CorpusName, keys: &[String]) -> Result<Vec<VaultPath>> {
        self.read(|session| lookup::find_marked_files(session, corpus, MARK_NAME, keys))
    }
}

impl Symbols for PostgresIndex {
    fn structure(&self, corpus: &CorpusName, path: &VaultPath) -> Result<Option<StoredStructure>> {
        self.read_snapshot(|session| symbols::read_structure(session, &self.structures, corpus, path))
    }

    fn find_definitions(&self, corpus: &CorpusName, name: &str) -> Result<Vec<StoredSymbol>> {
        self.read(|session| symbols::find_definitions(session, corpus, name))
    }

    fn find_definitions_containing(
        &self,
        corpus: &CorpusName,
        part: &str,
        limit: usize,
    ) -> Result<Vec<StoredSymbol>> {
        self.read(|session| symbols::find_definitions_containing(session, corpus, part, limit))
    }

    fn find_using_files(&self, corpus: &CorpusName, name: &str) -> Result<Vec<VaultPath>> {
        self.read(|session| lookup::find_marked_files(session, corpus, MARK_USE, &[name.to_owned()]))
    }

    fn source_files(&self, corpus: &CorpusName) -> Result<Vec<(VaultPath, String)>> {
        self.read(|session| symbols::list_source_files(session, corpus))
    }
}

impl Vectors for PostgresIndex {
    fn pending_passages(
        &self,
        model: &EmbeddingModel,
        scope: PassageScope,
        limit: usize,
    ) -> Result<Vec<StoredPassage>> {
        self.read(|session| vectors::pending_passages(session, model, scope, limit))
    }

    fn progress(&self, model: &EmbeddingModel, scope: PassageScope) -> Result<(usize, usize)> {
        let of = (self.read_state()?.version, model.clone(), scope);
        let known =
            lock(&self.counted).as_ref().filter(|(known, _)| *known == of).map(|(_, counted)| *counted);
        if let Some(counted) = known {
            return Ok(counted);
        }
        let counted = self.read(|session| vectors::progress(session, model, scope))?;
        *lock(&self.counted) = Some((of, counted));
        Ok(counted)
    }

    fn keep(&self, model: &EmbeddingModel, made: &[(TextHash, Vec<f32>)]) -> Result<()> {
        model.check_vectors(made.iter().map(|(_, vector)| vector.as_slice()))?;
        self.write(|session, _| vectors::insert_vectors(session, model, made))
    }

    fn nearest(
        &self,
        model: &EmbeddingModel,
        vector: &[f32],
        filter: &PassageFilter,
        limit: usize,
    ) -> Result<Vec<PassageScore>> {
        if vector.len() != model.dimension || limit == 0 {
            return Ok(Vec::new());
        }
        let quantized = QueryVector::new(vector);
        self.read_snapshot(|session| {
            let Some(id) = vectors::model_id(session, model)? else { return Ok(Vec::new()) };
            let most_compared = self.most_compared;
            let query = NearestQuery { model: (model, id), vector: &quantized, filter, limit, most_compared };
            nearest::find_nearest(session, &query)
        })
    }

    fn cosines(&self, model: &EmbeddingModel, vector: &[f32], ids: &[PassageId]) -> Result<Vec<Option<f32>>> {
        let quantized = QueryVector::new(vector);
        self.read(|session| match vectors::model_id(session, model)? {
            Some(id) if vector.len() == model.dimension && !ids.is_empty() => {
                vectors::cosines(session, id, &quantized, ids)
            }
            _ => Ok(vec![None; ids.len()]),
        })
    }

    fn for_each_vector(
        &self,
        model: &EmbeddingModel,
        corpus: &CorpusName,
        see: &mut dyn FnMut(&VaultPath, ChunkKind, &[f32]),
    ) -> Result<()> {
        let Some(id) = self.read(|session| vectors::model_id(session, model))? else { return Ok(()) };
        let read = |path: &str, last: PassageId| {
            self.read(|session| vectors::read_vectors(session, id, corpus, (path, last)))
        };
        vectors::for_each_vector(&read, see)
    }
}
