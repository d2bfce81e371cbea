//! How often the words of a query occur in a table of words.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, params};
use wellread_text::{QueryTerm, TermForm};

use super::query::form_expression;
use super::schema::{PRIVATE_WORDS, word_table};

/// In how many of the passages each form of a query occurs.
pub struct WordCounts {
    /// How many passages there are.
    pub rows: f64,
    matching: BTreeMap<String, f64>,
}

impl WordCounts {
    /// Among the public passages of a corpus.
    pub fn of_corpus(connection: &Connection, corpus: i64, terms: &[QueryTerm]) -> rusqlite::Result<Self> {
        let sql = "SELECT TOTAL(passages) FROM files WHERE corpus = ?1 AND private = 0";
        let rows = connection.prepare_cached(sql)?.query_row([corpus], |row| row.get(0))?;
        Self::count(connection, &word_table(corpus), rows, terms)
    }

    /// Among the passages of private files.
    pub fn of_private(connection: &Connection, terms: &[QueryTerm]) -> rusqlite::Result<Self> {
        let sql = "SELECT TOTAL(passages) FROM files WHERE private = 1";
        let rows = connection.prepare_cached(sql)?.query_row([], |row| row.get(0))?;
        Self::count(connection, PRIVATE_WORDS, rows, terms)
    }

    fn count(connection: &Connection, table: &str, rows: f64, terms: &[QueryTerm]) -> rusqlite::Result<Self> {
        let mut counts = Self { rows, matching: BTreeMap::new() };
        if rows == 0.0 {
            return Ok(counts);
        }
        let vocabulary = open_vocabulary(connection, table, "row")?;
        for form in terms.iter().flat_map(|term| &term.forms) {
            let matching = count_form(connection, table, &vocabulary, form)?;
            counts.matching.insert(form_expression(form), matching);
        }
        Ok(counts)
    }

    /// The counts of both together.
    pub fn merge(mut self, other: &Self) -> Self {
        self.rows += other.rows;
        for (form, matching) in &other.matching {
            *self.matching.entry(form.clone()).or_default() += matching;
        }
        self
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

/// The weight that FTS5 gives to a word that occurs in so many of all rows.
fn word_weight(rows: f64, matching: f64) -> f64 {
    const LEAST: f64 = 1e-6;
    let weight = ((rows - matching + 0.5) / (matching + 0.5)).ln();
    if weight > 0.0 { weight } else { LEAST }
}

/// In how many passages a form occurs, as FTS5 counts it. A word is looked up in the vocabulary; a phrase may be much rarer
/// than its words, and the words with one beginning may share passages, so these are searched for.
fn count_form(
    connection: &Connection,
    table: &str,
    vocabulary: &str,
    form: &TermForm,
) -> rusqlite::Result<f64> {
    match form {
        TermForm::Word(word) => {
            let sql = format!("SELECT CAST(doc AS REAL) FROM temp.{vocabulary} WHERE term = ?1");
            let found = connection.prepare_cached(&sql)?.query_row([word], |row| row.get(0)).optional()?;
            Ok(found.unwrap_or_default())
        }
        TermForm::Phrase(_) | TermForm::Prefix(_) => {
            let sql = format!("SELECT CAST(COUNT(*) AS REAL) FROM {table} WHERE {table} MATCH ?1");
            connection.prepare_cached(&sql)?.query_row([form_expression(form)], |row| row.get(0))
        }
    }
}

/// Adds the words of titles and headings in a table that begin with this letter.
pub fn list_names_in(
    connection: &Connection,
    table: &str,
    first_letter: char,
    names: &mut Vec<String>,
) -> rusqlite::Result<()> {
    let vocabulary = open_vocabulary(connection, table, "col")?;
    let sql = format!(
        "SELECT DISTINCT term FROM temp.{vocabulary} WHERE term >= ?1 AND term <= ?2 AND col IN ('title', 'heading')"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let first = first_letter.to_string();
    let last = format!("{first}{}", char::MAX);
    for name in statement.query_map(params![first, last], |row| row.get(0))? {
        names.push(name?);
    }
    Ok(())
}

/// The view of a table's words, which FTS5 computes.
fn open_vocabulary(connection: &Connection, table: &str, kind: &str) -> rusqlite::Result<String> {
    let name = format!("{table}_by_{kind}");
    let sql = format!(
        "CREATE VIRTUAL TABLE IF NOT EXISTS temp.{name} USING fts5vocab('main', '{table}', '{kind}')"
    );
    connection.prepare_cached(&sql)?.execute([])?;
    Ok(name)
}
