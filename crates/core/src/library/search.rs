//! Finding passages: by their words, by what they mean, or by both.
//!
//! A hit is evidence. Its text is read from the file each time, and only where the file is still the one that was
//! indexed; one that has changed is indexed again before the answer is given.

mod explanation;
mod fusion;
mod hits;
mod snippet;

use std::collections::HashMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wellread_text::{ChunkKind, QueryTerm, query_terms};

pub use explanation::{ExplainedPassage, SearchExplanation, TermUse};
use fusion::{PassageSignals, RankedPassage, fuse_rankings};
pub use snippet::snippet;

use crate::domain::corpus::Place;
pub use crate::domain::evidence::Provenance;
use crate::library::indexing::Library;
use crate::ports::{Embedder, EmbeddingModel, EmbeddingPurpose, PassageFilter, PassageId, PassageScore};
use crate::{Error, Result};

/// How to look.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SearchMode {
    #[default]
    Hybrid,
    Semantic,
    Keyword,
}

#[derive(Debug, Clone)]
pub struct SearchRequest {
    pub query: String,
    pub mode: SearchMode,
    pub filter: PassageFilter,
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
pub struct SearchAnswer {
    pub hits: Vec<Hit>,
    /// How it was looked for in the end.
    pub mode: SearchMode,
    /// Something the user should know: that vectors are missing, and what to do about it.
    pub notice: Option<String>,
}

/// The search over a library.
#[derive(Clone)]
pub struct Searcher {
    pub library: Arc<Library>,
    pub embedder: Arc<dyn Embedder>,
}

impl std::fmt::Debug for Searcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Search").field("library", &self.library).finish_non_exhaustive()
    }
}

/// How many candidates each side gives.
const CANDIDATES: usize = 200;

impl Searcher {
    pub fn find(&self, request: &SearchRequest) -> Result<SearchAnswer> {
        if request.query.trim().is_empty() {
            return Err(Error::invalid("the query is empty"));
        }
        if request.limit == 0 {
            return Err(Error::invalid("at least one result must be asked for"));
        }
        let question = self.prepare_query(&request.query, request.mode)?;
        let request = &self.limit_to_readable(request);
        // A file that was found to have changed is indexed and everything looked up once more. Who saves all the time
        // gets the answer without that file.
        for last in [false, true] {
            let ranked = self.rank_candidates(request, &question)?;
            let (hits, stale) = self.read_hits(request, &ranked);
            if stale.is_empty() || last {
                let notice = question.notice.or(self.incomplete_notice(question.meaning.as_ref())?);
                return Ok(SearchAnswer { hits, mode: question.mode, notice });
            }
            for (corpus, path) in stale {
                self.library.update_files(&corpus, &[path])?;
            }
        }
        Err(Error::failed("the search did not come to an end"))
    }

    /// The request over what can be read: an index may hold a repository that another process has added.
    fn limit_to_readable(&self, request: &SearchRequest) -> SearchRequest {
        let mut request = request.clone();
        let all = || self.library.corpora.iter().map(|(name, _)| name.clone()).collect();
        request.filter.corpora = Some(request.filter.corpora.take().unwrap_or_else(all));
        request
    }

    /// The query as the index is asked: where it can't be asked for its meaning, by its words.
    fn prepare_query(&self, query: &str, mode: SearchMode) -> Result<PreparedQuery> {
        let terms = query_terms(query);
        if mode == SearchMode::Keyword {
            return Ok(PreparedQuery { mode, terms, meaning: None, notice: None });
        }
        let meaning = self.embedder.model().and_then(|model| {
            let vector = self.embedder.embed(&[query], EmbeddingPurpose::Query)?.pop();
            vector.map(|vector| (model, vector)).ok_or_else(|| Error::failed("the model gave no vector"))
        });
        Ok(match meaning {
            Ok(meaning) => PreparedQuery { mode, terms, meaning: Some(meaning), notice: None },
            Err(error) => {
                let hint = error.hint_text().map(|hint| format!("; {hint}")).unwrap_or_default();
                let notice = format!("searched by words alone: {}{hint}", error.message());
                PreparedQuery { mode: SearchMode::Keyword, terms, meaning: None, notice: Some(notice) }
            }
        })
    }

    /// Every candidate, best first.
    fn rank_candidates(
        &self,
        request: &SearchRequest,
        question: &PreparedQuery,
    ) -> Result<Vec<RankedPassage>> {
        let (library, filter) = (&self.library, &request.filter);
        // Words alone rank as they are found; to mix two rankings takes more of each.
        let least = if question.meaning.is_some() { CANDIDATES } else { CANDIDATES / 4 };
        let limit = least.max(request.limit * 4);
        let words = match question.mode {
            SearchMode::Semantic => Vec::new(),
            _ if question.terms.is_empty() => Vec::new(),
            _ => library.passages.find_matching(&question.terms, filter, limit)?,
        };
        let mut signals: HashMap<PassageId, PassageSignals> = HashMap::new();
        for PassageScore { id, score } in &words {
            signals.entry(*id).or_default().words = Some(*score);
        }
        if let Some((model, vector)) = &question.meaning {
            for id in library.passages.find_holding_all(&question.terms, filter)? {
                signals.entry(id).and_modify(|signals| signals.all_words = true);
            }
            let ids: Vec<PassageId> = words.iter().map(|scored| scored.id).collect();
            for (id, cosine) in ids.iter().zip(library.vectors.cosines(model, vector, &ids)?) {
                signals.entry(*id).or_default().cosine = cosine;
            }
            for PassageScore { id, score } in library.vectors.nearest(model, vector, filter, limit)? {
                signals.entry(id).or_default().cosine = Some(score);
            }
        }
        let mut ids: Vec<PassageId> = signals.keys().copied().collect();
        ids.sort_unstable();
        let stored = library.passages.load_passages(&ids)?;
        let found = stored.into_iter().map(|passage| {
            let signals = signals.get(&passage.id).copied().unwrap_or_default();
            (passage, signals)
        });
        Ok(fuse_rankings(found, question.meaning.is_some(), question.has_identifier()))
    }

    /// What is still being made.
    fn incomplete_notice(&self, meaning: Option<&(EmbeddingModel, Vec<f32>)>) -> Result<Option<String>> {
        if !self.library.index.read_state()?.complete {
            return Ok(Some("the index is still being made: not every file is in it yet".to_owned()));
        }
        let Some((model, _)) = meaning else { return Ok(None) };
        let (made, all) = self.library.vectors.progress(model)?;
        Ok((made < all).then(|| {
            format!("{made} of {all} passages have vectors; the others were searched by words alone (`wellread index` makes them)")
        }))
    }
}

impl PreparedQuery {
    /// Whether it spells a name, as code has them: `parse_line`, `HttpClient`, `fs.read`.
    fn has_identifier(&self) -> bool {
        let spelled = |term: &QueryTerm| {
            term.written.contains(['_', '.'])
                || (term.forms.len() > 1 && term.written.bytes().any(|byte| byte.is_ascii_uppercase()))
        };
        self.terms.iter().any(spelled)
    }
}

/// A query, understood.
struct PreparedQuery {
    mode: SearchMode,
    terms: Vec<QueryTerm>,
    meaning: Option<(EmbeddingModel, Vec<f32>)>,
    notice: Option<String>,
}
