//! Why a file is found where it is, or not at all.

use serde::Serialize;
use wellread_text::query_terms;

use super::{Mode, Provenance, Request, Search};
use crate::Result;
use crate::corpus::{CorpusName, VaultPath};
use crate::ports::{FileState, Filter, Which};

/// The place of a file in the answer to a query, and what put it there.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Why {
    pub path: String,
    /// In one sentence.
    pub verdict: String,
    /// From 1, among files; none where it is not among those that were looked at.
    pub rank: Option<usize>,
    pub mode: Mode,
    pub terms: Vec<TermUse>,
    pub passages: Vec<WhyPassage>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

/// What became of a word of the query.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TermUse {
    pub term: String,
    pub in_this_file: bool,
    pub in_any_file: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WhyPassage {
    pub start_line: usize,
    pub end_line: usize,
    pub score: f32,
    pub provenance: Provenance,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cosine: Option<f32>,
}

/// How far down the ranking is looked at.
const DEPTH: usize = 1000;

impl Search {
    pub fn why(&self, query: &str, corpus: &CorpusName, path: &VaultPath, mode: Mode) -> Result<Why> {
        let everywhere =
            Request { query: query.to_owned(), mode, filter: Filter::default(), limit: DEPTH, per_file: 1 };
        let answer = self.find(&everywhere)?;
        let is_it = |hit: &super::Hit| (&hit.place.corpus, &hit.place.path) == (corpus, path);
        let rank = answer.hits.iter().position(is_it).map(|at| at + 1);
        let here = Filter { path: Some((corpus.clone(), path.clone())), ..Filter::default() };
        let own = Request { filter: here.clone(), limit: 5, per_file: 5, ..everywhere };
        let own = self.find(&own)?;
        let question = self.question(query, answer.mode)?;
        let mut passages = Vec::new();
        for hit in &own.hits {
            let cosine = match &question.meaning {
                Some((model, vector)) => {
                    let near = self.library.vectors.nearest(model, vector, &here, DEPTH)?;
                    let ids: Vec<_> = near.iter().map(|scored| scored.id).collect();
                    let stored = self.library.passages.stored(&ids)?;
                    let own = stored
                        .iter()
                        .find(|passage| passage.lines == hit.place.lines)
                        .map(|passage| passage.id);
                    near.iter().find(|scored| Some(scored.id) == own).map(|scored| scored.score)
                }
                None => None,
            };
            passages.push(WhyPassage {
                start_line: hit.place.lines.0,
                end_line: hit.place.lines.1,
                score: hit.score,
                provenance: hit.provenance,
                cosine,
            });
        }
        let terms = query_terms(query)
            .into_iter()
            .map(|term| {
                let found = |filter: &Filter| {
                    self.library
                        .passages
                        .matching(std::slice::from_ref(&term), filter, 1)
                        .map(|found| !found.is_empty())
                };
                let (in_this_file, in_any_file) = (found(&here)?, found(&Filter::default())?);
                Ok(TermUse { term: term.written, in_this_file, in_any_file })
            })
            .collect::<Result<Vec<_>>>()?;
        let verdict = self.verdict(corpus, path, rank, &terms)?;
        Ok(Why {
            path: path.to_string(),
            verdict,
            rank,
            mode: answer.mode,
            terms,
            passages,
            notice: answer.notice,
        })
    }

    fn verdict(
        &self,
        corpus: &CorpusName,
        path: &VaultPath,
        rank: Option<usize>,
        terms: &[TermUse],
    ) -> Result<String> {
        let known = self.library.index.known(corpus, Which::These(&[path]))?;
        Ok(match (known.first().map(|file| &file.state), rank) {
            (None, _) => "it is not in the index: it is excluded, or no such file is there".to_owned(),
            (Some(FileState::Skipped(reason)), _) => format!("it could not be indexed: {reason}"),
            (Some(FileState::Named), _) => "its content is no text that is searched".to_owned(),
            (_, Some(rank)) => format!("it is number {rank} of the files found"),
            (_, None) if !terms.iter().any(|term| term.in_this_file) => {
                "it has none of the query's words, and its meaning is not near enough".to_owned()
            }
            (_, None) => format!("it is not among the first {DEPTH} files: others fit better"),
        })
    }
}
