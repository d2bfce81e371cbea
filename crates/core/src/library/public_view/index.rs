//! The index without the passages of private notes.

use std::sync::Arc;

use wellread_text::{ChunkKind, QueryTerm};

use crate::Result;
use crate::domain::corpus::{CorpusName, VaultPath};
use crate::library::vault::Vault;
use crate::ports::{
    EmbeddingModel, PassageFilter, PassageId, PassageScope, PassageScore, Passages, StoredPassage, TextHash,
    Vectors, WordMatches,
};

fn only_public(filter: &PassageFilter) -> PassageFilter {
    PassageFilter { scope: PassageScope::Public, ..filter.clone() }
}

/// Passages by their words, without those of private notes.
pub(super) struct PublicPassages {
    pub whole: Arc<dyn Passages>,
    pub vault: Arc<Vault>,
}

impl PublicPassages {
    fn retain_public(&self, corpus: &CorpusName, mut files: Vec<VaultPath>) -> Vec<VaultPath> {
        if *corpus == CorpusName::Vault {
            files.retain(|path| self.vault.files.find(path).is_ok_and(|found| found.is_some()));
        }
        files
    }
}

impl Passages for PublicPassages {
    fn find_matching(
        &self,
        terms: &[QueryTerm],
        filter: &PassageFilter,
        limit: usize,
    ) -> Result<WordMatches> {
        self.whole.find_matching(terms, &only_public(filter), limit)
    }

    fn list_names(&self, first_letter: char, filter: &PassageFilter) -> Result<Vec<String>> {
        self.whole.list_names(first_letter, &only_public(filter))
    }

    fn list_files(&self, filter: &PassageFilter, limit: usize) -> Result<Vec<PassageId>> {
        self.whole.list_files(&only_public(filter), limit)
    }

    fn load_passages(&self, ids: &[PassageId]) -> Result<Vec<StoredPassage>> {
        self.whole.load_passages(ids)
    }

    fn find_linking_files(&self, corpus: &CorpusName, keys: &[String]) -> Result<Vec<VaultPath>> {
        Ok(self.retain_public(corpus, self.whole.find_linking_files(corpus, keys)?))
    }

    fn find_named_files(&self, corpus: &CorpusName, keys: &[String]) -> Result<Vec<VaultPath>> {
        Ok(self.retain_public(corpus, self.whole.find_named_files(corpus, keys)?))
    }
}

/// Vectors without those of private notes.
pub(super) struct PublicVectors {
    pub whole: Arc<dyn Vectors>,
    pub vault: Arc<Vault>,
}

impl Vectors for PublicVectors {
    fn pending_passages(
        &self,
        model: &EmbeddingModel,
        _scope: PassageScope,
        limit: usize,
    ) -> Result<Vec<StoredPassage>> {
        self.whole.pending_passages(model, PassageScope::Public, limit)
    }

    fn progress(&self, model: &EmbeddingModel, _scope: PassageScope) -> Result<(usize, usize)> {
        self.whole.progress(model, PassageScope::Public)
    }

    fn keep(&self, model: &EmbeddingModel, vectors: &[(TextHash, Vec<f32>)]) -> Result<()> {
        self.whole.keep(model, vectors)
    }

    fn nearest(
        &self,
        model: &EmbeddingModel,
        vector: &[f32],
        filter: &PassageFilter,
        limit: usize,
    ) -> Result<Vec<PassageScore>> {
        self.whole.nearest(model, vector, &only_public(filter), limit)
    }

    fn cosines(&self, model: &EmbeddingModel, vector: &[f32], ids: &[PassageId]) -> Result<Vec<Option<f32>>> {
        self.whole.cosines(model, vector, ids)
    }

    fn for_each_vector(
        &self,
        model: &EmbeddingModel,
        corpus: &CorpusName,
        see: &mut dyn FnMut(&VaultPath, ChunkKind, &[f32]),
    ) -> Result<()> {
        let mut last: Option<(VaultPath, bool)> = None;
        self.whole.for_each_vector(model, corpus, &mut |path, kind, vector| {
            let is_public = match &last {
                Some((known, is_public)) if known == path => *is_public,
                _ => {
                    let found = self.vault.files.find(path).is_ok_and(|found| found.is_some());
                    *corpus != CorpusName::Vault || found
                }
            };
            last = Some((path.clone(), is_public));
            if is_public {
                see(path, kind, vector);
            }
        })
    }
}
