//! Computes missing vectors in the background.

use std::collections::{HashMap, HashSet};
use std::num::NonZero;
use std::sync::Mutex;
use std::sync::PoisonError;

use super::{Library, embedding_text};
use crate::domain::corpus::{CorpusName, VaultPath};
use crate::ports::{Embedder, EmbeddingPurpose, FileContent, PassageScope, StoredPassage, TextHash};
use crate::{Error, Result};

/// The number of passages per query: finding those without a vector means scanning all of them.
const QUERY_SIZE: usize = 16_384;
/// The number of texts that are read at a time and sorted by length.
const READ_SIZE: usize = 512;
/// The number of texts per call of the model.
const MODEL_BATCH: usize = 16;

/// The result of computing vectors.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EmbedSummary {
    /// Vectors that were computed.
    pub made: usize,
    /// Texts that were not at their place: their files changed, and the next update will find them.
    pub stale: usize,
}

/// Computes every missing vector, on all cores, and stores them as they come. `settle_in` is called once on each worker
/// thread before it starts. `go_on` is called between batches with the number computed so far; it returns whether to
/// continue.
pub fn embed_pending(
    library: &Library,
    embedder: &dyn Embedder,
    settle_in: &(dyn Fn() + Sync),
    go_on: &(dyn Fn(usize) -> bool + Sync),
) -> Result<EmbedSummary> {
    let model = embedder.model()?;
    // No private passage is sent to a model on another machine.
    let scope = embedding_scope(embedder);
    let mut done = EmbedSummary::default();
    let mut stale: HashSet<TextHash> = HashSet::new();
    // A damaged index may ask again for a vector that it was just given, forever.
    let mut given: HashSet<TextHash> = HashSet::new();
    loop {
        let pending = library.vectors.pending_passages(&model, scope, QUERY_SIZE + stale.len())?;
        let asked: HashSet<TextHash> = pending.iter().map(|passage| passage.text).collect();
        given.retain(|text| asked.contains(text));
        let pending: Vec<StoredPassage> = pending
            .into_iter()
            .filter(|passage| !stale.contains(&passage.text) && !given.contains(&passage.text))
            .collect();
        for part in pending.chunks(READ_SIZE) {
            let (texts, moved) = read_texts(library, part, scope);
            stale.extend(moved);
            given.extend(texts.iter().map(|(text, _)| *text));
            let made =
                embed_in_parallel(library, embedder, &texts, settle_in, &|made| go_on(done.made + made))?;
            done.made += made;
            done.stale = stale.len();
            if made < texts.len() {
                return Ok(done);
            }
        }
        if pending.is_empty() {
            return Ok(done);
        }
    }
}

/// The passages that a model may compute vectors of: without those of private files if it is on another machine.
pub fn embedding_scope(embedder: &dyn Embedder) -> PassageScope {
    if embedder.is_local() { PassageScope::All } else { PassageScope::Public }
}

/// The texts to embed, longest first, and the hashes of those that are not where the index says, or whose file is
/// private by now.
fn read_texts(
    library: &Library,
    pending: &[StoredPassage],
    scope: PassageScope,
) -> (Vec<(TextHash, String)>, Vec<TextHash>) {
    let may_be_read = |passage: &StoredPassage| match (scope, &passage.corpus) {
        (PassageScope::Public, CorpusName::Vault) => library
            .corpus(&passage.corpus)
            .is_ok_and(|corpus| !library.rules.judge(&**corpus).is_private(&passage.path)),
        _ => true,
    };
    let mut files: HashMap<(&CorpusName, &VaultPath), Option<FileContent>> = HashMap::new();
    let (mut texts, mut moved) = (Vec::new(), Vec::new());
    for passage in pending {
        let content = files.entry((&passage.corpus, &passage.path)).or_insert_with(|| {
            may_be_read(passage).then(|| library.read(&passage.corpus, &passage.path).ok()).flatten()
        });
        let shown = content
            .as_ref()
            .and_then(|content| std::str::from_utf8(content.bytes.get(passage.span.clone())?).ok());
        let text = shown.map(|shown| embedding_text(passage.kind, &passage.context, shown));
        match text.filter(|text| TextHash::compute(text) == passage.text) {
            Some(text) => texts.push((passage.text, text)),
            None => moved.push(passage.text),
        }
    }
    texts.sort_by_key(|(_, text)| std::cmp::Reverse(text.len()));
    (texts, moved)
}

/// Returns how many were computed: fewer than all if stopped.
fn embed_in_parallel(
    library: &Library,
    embedder: &dyn Embedder,
    texts: &[(TextHash, String)],
    settle_in: &(dyn Fn() + Sync),
    go_on: &(dyn Fn(usize) -> bool + Sync),
) -> Result<usize> {
    let model = embedder.model()?;
    let workers = std::thread::available_parallelism().map_or(1, NonZero::get);
    let batches = Mutex::new((texts.chunks(MODEL_BATCH), 0, None::<Error>));
    let shared = || batches.lock().unwrap_or_else(PoisonError::into_inner);
    std::thread::scope(|scope| {
        for _ in 0..workers.min(texts.len().div_ceil(MODEL_BATCH)) {
            scope.spawn(|| {
                settle_in();
                loop {
                    let batch = {
                        let mut shared = shared();
                        if shared.2.is_some() || !go_on(shared.1) {
                            return;
                        }
                        match shared.0.next() {
                            Some(batch) => batch,
                            None => return,
                        }
                    };
                    let inputs: Vec<&str> = batch.iter().map(|(_, text)| text.as_str()).collect();
                    let kept = embedder.embed(&inputs, EmbeddingPurpose::Passage).and_then(|vectors| {
                        let hashes = batch.iter().map(|(hash, _)| *hash);
                        library.vectors.keep(&model, &hashes.zip(vectors).collect::<Vec<_>>())
                    });
                    let mut shared = shared();
                    match kept {
                        Ok(()) => shared.1 += batch.len(),
                        Err(error) => shared.2 = Some(error),
                    }
                }
            });
        }
    });
    let (_, made, error) = batches.into_inner().unwrap_or_else(PoisonError::into_inner);
    error.map_or(Ok(made), Err)
}
