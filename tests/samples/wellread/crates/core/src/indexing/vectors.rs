//! Making the vectors that are missing, while everything else goes on.

use std::collections::{HashMap, HashSet};
use std::num::NonZero;
use std::sync::Mutex;
use std::sync::PoisonError;

use super::{Library, embedded_text};
use crate::corpus::{CorpusName, VaultPath};
use crate::ports::{Embedder, FileContent, Purpose, StoredPassage, TextHash};
use crate::{Error, Result};

/// How many passages are asked for at a time: to find those without a vector, the index looks at all of them.
const ASKED_FOR: usize = 16_384;
/// How many texts are read at a time, and ordered by length among themselves.
const READ: usize = 512;
/// How many go to the model at a time.
const BATCH: usize = 16;

/// What came of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Embedded {
    pub made: usize,
    /// Texts that were not where they should be: their files changed, and the next update finds them.
    pub stale: usize,
}

/// Makes every vector that is missing, on all cores, and keeps them as they come. `go_on` is asked between batches, and
/// told how many were made.
pub fn embed_pending(
    library: &Library,
    embedder: &dyn Embedder,
    settle_in: &(dyn Fn() + Sync),
    go_on: &(dyn Fn(usize) -> bool + Sync),
) -> Result<Embedded> {
    let model = embedder.model()?;
    let mut done = Embedded::default();
    let mut stale: HashSet<TextHash> = HashSet::new();
    loop {
        let pending = library.vectors.pending(&model, ASKED_FOR + stale.len())?;
        let pending: Vec<StoredPassage> =
            pending.into_iter().filter(|passage| !stale.contains(&passage.text)).collect();
        for part in pending.chunks(READ) {
            let (texts, moved) = texts_of(library, part);
            stale.extend(moved);
            let made = made_by_all(library, embedder, &texts, settle_in, &|made| go_on(done.made + made))?;
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

/// The texts to embed, longest first, and those that are not where the index says.
fn texts_of(library: &Library, pending: &[StoredPassage]) -> (Vec<(TextHash, String)>, Vec<TextHash>) {
    let mut files: HashMap<(&CorpusName, &VaultPath), Option<FileContent>> = HashMap::new();
    let (mut texts, mut moved) = (Vec::new(), Vec::new());
    for passage in pending {
        let content = files
            .entry((&passage.corpus, &passage.path))
            .or_insert_with(|| library.read(&passage.corpus, &passage.path).ok());
        let shown = content
            .as_ref()
            .and_then(|content| std::str::from_utf8(content.bytes.get(passage.span.clone())?).ok());
        let text = shown.map(|shown| embedded_text(passage.kind, &passage.context, shown));
        match text.filter(|text| TextHash::of(text) == passage.text) {
            Some(text) => texts.push((passage.text, text)),
            None => moved.push(passage.text),
        }
    }
    texts.sort_by_key(|(_, text)| std::cmp::Reverse(text.len()));
    (texts, moved)
}

/// How many were made: fewer than there are where somebody said stop.
fn made_by_all(
    library: &Library,
    embedder: &dyn Embedder,
    texts: &[(TextHash, String)],
    settle_in: &(dyn Fn() + Sync),
    go_on: &(dyn Fn(usize) -> bool + Sync),
) -> Result<usize> {
    let model = embedder.model()?;
    let workers = std::thread::available_parallelism().map_or(1, NonZero::get);
    let batches = Mutex::new((texts.chunks(BATCH), 0, None::<Error>));
    let shared = || batches.lock().unwrap_or_else(PoisonError::into_inner);
    std::thread::scope(|scope| {
        for _ in 0..workers.min(texts.len().div_ceil(BATCH)) {
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
                    let kept = embedder.embed(&inputs, Purpose::Passage).and_then(|vectors| {
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
