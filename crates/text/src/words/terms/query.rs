//! Query terms, made from what somebody typed.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::plain::to_plain;
use super::units::{CONNECTORS, TextUnit, camel_parts, units};
use super::{LONGEST, is_number, push_word};

/// A term of a query and the forms in which the index may contain it. Any form counts as a match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryTerm {
    /// The term as it was typed.
    pub written: String,
    /// The forms: first those that stand for the whole term, then its parts.
    pub forms: Vec<TermForm>,
    whole: usize,
}

impl QueryTerm {
    /// A term with a single form.
    pub fn from_form(form: TermForm) -> Self {
        let written = match &form {
            TermForm::Word(word) | TermForm::Prefix(word) => word.clone(),
            TermForm::Phrase(words) => words.join(" "),
        };
        Self { written, forms: vec![form], whole: 1 }
    }

    /// The same term, found by these words of the index instead.
    pub fn with_words(self, words: impl IntoIterator<Item = String>) -> Self {
        let forms: Vec<TermForm> = words.into_iter().map(TermForm::Word).collect();
        Self { whole: forms.len(), forms, ..self }
    }

    /// The forms that stand for the whole term: `well-known`, or `well` followed by `known`, but neither of them
    /// alone.
    pub fn whole_forms(&self) -> &[TermForm] {
        &self.forms[..self.whole.min(self.forms.len())]
    }
}

/// One form of a query term.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TermForm {
    /// A single word.
    Word(String),
    /// Words that follow each other.
    Phrase(Vec<String>),
    /// The beginning of a word.
    Prefix(String),
}

/// More terms than anybody types; a long text that is pasted in is cut, not refused.
const MOST_TERMS: usize = 64;

/// Words that occur in most sentences, and what is before the apostrophe of negations. They are ignored in a query that has
/// other words.
const COMMON: [&str; 74] = [
    "a", "about", "ain", "an", "and", "any", "are", "aren", "as", "at", "be", "been", "but", "by", "can",
    "couldn", "did", "didn", "do", "does", "doesn", "for", "from", "had", "hadn", "has", "hasn", "have",
    "how", "i", "if", "in", "into", "is", "isn", "it", "its", "me", "mustn", "my", "needn", "not", "of",
    "on", "or", "our", "shouldn", "so", "than", "that", "the", "their", "them", "then", "there", "these",
    "they", "this", "to", "was", "wasn", "we", "were", "weren", "what", "when", "where", "which", "who",
    "why", "will", "with", "wouldn", "you",
];

/// The terms of a query, in order and without duplicates. `"words in quotes"` are a phrase.
pub fn query_terms(query: &str) -> Vec<QueryTerm> {
    let (quoted, loose) = split_quoted(query);
    let all: Vec<QueryTerm> = loose.into_iter().flat_map(loose_terms).collect();
    let quoted: Vec<QueryTerm> = quoted.into_iter().filter_map(phrase).collect();
    let uncommon: Vec<QueryTerm> = all.iter().filter(|term| !is_common(&term.written)).cloned().collect();
    let loose = if uncommon.is_empty() && quoted.is_empty() { all } else { uncommon };
    let mut seen: Vec<QueryTerm> = Vec::new();
    for term in quoted.into_iter().chain(loose) {
        if seen.len() < MOST_TERMS && !seen.iter().any(|known| known.forms == term.forms) {
            seen.push(term);
        }
    }
    seen
}

/// The phrases of a query that are in quotation marks, in order.
pub fn query_phrases(query: &str) -> Vec<QueryTerm> {
    split_quoted(query).0.into_iter().filter_map(phrase).take(MOST_TERMS).collect()
}

/// The pieces of a query in quotation marks, and the others.
fn split_quoted(query: &str) -> (Vec<&str>, Vec<&str>) {
    let pieces: Vec<&str> = query.split('"').collect();
    let (mut quoted, mut loose) = (Vec::new(), Vec::new());
    for (index, piece) in pieces.iter().enumerate() {
        // An opening quotation mark without a closing one is ignored.
        let is_quoted = index % 2 == 1 && index + 1 < pieces.len();
        if is_quoted { &mut quoted } else { &mut loose }.push(*piece);
    }
    (quoted, loose)
}

/// What a name and a query have in common if they mean the same: the stems of their words, in alphabetical order.
/// `Getting-started` and `getting started` have the same key.
pub fn name_key(terms: &[QueryTerm]) -> String {
    let mut words: Vec<&str> = Vec::new();
    for term in terms {
        let phrase = term.whole_forms().iter().find_map(|form| match form {
            TermForm::Phrase(words) => Some(words),
            TermForm::Word(_) | TermForm::Prefix(_) => None,
        });
        match (phrase, term.forms.first()) {
            (Some(phrase), _) => words.extend(phrase.iter().map(String::as_str)),
            (None, Some(TermForm::Word(word) | TermForm::Prefix(word))) => words.push(word),
            (None, _) => {}
        }
    }
    words.sort_unstable();
    words.join(" ")
}

/// Whether the word occurs in most sentences.
pub(crate) fn is_common(written: &str) -> bool {
    COMMON.contains(&written.to_ascii_lowercase().as_str())
}

/// Whether the stem is that of a word that occurs in most sentences.
pub(crate) fn is_common_stem(stem: &str) -> bool {
    static STEMS: LazyLock<HashSet<String>> =
        LazyLock::new(|| COMMON.iter().map(|common| stem_word(common)).collect());
    STEMS.contains(stem)
}

fn loose_terms(text: &str) -> Vec<QueryTerm> {
    let mut terms = Vec::new();
    units(text, |unit| {
        let (written, whole, forms) = match unit {
            TextUnit::Unspaced(run) => (run, 1, unspaced_forms(run)),
            TextUnit::Spaced(unit) if unit.len() > LONGEST => return,
            TextUnit::Spaced(unit) => (unit, 2, spaced_forms(unit)),
        };
        terms.push(QueryTerm { written: written.to_owned(), forms, whole });
    });
    terms
}

fn spaced_forms(unit: &str) -> Vec<TermForm> {
    if is_number(unit) {
        return vec![TermForm::Word(unit.to_owned())];
    }
    let mut forms = Vec::new();
    let simple: Vec<&str> = unit.split(CONNECTORS).collect();
    if simple.len() > 1 {
        forms.push(TermForm::Word(to_plain(unit)));
        forms.push(TermForm::Phrase(simple.iter().map(|part| stem_word(part)).collect()));
    }
    for part in simple {
        forms.push(TermForm::Word(stem_word(part)));
        let camel = camel_parts(part);
        if !camel.is_empty() {
            forms.push(TermForm::Phrase(camel.iter().map(|part| stem_word(part)).collect()));
            forms.extend(camel.iter().map(|part| TermForm::Word(stem_word(part))));
        }
    }
    forms
}

/// The pairs of letters of a run, as a phrase and each by itself: a long run consists of several words.
fn unspaced_forms(run: &str) -> Vec<TermForm> {
    let letters: Vec<char> = to_plain(run).chars().collect();
    if let [alone] = letters[..] {
        return vec![TermForm::Prefix(alone.to_string())];
    }
    let pairs: Vec<String> = letters.windows(2).map(|pair| pair.iter().collect()).collect();
    let mut forms = Vec::new();
    if pairs.len() > 1 {
        forms.push(TermForm::Phrase(pairs.clone()));
    }
    forms.extend(pairs.into_iter().map(TermForm::Word));
    forms
}

/// A quoted phrase, in the words of the index.
fn phrase(quoted: &str) -> Option<QueryTerm> {
    let words: Vec<String> = super::Terms::from_text(quoted).words.split(' ').map(str::to_owned).collect();
    let words: Vec<String> = words.into_iter().filter(|word| !word.is_empty()).take(MOST_TERMS).collect();
    (!words.is_empty()).then(|| QueryTerm {
        written: quoted.trim().to_owned(),
        forms: vec![TermForm::Phrase(words)],
        whole: 1,
    })
}

/// Returns the normal form of a word.
pub(crate) fn stem_word(written: &str) -> String {
    let mut column = String::new();
    push_word(&mut column, written);
    column
}
