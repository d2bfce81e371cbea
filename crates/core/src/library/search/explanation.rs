//! Explains why a file is found at its rank, or not at all.

use serde::Serialize;
use wellread_text::{QueryTerm, query_terms};

use super::{Hit, Provenance, SearchMode, SearchRequest, Searcher, UserQuery};
use crate::Result;
use crate::domain::corpus::{CorpusName, VaultPath};
use crate::ports::{Exclusions, FileState, KnownFileFilter, PassageFilter};

/// A file's rank in the result of a query, and the reasons for it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SearchExplanation {
    /// The file's path.
    pub path: String,
    /// The explanation in one sentence.
    pub verdict: String,
    /// The file's rank from 1; none if it is not among the files considered.
    pub rank: Option<usize>,
    /// The mode that was used.
    pub mode: SearchMode,
    /// The query's words, and where they occur.
    pub terms: Vec<TermUse>,
    /// The file's best passages.
    pub passages: Vec<ExplainedPassage>,
    /// A notice for the user, such as missing vectors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

/// Where a word of the query occurs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TermUse {
    /// The word as written in the query.
    pub term: String,
    /// Whether the file contains it.
    pub in_this_file: bool,
    /// Whether any file contains it.
    pub in_any_file: bool,
}

/// A passage of the explained file with its scores.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExplainedPassage {
    /// The first line, from 1.
    pub start_line: usize,
    /// The last line, from 1, included.
    pub end_line: usize,
    /// The fused score.
    pub score: f32,
    /// Which search found it.
    pub provenance: Provenance,
    /// The cosine of the query's and the passage's vectors, if both exist.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cosine: Option<f32>,
}

/// How many ranks are considered.
const DEPTH: usize = 1000;

impl Searcher {
    /// Explains the rank of a file in the result of a query.
    pub fn explain(
        &self,
        query: &str,
        corpus: &CorpusName,
        path: &VaultPath,
        mode: SearchMode,
    ) -> Result<SearchExplanation> {
        let parsed = UserQuery::parse(query);
        let query = parsed.text.as_str();
        let everywhere = SearchRequest {
            query: query.to_owned(),
            mode,
            filter: parsed.narrow(PassageFilter::default()),
            limit: DEPTH,
            per_file: 1,
        };
        let answer = self.find_as_written(&everywhere)?;
        let is_it = |hit: &Hit| (&hit.place.corpus, &hit.place.path) == (corpus, path);
        let rank = answer.hits.iter().position(is_it).map(|at| at + 1);
        let here = PassageFilter { path: Some((corpus.clone(), path.clone())), ..PassageFilter::default() };
        // A query without words lists files, and has nothing to search for in this one.
        let own = if query.is_empty() {
            Vec::new()
        } else {
            let own = SearchRequest { filter: here.clone(), limit: 5, per_file: 5, ..everywhere.clone() };
            self.find_as_written(&own)?.hits
        };
        let explained = |hit: &Hit| ExplainedPassage {
            start_line: hit.place.lines.0,
            end_line: hit.place.lines.1,
            score: hit.score,
            provenance: hit.provenance,
            cosine: hit.signals.cosine,
        };
        let passages = own.iter().map(explained).collect();
        let terms = self.explain_terms(query, &here)?;
        let verdict = self.explain_rank(&everywhere, corpus, path, rank, &terms)?;
        Ok(SearchExplanation {
            path: path.to_string(),
            verdict,
            rank,
            mode: answer.mode,
            terms,
            passages,
            notice: answer.notice,
        })
    }

    /// Which words of the query occur in the file, and which anywhere.
    fn explain_terms(&self, query: &str, here: &PassageFilter) -> Result<Vec<TermUse>> {
        let occurs = |term: &QueryTerm, filter: &PassageFilter| {
            let found = self.library.passages.find_matching(std::slice::from_ref(term), filter, 1)?.passages;
            Ok::<_, crate::Error>(!found.is_empty())
        };
        let explain = |term: QueryTerm| {
            let (in_this_file, in_any_file) =
                (occurs(&term, here)?, occurs(&term, &PassageFilter::default())?);
            Ok(TermUse { term: term.written, in_this_file, in_any_file })
        };
        query_terms(query).into_iter().map(explain).collect()
    }

    /// Why the query leaves a file out, whatever its words; `None` if it does not.
    fn explain_filter(&self, filter: PassageFilter) -> Result<Option<&'static str>> {
        let accepts = |filter: &PassageFilter| {
            Ok::<_, crate::Error>(!self.library.passages.list_files(filter, 1)?.is_empty())
        };
        let narrows = filter.chooses_files() || !filter.excluded.is_empty();
        if !narrows || accepts(&filter)? {
            return Ok(None);
        }
        let without_exclusions = PassageFilter { excluded: Exclusions::default(), ..filter };
        Ok(Some(if accepts(&without_exclusions)? {
            "the query leaves it out: something after a `-` applies to it"
        } else {
            "it does not pass the query's filters: it lacks a tag, or is not in a folder, that the query asks for"
        }))
    }

    fn explain_rank(
        &self,
        request: &SearchRequest,
        corpus: &CorpusName,
        path: &VaultPath,
        rank: Option<usize>,
        terms: &[TermUse],
    ) -> Result<String> {
        let known = self.library.index.known_files(corpus, KnownFileFilter::These(&[path]))?;
        let filter = PassageFilter { path: Some((corpus.clone(), path.clone())), ..request.filter.clone() };
        let left_out = if rank.is_none() { self.explain_filter(filter)? } else { None };
        let only_filters = request.query.is_empty();
        Ok(match (known.first().map(|file| &file.state), rank, left_out) {
            (None, _, _) => "it is not in the index: it is excluded, or does not exist".to_owned(),
            (Some(FileState::Skipped(reason)), _, _) => format!("it could not be indexed: {reason}"),
            (Some(FileState::Named), _, _) => "its content is not searchable text".to_owned(),
            (_, Some(rank), _) if only_filters => {
                format!("it passes the query's filters: it is number {rank} of the files found")
            }
            (_, Some(rank), _) => format!("it is number {rank} of the files found"),
            (_, None, Some(reason)) => reason.to_owned(),
            (_, None, None) if only_filters => {
                format!("it passes the query's filters, but is not among the newest {DEPTH} files")
            }
            (_, None, None) if !terms.iter().any(|term| term.in_this_file) => {
                "it contains none of the query's words, and its meaning is not close enough".to_owned()
            }
            (_, None, None) => format!("it is not among the first {DEPTH} files: others match better"),
        })
    }
}
