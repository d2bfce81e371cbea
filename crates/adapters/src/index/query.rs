//! Finds passages by words, best first.
//!
//! Each corpus has a table of words, and so its own statistics: what is in one has no influence on the scores in another.

use std::collections::{BTreeMap, HashSet};

use rusqlite::types::Value;
use rusqlite::{Connection, params, params_from_iter};
use wellread_core::ports::{PassageFilter, PassageId, PassageScope, PassageScore, WordMatches};
use wellread_text::{QueryTerm, TermForm, name_key};

use super::filter::{corpus_names, file_condition};
use super::schema::{CORPUS_SHIFT, MARK_TITLE, PRIVATE_WORDS, word_table};
use super::word_counts::{WordCounts, list_names_in};

/// The most that one occurrence counts in FTS5's ranking, as a multiple of the word's weight: k1 + 1.
const MOST_OF_A_WORD: f64 = 2.2;

/// Runs many statements, so the connection has to read from one snapshot.
pub fn find_matching(
    connection: &Connection,
    terms: &[QueryTerm],
    filter: &PassageFilter,
    limit: usize,
) -> rusqlite::Result<WordMatches> {
    let mut found = WordMatches::default();
    let mut known = HashSet::new();
    let corpora = searched_corpora(connection, filter)?;
    for corpus in &corpora {
        let counts = WordCounts::of_corpus(connection, corpus.id, terms)?;
        known.extend(counts.known_terms(terms));
        find_public(connection, corpus.id, terms, &counts, filter, limit, &mut found.passages)?;
        if corpus.is_vault && filter.scope == PassageScope::All {
            let private = find_private(connection, terms, counts, filter)?;
            known.extend(private.known);
            found.passages.extend(private.passages);
        }
    }
    found.passages.sort_by(|one, other| other.score.total_cmp(&one.score).then(one.id.cmp(&other.id)));
    found.passages.truncate(limit);
    found.unknown = (0..terms.len()).filter(|at| !known.contains(at)).collect();
    let ids: HashSet<PassageId> = found.passages.iter().map(|scored| scored.id).collect();
    found.complete = find_complete(connection, &corpora, terms, filter, &ids)?;
    found.named = find_named(connection, &corpora, &name_key(terms), &ids)?;
    Ok(found)
}

/// Runs many statements, so the connection has to read from one snapshot.
pub fn list_names(
    connection: &Connection,
    first_letter: char,
    filter: &PassageFilter,
) -> rusqlite::Result<Vec<String>> {
    let mut names = Vec::new();
    for corpus in searched_corpora(connection, filter)? {
        list_names_in(connection, &word_table(corpus.id), first_letter, &mut names)?;
        if corpus.is_vault && filter.scope == PassageScope::All {
            list_names_in(connection, PRIVATE_WORDS, first_letter, &mut names)?;
        }
    }
    names.sort_unstable();
    names.dedup();
    Ok(names)
}

fn find_public(
    connection: &Connection,
    corpus: i64,
    terms: &[QueryTerm],
    counts: &WordCounts,
    filter: &PassageFilter,
    limit: usize,
    found: &mut Vec<PassageScore>,
) -> rusqlite::Result<()> {
    let expression = any_term_expression(terms);
    let Some(SqlQuery { mut sql, mut values }) =
        build_query(&word_table(corpus), "rowid, rank", &expression, filter)
    else {
        return Ok(());
    };
    sql += " ORDER BY rank LIMIT ?";
    values.push(Value::from(limit as i64));
    let best = MOST_OF_A_WORD * counts.total_weight(terms);
    let mut statement = connection.prepare_cached(&sql)?;
    // A better match has a lower rank; ranks are negative.
    let rows = statement.query_map(params_from_iter(values), |row| {
        Ok(PassageScore { id: row.get(0)?, score: share(-row.get::<_, f64>(1)?, best) })
    })?;
    for row in rows {
        found.push(row?);
    }
    Ok(())
}

/// The share of the best possible score; never 0, since something was found.
fn share(score: f64, best: f64) -> f32 {
    ((score / best) as f32).clamp(f32::MIN_POSITIVE, 1.0)
}

#[derive(Default)]
struct PrivateMatches {
    passages: Vec<PassageScore>,
    /// The positions of the terms that private files contain.
    known: Vec<usize>,
}

/// The matching passages of private files, with scores that can be compared with those of public ones: the weight of a
/// word is computed from all files of the vault, as if there were one table.
fn find_private(
    connection: &Connection,
    terms: &[QueryTerm],
    public: WordCounts,
    filter: &PassageFilter,
) -> rusqlite::Result<PrivateMatches> {
    let private = WordCounts::of_private(connection, terms)?;
    if private.rows == 0.0 {
        return Ok(PrivateMatches::default());
    }
    let known = private.known_terms(terms);
    let all = public.merge(&private);
    let mut scores: BTreeMap<PassageId, f64> = BTreeMap::new();
    for form in distinct_forms(terms.iter().flat_map(|term| &term.forms)) {
        let Some(SqlQuery { sql, values }) = build_query(PRIVATE_WORDS, "rowid, rank", &form, filter) else {
            return Ok(PrivateMatches::default());
        };
        // FTS5 weighs the form by its count in this table.
        let weight = all.weight(&form) / private.weight(&form);
        let mut statement = connection.prepare_cached(&sql)?;
        let mut rows = statement.query(params_from_iter(values))?;
        while let Some(row) = rows.next()? {
            *scores.entry(row.get(0)?).or_default() -= row.get::<_, f64>(1)? * weight;
        }
    }
    let best = MOST_OF_A_WORD * all.total_weight(terms);
    let scored = |(id, score)| PassageScore { id, score: share(score, best) };
    Ok(PrivateMatches { passages: scores.into_iter().map(scored).collect(), known })
}

/// Which of these passages contain all terms.
fn find_complete(
    connection: &Connection,
    corpora: &[SearchedCorpus],
    terms: &[QueryTerm],
    filter: &PassageFilter,
    ids: &HashSet<PassageId>,
) -> rusqlite::Result<HashSet<PassageId>> {
    // The only form of the only term: whatever was found contains it.
    if let [only] = terms
        && only.whole_forms().len() == only.forms.len()
    {
        return Ok(ids.clone());
    }
    let expression = all_terms_expression(terms);
    let mut complete = HashSet::new();
    for corpus in corpora {
        let mut tables = vec![word_table(corpus.id)];
        if corpus.is_vault && filter.scope == PassageScope::All {
            tables.push(PRIVATE_WORDS.to_owned());
        }
        for table in tables {
            let Some(SqlQuery { sql, values }) = build_query(&table, "rowid", &expression, filter) else {
                return Ok(complete);
            };
            let mut statement = connection.prepare_cached(&sql)?;
            for id in statement.query_map(params_from_iter(values), |row| row.get(0))? {
                let id = id?;
                if ids.contains(&id) {
                    complete.insert(id);
                }
            }
        }
    }
    Ok(complete)
}

/// Which of these passages are in notes with this name.
fn find_named(
    connection: &Connection,
    corpora: &[SearchedCorpus],
    name: &str,
    ids: &HashSet<PassageId>,
) -> rusqlite::Result<HashSet<PassageId>> {
    let mut statement = connection.prepare_cached(
        "SELECT files.corpus, files.first_passage, files.passages FROM marks JOIN files ON files.id = marks.file \
         WHERE marks.kind = ?1 AND marks.name = '' AND marks.value = ?2",
    )?;
    let mut named = HashSet::new();
    let mut rows = statement.query(params![MARK_TITLE, name])?;
    while let Some(row) = rows.next()? {
        let (corpus, first, passages): (i64, i64, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
        if corpora.iter().any(|searched| searched.id == corpus) {
            named.extend((first..first + passages).filter(|id| ids.contains(id)));
        }
    }
    Ok(named)
}

struct SqlQuery {
    sql: String,
    values: Vec<Value>,
}

/// The SQL for passages of a table that match an expression and a filter; `None` if there can't be any.
fn build_query(table: &str, columns: &str, expression: &str, filter: &PassageFilter) -> Option<SqlQuery> {
    if expression.is_empty() {
        return None;
    }
    let mut sql = format!("SELECT {columns} FROM {table} WHERE {table} MATCH ?");
    let mut values = vec![Value::from(expression.to_owned())];
    // Each table has only public passages or only private ones.
    let filter = PassageFilter { scope: PassageScope::All, ..filter.clone() };
    if let Some(condition) = file_condition(&filter) {
        sql += &format!(
            " AND rowid IN (SELECT passages.id FROM passages JOIN files ON files.id = passages.file WHERE {})",
            condition.sql
        );
        values.extend(condition.values);
    }
    Some(SqlQuery { sql, values })
}

struct SearchedCorpus {
    id: i64,
    is_vault: bool,
}

/// The corpora of the filter that are in the index.
fn searched_corpora(
    connection: &Connection,
    filter: &PassageFilter,
) -> rusqlite::Result<Vec<SearchedCorpus>> {
    let names = corpus_names(filter);
    let mut statement = connection.prepare_cached("SELECT id, name FROM corpora ORDER BY id")?;
    let rows = statement.query_map([], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?)))?;
    let mut searched = Vec::new();
    for row in rows {
        let (id, name) = row?;
        if names.as_ref().is_none_or(|names| names.contains(&name)) {
            searched.push(SearchedCorpus { id, is_vault: name == "vault" });
        }
    }
    Ok(searched)
}

/// The ranges of passage ids of the filter's corpora; `None` for all corpora.
pub fn corpus_ranges(
    connection: &Connection,
    filter: &PassageFilter,
) -> rusqlite::Result<Option<Vec<(i64, i64)>>> {
    if corpus_names(filter).is_none() {
        return Ok(None);
    }
    let all: i64 =
        connection.prepare_cached("SELECT COUNT(*) FROM corpora")?.query_row([], |row| row.get(0))?;
    let meant: Vec<(i64, i64)> = searched_corpora(connection, filter)?
        .iter()
        .map(|SearchedCorpus { id, .. }| (id << CORPUS_SHIFT, (id + 1) << CORPUS_SHIFT))
        .collect();
    Ok(((meant.len() as i64) < all || all == 0).then_some(meant))
}

/// Matches any form of any term.
fn any_term_expression(terms: &[QueryTerm]) -> String {
    distinct_forms(terms.iter().flat_map(|term| &term.forms)).join(" OR ")
}

/// Matches, for every term, one of its whole forms.
fn all_terms_expression(terms: &[QueryTerm]) -> String {
    let each = terms.iter().map(|term| format!("({})", distinct_forms(term.whole_forms()).join(" OR ")));
    each.collect::<Vec<_>>().join(" AND ")
}

/// The expressions for these forms, each once.
fn distinct_forms<'a>(forms: impl IntoIterator<Item = &'a TermForm>) -> Vec<String> {
    let mut seen = HashSet::new();
    forms.into_iter().map(form_expression).filter(|form| seen.insert(form.clone())).collect()
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
