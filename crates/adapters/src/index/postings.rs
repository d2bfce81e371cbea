//! Which passages contain the forms of a query, with the score of each.

use std::collections::HashSet;

use rusqlite::{Connection, params};
use wellread_core::ports::PassageId;
use wellread_text::{QueryTerm, TermForm};

use super::frequent_words::ListedPassages;
use super::schema::{PRIVATE_WORDS, word_table};
use super::word_counts::{WordCounts, word_weight};
use super::word_statistics::TableSize;

/// A passage, and its score for one form.
type Posting = (PassageId, f64);

/// So many ids are summed up at a time: a place for each is faster than a map.
const WINDOW: usize = 4096;

/// Where the forms of a query occur in one table of words.
pub struct Postings {
    pub counts: WordCounts,
    /// Each form once, in the order of the query; its passages in the order of their ids.
    forms: Vec<(String, Vec<Posting>)>,
}

impl Postings {
    /// Among the public passages of a corpus.
    pub fn of_corpus(connection: &Connection, corpus: i64, terms: &[QueryTerm]) -> rusqlite::Result<Self> {
        let listed = ListedPassages::of_corpus(connection, corpus)?;
        Self::find(connection, &word_table(corpus), Some(&listed), terms)
    }

    /// Among the passages of private files.
    pub fn of_private(connection: &Connection, terms: &[QueryTerm]) -> rusqlite::Result<Self> {
        Self::find(connection, PRIVATE_WORDS, None, terms)
    }

    fn find(
        connection: &Connection,
        table: &str,
        listed: Option<&ListedPassages>,
        terms: &[QueryTerm],
    ) -> rusqlite::Result<Self> {
        let size = TableSize::read(connection, table)?;
        let mut forms: Vec<(String, Vec<Posting>)> = Vec::new();
        if size.rows > 0.0 {
            let mut seen = HashSet::new();
            for form in terms.iter().flat_map(|term| &term.forms) {
                let expression = form_expression(form);
                if seen.insert(expression.clone()) {
                    let postings = find_form(connection, table, listed, &size, form, &expression)?;
                    forms.push((expression, postings));
                }
            }
        }
        let matching = forms.iter().map(|(form, postings)| (form.clone(), postings.len() as f64));
        Ok(Self { counts: WordCounts::new(size.rows, matching), forms })
    }

    /// The `limit` best of the passages that are accepted, with the sum of their scores for all forms, best first. The score for
    /// a form is multiplied by its `factor`.
    pub fn best(
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
    pub fn has_all_terms(&self, passage: PassageId, terms: &[QueryTerm]) -> bool {
        let contains = |form: &TermForm| {
            let expression = form_expression(form);
            let found = self.forms.iter().find(|(known, _)| *known == expression);
            found.is_some_and(|(_, postings)| postings.binary_search_by_key(&passage, |(id, _)| *id).is_ok())
        };
        terms.iter().all(|term| term.whole_forms().iter().any(contains))
    }
}

/// The passages that contain a form. Those of a frequent word are read from its list, as far as it reaches.
fn find_form(
    connection: &Connection,
    table: &str,
    listed: Option<&ListedPassages>,
    size: &TableSize,
    form: &TermForm,
    expression: &str,
) -> rusqlite::Result<Vec<Posting>> {
    if let (TermForm::Word(word), Some(listed)) = (form, listed)
        && is_one_token(word)
        && let Some(list) = listed.read(connection, word)?
    {
        let newer = if listed.has_newer {
            find_by_match(connection, table, expression, listed.end)?
        } else {
            Vec::new()
        };
        let weight = word_weight(size.rows, (list.len() + newer.len()) as f64);
        let scored =
            list.iter().map(|found| (found.passage, size.score(weight, found.frequency, found.length)));
        return Ok(scored.chain(newer).collect());
    }
    find_by_match(connection, table, expression, PassageId::MIN)
}

/// What FTS5 finds, from this passage on. Each form is asked for alone, so that its score does not depend on the others.
fn find_by_match(
    connection: &Connection,
    table: &str,
    expression: &str,
    from: PassageId,
) -> rusqlite::Result<Vec<Posting>> {
    let sql =
        format!("SELECT rowid, rank FROM {table} WHERE {table} MATCH ?1 AND rowid >= ?2 ORDER BY rowid");
    let mut statement = connection.prepare_cached(&sql)?;
    // A better match has a lower rank; ranks are negative.
    let rows =
        statement.query_map(params![expression, from], |row| Ok((row.get(0)?, -row.get::<_, f64>(1)?)))?;
    rows.collect()
}

/// Whether FTS5 takes a word for one token, the same as the word.
fn is_one_token(word: &str) -> bool {
    !word.is_empty()
        && word.bytes().all(|byte| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || !byte.is_ascii() || b"._-".contains(&byte)
        })
}

/// How FTS5 is asked for a form.
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
