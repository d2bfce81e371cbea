//! Finds passages by words, best first.
//!
//! Each corpus has a table of words, and so its own statistics: what is in one has no influence on the scores in another.

use std::collections::HashSet;

use rusqlite::types::Value;
use rusqlite::{Connection, params, params_from_iter};
use wellread_core::ports::{PassageFilter, PassageId, PassageScope, WordMatches};
use wellread_text::{ChunkKind, QueryTerm, name_key};

use super::filter::{corpus_names, file_condition};
use super::postings::{find_in_corpus, find_in_private};
use super::schema::{PRIVATE_NAMES, name_table, open_vocabulary};
use crate::index_format::ranking::{AcceptedPassages, Ranking};
use crate::index_format::{CORPUS_SHIFT, MARK_TITLE};

/// Runs many statements, so the connection has to read from one snapshot.
pub fn find_matching(
    connection: &Connection,
    terms: &[QueryTerm],
    filter: &PassageFilter,
    limit: usize,
) -> rusqlite::Result<WordMatches> {
    let mut ranking = Ranking::new(terms, limit);
    let corpora = searched_corpora(connection, filter)?;
    for corpus in &corpora {
        let accepted = find_accepted(connection, corpus.id, filter)?;
        let public = find_in_corpus(connection, corpus.id, terms)?;
        let with_private = corpus.is_vault && filter.scope == PassageScope::All;
        let private = with_private.then(|| find_in_private(connection, terms)).transpose()?;
        ranking.add_corpus(&public, private.as_ref(), &accepted);
    }
    let mut found = ranking.finish();
    let ids: HashSet<PassageId> = found.passages.iter().map(|scored| scored.id).collect();
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
        list_names_in(connection, &name_table(corpus.id), first_letter, &mut names)?;
        if corpus.is_vault && filter.scope == PassageScope::All {
            list_names_in(connection, PRIVATE_NAMES, first_letter, &mut names)?;
        }
    }
    names.sort_unstable();
    names.dedup();
    Ok(names)
}

/// Adds the words in a table of names that begin with this letter.
fn list_names_in(
    connection: &Connection,
    table: &str,
    first_letter: char,
    names: &mut Vec<String>,
) -> rusqlite::Result<()> {
    let vocabulary = open_vocabulary(connection, table, "row")?;
    let sql = format!("SELECT term FROM temp.{vocabulary} WHERE term >= ?1 AND term <= ?2");
    let mut statement = connection.prepare_cached(&sql)?;
    let first = first_letter.to_string();
    let last = format!("{first}{}", char::MAX);
    for name in statement.query_map(params![first, last], |row| row.get(0))? {
        names.push(name?);
    }
    Ok(())
}

/// Runs more than one statement, so the connection has to read from one snapshot.
pub fn list_files(
    connection: &Connection,
    filter: &PassageFilter,
    limit: usize,
) -> rusqlite::Result<Vec<PassageId>> {
    let corpora = searched_corpora(connection, filter)?;
    let condition = file_condition(connection, filter)?;
    let (accepted, values) =
        condition.map_or_else(|| ("1".to_owned(), Vec::new()), |condition| (condition.sql, condition.values));
    let corpora = corpora.iter().map(|corpus| corpus.id.to_string()).collect::<Vec<_>>().join(", ");
    // Frontmatter is the first passage of a note, if it has any.
    let sql = format!(
        "SELECT files.first_passage + (files.passages > 1 AND passages.kind = ?) FROM files \
         JOIN passages ON passages.id = files.first_passage \
         WHERE files.corpus IN ({corpora}) AND files.passages > 0 AND {accepted} \
         ORDER BY files.modified DESC, files.path LIMIT ?"
    );
    let kind = ChunkKind::ALL.iter().position(|kind| *kind == ChunkKind::Frontmatter).unwrap_or_default();
    let limit = Value::from(i64::try_from(limit).unwrap_or(i64::MAX));
    let values = [Value::from(kind as i64)].into_iter().chain(values).chain([limit]);
    let mut statement = connection.prepare_cached(&sql)?;
    statement.query_map(params_from_iter(values), |row| row.get(0))?.collect()
}

fn find_accepted(
    connection: &Connection,
    corpus: i64,
    filter: &PassageFilter,
) -> rusqlite::Result<AcceptedPassages> {
    // Each table of words has only public passages or only private ones.
    let filter = PassageFilter { scope: PassageScope::All, ..filter.clone() };
    let Some(condition) = file_condition(connection, &filter)? else { return Ok(AcceptedPassages::All) };
    let sql = format!(
        "SELECT first_passage, first_passage + passages FROM files WHERE corpus = ? AND passages > 0 AND {} \
         ORDER BY first_passage",
        condition.sql
    );
    let values = [Value::from(corpus)].into_iter().chain(condition.values);
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map(params_from_iter(values), |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(AcceptedPassages::Files(rows.collect::<rusqlite::Result<_>>()?))
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
