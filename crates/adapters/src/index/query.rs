//! Finds passages by words, best first.

use std::collections::BTreeMap;

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};
use wellread_core::ports::{PassageFilter, PassageId, PassageScope, PassageScore};
use wellread_text::{QueryTerm, TermForm};

use super::filter::{corpus_names, file_condition};
use super::schema::{CORPUS_SHIFT, WORD_TABLES};

pub fn find_matching(
    connection: &Connection,
    terms: &[QueryTerm],
    filter: &PassageFilter,
    limit: usize,
) -> rusqlite::Result<Vec<PassageScore>> {
    let [public, _] = WORD_TABLES;
    let Some(SqlQuery { mut sql, mut values }) =
        build_query(connection, public, "rowid, rank", &any_term_expression(terms), filter)?
    else {
        return Ok(Vec::new());
    };
    sql += " ORDER BY rank LIMIT ?";
    values.push(Value::from(limit as i64));
    let mut statement = connection.prepare_cached(&sql)?;
    // A better match has a lower rank; ranks are negative.
    let rows = statement.query_map(params_from_iter(values), |row| {
        Ok(PassageScore { id: row.get(0)?, score: -row.get::<_, f64>(1)? as f32 })
    })?;
    let mut found: Vec<PassageScore> = rows.collect::<rusqlite::Result<_>>()?;
    if filter.scope == PassageScope::All {
        found.extend(find_private(connection, terms, filter)?);
        found.sort_by(|one, other| other.score.total_cmp(&one.score).then(one.id.cmp(&other.id)));
        found.truncate(limit);
    }
    Ok(found)
}

/// The matching passages of private files, with scores that can be compared with those of public ones: the weight of a
/// word is computed from all files, as if there were one table.
fn find_private(
    connection: &Connection,
    terms: &[QueryTerm],
    filter: &PassageFilter,
) -> rusqlite::Result<Vec<PassageScore>> {
    let [public, private] = WORD_TABLES;
    let count = |sql: &str, form: Option<&str>| -> rusqlite::Result<f64> {
        let mut statement = connection.prepare_cached(sql)?;
        statement.query_row(params_from_iter(form), |row| row.get(0))
    };
    let count_all =
        |which: i64| count(&format!("SELECT TOTAL(passages) FROM files WHERE private = {which}"), None);
    let (public_rows, private_rows) = (count_all(0)?, count_all(1)?);
    if private_rows == 0.0 {
        return Ok(Vec::new());
    }
    let mut scores: BTreeMap<PassageId, f64> = BTreeMap::new();
    for form in distinct_forms(terms.iter().flat_map(|term| &term.forms)) {
        let Some(SqlQuery { sql, values }) = build_query(connection, private, "rowid, rank", &form, filter)?
        else {
            return Ok(Vec::new());
        };
        let matching = |table: &str| {
            count(&format!("SELECT CAST(COUNT(*) AS REAL) FROM {table} WHERE {table} MATCH ?"), Some(&form))
        };
        let (in_public, in_private) = (matching(public)?, matching(private)?);
        let weight = word_weight(public_rows + private_rows, in_public + in_private)
            / word_weight(private_rows, in_private);
        let mut statement = connection.prepare_cached(&sql)?;
        let mut rows = statement.query(params_from_iter(values))?;
        while let Some(row) = rows.next()? {
            *scores.entry(row.get(0)?).or_default() -= row.get::<_, f64>(1)? * weight;
        }
    }
    Ok(scores.into_iter().map(|(id, score)| PassageScore { id, score: score as f32 }).collect())
}

/// The weight that FTS5 gives to a word that occurs in so many of all rows.
fn word_weight(rows: f64, matching: f64) -> f64 {
    const LEAST: f64 = 1e-6;
    let weight = ((rows - matching + 0.5) / (matching + 0.5)).ln();
    if weight > 0.0 { weight } else { LEAST }
}

pub fn find_holding_all(
    connection: &Connection,
    terms: &[QueryTerm],
    filter: &PassageFilter,
) -> rusqlite::Result<Vec<PassageId>> {
    let expression = all_terms_expression(terms);
    let mut found = Vec::new();
    let searched = if filter.scope == PassageScope::Public { 1 } else { WORD_TABLES.len() };
    for table in &WORD_TABLES[..searched] {
        let Some(SqlQuery { sql, values }) = build_query(connection, table, "rowid", &expression, filter)?
        else {
            return Ok(Vec::new());
        };
        let mut statement = connection.prepare_cached(&sql)?;
        for id in statement.query_map(params_from_iter(values), |row| row.get(0))? {
            found.push(id?);
        }
    }
    Ok(found)
}

struct SqlQuery {
    sql: String,
    values: Vec<Value>,
}

/// The SQL for passages that match an expression and a filter; `None` if there can't be any.
fn build_query(
    connection: &Connection,
    table: &str,
    columns: &str,
    expression: &str,
    filter: &PassageFilter,
) -> rusqlite::Result<Option<SqlQuery>> {
    let ranges = corpus_ranges(connection, filter)?;
    if ranges.as_ref().is_some_and(Vec::is_empty) || expression.is_empty() {
        return Ok(None);
    }
    let mut sql = format!("SELECT {columns} FROM {table} WHERE {table} MATCH ?");
    let mut values = vec![Value::from(expression.to_owned())];
    if let Some(ranges) = ranges {
        let one = "(rowid >= ? AND rowid < ?)";
        sql += &format!(" AND ({})", vec![one; ranges.len()].join(" OR "));
        values.extend(ranges.into_iter().flat_map(|(first, end)| [first.into(), end.into()]));
    }
    // Each table has only public passages or only private ones.
    let filter = PassageFilter { scope: PassageScope::All, ..filter.clone() };
    if let Some(condition) = file_condition(&filter) {
        sql += &format!(
            " AND rowid IN (SELECT passages.id FROM passages JOIN files ON files.id = passages.file WHERE {})",
            condition.sql
        );
        values.extend(condition.values);
    }
    Ok(Some(SqlQuery { sql, values }))
}

/// The ranges of passage ids of the filter's corpora; `None` for all corpora.
pub fn corpus_ranges(
    connection: &Connection,
    filter: &PassageFilter,
) -> rusqlite::Result<Option<Vec<(i64, i64)>>> {
    let Some(names) = corpus_names(filter) else { return Ok(None) };
    let mut statement = connection.prepare_cached("SELECT id, name FROM corpora")?;
    let rows = statement.query_map([], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?)))?;
    let all = rows.collect::<rusqlite::Result<Vec<_>>>()?;
    let meant: Vec<(i64, i64)> = all
        .iter()
        .filter(|(_, name)| names.contains(name))
        .map(|(id, _)| (id << CORPUS_SHIFT, (id + 1) << CORPUS_SHIFT))
        .collect();
    Ok((meant.len() < all.len() || all.is_empty()).then_some(meant))
}

/// Matches any form of any term.
fn any_term_expression(terms: &[QueryTerm]) -> String {
    join_forms(terms.iter().flat_map(|term| &term.forms))
}

/// Matches, for every term, one of its whole forms.
fn all_terms_expression(terms: &[QueryTerm]) -> String {
    let each = terms.iter().map(|term| format!("({})", join_forms(term.whole_forms())));
    each.collect::<Vec<_>>().join(" AND ")
}

fn join_forms<'a>(forms: impl IntoIterator<Item = &'a TermForm>) -> String {
    distinct_forms(forms).join(" OR ")
}

/// The expressions for these forms, each once.
fn distinct_forms<'a>(forms: impl IntoIterator<Item = &'a TermForm>) -> Vec<String> {
    let written = forms.into_iter().map(|form| match form {
        TermForm::Word(word) => quote(word),
        TermForm::Phrase(words) => quote(&words.join(" ")),
        TermForm::Prefix(start) => format!("{}*", quote(start)),
    });
    let mut all: Vec<String> = written.collect();
    let mut seen = std::collections::HashSet::new();
    all.retain(|form| seen.insert(form.clone()));
    all
}

fn quote(words: &str) -> String {
    format!("\"{}\"", words.replace('"', ""))
}
