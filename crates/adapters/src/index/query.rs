//! Finds passages by words, best first.
//!
//! Each corpus has a table of words, and so its own statistics: what is in one has no influence on the scores in another.

use std::collections::HashSet;

use rusqlite::types::Value;
use rusqlite::{Connection, params, params_from_iter};
use wellread_core::ports::{PassageFilter, PassageId, PassageScope, PassageScore, WordMatches};
use wellread_text::{ChunkKind, QueryTerm, name_key};

use super::filter::{corpus_names, file_condition};
use super::postings::Postings;
use super::schema::{CORPUS_SHIFT, MARK_TITLE, PRIVATE_NAMES, name_table};
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
        let accepted = AcceptedPassages::find(connection, corpus.id, filter)?;
        let public = Postings::of_corpus(connection, corpus.id, terms)?;
        known.extend(public.counts.known_terms(terms));
        let best = public.best(limit, |_| 1.0, |id| accepted.contains(id));
        add_scored(&mut found, best, &public.counts, &public, terms);
        if corpus.is_vault && filter.scope == PassageScope::All {
            // The weight of a word is computed from all files of the vault, as if there were one table, so that the scores can be
            // compared with those of public passages. FTS5 weighs a form by its count in the one table.
            let private = Postings::of_private(connection, terms)?;
            known.extend(private.counts.known_terms(terms));
            let all = public.counts.merge(&private.counts);
            let factor = |form: &str| all.weight(form) / private.counts.weight(form);
            let best = private.best(limit, factor, |id| accepted.contains(id));
            add_scored(&mut found, best, &all, &private, terms);
        }
    }
    found.passages.sort_by(|one, other| other.score.total_cmp(&one.score).then(one.id.cmp(&other.id)));
    found.passages.truncate(limit);
    found.unknown = (0..terms.len()).filter(|at| !known.contains(at)).collect();
    let ids: HashSet<PassageId> = found.passages.iter().map(|scored| scored.id).collect();
    found.complete.retain(|id| ids.contains(id));
    found.named = find_named(connection, &corpora, &name_key(terms), &ids)?;
    Ok(found)
}

/// Adds passages of a table, with the share of the best possible score by these counts.
fn add_scored(
    found: &mut WordMatches,
    scored: Vec<(PassageId, f64)>,
    counts: &WordCounts,
    postings: &Postings,
    terms: &[QueryTerm],
) {
    let best = MOST_OF_A_WORD * counts.total_weight(terms);
    for (id, score) in scored {
        if postings.has_all_terms(id, terms) {
            found.complete.insert(id);
        }
        // Never 0, since something was found.
        let score = ((score / best) as f32).clamp(f32::MIN_POSITIVE, 1.0);
        found.passages.push(PassageScore { id, score });
    }
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

/// The passages of a corpus that a filter accepts.
enum AcceptedPassages {
    All,
    /// The first id of each file and the one after its last, in order.
    Files(Vec<(PassageId, PassageId)>),
}

impl AcceptedPassages {
    fn find(connection: &Connection, corpus: i64, filter: &PassageFilter) -> rusqlite::Result<Self> {
        // Each table of words has only public passages or only private ones.
        let filter = PassageFilter { scope: PassageScope::All, ..filter.clone() };
        let Some(condition) = file_condition(connection, &filter)? else { return Ok(Self::All) };
        let sql = format!(
            "SELECT first_passage, first_passage + passages FROM files WHERE corpus = ? AND passages > 0 AND {} \
             ORDER BY first_passage",
            condition.sql
        );
        let values = [Value::from(corpus)].into_iter().chain(condition.values);
        let mut statement = connection.prepare_cached(&sql)?;
        let rows = statement.query_map(params_from_iter(values), |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(Self::Files(rows.collect::<rusqlite::Result<_>>()?))
    }

    fn contains(&self, id: PassageId) -> bool {
        match self {
            Self::All => true,
            Self::Files(files) => {
                let after = files.partition_point(|(first, _)| *first <= id);
                after.checked_sub(1).is_some_and(|at| id < files[at].1)
            }
        }
    }
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
