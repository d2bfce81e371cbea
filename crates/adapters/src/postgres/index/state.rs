//! The row of a space: the version of its index, whether it is complete, and who changes it.
//!
//! A change begins by raising the version, which locks the row until it is committed: changes of one index follow each other,
//! and readers wait for none of them.

use wellread_core::domain::corpus::CorpusName;
use wellread_core::ports::{IndexState, PassageFilter};
use wellread_core::{Error, Result};

use super::matching::shelf;
use crate::index_format::ranking::TableSize;
use crate::index_format::{VERSION, stored_name};
use crate::postgres::failure::PgFailure;
use crate::postgres::session::Session;
use crate::postgres::value::{RowColumns as _, values};

/// What the row of a space says.
pub struct StateRow {
    format: i64,
    is_clearing: bool,
    state: IndexState,
}

/// Whether an index can be used as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fitness {
    Usable,
    /// Made by an earlier version, or being cleared: it is cleared before it is used.
    Outdated,
}

impl StateRow {
    pub fn fitness(&self) -> Result<Fitness, PgFailure> {
        match self.format.cmp(&i64::from(VERSION)) {
            std::cmp::Ordering::Equal if !self.is_clearing => Ok(Fitness::Usable),
            std::cmp::Ordering::Greater => Err(newer_index_error().into()),
            _ => Ok(Fitness::Outdated),
        }
    }

    pub fn index_state(&self) -> Result<IndexState, PgFailure> {
        let complete = self.state.complete && self.fitness()? == Fitness::Usable;
        Ok(IndexState { complete, ..self.state })
    }
}

fn newer_index_error() -> Error {
    Error::failed("another version of Wellread uses this index")
        .hint("use that version for every process that shares it")
}

/// The row of the space; `None` if it has no index.
pub fn read(session: &Session) -> Result<Option<StateRow>, PgFailure> {
    let sql = "SELECT format, clearing, version, complete, rules FROM wellread.index_state WHERE space = $1";
    let Some(row) = session.find(sql, vec![])? else { return Ok(None) };
    let state = IndexState {
        version: row.number(2)?.cast_unsigned(),
        complete: row.number(3)? == 1,
        rules: row.number(4)?.cast_unsigned(),
    };
    Ok(Some(StateRow { format: row.number(0)?, is_clearing: row.number(1)? == 1, state }))
}

/// Begins a change of the index: returns its new version. Nobody else changes the index until the transaction ends. An index
/// that is not usable is refused.
pub fn begin_change(session: &Session) -> Result<i64, PgFailure> {
    let version = raise_version(session, "")?;
    match read(session)?.map(|row| row.fitness()).transpose()? {
        Some(Fitness::Usable) => Ok(version),
        _ => Err(Error::failed("another process began the index anew")
            .hint("nothing was changed; try again")
            .into()),
    }
}

/// Raises the version, with other changes to the row. A space without an index gets one: its first version is the time,
/// so that no number of an earlier index is given again.
pub fn raise_version(session: &Session, more: &str) -> Result<i64, PgFailure> {
    let raise = format!(
        "UPDATE wellread.index_state SET version = version + 1{more} WHERE space = $1 RETURNING version"
    );
    loop {
        if let Some(row) = session.find(&raise, vec![])? {
            return row.number(0);
        }
        let sql = "INSERT INTO wellread.index_state (space, format, version) \
                   VALUES ($1, $2, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint) ON CONFLICT DO NOTHING";
        session.execute(sql, values![i64::from(VERSION)])?;
    }
}

/// Takes this many numbers: the first of them.
pub fn take_numbers(session: &Session, column: &str, count: usize) -> Result<i64, PgFailure> {
    let sql = format!(
        "UPDATE wellread.index_state SET {column} = {column} + $2 WHERE space = $1 RETURNING {column} - $2 + 1"
    );
    let row = session.find(&sql, values![count as u64])?;
    row.map_or_else(|| Err(super::damaged_error("the index's state")), |row| row.number(0))
}

/// A corpus in the index.
pub struct CorpusRow {
    pub id: i64,
    pub name: String,
    pub public: TableSize,
    pub private: TableSize,
}

impl CorpusRow {
    pub fn is_vault(&self) -> bool {
        self.name == "vault"
    }
}

pub fn list_corpora(session: &Session) -> Result<Vec<CorpusRow>, PgFailure> {
    let sql = "SELECT id, name, public_passages, public_words, private_passages, private_words \
               FROM wellread.index_corpora WHERE space = $1 ORDER BY id";
    let read = |row: &tokio_postgres::Row| {
        Ok(CorpusRow {
            id: row.number(0)?,
            name: row.text(1)?,
            public: TableSize::new(row.count(2)?, row.count(3)?),
            private: TableSize::new(row.count(4)?, row.count(5)?),
        })
    };
    session.query(sql, vec![])?.iter().map(read).collect()
}

/// The corpora of a filter that are in the index, and whether these are all.
pub fn searched_corpora(
    session: &Session,
    filter: &PassageFilter,
) -> Result<(Vec<CorpusRow>, bool), PgFailure> {
    let mut corpora = list_corpora(session)?;
    let all = corpora.len();
    if let Some(names) = &filter.corpora {
        let names: Vec<String> = names.iter().map(stored_name).collect();
        corpora.retain(|corpus| names.contains(&corpus.name));
    }
    let are_all = filter.corpora.is_none() || (corpora.len() == all && all > 0);
    Ok((corpora, are_all))
}

/// Every shelf of words.
pub fn list_shelves(session: &Session) -> Result<Vec<i64>, PgFailure> {
    let corpora = list_corpora(session)?;
    Ok(corpora.iter().flat_map(|corpus| [shelf(corpus.id, false), shelf(corpus.id, true)]).collect())
}

/// The id of a corpus and the number of its next passage. It is added if it is not there.
pub fn find_or_add_corpus(session: &Session, corpus: &CorpusName) -> Result<(i64, i64), PgFailure> {
    let name = stored_name(corpus);
    let sql = "SELECT id, next_passage FROM wellread.index_corpora WHERE space = $1 AND name = $2";
    if let Some(row) = session.find(sql, values![name.as_str()])? {
        return Ok((row.number(0)?, row.number(1)?));
    }
    let id = take_numbers(session, "last_corpus", 1)?;
    let sql = "INSERT INTO wellread.index_corpora (space, id, name) VALUES ($1, $2, $3)";
    session.execute(sql, values![id, name])?;
    Ok((id, 0))
}
