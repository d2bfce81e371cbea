//! Finding passages: by their words, by what they mean, or by both.
//!
//! A hit is evidence. Its text is read from the file each time, and only where the file is still the one that was
//! indexed; one that has changed is indexed again before the answer is given.

mod fuse;
mod hits;
mod snippet;
mod why;

use std::collections::HashMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wellread_text::{ChunkKind, QueryTerm, query_terms};

use fuse::{Candidate, Signals, fused};
pub use snippet::snippet;
pub use why::{TermUse, Why, WhyPassage};

use crate::corpus::Place;
pub use crate::evidence::Provenance;
use crate::indexing::Library;
use crate::ports::{Embedder, EmbeddingModel, Filter, PassageId, Purpose, Scored};
use crate::{Error, Result};

/// How to look.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    #[default]
    Hybrid,
    Semantic,
    Keyword,
}

#[derive(Debug, Clone)]
pub struct Request {
    pub query: String,
    pub mode: Mode,
    pub filter: Filter,
    /// How many hits at the most, and how many of one file.
    pub limit: usize,
    pub per_file: usize,
}

/// A passage that was found: text at a place.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    pub place: Place,
    /// What stands there now, byte for byte: whole lines, unless a line is too long to be shown.
    pub text: String,
    pub kind: ChunkKind,
    /// A note's headings, or the names of the definitions that code is in.
    pub context: Vec<String>,
    /// Between 0 and 1; higher is better. Scores of different queries say nothing about each other.
    pub score: f32,
    pub provenance: Provenance,
}

impl Hit {
    /// The heading that a note's passage stands under.
    pub fn heading(&self) -> Option<&str> {
        match self.kind {
            ChunkKind::Text => Some(self.context.last().map_or("top-level", String::as_str)),
            ChunkKind::Frontmatter => Some("frontmatter"),
            ChunkKind::Definition | ChunkKind::Block => None,
        }
    }

    /// The qualified name of the definition that a passage of code is in.
    pub fn symbol(&self) -> Option<String> {
        (self.kind == ChunkKind::Definition && !self.context.is_empty()).then(|| self.context.join("."))
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    pub hits: Vec<Hit>,
    /// How it was looked for in the end.
    pub mode: Mode,
    /// Something the user should know: that vectors are missing, and what to do about it.
    pub notice: Option<String>,
}

/// The search over a library.
#[derive(Clone)]
pub struct Search {
    pub library: Arc<Library>,
    pub embedder: Arc<dyn Embedder>,
}

impl std::fmt::Debug for Search {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Search").field("library", &self.library).finish_non_exhaustive()
    }
}

/// How many candidates each side gives.
const CANDIDATES: usize = 200;

impl Search {
    pub fn find(&self, request: &Request) -> Result<Answer> {
        if request.query.trim().is_empty() {
            return Err(Error::invalid("the query is empty"));
        }
        if request.limit == 0 {
            return Err(Error::invalid("at least one result must be asked for"));
        }
        let question = self.question(&request.query, request.mode)?;
        let request = &self.within_reach(request);
        // A file that was found to have changed is indexed and everything looked up once more. Who saves all the time
        // gets the answer without that file.
        for last in [false, true] {
            let ranked = self.ranked(request, &question)?;
            let (hits, stale) = self.hits(request, &ranked);
            if stale.is_empty() || last {
                let notice = question.notice.or(self.incomplete(question.meaning.as_ref())?);
                return Ok(Answer { hits, mode: question.mode, notice });
            }
            for (corpus, path) in stale {
                self.library.touch(&corpus, &[path])?;
            }
        }
        Err(Error::failed("the search did not come to an end"))
    }

    /// The request over what can be read: an index may hold a repository that another process has added.
    fn within_reach(&self, request: &Request) -> Request {
        let mut request = request.clone();
        let all = || self.library.corpora.iter().map(|(name, _)| name.clone()).collect();
        request.filter.corpora = Some(request.filter.corpora.take().unwrap_or_else(all));
        request
    }

    /// The query as the index is asked: where it can't be asked for its meaning, by its words.
    fn question(&self, query: &str, mode: Mode) -> Result<Question> {
        let terms = query_terms(query);
        if mode == Mode::Keyword {
            return Ok(Question { mode, terms, meaning: None, notice: None });
        }
        let meaning = self.embedder.model().and_then(|model| {
            let vector = self.embedder.embed(&[query], Purpose::Query)?.pop();
            vector.map(|vector| (model, vector)).ok_or_else(|| Error::failed("the model gave no vector"))
        });
        Ok(match meaning {
            Ok(meaning) => Question { mode, terms, meaning: Some(meaning), notice: None },
            Err(error) => {
                let hint = error.hint_text().map(|hint| format!("; {hint}")).unwrap_or_default();
                let notice = format!("searched by words alone: {}{hint}", error.message());
                Question { mode: Mode::Keyword, terms, meaning: None, notice: Some(notice) }
            }
        })
    }

    /// Every candidate, best first.
    fn ranked(&self, request: &Request, question: &Question) -> Result<Vec<Candidate>> {
        let (library, filter) = (&self.library, &request.filter);
        // Words alone rank as they are found; to mix two rankings takes more of each.
        let least = if question.meaning.is_some() { CANDIDATES } else { CANDIDATES / 4 };
        let limit = least.max(request.limit * 4);
        let words = match question.mode {
            Mode::Semantic => Vec::new(),
            _ if question.terms.is_empty() => Vec::new(),
            _ => library.passages.matching(&question.terms, filter, limit)?,
        };
        let mut signals: HashMap<PassageId, Signals> = HashMap::new();
        for Scored { id, score } in &words {
            signals.entry(*id).or_default().words = Some(*score);
        }
        if let Some((model, vector)) = &question.meaning {
            for id in library.passages.holding_all(&question.terms, filter)? {
                signals.entry(id).and_modify(|signals| signals.all_words = true);
            }
            let ids: Vec<PassageId> = words.iter().map(|scored| scored.id).collect();
            for (id, cosine) in ids.iter().zip(library.vectors.cosines(model, vector, &ids)?) {
                signals.entry(*id).or_default().cosine = cosine;
            }
            for Scored { id, score } in library.vectors.nearest(model, vector, filter, limit)? {
                signals.entry(id).or_default().cosine = Some(score);
            }
        }
        let mut ids: Vec<PassageId> = signals.keys().copied().collect();
        ids.sort_unstable();
        let stored = library.passages.stored(&ids)?;
        let found = stored.into_iter().map(|passage| {
            let signals = signals.get(&passage.id).copied().unwrap_or_default();
            (passage, signals)
        });
        Ok(fused(found, question.meaning.is_some(), question.names_something()))
    }

    /// What is still being made.
    fn incomplete(&self, meaning: Option<&(EmbeddingModel, Vec<f32>)>) -> Result<Option<String>> {
        if !self.library.index.standing()?.complete {
            return Ok(Some("the index is still being made: not every file is in it yet".to_owned()));
        }
        let Some((model, _)) = meaning else { return Ok(None) };
        let (made, all) = self.library.vectors.progress(model)?;
        Ok((made < all).then(|| {
            format!("{made} of {all} passages have vectors; the others were searched by words alone (`wellread index` makes them)")
        }))
    }
}

impl Question {
    /// Whether it spells a name, as code has them: `parse_line`, `HttpClient`, `fs.read`.
    fn names_something(&self) -> bool {
        let spelled = |term: &QueryTerm| {
            term.written.contains(['_', '.'])
                || (term.forms.len() > 1 && term.written.bytes().any(|byte| byte.is_ascii_uppercase()))
        };
        self.terms.iter().any(spelled)
    }
}

/// A query, understood.
struct Question {
    mode: Mode,
    terms: Vec<QueryTerm>,
    meaning: Option<(EmbeddingModel, Vec<f32>)>,
    notice: Option<String>,
}
