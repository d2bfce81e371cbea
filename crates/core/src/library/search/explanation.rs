//! Explains why a file is found at its rank, or not at all.

use serde::Serialize;
use wellread_text::{QueryTerm, query_terms};

use super::{Hit, Provenance, SearchMode, SearchRequest, Searcher, UserQuery};
use crate::Result;
use crate::domain::corpus::{CorpusName, VaultPath};
use crate::ports::{FileState, KnownFileFilter, PassageFilter};

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
        let answer = self.find(&everywhere)?;
        let is_it = |hit: &Hit| (&hit.place.corpus, &hit.place.path) == (corpus, path);
        let rank = answer.hits.iter().position(is_it).map(|at| at + 1);
        let here = PassageFilter { path: Some((corpus.clone(), path.clone())), ..PassageFilter::default() };
        let own = SearchRequest { filter: here.clone(), limit: 5, per_file: 5, ..everywhere };
        let own = self.find(&own)?;
        let explained = |hit: &Hit| ExplainedPassage {
            start_line: hit.place.lines.0,
            end_line: hit.place.lines.1,
            score: hit.score,
            provenance: hit.provenance,
            cosine: hit.signals.cosine,
        };
        let passages = own.hits.iter().map(explained).collect();
        let terms = self.explain_terms(query, &here)?;
        let verdict = self.explain_rank(corpus, path, rank, &terms)?;
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

    fn explain_rank(
        &self,
        corpus: &CorpusName,
        path: &VaultPath,
        rank: Option<usize>,
        terms: &[TermUse],
    ) -> Result<String> {
        let known = self.library.index.known_files(corpus, KnownFileFilter::These(&[path]))?;
        Ok(match (known.first().map(|file| &file.state), rank) {
            (None, _) => "it is not in the index: it is excluded, or does not exist".to_owned(),
            (Some(FileState::Skipped(reason)), _) => format!("it could not be indexed: {reason}"),
            (Some(FileState::Named), _) => "its content is not searchable text".to_owned(),
            (_, Some(rank)) => format!("it is number {rank} of the files found"),
            (_, None) if !terms.iter().any(|term| term.in_this_file) => {
                "it contains none of the query's words, and its meaning is not close enough".to_owned()
            }
            (_, None) => format!("it is not among the first {DEPTH} files: others match better"),
        })
    }
}
