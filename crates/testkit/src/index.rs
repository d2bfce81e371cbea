//! An index in memory, by the same contract as the real one. Slow, and simple enough to be right.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard};

use wellread_core::Result;
use wellread_core::domain::corpus::{CorpusName, VaultPath};
use wellread_core::ports::{
    CorpusCoverage, EmbeddingModel, FileStamp, FileState, Index, IndexChange, IndexCoverage, IndexState,
    IndexedFile, KnownFile, KnownFileFilter, PassageFilter, PassageId, PassageScore, Passages, StoredPassage,
    StoredStructure, StoredSymbol, Structure, Symbols, TextHash, Vectors, WORD_WEIGHTS,
};
use wellread_text::{ChunkKind, QueryTerm, TermForm, link_key};

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

    fn vectors(&self, model: &EmbeddingModel) -> Option<&HashMap<TextHash, Vec<f32>>> {
        self.vectors.get(&(model.name.clone(), model.hash.clone(), model.dimension))
    }
}

impl Index for MemoryIndex {
    fn known_files(&self, corpus: &CorpusName, which: KnownFileFilter<'_>) -> Result<Vec<KnownFile>> {
        let wanted = |path: &VaultPath, state: &FileState| match which {
            KnownFileFilter::All => true,
            KnownFileFilter::These(paths) => paths.contains(&path),
            KnownFileFilter::Skipped => matches!(state, FileState::Skipped(_)),
        };
        let state = self.state();
        let files =
            state.files.iter().filter(|((name, path), file)| name == corpus && wanted(path, &file.state));
        Ok(files
            .map(|((_, path), file)| KnownFile {
                path: path.clone(),
                stamp: file.stamp,
                state: file.state.clone(),
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

    fn tidy(&self, corpora: &[CorpusName]) -> Result<()> {
        let mut state = self.state();
        let strange = state.files.keys().any(|(corpus, _)| !corpora.contains(corpus));
        if !state.complete || strange {
            state.version += 1;
        }
        state.complete = true;
        state.files.retain(|(corpus, _), _| corpora.contains(corpus));
        Ok(())
    }

    fn read_state(&self) -> Result<IndexState> {
        let state = self.state();
        Ok(IndexState { version: state.version, complete: state.complete })
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

impl Passages for MemoryIndex {
    fn find_matching(
        &self,
        terms: &[QueryTerm],
        filter: &PassageFilter,
        limit: usize,
    ) -> Result<Vec<PassageScore>> {
        let state = self.state();
        let mut found: Vec<PassageScore> = Vec::new();
        for (kept, _, file, at) in
            state.passages().filter(|(kept, stored, file, _)| passes_filter(filter, kept, stored, file))
        {
            let passage = &file.passages[at];
            let columns = [&file.title, &passage.heading, &file.folders, &passage.words, &passage.parts];
            let fit = |form: &TermForm| {
                let weighted = WORD_WEIGHTS.iter().zip(columns);
                weighted
                    .filter(|(_, column)| matches_form(column, form))
                    .map(|(weight, _)| weight)
                    .sum::<f32>()
            };
            let score: f32 = terms.iter().flat_map(|term| &term.forms).map(fit).sum();
            if score > 0.0 {
                found.push(PassageScore { id: kept.id, score });
            }
        }
        found.sort_by(|one, other| other.score.total_cmp(&one.score).then(one.id.cmp(&other.id)));
        found.truncate(limit);
        Ok(found)
    }

    fn find_holding_all(&self, terms: &[QueryTerm], filter: &PassageFilter) -> Result<Vec<PassageId>> {
        let state = self.state();
        let all = state.passages().filter(|(kept, stored, file, at)| {
            let passage = &file.passages[*at];
            let columns = [&file.title, &passage.heading, &file.folders, &passage.words, &passage.parts];
            let held = |form: &TermForm| columns.iter().any(|column| matches_form(column, form));
            !terms.is_empty()
                && passes_filter(filter, kept, stored, file)
                && terms.iter().all(|term| term.whole_forms().iter().any(held))
        });
        Ok(all.map(|(kept, ..)| kept.id).collect())
    }

    fn load_passages(&self, ids: &[PassageId]) -> Result<Vec<StoredPassage>> {
        let state = self.state();
        let mut all: HashMap<PassageId, StoredPassage> =
            state.passages().map(|(kept, ..)| (kept.id, kept)).collect();
        Ok(ids.iter().filter_map(|id| all.remove(id)).collect())
    }

    fn find_linking_files(&self, corpus: &CorpusName, keys: &[String]) -> Result<Vec<VaultPath>> {
        let state = self.state();
        let links = |file: &StoredFile| {
            file.file.as_ref().is_some_and(|file| file.links.iter().any(|link| keys.contains(link)))
        };
        let files = state.files.iter().filter(|((name, _), file)| name == corpus && links(file));
        Ok(files.map(|((_, path), _)| path.clone()).collect())
    }

    fn find_named_files(&self, corpus: &CorpusName, keys: &[String]) -> Result<Vec<VaultPath>> {
        let state = self.state();
        let files = state.files.keys().filter(|(name, _)| name == corpus).map(|(_, path)| path);
        Ok(files.filter(|path| keys.contains(&link_key(path.as_str()))).cloned().collect())
    }
}

impl MemoryIndexState {
    /// A corpus' files of code.
    fn code_files<'a>(
        &'a self,
        corpus: &'a CorpusName,
    ) -> impl Iterator<Item = (&'a VaultPath, &'a IndexedFile, &'a Structure)> {
        self.files.iter().filter_map(move |((name, path), stored)| {
            let file = stored.file.as_ref().filter(|_| name == corpus)?;
            Some((path, file, file.structure.as_ref()?))
        })
    }

    fn find_symbols(&self, corpus: &CorpusName, wanted: impl Fn(&str) -> bool) -> Vec<StoredSymbol> {
        let of = |(path, _, structure): (&VaultPath, &IndexedFile, &Structure)| {
            let definitions = structure.definitions.iter().enumerate();
            let wanted =
                definitions.filter(|(_, found)| wanted(&found.name)).map(|(at, found)| StoredSymbol {
                    corpus: corpus.clone(),
                    path: path.clone(),
                    at,
                    name: found.name.clone(),
                    qualified: found.qualified.clone(),
                    kind: found.kind,
                    lines: found.lines,
                });
            wanted.collect::<Vec<_>>()
        };
        self.code_files(corpus).flat_map(of).collect()
    }
}

impl Symbols for MemoryIndex {
    fn structure(&self, corpus: &CorpusName, path: &VaultPath) -> Result<Option<StoredStructure>> {
        let state = self.state();
        let found = state.code_files(corpus).find(|(known, ..)| *known == path);
        Ok(found.map(|(_, file, structure)| StoredStructure {
            hash: file.hash,
            language: file.language.unwrap_or_default().to_owned(),
            structure: Arc::new(structure.clone()),
        }))
    }

    fn find_definitions(&self, corpus: &CorpusName, name: &str) -> Result<Vec<StoredSymbol>> {
        Ok(self.state().find_symbols(corpus, |known| known == name))
    }

    fn find_definitions_containing(
        &self,
        corpus: &CorpusName,
        part: &str,
        limit: usize,
    ) -> Result<Vec<StoredSymbol>> {
        let part = part.to_ascii_lowercase();
        let mut found = self.state().find_symbols(corpus, |known| known.to_ascii_lowercase().contains(&part));
        found.sort_by(|one, other| {
            let key = |symbol: &StoredSymbol| (symbol.name.chars().count(), symbol.name.clone());
            key(one).cmp(&key(other))
        });
        found.truncate(limit);
        Ok(found)
    }

    fn find_using_files(&self, corpus: &CorpusName, name: &str) -> Result<Vec<VaultPath>> {
        let state = self.state();
        let files = state.code_files(corpus).filter(|(_, _, structure)| structure.names().contains(&name));
        Ok(files.map(|(path, ..)| path.clone()).collect())
    }

    fn source_files(&self, corpus: &CorpusName) -> Result<Vec<(VaultPath, String)>> {
        let state = self.state();
        let files = state
            .code_files(corpus)
            .filter_map(|(path, file, _)| Some((path.clone(), file.language?.to_owned())));
        Ok(files.collect())
    }
}

impl Vectors for MemoryIndex {
    fn pending_passages(&self, model: &EmbeddingModel, limit: usize) -> Result<Vec<StoredPassage>> {
        let state = self.state();
        let made = state.vectors(model);
        let mut seen = BTreeSet::new();
        let missing = state
            .passages()
            .map(|(kept, ..)| kept)
            .filter(|kept| made.is_none_or(|made| !made.contains_key(&kept.text)) && seen.insert(kept.text));
        Ok(missing.take(limit).collect())
    }

    fn progress(&self, model: &EmbeddingModel) -> Result<(usize, usize)> {
        let state = self.state();
        let texts: BTreeSet<TextHash> = state.passages().map(|(kept, ..)| kept.text).collect();
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

fn matches_form(column: &str, form: &TermForm) -> bool {
    let words: Vec<&str> = column.split(' ').collect();
    match form {
        TermForm::Word(word) => words.contains(&word.as_str()),
        TermForm::Phrase(phrase) => words.windows(phrase.len()).any(|part| part == phrase.as_slice()),
        TermForm::Prefix(start) => words.iter().any(|word| word.starts_with(start.as_str())),
    }
}

fn passes_filter(
    filter: &PassageFilter,
    kept: &StoredPassage,
    stored: &StoredFile,
    file: &IndexedFile,
) -> bool {
    let PassageFilter { corpora, folder, tag, fields, modified_from, modified_before, language, path } =
        filter;
    let below = |value: &str, above: &str| {
        value == above || value.strip_prefix(above).is_some_and(|rest| rest.starts_with('/'))
    };
    corpora.as_ref().is_none_or(|corpora| corpora.contains(&kept.corpus))
        && folder
            .as_deref()
            .map(|folder| folder.trim_matches('/'))
            .is_none_or(|folder| folder.is_empty() || below(kept.path.folder(), folder))
        && tag
            .as_deref()
            .map(|tag| tag.trim_start_matches('#'))
            .is_none_or(|tag| file.tags.iter().any(|own| below(own, tag)))
        && fields.iter().all(|field| file.fields.contains(field))
        && modified_from.is_none_or(|from| stored.stamp.modified >= from)
        && modified_before.is_none_or(|before| stored.stamp.modified < before)
        && language.as_deref().is_none_or(|language| file.language == Some(language))
        && path.as_ref().is_none_or(|(corpus, path)| (corpus, path) == (&kept.corpus, &kept.path))
}
