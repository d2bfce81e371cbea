//! Finds passages by words, best first. Every function reads from one snapshot: the connection has to be in a transaction.

use std::collections::HashSet;

use wellread_core::ports::{PassageFilter, PassageId, PassageScope, WordMatches};
use wellread_text::{ChunkKind, QueryTerm, name_key};

use super::filter::{Parameters, file_condition, key, row_limit};
use super::matching::{Pattern, WordLists, shelf};
use super::state::{CorpusRow, searched_corpora};
use super::word_list::{CountedPlace, is_whole};
use crate::index_format::ranking::{
    AcceptedPassages, Occurrence, Posting, Postings, Ranking, TableSize, distinct_forms, score_form,
};
use crate::index_format::{MARK_TITLE, kind_number};
use crate::postgres::failure::PgFailure;
use crate::postgres::session::Session;
use crate::postgres::value::{RowColumns as _, values};

pub fn find_matching(
    session: &Session,
    terms: &[QueryTerm],
    filter: &PassageFilter,
    limit: usize,
) -> Result<WordMatches, PgFailure> {
    let (corpora, _) = searched_corpora(session, filter)?;
    let forms: Vec<(String, Pattern)> =
        distinct_forms(terms).into_iter().map(|(form, written)| (form, Pattern::new(written))).collect();
    let patterns: Vec<Pattern> = forms.iter().map(|(_, pattern)| pattern.clone()).collect();
    let lists = WordLists::read(session, &searched_shelves(&corpora, filter), &patterns)?;
    let mut ranking = Ranking::new(terms, limit);
    for corpus in &corpora {
        let accepted = find_accepted(session, corpus.id, filter)?;
        let find = |is_private: bool, size: &TableSize| {
            find_postings(&lists, shelf(corpus.id, is_private), size, &forms)
        };
        let public = find(false, &corpus.public)?;
        let private = has_private(corpus, filter).then(|| find(true, &corpus.private)).transpose()?;
        ranking.add_corpus(&public, private.as_ref(), &accepted);
    }
    let mut found = ranking.finish();
    let ids: HashSet<PassageId> = found.passages.iter().map(|scored| scored.id).collect();
    found.named = find_named(session, &corpora, &name_key(terms), &ids)?;
    Ok(found)
}

/// Whether the private files of a corpus are searched. Only the vault has any.
fn has_private(corpus: &CorpusRow, filter: &PassageFilter) -> bool {
    corpus.is_vault() && filter.scope == PassageScope::All
}

fn searched_shelves(corpora: &[CorpusRow], filter: &PassageFilter) -> Vec<i64> {
    let of_corpus = |corpus: &CorpusRow| {
        let private = has_private(corpus, filter).then(|| shelf(corpus.id, true));
        [Some(shelf(corpus.id, false)), private].into_iter().flatten()
    };
    corpora.iter().flat_map(of_corpus).collect()
}

fn find_postings(
    lists: &WordLists,
    shelf: i64,
    size: &TableSize,
    forms: &[(String, Pattern)],
) -> Result<Postings, PgFailure> {
    let mut found: Vec<(String, Vec<Posting>)> = Vec::new();
    if size.rows > 0.0 {
        for (form, pattern) in forms {
            let places = lists.find(shelf, pattern)?;
            let occurrences: Vec<Occurrence> = places.iter().map(CountedPlace::occurrence).collect();
            found.push((form.clone(), score_form(size, &occurrences)));
        }
    }
    Ok(Postings::new(size.rows, found))
}

fn find_accepted(
    session: &Session,
    corpus: i64,
    filter: &PassageFilter,
) -> Result<AcceptedPassages, PgFailure> {
    // Each shelf has only public passages or only private ones.
    let filter = PassageFilter { scope: PassageScope::All, ..filter.clone() };
    let mut parameters = Parameters(values![corpus]);
    let Some(condition) = file_condition(session, &filter, &mut parameters)? else {
        return Ok(AcceptedPassages::All);
    };
    let sql = format!(
        "SELECT first_passage, first_passage + passages FROM wellread.index_files AS files \
         WHERE space = $1 AND corpus = $2 AND passages > 0 AND {condition} ORDER BY first_passage"
    );
    let rows = session.query(&sql, parameters.0)?;
    let ranges = rows.iter().map(|row| Ok((row.number(0)?, row.number(1)?)));
    Ok(AcceptedPassages::Files(ranges.collect::<Result<_, PgFailure>>()?))
}

/// Which of these passages are in notes with this name.
fn find_named(
    session: &Session,
    corpora: &[CorpusRow],
    name: &str,
    ids: &HashSet<PassageId>,
) -> Result<HashSet<PassageId>, PgFailure> {
    let mut named = HashSet::new();
    if ids.is_empty() {
        return Ok(named);
    }
    let sql = "SELECT files.first_passage, files.passages FROM wellread.index_marks AS marks \
               JOIN wellread.index_files AS files ON files.space = $1 AND files.id = marks.file \
               WHERE marks.space = $1 AND marks.kind = $2 AND marks.key = $3 AND files.corpus = ANY($4)";
    let corpora: Vec<i64> = corpora.iter().map(|corpus| corpus.id).collect();
    for row in session.query(sql, values![MARK_TITLE, key(&[name]), corpora])? {
        let (first, passages) = (row.number(0)?, row.number(1)?);
        named.extend((first..first + passages).filter(|id| ids.contains(id)));
    }
    Ok(named)
}

pub fn list_names(
    session: &Session,
    first_letter: char,
    filter: &PassageFilter,
) -> Result<Vec<String>, PgFailure> {
    let (corpora, _) = searched_corpora(session, filter)?;
    let sql = "SELECT DISTINCT term FROM wellread.index_words WHERE space = $1 AND shelf = ANY($2) AND named = 1 \
               AND term >= $3 AND term <= $4 ORDER BY term";
    if first_letter == '\0' {
        return Ok(Vec::new());
    }
    let first = first_letter.to_string();
    let last = format!("{first}{}", char::MAX);
    let rows = session.query(sql, values![searched_shelves(&corpora, filter), first, last])?;
    let names = rows.iter().map(|row| row.text(0)).collect::<Result<Vec<_>, _>>()?;
    Ok(names.into_iter().filter(|name| is_whole(name)).collect())
}

pub fn list_files(
    session: &Session,
    filter: &PassageFilter,
    limit: usize,
) -> Result<Vec<PassageId>, PgFailure> {
    let (corpora, _) = searched_corpora(session, filter)?;
    let corpora: Vec<i64> = corpora.iter().map(|corpus| corpus.id).collect();
    let mut parameters = Parameters(values![corpora, kind_number(ChunkKind::Frontmatter), row_limit(limit)]);
    let condition = file_condition(session, filter, &mut parameters)?.unwrap_or_else(|| "true".to_owned());
    // Frontmatter is the first passage of a note, if it has any.
    let sql = format!(
        "SELECT files.first_passage + (CASE WHEN files.passages > 1 AND passages.kind = $3 THEN 1 ELSE 0 END) \
         FROM wellread.index_files AS files JOIN wellread.index_passages AS passages \
         ON passages.space = $1 AND passages.id = files.first_passage \
         WHERE files.space = $1 AND files.corpus = ANY($2) AND files.passages > 0 AND {condition} \
         ORDER BY files.modified DESC, files.path LIMIT $4"
    );
    session.query(&sql, parameters.0)?.iter().map(|row| row.number(0)).collect()
}
