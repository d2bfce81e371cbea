//! How often the words of a query occur among the passages of a corpus.

use std::collections::BTreeMap;

use wellread_text::QueryTerm;

use super::ranking::form_expression;

/// In how many of the passages each form of a query occurs.
pub struct WordCounts {
    /// How many passages there are.
    pub rows: f64,
    matching: BTreeMap<String, f64>,
}

impl WordCounts {
    pub fn new(rows: f64, matching: impl IntoIterator<Item = (String, f64)>) -> Self {
        Self { rows, matching: matching.into_iter().collect() }
    }

    /// The counts of both together.
    pub fn merge(&self, other: &Self) -> Self {
        let mut matching = self.matching.clone();
        for (form, more) in &other.matching {
            *matching.entry(form.clone()).or_default() += more;
        }
        Self { rows: self.rows + other.rows, matching }
    }

    /// The positions of the terms that occur in some form.
    pub fn known_terms(&self, terms: &[QueryTerm]) -> Vec<usize> {
        let is_known =
            |term: &QueryTerm| term.forms.iter().any(|form| self.find(&form_expression(form)) > 0.0);
        (0..terms.len()).filter(|&at| is_known(&terms[at])).collect()
    }

    /// The weight of a form: the rarer, the more.
    pub fn weight(&self, form: &str) -> f64 {
        word_weight(self.rows, self.find(form))
    }

    /// The weight of all terms: that of the forms in which a term occurs, and that of the whole term if it does not occur as a
    /// whole.
    pub fn total_weight(&self, terms: &[QueryTerm]) -> f64 {
        // In order: the last bits of a sum depend on it.
        let mut counted: BTreeMap<String, f64> = BTreeMap::new();
        for term in terms {
            let forms: Vec<String> = term.forms.iter().map(form_expression).collect();
            let occurs = |form: &&String| self.find(form) > 0.0;
            let is_whole = forms[..term.whole_forms().len()].iter().any(|form| occurs(&form));
            let whole = forms.first().filter(|_| !is_whole);
            let weighed = forms.iter().filter(occurs).chain(whole);
            counted.extend(weighed.map(|form| (form.clone(), self.weight(form))));
        }
        counted.values().sum()
    }

    fn find(&self, form: &str) -> f64 {
        self.matching.get(form).copied().unwrap_or_default()
    }
}

/// The weight of a word that occurs in so many of all rows, as FTS5 computes it.
pub fn word_weight(rows: f64, matching: f64) -> f64 {
    const LEAST: f64 = 1e-6;
    let weight = ((rows - matching + 0.5) / (matching + 0.5)).ln();
    if weight > 0.0 { weight } else { LEAST }
}
