//! Searches passages: by words, by meaning, or by both.
//!
//! A hit is evidence. Its text is read from the file each time, and only if the file is still the indexed one; a
//! changed file is indexed again before the search returns.

mod explanation;
mod fusion;
mod hits;
mod listing;
mod misspelling;
mod phrases;
mod relevance;
mod several;
mod similar;
mod snippet;
mod user_query;
mod words_only;

use std::collections::HashMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wellread_text::{ChunkKind, QueryTerm, query_terms, to_comparable};

pub use explanation::{ExplainedPassage, SearchExplanation, TermUse};
pub use fusion::PassageSignals;
use fusion::{FusionRules, RankedPassage, fuse_rankings};
use relevance::NearnessLines;
pub use relevance::Relevance;
pub use several::{MAX_QUERIES, SharedAnswer, SharedHit};
pub use similar::{SimilarNote, SimilarNotes};
pub use snippet::snippet;
pub use user_query::UserQuery;

use crate::domain::corpus::{CorpusName, Place};
pub use crate::domain::evidence::Provenance;
use crate::library::indexing::{IndexSync, Library, embedding_scope};
use crate::ports::{
    Embedder, EmbeddingModel, EmbeddingPurpose, PassageFilter, PassageId, PassageScore, WordMatches,
};
use crate::{Error, Result};

/// How to search.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = crate::domain::schema::list_variant_names)]
pub enum SearchMode {
    /// By words and by meaning.
    #[default]
    Hybrid,
    /// By meaning only.
    Semantic,
    /// By words only.
    Keyword,
}

/// A query and how to search for it.
#[derive(Debug, Clone)]
pub struct SearchRequest {
    /// What to search for; empty for all files that the filter chooses.
    pub query: String,
    /// By words, by meaning, or both.
    pub mode: SearchMode,
    /// Which passages to consider.
    pub filter: PassageFilter,
    /// The most hits in all.
    pub limit: usize,
    /// The most hits of one file.
    pub per_file: usize,
}

/// A passage that was found: text at a place.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// Where the text is.
    pub place: Place,
    /// The text there now, byte for byte: whole lines, unless a line is too long.
    pub text: String,
    /// The kind of passage.
    pub kind: ChunkKind,
    /// The headings above a note's passage, or the names of the definitions around code.
    pub context: Vec<String>,
    /// Between 0 and 1; higher is better. Scores of different queries can't be compared.
    pub score: f32,
    /// Which search found it.
    pub provenance: Provenance,
    /// How much it has to do with the query, whatever its rank.
    pub relevance: Relevance,
    /// What its score was computed from.
    pub signals: PassageSignals,
}

impl Hit {
    /// The heading above a note's passage: `top-level` without one, `frontmatter` in the frontmatter. `None` for code.
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

/// The result of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchAnswer {
    /// The hits, best first.
    pub hits: Vec<Hit>,
    /// The mode that was used in the end: without vectors, a search falls back to words.
    pub mode: SearchMode,
    /// A notice for the user, such as missing vectors and what to do about them.
    pub notice: Option<String>,
}

/// What a face says if a search has no hits.
pub const NOTHING_FOUND: &str = "No matching documents found";

/// The search over a library.
#[derive(Clone)]
pub struct Searcher {
    /// The corpora and their index.
    pub library: Arc<Library>,
    /// The model that computes the query's vector.
    pub embedder: Arc<dyn Embedder>,
    /// Whether the index has all changes that are known.
    pub sync: Arc<IndexSync>,
}

impl std::fmt::Debug for Searcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Searcher").field("library", &self.library).finish_non_exhaustive()
    }
}

/// What an answer says where changes could not be waited for.
const BEHIND: &str = "the index is being updated: the latest changes may not be in it yet";
/// The number of candidates of each ranking.
const CANDIDATES: usize = 200;

impl Searcher {
    /// Searches the library.
    pub fn find(&self, request: &SearchRequest) -> Result<SearchAnswer> {
        if request.limit == 0 {
            return Err(Error::invalid("ask for at least one result"));
        }
        if request.query.trim().is_empty() {
            return self.list_chosen_files(request);
        }
        let question = self.prepare_query(&request.query, request.mode)?;
        self.find_prepared(request, question)
    }

    /// Like [`find`](Self::find), with what is nearest although it has little to do with the query, after everything else
    /// and with a score of 0. It counts towards the limits. For callers that read the passages themselves.
    pub fn find_widely(&self, request: &SearchRequest) -> Result<SearchAnswer> {
        if request.limit == 0 || request.query.trim().is_empty() {
            return self.find(request);
        }
        let question = self.prepare_query(&request.query, request.mode)?;
        self.find_prepared(request, PreparedQuery { keeps_unrelated: true, ..question })
    }

    /// Searches for a query that is prepared already.
    fn find_prepared(&self, request: &SearchRequest, mut question: PreparedQuery) -> Result<SearchAnswer> {
        let request = &self.limit_to_readable(request);
        // Asked before: what comes into the index from here on may not be found.
        let incomplete = self.incomplete_notice(question.meaning.as_ref())?;
        // A file found to be changed is indexed, and the search is repeated once. If it changes again, the result
        // leaves it out.
        for last in [false, true] {
            let ranked = self.rank_candidates(request, &mut question)?;
            let (hits, stale) = self.read_hits(request, &question, &ranked);
            if stale.is_empty() || last {
                let notice = join_notices([question.notice, incomplete]);
                return Ok(SearchAnswer { hits, mode: question.mode, notice });
            }
            for (corpus, path) in stale {
                self.library.update_files(&corpus, &[path])?;
            }
        }
        Err(Error::failed("the search did not finish"))
    }

    /// Restricts the request to readable corpora: the index may have a repository that another process added.
    fn limit_to_readable(&self, request: &SearchRequest) -> SearchRequest {
        let mut request = request.clone();
        let readable = self.library.corpora.iter().map(|(name, _)| name.clone());
        let wanted = request.filter.corpora.take();
        let is_wanted = |name: &CorpusName| wanted.as_ref().is_none_or(|wanted| wanted.contains(name));
        request.filter.corpora = Some(readable.filter(is_wanted).collect());
        request
    }

    /// Prepares the query for the index. If it can't be searched by meaning, it is searched by words.
    fn prepare_query(&self, query: &str, mode: SearchMode) -> Result<PreparedQuery> {
        let terms = query_terms(query);
        if mode == SearchMode::Keyword {
            return Ok(PreparedQuery { mode, terms, ..PreparedQuery::without_words() });
        }
        let meaning = self.embedder.model().and_then(|model| {
            let vector = self.embedder.embed(&[query], EmbeddingPurpose::Query)?.pop();
            vector.map(|vector| (model, vector)).ok_or_else(|| Error::failed("the model returned no vector"))
        });
        Ok(match meaning {
            Ok(meaning) => {
                let lines = if self.embedder.has_standard_scale() {
                    NearnessLines::falling
                } else {
                    NearnessLines::fixed
                };
                let nearness = Some(lines(self.embedder.related_from()));
                let meaning = Some(meaning);
                PreparedQuery { mode, terms, meaning, nearness, ..PreparedQuery::without_words() }
            }
            Err(error) => {
                let hint = error.hint_text().map(|hint| format!("; {hint}")).unwrap_or_default();
                let notice = format!("searched by words only: {}{hint}", error.message());
                PreparedQuery { terms, notice: Some(notice), ..PreparedQuery::without_words() }
            }
        })
    }

    /// All candidates, best first.
    fn rank_candidates(
        &self,
        request: &SearchRequest,
        question: &mut PreparedQuery,
    ) -> Result<Vec<RankedPassage>> {
        let (library, filter) = (&self.library, &request.filter);
        // A ranking by words alone needs fewer candidates than one fused from two.
        let least = if question.meaning.is_some() { CANDIDATES } else { CANDIDATES / 4 };
        let limit = least.max(request.limit * 4);
        let words = match question.mode {
            SearchMode::Semantic => WordMatches::default(),
            _ if question.terms.is_empty() => WordMatches::default(),
            _ => self.match_words(question, filter, limit)?,
        };
        let required = self.find_with_phrases(question, filter)?;
        let is_allowed = |id: &PassageId| required.as_ref().is_none_or(|required| required.contains_key(id));
        let mut signals: HashMap<PassageId, PassageSignals> = HashMap::new();
        for (id, words) in required.iter().flatten() {
            signals.insert(*id, PassageSignals { words: *words, ..PassageSignals::default() });
        }
        for PassageScore { id, score } in words.passages.iter().filter(|scored| is_allowed(&scored.id)) {
            let (all_words, named) = (words.complete.contains(id), words.named.contains(id));
            signals.insert(*id, PassageSignals { words: Some(*score), all_words, named, cosine: None });
        }
        if let Some((model, vector)) = &question.meaning {
            let mut ids: Vec<PassageId> = signals.keys().copied().collect();
            ids.sort_unstable();
            for (id, cosine) in ids.iter().zip(library.vectors.cosines(model, vector, &ids)?) {
                signals.entry(*id).or_default().cosine = cosine;
            }
            let nearest = library.vectors.nearest(model, vector, filter, limit)?;
            // All that there are, where they are few.
            question.nearness = question.nearness.map(|lines| lines.among(nearest.len()));
            for PassageScore { id, score } in nearest.into_iter().filter(|scored| is_allowed(&scored.id)) {
                signals.entry(id).or_default().cosine = Some(score);
            }
        }
        let mut ids: Vec<PassageId> = signals.keys().copied().collect();
        ids.sort_unstable();
        let stored = library.passages.load_passages(&ids)?;
        let asked = to_plain_heading(&request.query);
        let found = stored.into_iter().map(|passage| {
            let mut signals = signals.get(&passage.id).copied().unwrap_or_default();
            // A section whose heading is the query is named by it, as a note by its title.
            let heading = passage.context.last().filter(|_| passage.kind == ChunkKind::Text);
            let is_its_heading =
                !asked.is_empty() && heading.is_some_and(|heading| to_plain_heading(heading) == asked);
            signals.named |= signals.words.is_some() && is_its_heading;
            (passage, signals)
        });
        Ok(fuse_rankings(found, question.fusion_rules()))
    }

    /// A notice if the index or its vectors are still being built or lack changes; `None` if both are complete.
    fn incomplete_notice(&self, meaning: Option<&(EmbeddingModel, Vec<f32>)>) -> Result<Option<String>> {
        if !self.library.index.read_state()?.complete {
            return Ok(Some("the index is still being built: some files are not in it yet".to_owned()));
        }
        let behind = self.sync.is_behind().then(|| BEHIND.to_owned());
        let Some((model, _)) = meaning else { return Ok(behind) };
        let scope = embedding_scope(&*self.embedder);
        let (made, all) = self.library.vectors.progress(model, scope)?;
        let unembedded = (made < all).then(|| {
            format!("{made} of {all} passages have vectors; the others were searched by words only (`wellread index` creates them)")
        });
        Ok(join_notices([behind, unembedded]))
    }
}

/// These notices as one; `None` where there is none.
fn join_notices(notices: impl IntoIterator<Item = Option<String>>) -> Option<String> {
    let notices: Vec<String> = notices.into_iter().flatten().collect();
    (!notices.is_empty()).then(|| notices.join(". "))
}

/// A heading or a query without case, marks and spaces at its ends.
fn to_plain_heading(text: &str) -> String {
    let plain = to_comparable(text).to_lowercase();
    plain.trim_matches(|letter: char| !letter.is_alphanumeric()).to_owned()
}

impl PreparedQuery {
    /// A query that has neither words nor meaning.
    fn without_words() -> Self {
        Self {
            mode: SearchMode::Keyword,
            terms: Vec::new(),
            phrases: Vec::new(),
            meaning: None,
            nearness: None,
            notice: None,
            keeps_unrelated: false,
        }
    }

    fn fusion_rules(&self) -> FusionRules {
        FusionRules {
            nearness: self.nearness,
            names_something: self.has_identifier(),
            keeps_unrelated: self.keeps_unrelated,
        }
    }

    /// Whether the query contains an identifier: `parse_line`, `HttpClient`, `fs.read`.
    fn has_identifier(&self) -> bool {
        let spelled = |term: &QueryTerm| {
            term.written.contains(['_', '.'])
                || (term.forms.len() > 1 && term.written.bytes().any(|byte| byte.is_ascii_uppercase()))
        };
        self.terms.iter().any(spelled)
    }
}

/// A parsed query.
struct PreparedQuery {
    mode: SearchMode,
    terms: Vec<QueryTerm>,
    /// The phrases that every hit contains.
    phrases: Vec<QueryTerm>,
    meaning: Option<(EmbeddingModel, Vec<f32>)>,
    /// Where nearness to the query begins to count; `None` without a model.
    nearness: Option<NearnessLines>,
    notice: Option<String>,
    /// Whether passages that have little to do with the query are kept, too.
    keeps_unrelated: bool,
}
