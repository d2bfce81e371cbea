//! Ranks passages by their words: BM25 over five weighted fields, as FTS5 computes it, with the statistics of each corpus.
//!
//! Where the forms of a query occur, each store finds in its own way; the scores and the order are made here for all of them.

use std::collections::HashSet;

use wellread_core::ports::{PassageId, PassageScore, WORD_WEIGHTS, WordMatches};
use wellread_text::{QueryTerm, TermForm};

use super::word_counts::{WordCounts, word_weight};

/// The constants of FTS5's ranking.
const K1: f64 = 1.2;
const B: f64 = 0.75;
/// The most that one occurrence counts, as a multiple of the word's weight: k1 + 1.
const MOST_OF_A_WORD: f64 = 2.2;
/// So many ids are summed up at a time: a place for each is faster than a map.
const WINDOW: usize = 4096;

/// The weights of the fields, as FTS5 is given them.
pub fn field_weights() -> [f64; WORD_WEIGHTS.len()] {
    WORD_WEIGHTS.map(|weight| (f64::from(weight) * 10.0).round() / 10.0)
}

/// How many passages are searched, and how long they are.
#[derive(Debug, Clone, Copy)]
pub struct TableSize {
    pub rows: f64,
    pub average_length: f64,
}

impl TableSize {
    pub fn new(rows: u64, words: u64) -> Self {
        Self { rows: rows as f64, average_length: words as f64 / rows as f64 }
    }

    /// The score of a passage of this length for a word of this weight, computed as FTS5 does, to the last bit.
    pub fn score(&self, weight: f64, frequency: f64, length: u32) -> f64 {
        let relative = f64::from(length);
        weight
            * ((frequency * (K1 + 1.0)) / (frequency + K1 * (1.0 - B + B * relative / self.average_length)))
    }
}

/// A passage that contains a word.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Occurrence {
    pub passage: PassageId,
    /// How often it contains the word, each occurrence by the weight of its field.
    pub frequency: f64,
    /// How many words the passage has.
    pub length: u32,
}

/// A passage, and its score for one form.
pub type Posting = (PassageId, f64);

/// Where the forms of a query occur among passages that are counted together.
pub struct Postings {
    pub counts: WordCounts,
    /// Each form once, in the order of the query; its passages in the order of their ids.
    forms: Vec<(String, Vec<Posting>)>,
}

impl Postings {
    /// Each form once, with its passages in the order of their ids; `rows` are all passages.
    pub fn new(rows: f64, forms: Vec<(String, Vec<Posting>)>) -> Self {
        let matching = forms.iter().map(|(form, postings)| (form.clone(), postings.len() as f64));
        Self { counts: WordCounts::new(rows, matching), forms }
    }

    /// The `limit` best of the passages that are accepted, with the sum of their scores for all forms, best first. The score for
    /// a form is multiplied by its `factor`.
    fn best(
        &self,
        limit: usize,
        factor: impl Fn(&str) -> f64,
        accepts: impl Fn(PassageId) -> bool,
    ) -> Vec<Posting> {
        let mut rest: Vec<(f64, &[Posting])> =
            self.forms.iter().map(|(form, postings)| (factor(form), postings.as_slice())).collect();
        let mut sums = [0.0; WINDOW];
        let mut best = Vec::new();
        while let Some(start) =
            rest.iter().filter_map(|(_, postings)| postings.first()).map(|(id, _)| *id).min()
        {
            let mut summed = Vec::new();
            for (factor, postings) in &mut rest {
                let end = postings.partition_point(|(id, _)| id - start < WINDOW as i64);
                let (here, later) = postings.split_at(end);
                here.iter().for_each(|(id, score)| sums[(id - start) as usize] += score * *factor);
                *postings = later;
                summed.push(here);
            }
            for (id, _) in summed.into_iter().flatten() {
                let sum = std::mem::take(&mut sums[(id - start) as usize]);
                if sum > 0.0 && accepts(*id) {
                    best.push((*id, sum));
                }
            }
        }
        let order = |one: &Posting, other: &Posting| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0));
        if best.len() > limit {
            best.select_nth_unstable_by(limit, order);
            best.truncate(limit);
        }
        best.sort_unstable_by(order);
        best
    }

    /// Whether a passage contains each term, in one of its whole forms.
    fn has_all_terms(&self, passage: PassageId, terms: &[QueryTerm]) -> bool {
        let contains = |form: &TermForm| {
            let expression = form_expression(form);
            let found = self.forms.iter().find(|(known, _)| *known == expression);
            found.is_some_and(|(_, postings)| postings.binary_search_by_key(&passage, |(id, _)| *id).is_ok())
        };
        terms.iter().all(|term| term.whole_forms().iter().any(contains))
    }
}

/// Each form of the terms once, in their order, with what it is known by.
pub fn distinct_forms(terms: &[QueryTerm]) -> Vec<(String, &TermForm)> {
    let mut seen = HashSet::new();
    let forms = terms.iter().flat_map(|term| &term.forms).map(|form| (form_expression(form), form));
    forms.filter(|(expression, _)| seen.insert(expression.clone())).collect()
}

/// The scores of the passages that contain a form.
pub fn score_form(size: &TableSize, found: &[Occurrence]) -> Vec<Posting> {
    let weight = word_weight(size.rows, found.len() as f64);
    let scored = found.iter().map(|found| (found.passage, size.score(weight, found.frequency, found.length)));
    scored.collect()
}

/// How FTS5 is asked for a form; for every store, what a form is known by.
pub fn form_expression(form: &TermForm) -> String {
    match form {
        TermForm::Word(word) => quote(word),
        TermForm::Phrase(words) => quote(&words.join(" ")),
        TermForm::Prefix(start) => format!("{}*", quote(start)),
    }
}

fn quote(words: &str) -> String {
    format!("\"{}\"", words.replace('"', ""))
}

/// The passages of a corpus that a filter accepts.
pub enum AcceptedPassages {
    All,
    /// The first id of each file and the one after its last, in order.
    Files(Vec<(PassageId, PassageId)>),
}

impl AcceptedPassages {
    fn contains(&self, id: PassageId) -> bool {
        match self {
            Self::All => true,
            Self::Files(files) => {
                let after = files.partition_point(|(first, _)| *first <= id);
                after.checked_sub(1).and_then(|at| files.get(at)).is_some_and(|(_, end)| id < *end)
            }
        }
    }
}

/// The best passages so far, over one corpus after the other.
pub struct Ranking<'a> {
    terms: &'a [QueryTerm],
    limit: usize,
    found: WordMatches,
    known: HashSet<usize>,
}

impl<'a> Ranking<'a> {
    pub fn new(terms: &'a [QueryTerm], limit: usize) -> Self {
        Self { terms, limit, found: WordMatches::default(), known: HashSet::new() }
    }

    /// Adds the best passages of a corpus. Those of its private files, if they are asked for, do not change the scores of
    /// the others.
    pub fn add_corpus(&mut self, public: &Postings, private: Option<&Postings>, accepted: &AcceptedPassages) {
        self.known.extend(public.counts.known_terms(self.terms));
        let best = public.best(self.limit, |_| 1.0, |id| accepted.contains(id));
        self.add_scored(best, &public.counts, public);
        if let Some(private) = private {
            // The weight of a word is computed from all files, as if they were counted together, so that the scores can be
            // compared with those of public passages. Each form was weighed by its count among the private ones.
            self.known.extend(private.counts.known_terms(self.terms));
            let all = public.counts.merge(&private.counts);
            let factor = |form: &str| all.weight(form) / private.counts.weight(form);
            let best = private.best(self.limit, factor, |id| accepted.contains(id));
            self.add_scored(best, &all, private);
        }
    }

    /// Adds passages with the share of the best possible score by these counts.
    fn add_scored(&mut self, scored: Vec<Posting>, counts: &WordCounts, postings: &Postings) {
        let best = MOST_OF_A_WORD * counts.total_weight(self.terms);
        for (id, score) in scored {
            if postings.has_all_terms(id, self.terms) {
                self.found.complete.insert(id);
            }
            // Never 0, since something was found.
            let score = ((score / best) as f32).clamp(f32::MIN_POSITIVE, 1.0);
            self.found.passages.push(PassageScore { id, score });
        }
    }

    /// The best of all; those that are named by the query are left to the caller.
    pub fn finish(self) -> WordMatches {
        let Self { terms, limit, mut found, known } = self;
        found.passages.sort_by(|one, other| other.score.total_cmp(&one.score).then(one.id.cmp(&other.id)));
        found.passages.truncate(limit);
        found.unknown = (0..terms.len()).filter(|at| !known.contains(at)).collect();
        let ids: HashSet<PassageId> = found.passages.iter().map(|scored| scored.id).collect();
        found.complete.retain(|id| ids.contains(id));
        found
    }
}
