//! An index in memory, by the same contract as the real one. Slow, and simple enough to be right.

mod filter;
mod passages;
mod symbols;
mod vectors;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Mutex, MutexGuard};

use wellread_core::Result;
use wellread_core::domain::corpus::{CorpusName, VaultPath};
use wellread_core::ports::{
    CorpusCoverage, FileStamp, FileState, Index, IndexChange, IndexCoverage, IndexState, IndexedFile,
    KnownFile, KnownFileFilter, PassageId, StoredPassage, TextHash,
};

type FileKey = (CorpusName, VaultPath);

#[derive(Default)]
pub struct MemoryIndex {
    state: Mutex<MemoryIndexState>,
}

#[derive(Default)]
struct MemoryIndexState {
    files: BTreeMap<FileKey, StoredFile>,
    next: PassageId,
    version: u64,
    complete: bool,
    rules: u64,
    vectors: HashMap<(String, String, usize), HashMap<TextHash, Vec<f32>>>,
}

struct StoredFile {
    stamp: FileStamp,
    state: FileState,
    file: Option<IndexedFile>,
    first: PassageId,
}

impl MemoryIndex {
    fn state(&self) -> MutexGuard<'_, MemoryIndexState> {
        self.state.lock().expect("no test panics with the index in hand")
    }
}

impl MemoryIndexState {
    /// Every passage with its file.
    fn passages(&self) -> impl Iterator<Item = (StoredPassage, &StoredFile, &IndexedFile, usize)> {
        self.files.iter().flat_map(|((corpus, path), stored)| {
            let file = stored.file.iter();
            file.flat_map(move |file| {
                file.passages.iter().enumerate().map(move |(at, passage)| {
                    let kept = StoredPassage {
                        id: stored.first + at as PassageId,
                        corpus: corpus.clone(),
                        path: path.clone(),
                        hash: file.hash,
                        kind: passage.chunk.kind,
                        span: passage.chunk.span.clone(),
                        lines: passage.chunk.lines,
                        context: passage.chunk.context.clone(),
                        text: passage.text,
                    };
                    (kept, stored, file, at)
                })
            })
        })
    }
}

impl Index for MemoryIndex {
    fn known_files(&self, corpus: &CorpusName, which: KnownFileFilter<'_>) -> Result<Vec<KnownFile>> {
        let wanted = |path: &VaultPath, state: &FileState, file: Option<&IndexedFile>| match which {
            KnownFileFilter::All => true,
            KnownFileFilter::These(paths) => paths.contains(&path),
            KnownFileFilter::Skipped => matches!(state, FileState::Skipped(_)),
            KnownFileFilter::WithField(field) => file.is_some_and(|file| {
                file.values.iter().any(|(name, value)| name == field.name && (field.accepts)(value.as_ref()))
            }),
        };
        let state = self.state();
        let files = state.files.iter().filter(|((name, path), stored)| {
            name == corpus && wanted(path, &stored.state, stored.file.as_ref())
        });
        Ok(files
            .map(|((_, path), file)| KnownFile {
                path: path.clone(),
                stamp: file.stamp,
                state: file.state.clone(),
                private: file.file.as_ref().is_some_and(|file| file.private),
            })
            .collect())
    }

    fn apply(&self, corpus: &CorpusName, changes: &[IndexChange]) -> Result<()> {
        let mut state = self.state();
        state.version += 1;
        for change in changes {
            let (path, stamp) = (change.path(), change.stamp());
            let key = (corpus.clone(), path.clone());
            let known = state.files.get(&key).map(|file| file.stamp.changed);
            if !change.applies(known, stamp.changed) {
                continue;
            }
            match change {
                IndexChange::Put(file) => {
                    let first = state.next;
                    state.next += file.passages.len() as PassageId;
                    let kept = Some((**file).clone());
                    let stored = StoredFile { stamp: *stamp, state: file.state(), file: kept, first };
                    state.files.insert(key, stored);
                }
                IndexChange::Note { state: now, .. } => {
                    state
                        .files
                        .insert(key, StoredFile { stamp: *stamp, state: now.clone(), file: None, first: 0 });
                }
                IndexChange::Seen { .. } => {
                    if let Some(file) = state.files.get_mut(&key) {
                        file.stamp = *stamp;
                    }
                }
                IndexChange::Gone { .. } => drop(state.files.remove(&key)),
            }
        }
        Ok(())
    }

    fn tidy(&self, corpora: &[CorpusName], rules: u64) -> Result<()> {
        let mut state = self.state();
        let strange = state.files.keys().any(|(corpus, _)| !corpora.contains(corpus));
        if !state.complete || strange || state.rules != rules {
            state.version += 1;
        }
        state.complete = true;
        state.rules = rules;
        state.files.retain(|(corpus, _), _| corpora.contains(corpus));
        Ok(())
    }

    fn read_state(&self) -> Result<IndexState> {
        let state = self.state();
        Ok(IndexState { version: state.version, complete: state.complete, rules: state.rules })
    }

    fn count_files(&self, most: usize) -> Result<Vec<(CorpusName, usize)>> {
        let corpora = self.coverage()?.corpora.into_iter();
        Ok(corpora.map(|corpus| (corpus.corpus, corpus.files.min(most))).collect())
    }

    fn coverage(&self) -> Result<IndexCoverage> {
        let state = self.state();
        let names: BTreeSet<&CorpusName> = state.files.keys().map(|(corpus, _)| corpus).collect();
        let corpora = names.into_iter().map(|corpus| {
            let of = |wanted: fn(&FileState) -> bool| {
                state.files.iter().filter(|((name, _), file)| name == corpus && wanted(&file.state)).count()
            };
            CorpusCoverage {
                corpus: corpus.clone(),
                files: of(|_| true),
                indexed: of(|state| matches!(state, FileState::Indexed { .. })),
                skipped: of(|state| matches!(state, FileState::Skipped(_))),
            }
        });
        let corpora = corpora.collect();
        Ok(IndexCoverage { corpora, passages: state.passages().count(), bytes: 0 })
    }
}
