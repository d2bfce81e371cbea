//! How much of a page is known already: its text against every note and every earlier finding.
//!
//! Where there is an embedding model, what texts mean is compared; where there is none, or some notes have no vector yet, runs
//! of four words: with notes as they are, with findings by what is kept of each, and by their texts where that looks alike.
//! Nothing leaves this machine for it but the page's own text, to an embedding model that is elsewhere.

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use wellread_text::{Note, Shingles, Sketch, note_chunks};

use super::{Gather, PageText};
use crate::Result;
use crate::agenda::Finding;
use crate::corpus::{CorpusName, normal_address};
use crate::id::FindingId;
use crate::ports::{AgendaStore, EmbeddingModel, Filter, Purpose, WhichFindings};

/// How many stretches of a page are embedded. The beginning says what it is about.
const EMBEDDED: usize = 8;
/// How many earlier findings are compared word by word: those that look most alike.
const NEAR: usize = 24;
/// How many findings are read at once, to keep what they are compared by.
const AT_ONCE: usize = 100;

/// What a page is most like.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Likeness {
    /// From 0 to 1.
    pub similarity: f32,
    /// A note's path, or the address of an earlier finding.
    pub nearest: Option<String>,
}

impl Likeness {
    fn or(self, other: Self) -> Self {
        if other.similarity > self.similarity { other } else { self }
    }
}

/// What a page means, by this model.
pub type Embedding = Option<(EmbeddingModel, Vec<f32>)>;

/// Everything that the pages of a task are compared with.
pub struct Compared<'a> {
    gather: Gather<'a>,
    store: &'a dyn AgendaStore,
    /// Of the notes; read when they are first needed.
    words: OnceLock<Vec<(String, Shingles)>>,
}

impl<'a> Compared<'a> {
    pub fn new(gather: Gather<'a>, store: &'a dyn AgendaStore) -> Self {
        Self { gather, store, words: OnceLock::new() }
    }

    /// The finding of this address, where there is one already.
    pub fn same_address(&self, url: &str) -> Result<Option<Likeness>> {
        let address = Some(normal_address(url).unwrap_or_else(|| url.to_owned()));
        let same = self.store.findings(&WhichFindings { address, ..WhichFindings::default() }, 1)?.pop();
        Ok(same.map(|known| Likeness { similarity: 1.0, nearest: Some(known.url) }))
    }

    /// What a page is most like, and what it means.
    pub fn likeness(&self, page: &PageText) -> Result<(Likeness, Embedding)> {
        let embedding = self.embedded(page);
        let (mut like, complete) = match &embedding {
            Some((model, vector)) => self.by_meaning(model, vector)?,
            None => (Likeness::default(), false),
        };
        if !complete {
            like = like.or(self.by_words(page)?);
        }
        Ok((like, embedding))
    }

    /// One vector for the page. A model that can't be asked now is none.
    fn embedded(&self, page: &PageText) -> Embedding {
        let embedder = &self.gather.search.embedder;
        let model = embedder.model().ok()?;
        let text = page.text.look();
        let chunks = note_chunks(text, &Note::parse(text));
        let texts: Vec<&str> = chunks.iter().take(EMBEDDED).map(|chunk| &text[chunk.span.clone()]).collect();
        let vectors = embedder.embed(&texts, Purpose::Passage).ok().filter(|vectors| !vectors.is_empty())?;
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
    fn by_meaning(&self, model: &EmbeddingModel, vector: &[f32]) -> Result<(Likeness, bool)> {
        let library = &self.gather.search.library;
        let filter = Filter { corpora: Some(vec![CorpusName::Vault]), ..Filter::default() };
        let mut like = Likeness::default();
        for scored in library.vectors.nearest(model, vector, &filter, 1)? {
            let passage = library.passages.stored(&[scored.id])?.into_iter().next();
            let nearest = passage.map(|passage| passage.path.to_string());
            like = like.or(Likeness { similarity: scored.score.clamp(0.0, 1.0), nearest });
        }
        for (id, known) in self.store.embeddings(model)? {
            let cosine: f32 = known.iter().zip(vector).map(|(one, other)| one * other).sum();
            if cosine > like.similarity {
                let nearest = self.store.finding(&id)?.map(|finding| finding.url);
                like = Likeness { similarity: cosine.clamp(0.0, 1.0), nearest };
            }
        }
        let (done, all) = library.vectors.progress(model)?;
        Ok((like, done == all))
    }

    /// How much of the page stands word for word in some note, or in the page of an earlier finding.
    fn by_words(&self, page: &PageText) -> Result<Likeness> {
        let own = Shingles::of(page.text.look());
        let words = match self.words.get() {
            Some(words) => words,
            None => {
                let read = self.read_words()?;
                self.words.get_or_init(|| read)
            }
        };
        let like = words.iter().map(|(name, known)| Likeness {
            similarity: own.contained_in(known),
            nearest: Some(name.clone()),
        });
        let like = like.fold(Likeness::default(), Likeness::or).or(self.in_findings(&own)?);
        Ok(if like.similarity > 0.0 { like } else { Likeness::default() })
    }

    fn read_words(&self) -> Result<Vec<(String, Shingles)>> {
        let mut words = Vec::new();
        let vault = self.gather.vault;
        for entry in vault.files.list()?.files.into_iter().filter(|entry| entry.path.is_note()) {
            // One that can't be read can't be compared.
            if let Ok(note) = vault.read(&entry.path) {
                words.push((entry.path.to_string(), Shingles::of(&note.text)));
            }
        }
        Ok(words)
    }

    /// The earlier finding in whose page most of it stands.
    fn in_findings(&self, own: &Shingles) -> Result<Likeness> {
        self.sketch_all()?;
        let mut near: Vec<(f32, FindingId)> = Vec::new();
        self.store.each_sketch(&mut |id, sketch| {
            let about = sketch.holds(own);
            if about > 0.0 && (near.len() < NEAR || near.last().is_some_and(|(least, _)| about > *least)) {
                let at = near.partition_point(|(known, _)| *known >= about);
                near.insert(at, (about, id.clone()));
                near.truncate(NEAR);
            }
        })?;
        let mut like = Likeness::default();
        for (_, id) in near {
            let Some(finding) = self.store.finding(&id)? else { continue };
            let Some(text) = self.text_of(&finding) else { continue };
            let similarity = own.contained_in(&Shingles::of(&text));
            like = like.or(Likeness { similarity, nearest: Some(finding.url) });
        }
        Ok(like)
    }

    /// Sees to it that every finding has what it is compared by.
    fn sketch_all(&self) -> Result<()> {
        loop {
            let some = self.store.unsketched(AT_ONCE)?;
            if some.is_empty() {
                return Ok(());
            }
            let sketch = |finding: &Finding| {
                let text = self.text_of(finding).unwrap_or_default();
                (finding.id.clone(), Sketch::of(&Shingles::of(&text)))
            };
            self.store.keep_sketches(&some.iter().map(sketch).collect::<Vec<_>>())?;
        }
    }

    /// One that can't be read any more can't be compared.
    fn text_of(&self, finding: &Finding) -> Option<String> {
        self.gather.snapshots.kept(finding.snapshot).ok().flatten()
    }
}
