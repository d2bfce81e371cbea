//! Finds passages by words, best first.

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};
use wellread_core::ports::{PassageFilter, PassageId, PassageScore};
use wellread_text::{QueryTerm, TermForm};

use super::filter::{corpus_names, file_condition};
use super::schema::CORPUS_SHIFT;

pub fn find_matching(
    connection: &Connection,
    terms: &[QueryTerm],
    filter: &PassageFilter,
    limit: usize,
) -> rusqlite::Result<Vec<PassageScore>> {
    let Some(SqlQuery { mut sql, mut values }) =
        build_query(connection, "rowid, rank", any_term_expression(terms), filter)?
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
    rows.collect()
}

pub fn find_holding_all(
    connection: &Connection,
    terms: &[QueryTerm],
    filter: &PassageFilter,
) -> rusqlite::Result<Vec<PassageId>> {
    let Some(SqlQuery { sql, values }) =
        build_query(connection, "rowid", all_terms_expression(terms), filter)?
    else {
        return Ok(Vec::new());
    };
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map(params_from_iter(values), |row| row.get(0))?;
    rows.collect()
}

struct SqlQuery {
    sql: String,
    values: Vec<Value>,
}

/// The SQL for passages that match an expression and a filter; `None` if there can't be any.
fn build_query(
    connection: &Connection,
    columns: &str,
    expression: String,
    filter: &PassageFilter,
) -> rusqlite::Result<Option<SqlQuery>> {
    let ranges = corpus_ranges(connection, filter)?;
    if ranges.as_ref().is_some_and(Vec::is_empty) || expression.is_empty() {
        return Ok(None);
    }
    let mut sql = format!("SELECT {columns} FROM words WHERE words MATCH ?");
    let mut values = vec![Value::from(expression)];
    if let Some(ranges) = ranges {
        let one = "(rowid >= ? AND rowid < ?)";
        sql += &format!(" AND ({})", vec![one; ranges.len()].join(" OR "));
        values.extend(ranges.into_iter().flat_map(|(first, end)| [first.into(), end.into()]));
    }
    if let Some(condition) = file_condition(filter) {
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
    let written = forms.into_iter().map(|form| match form {
        TermForm::Word(word) => quote(word),
        TermForm::Phrase(words) => quote(&words.join(" ")),
        TermForm::Prefix(start) => format!("{}*", quote(start)),
    });
    let mut all: Vec<String> = written.collect();
    let mut seen = std::collections::HashSet::new();
    all.retain(|form| seen.insert(form.clone()));
    all.join(" OR ")
}

fn quote(words: &str) -> String {
    format!("\"{}\"", words.replace('"', ""))
}
