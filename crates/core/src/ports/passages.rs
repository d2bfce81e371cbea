//! Finding passages by their words.

use std::collections::HashSet;

use wellread_text::QueryTerm;

use super::{PassageFilter, PassageId, StoredPassage};
use crate::Result;
use crate::domain::corpus::{CorpusName, VaultPath};

/// Finds passages by their words.
pub trait Passages: Send + Sync {
    /// The passages that contain some of the terms, best first. How rare a word is, is counted in each corpus by itself: what is
    /// in one corpus has no influence on the scores in another.
    fn find_matching(&self, terms: &[QueryTerm], filter: &PassageFilter, limit: usize)
    -> Result<WordMatches>;

    /// The words of titles, aliases and headings, and the names of definitions, that begin with this letter; in the filter's
    /// corpora, and in the form in which they are indexed.
    fn list_names(&self, first_letter: char, filter: &PassageFilter) -> Result<Vec<String>>;

    /// The first passage with text of each file that the filter accepts, the most recently modified file first.
    fn list_files(&self, filter: &PassageFilter, limit: usize) -> Result<Vec<PassageId>>;

    /// These passages, in this order; passages that no longer exist are skipped.
    fn load_passages(&self, ids: &[PassageId]) -> Result<Vec<StoredPassage>>;

    /// The files of a corpus that have a link with one of these keys.
    fn find_linking_files(&self, corpus: &CorpusName, keys: &[String]) -> Result<Vec<VaultPath>>;

    /// The files of a corpus, indexed or not, that a link with one of these keys can mean.
    fn find_named_files(&self, corpus: &CorpusName, keys: &[String]) -> Result<Vec<VaultPath>>;
}

/// What a search by words finds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WordMatches {
    /// The passages, best first. A score is above 0 and at most 1: the share of the best match that is possible for this query,
    /// so that scores in different corpora can be compared.
    pub passages: Vec<PassageScore>,
    /// The passages that contain all terms.
    pub complete: HashSet<PassageId>,
    /// The passages of notes that are named by the query ([`wellread_text::name_key`]).
    pub named: HashSet<PassageId>,
    /// The positions of the terms that occur nowhere in the searched corpora.
    pub unknown: Vec<usize>,
}

/// The weight of a word by where it occurs: in the title, in headings, in the names of folders, in the text, and as a
/// part of a word of the text.
pub const WORD_WEIGHTS: [f32; 5] = [4.0, 2.0, 0.5, 1.0, 0.6];

/// A passage with its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PassageScore {
    /// The passage's id.
    pub id: PassageId,
    /// The score; higher is better.
    pub score: f32,
}
