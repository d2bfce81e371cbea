//! Vectors of passages' texts, each compared with all.

use std::collections::{BTreeSet, HashMap};

use wellread_core::Result;
use wellread_core::domain::corpus::{CorpusName, VaultPath};
use wellread_core::ports::{
    EmbeddingModel, PassageFilter, PassageId, PassageScope, PassageScore, StoredPassage, TextHash, Vectors,
};
use wellread_text::ChunkKind;

use super::filter::{passes_filter, passes_scope};
use super::{MemoryIndex, MemoryIndexState};

impl MemoryIndexState {
    fn vectors(&self, model: &EmbeddingModel) -> Option<&HashMap<TextHash, Vec<f32>>> {
        self.vectors.get(&(model.name.clone(), model.hash.clone(), model.dimension))
    }
}

impl Vectors for MemoryIndex {
    fn pending_passages(
        &self,
        model: &EmbeddingModel,
        scope: PassageScope,
        limit: usize,
    ) -> Result<Vec<StoredPassage>> {
        let state = self.state();
        let made = state.vectors(model);
        let mut seen = BTreeSet::new();
        let missing = state
            .passages()
            .filter(|(_, _, file, _)| passes_scope(scope, file))
            .map(|(kept, ..)| kept)
            .filter(|kept| made.is_none_or(|made| !made.contains_key(&kept.text)) && seen.insert(kept.text));
        Ok(missing.take(limit).collect())
    }

    fn progress(&self, model: &EmbeddingModel, scope: PassageScope) -> Result<(usize, usize)> {
        let state = self.state();
        let passages = state.passages().filter(|(_, _, file, _)| passes_scope(scope, file));
        let texts: BTreeSet<TextHash> = passages.map(|(kept, ..)| kept.text).collect();
        let made = state
            .vectors(model)
            .map_or(0, |made| texts.iter().filter(|text| made.contains_key(text)).count());
        Ok((made, texts.len()))
    }

    fn keep(&self, model: &EmbeddingModel, vectors: &[(TextHash, Vec<f32>)]) -> Result<()> {
        model.check_vectors(vectors.iter().map(|(_, vector)| vector.as_slice()))?;
        let key = (model.name.clone(), model.hash.clone(), model.dimension);
        let mut state = self.state();
        state.version += 1;
        state.vectors.entry(key).or_default().extend(vectors.iter().cloned());
        Ok(())
    }

    fn nearest(
        &self,
        model: &EmbeddingModel,
        vector: &[f32],
        filter: &PassageFilter,
        limit: usize,
    ) -> Result<Vec<PassageScore>> {
        let state = self.state();
        let Some(made) = state.vectors(model).filter(|_| vector.len() == model.dimension) else {
            return Ok(Vec::new());
        };
        let mut found: Vec<PassageScore> = state
            .passages()
            .filter(|(kept, stored, file, _)| passes_filter(filter, kept, stored, file))
            .filter_map(|(kept, ..)| {
                Some(PassageScore { id: kept.id, score: dot_product(made.get(&kept.text)?, vector) })
            })
            .collect();
        found.sort_by(|one, other| other.score.total_cmp(&one.score).then(one.id.cmp(&other.id)));
        found.truncate(limit);
        Ok(found)
    }

    fn cosines(&self, model: &EmbeddingModel, vector: &[f32], ids: &[PassageId]) -> Result<Vec<Option<f32>>> {
        let state = self.state();
        let texts: HashMap<PassageId, TextHash> =
            state.passages().map(|(kept, ..)| (kept.id, kept.text)).collect();
        let made = state.vectors(model);
        let cosine = |id| made?.get(texts.get(id)?).map(|kept| dot_product(kept, vector));
        Ok(ids.iter().map(cosine).collect())
    }

    fn for_each_vector(
        &self,
        model: &EmbeddingModel,
        corpus: &CorpusName,
        see: &mut dyn FnMut(&VaultPath, ChunkKind, &[f32]),
    ) -> Result<()> {
        let state = self.state();
        let Some(made) = state.vectors(model) else { return Ok(()) };
        for (kept, ..) in state.passages().filter(|(kept, ..)| kept.corpus == *corpus) {
            if let Some(vector) = made.get(&kept.text) {
                see(&kept.path, kept.kind, vector);
            }
        }
        Ok(())
    }
}

fn dot_product(one: &[f32], other: &[f32]) -> f32 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}
