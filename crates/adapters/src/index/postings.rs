//! Which passages contain the forms of a query, with the score of each, as FTS5 and the lists of frequent words find them.

use rusqlite::{Connection, params};
use wellread_core::ports::PassageId;
use wellread_text::{QueryTerm, TermForm};

use super::frequent_words::ListedPassages;
use super::schema::{PRIVATE_WORDS, word_table};
use super::word_statistics::read_size;
use crate::index_format::ranking::{Posting, Postings, TableSize, distinct_forms};
use crate::index_format::word_counts::word_weight;

/// Among the public passages of a corpus.
pub fn find_in_corpus(
    connection: &Connection,
    corpus: i64,
    terms: &[QueryTerm],
) -> rusqlite::Result<Postings> {
    let listed = ListedPassages::of_corpus(connection, corpus)?;
    find_in_table(connection, &word_table(corpus), Some(&listed), terms)
}

/// Among the passages of private files.
pub fn find_in_private(connection: &Connection, terms: &[QueryTerm]) -> rusqlite::Result<Postings> {
    find_in_table(connection, PRIVATE_WORDS, None, terms)
}

fn find_in_table(
    connection: &Connection,
    table: &str,
    listed: Option<&ListedPassages>,
    terms: &[QueryTerm],
) -> rusqlite::Result<Postings> {
    let size = read_size(connection, table)?;
    let mut forms: Vec<(String, Vec<Posting>)> = Vec::new();
    if size.rows > 0.0 {
        for (expression, form) in distinct_forms(terms) {
            let postings = find_form(connection, table, listed, &size, form, &expression)?;
            forms.push((expression, postings));
        }
    }
    Ok(Postings::new(size.rows, forms))
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
