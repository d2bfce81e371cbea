//! How much of a page is known already: its text compared with every note and every earlier finding.
//!
//! With an embedding model, meanings are compared. Without one, or while some notes have no vector yet, shingles of
//! four words are: notes by their text, findings by a stored sketch first and by their text where the sketch is close.
//! Only the page's own text leaves this machine, and only to a remote embedding model.

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use wellread_text::{Note, Shingles, Sketch, chunk_note};

use super::{Gatherer, PageText};
use crate::Result;
use crate::domain::corpus::{CorpusName, normalize_address};
use crate::domain::id::FindingId;
use crate::library::indexing::embedding_scope;
use crate::ports::agenda::Finding;
use crate::ports::{AgendaStore, EmbeddingModel, EmbeddingPurpose, FindingFilter, PassageFilter};

/// How many chunks of a page are embedded: its beginning says what it is about.
const EMBEDDED: usize = 8;
/// How many earlier findings are compared word by word: those with the most similar sketches.
const NEAR: usize = 24;
/// How many findings are sketched per batch.
const AT_ONCE: usize = 100;

/// The known text that is most similar to a page.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Likeness {
    /// From 0 to 1.
    pub similarity: f32,
    /// A note's path, or the address of an earlier finding.
    pub nearest: Option<String>,
}

impl Likeness {
    fn or_higher(self, other: Self) -> Self {
        if other.similarity > self.similarity { other } else { self }
    }
}

/// A page's normalized mean vector with its model; `None` without a usable embedding model.
pub type PageEmbedding = Option<(EmbeddingModel, Vec<f32>)>;

/// Everything that the pages of a task are compared with.
pub struct PageComparer<'a> {
    gather: Gatherer<'a>,
    store: &'a dyn AgendaStore,
    /// The shingles of each note by its path, read on first use.
    words: OnceLock<Vec<(String, Shingles)>>,
}

impl<'a> PageComparer<'a> {
    /// Compares pages with the notes and the findings in `store`.
    pub fn new(gather: Gatherer<'a>, store: &'a dyn AgendaStore) -> Self {
        Self { gather, store, words: OnceLock::new() }
    }

    /// The earlier finding with this address, as similarity 1; `None` if there is none.
    pub fn find_same_address(&self, url: &str) -> Result<Option<Likeness>> {
        let address = Some(normalize_address(url).unwrap_or_else(|| url.to_owned()));
        let same = self.store.findings(&FindingFilter { address, ..FindingFilter::default() }, 1)?.pop();
        Ok(same.map(|known| Likeness { similarity: 1.0, nearest: Some(known.url) }))
    }

    /// The most similar note or finding, and the page's embedding.
    pub fn compare_page(&self, page: &PageText) -> Result<(Likeness, PageEmbedding)> {
        let embedding = self.embed_page(page);
        let (mut like, complete) = match &embedding {
            Some((model, vector)) => self.compare_by_meaning(model, vector)?,
            None => (Likeness::default(), false),
        };
        if !complete {
            like = like.or_higher(self.compare_by_words(page)?);
        }
        Ok((like, embedding))
    }

    /// The normalized mean vector of the page's first chunks; `None` if the model is unavailable.
    fn embed_page(&self, page: &PageText) -> PageEmbedding {
        let embedder = &self.gather.search.embedder;
        let model = embedder.model().ok()?;
        let text = page.text.expose();
        let chunks = chunk_note(text, &Note::parse(text));
        let texts: Vec<&str> = chunks.iter().take(EMBEDDED).map(|chunk| &text[chunk.span.clone()]).collect();
        let vectors =
            embedder.embed(&texts, EmbeddingPurpose::Passage).ok().filter(|vectors| !vectors.is_empty())?;
        let mut mean = vec![0.0_f32; model.dimension];
        for vector in &vectors {
            mean.iter_mut().zip(vector).for_each(|(sum, value)| *sum += value);
        }
        let length = mean.iter().map(|value| value * value).sum::<f32>().sqrt();
        if length <= f32::EPSILON {
            return None;
        }
        mean.iter_mut().for_each(|value| *value /= length);
        Some((model, mean))
    }

    /// The nearest by meaning, and whether every note could be compared.
    fn compare_by_meaning(&self, model: &EmbeddingModel, vector: &[f32]) -> Result<(Likeness, bool)> {
        let library = &self.gather.search.library;
        let filter = PassageFilter { corpora: Some(vec![CorpusName::Vault]), ..PassageFilter::default() };
        let mut like = Likeness::default();
        for scored in library.vectors.nearest(model, vector, &filter, 1)? {
            let passage = library.passages.load_passages(&[scored.id])?.into_iter().next();
            let nearest = passage.map(|passage| passage.path.to_string());
            like = like.or_higher(Likeness { similarity: scored.score.clamp(0.0, 1.0), nearest });
        }
        for (id, known) in self.store.embeddings(model)? {
            let cosine: f32 = known.iter().zip(vector).map(|(one, other)| one * other).sum();
            if cosine > like.similarity {
                let nearest = self.store.finding(&id)?.map(|finding| finding.url);
                like = Likeness { similarity: cosine.clamp(0.0, 1.0), nearest };
            }
        }
        let (done, all) = library.vectors.progress(model, embedding_scope(&*self.gather.search.embedder))?;
        Ok((like, done == all))
    }

    /// The note or earlier finding that contains the largest share of the page word for word.
    fn compare_by_words(&self, page: &PageText) -> Result<Likeness> {
        let own = Shingles::from_text(page.text.expose());
        let words = match self.words.get() {
            Some(words) => words,
            None => {
                let read = self.read_note_shingles()?;
                self.words.get_or_init(|| read)
            }
        };
        let like = words.iter().map(|(name, known)| Likeness {
            similarity: own.containment_in(known),
            nearest: Some(name.clone()),
        });
        let like =
            like.fold(Likeness::default(), Likeness::or_higher).or_higher(self.compare_with_findings(&own)?);
        Ok(if like.similarity > 0.0 { like } else { Likeness::default() })
    }

    fn read_note_shingles(&self) -> Result<Vec<(String, Shingles)>> {
        let mut words = Vec::new();
        let vault = self.gather.vault;
        for entry in vault.files.list()?.files.into_iter().filter(|entry| entry.path.is_note()) {
            // A note that can't be read is not compared.
            if let Ok(note) = vault.read(&entry.path) {
                words.push((entry.path.to_string(), Shingles::from_text(&note.text)));
            }
        }
        Ok(words)
    }

    /// The earlier finding whose page contains the largest share of these shingles.
    fn compare_with_findings(&self, own: &Shingles) -> Result<Likeness> {
        self.sketch_all()?;
        let mut near: Vec<(f32, FindingId)> = Vec::new();
        self.store.for_each_sketch(&mut |id, sketch| {
            let about = sketch.estimate_containment(own);
            if about > 0.0 && (near.len() < NEAR || near.last().is_some_and(|(least, _)| about > *least)) {
                let at = near.partition_point(|(known, _)| *known >= about);
                near.insert(at, (about, id.clone()));
                near.truncate(NEAR);
            }
        })?;
        let mut like = Likeness::default();
        for (_, id) in near {
            let Some(finding) = self.store.finding(&id)? else { continue };
            let Some(text) = self.finding_text(&finding) else { continue };
            let similarity = own.containment_in(&Shingles::from_text(&text));
            like = like.or_higher(Likeness { similarity, nearest: Some(finding.url) });
        }
        Ok(like)
    }

    /// Stores a sketch for every finding that has none.
    fn sketch_all(&self) -> Result<()> {
        loop {
            let some = self.store.findings_without_sketch(AT_ONCE)?;
            if some.is_empty() {
                return Ok(());
            }
            let sketch = |finding: &Finding| {
                let text = self.finding_text(finding).unwrap_or_default();
                (finding.id.clone(), Sketch::from_shingles(&Shingles::from_text(&text)))
            };
            self.store.keep_sketches(&some.iter().map(sketch).collect::<Vec<_>>())?;
        }
    }

    /// The stored text of the finding's page; `None` if it can no longer be read.
    fn finding_text(&self, finding: &Finding) -> Option<String> {
        self.gather.snapshots.load(finding.snapshot).ok().flatten()
    }
}
