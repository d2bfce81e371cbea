//! Removes files from the index, with all that is stored for them.

use super::state;
use crate::index_format::{MOST_UNUSED, VERSION};
use crate::postgres::failure::PgFailure;
use crate::postgres::session::Session;
use crate::postgres::value::{RowColumns as _, values};

/// How many files are removed at a time.
pub const FILES_AT_ONCE: usize = 500;

/// Removes these files. What was counted of them is taken off the counts of their corpora.
pub fn remove_files(session: &Session, files: &[i64]) -> Result<(), PgFailure> {
    // All parts of one statement see what was there before it.
    let sql = "WITH gone AS (SELECT id, corpus, first_passage, passages, words, private FROM wellread.index_files \
               WHERE space = $1 AND id = ANY($2)), \
               counted AS (SELECT corpus, sum(passages) FILTER (WHERE private = 0) AS public_passages, \
               sum(words) FILTER (WHERE private = 0) AS public_words, \
               sum(passages) FILTER (WHERE private = 1) AS private_passages, \
               sum(words) FILTER (WHERE private = 1) AS private_words FROM gone GROUP BY corpus), \
               corpora AS (UPDATE wellread.index_corpora AS known SET \
               public_passages = known.public_passages - coalesce(counted.public_passages, 0)::bigint, \
               public_words = known.public_words - coalesce(counted.public_words, 0)::bigint, \
               private_passages = known.private_passages - coalesce(counted.private_passages, 0)::bigint, \
               private_words = known.private_words - coalesce(counted.private_words, 0)::bigint \
               FROM counted WHERE known.space = $1 AND known.id = counted.corpus), \
               passages AS (DELETE FROM wellread.index_passages AS known USING gone WHERE known.space = $1 \
               AND known.id >= gone.first_passage AND known.id < gone.first_passage + gone.passages), \
               words AS (DELETE FROM wellread.index_words WHERE space = $1 AND file = ANY($2)), \
               marks AS (DELETE FROM wellread.index_marks WHERE space = $1 AND file = ANY($2)), \
               fields AS (DELETE FROM wellread.index_fields WHERE space = $1 AND file = ANY($2)), \
               symbols AS (DELETE FROM wellread.index_symbols WHERE space = $1 AND file = ANY($2)), \
               structures AS (DELETE FROM wellread.index_structures WHERE space = $1 AND file = ANY($2)), \
               stamps AS (DELETE FROM wellread.index_stamps WHERE space = $1 AND file = ANY($2)) \
               DELETE FROM wellread.index_files WHERE space = $1 AND id = ANY($2)";
    for part in files.chunks(FILES_AT_ONCE) {
        session.execute(sql, values![part.to_vec()])?;
    }
    Ok(())
}

/// Some files of a corpus, or of all; none if there are none left.
fn list_some_files(session: &Session, corpus: Option<i64>) -> Result<Vec<i64>, PgFailure> {
    let of_corpus = corpus.map(|id| format!(" AND corpus = {id}")).unwrap_or_default();
    let sql =
        format!("SELECT id FROM wellread.index_files WHERE space = $1{of_corpus} LIMIT {FILES_AT_ONCE}");
    session.query(&sql, vec![])?.iter().map(|row| row.number(0)).collect()
}

/// Removes a corpus.
pub fn remove_corpus(session: &Session, corpus: i64) -> Result<(), PgFailure> {
    loop {
        let files = list_some_files(session, Some(corpus))?;
        if files.is_empty() {
            let sql = "DELETE FROM wellread.index_corpora WHERE space = $1 AND id = $2";
            return session.execute(sql, values![corpus]).map(drop);
        }
        remove_files(session, &files)?;
    }
}

/// Begins to clear the index: from here on it is not usable, and whoever wants to change it clears it first.
pub fn begin_clearing(session: &Session) -> Result<(), PgFailure> {
    let more = format!(", format = {VERSION}, clearing = 1, complete = 0");
    state::raise_version(session, &more).map(drop)
}

/// Clears a part of it; false once it is empty, and usable again. Vectors are kept.
pub fn clear_some(session: &Session) -> Result<bool, PgFailure> {
    state::raise_version(session, "")?;
    let files = list_some_files(session, None)?;
    if !files.is_empty() {
        remove_files(session, &files)?;
        return Ok(true);
    }
    session.execute("DELETE FROM wellread.index_corpora WHERE space = $1", vec![])?;
    state::raise_version(session, ", clearing = 0")?;
    Ok(false)
}

/// An estimate of the vectors that no passage uses. The same text in two passages lowers it, which does no harm.
pub fn has_many_unused_vectors(session: &Session) -> Result<bool, PgFailure> {
    let sql = "SELECT (SELECT count(*) FROM wellread.index_models WHERE space = $1), \
               (SELECT count(*) FROM wellread.index_vectors WHERE space = $1), \
               (SELECT coalesce(sum(public_passages + private_passages), 0)::bigint \
               FROM wellread.index_corpora WHERE space = $1)";
    let Some(row) = session.find(sql, vec![])? else { return Ok(false) };
    let (models, vectors, passages) = (row.number(0)?, row.number(1)?, row.number(2)?);
    Ok(models > 0 && vectors > MOST_UNUSED && vectors / models - passages > MOST_UNUSED)
}

pub fn remove_unused_vectors(session: &Session) -> Result<(), PgFailure> {
    let sql = "DELETE FROM wellread.index_vectors AS known WHERE known.space = $1 AND NOT EXISTS \
               (SELECT 1 FROM wellread.index_passages WHERE space = $1 AND text = known.text)";
    session.execute(sql, vec![]).map(drop)
}
