//! Finds the passages nearest to a vector.
//!
//! A few thousand vectors are compared one by one, which is exact. Where there are more, the graph (HNSW) proposes candidates,
//! and the products with these decide their order: whole numbers, so the score of a passage is the same as by the SQLite
//! file. The graph is searched on until enough candidates pass the filter; where it ends before, all are compared.

use wellread_core::ports::{EmbeddingModel, PassageFilter, PassageScore};

use super::filter::{Parameters, file_condition, row_limit};
use super::state::searched_corpora;
use super::vectors::QueryVector;
use crate::postgres::failure::PgFailure;
use crate::postgres::session::Session;
use crate::postgres::value::{RowColumns as _, SqlValue, values};

/// Up to so many are compared one by one, unless it is said otherwise.
pub const MOST_COMPARED: usize = 10_000;
/// The dimensions that have a graph, as `tables.sql` makes them.
const GRAPHS: [usize; 8] = [256, 384, 512, 768, 1024, 1536, 2048, 3072];
/// The graph proposes this many times as many as are wanted, and some more: it takes the vectors' lengths for equal, and its
/// order is not exact.
const PROPOSED_SHARE: usize = 2;
const LEAST_PROPOSED: usize = 100;
/// The most candidates that pgvector keeps while it searches.
const MOST_KEPT: usize = 1000;
/// As far as the graph is searched for candidates that pass.
const MOST_VISITED: usize = 50_000;

/// What is searched.
pub struct NearestQuery<'a> {
    pub model: (&'a EmbeddingModel, i64),
    pub vector: &'a QueryVector,
    pub filter: &'a PassageFilter,
    pub limit: usize,
    /// Up to so many vectors are compared one by one.
    pub most_compared: usize,
}

/// Which texts pass the filter: those of passages in certain files.
struct AcceptedTexts {
    parameters: Vec<SqlValue>,
    /// On `files`; `None` if all pass.
    condition: Option<String>,
}

/// Runs several statements and changes settings until the end of the transaction: the connection has to be in one.
pub fn find_nearest(session: &Session, query: &NearestQuery<'_>) -> Result<Vec<PassageScore>, PgFailure> {
    let accepted = find_accepted(session, query)?;
    let is_indexed = GRAPHS.contains(&query.model.0.dimension);
    if is_indexed && has_more(session, &accepted, query.most_compared)? {
        propose(session, query)?;
        let texts = find_proposed(session, query, &accepted)?;
        if texts.len() >= query.limit {
            return expand(session, query, accepted, &texts);
        }
    }
    let texts = compare_all(session, query, &accepted)?;
    expand(session, query, accepted, &texts)
}

/// `$2` is the model, `$3` the vector, `$4` a limit; the filter's values follow.
fn find_accepted(session: &Session, query: &NearestQuery<'_>) -> Result<AcceptedTexts, PgFailure> {
    let written = query.vector.written.as_str();
    let mut parameters = Parameters(values![query.model.1, written, 0_i64]);
    let mut condition = file_condition(session, query.filter, &mut parameters)?;
    let (corpora, are_all) = searched_corpora(session, query.filter)?;
    if !are_all {
        let ids: Vec<i64> = corpora.iter().map(|corpus| corpus.id).collect();
        let of_corpora = format!("files.corpus = ANY({})", parameters.bind(ids));
        condition = Some(condition.map_or(of_corpora.clone(), |other| format!("{other} AND {of_corpora}")));
    }
    Ok(AcceptedTexts { parameters: parameters.0, condition })
}

impl AcceptedTexts {
    fn with_limit(&self, limit: i64) -> Vec<SqlValue> {
        let mut values = self.parameters.clone();
        if let Some(place) = values.get_mut(2) {
            *place = limit.into();
        }
        values
    }

    /// Passages that pass, joined with their files.
    fn passages(&self) -> String {
        let condition = self.condition.as_deref().unwrap_or("true");
        format!(
            "wellread.index_passages AS passages JOIN wellread.index_files AS files ON files.space = $1 \
             AND files.id = passages.file WHERE passages.space = $1 AND {condition}"
        )
    }
}

/// Whether more than so many vectors would have to be compared.
fn has_more(session: &Session, accepted: &AcceptedTexts, most: usize) -> Result<bool, PgFailure> {
    let counted = match &accepted.condition {
        None => "SELECT 1 FROM wellread.index_vectors WHERE space = $1 AND model = $2".to_owned(),
        Some(_) => format!("SELECT 1 FROM {}", accepted.passages()),
    };
    let sql = format!("SELECT count(*) FROM ({counted} LIMIT $4) AS counted");
    let most = row_limit(most);
    let row = session.find(&sql, accepted.with_limit(most.saturating_add(1)))?;
    Ok(row.map_or(Ok(0), |row| row.number(0))? > most)
}

/// Has the graph used, and searched on while too few candidates pass.
fn propose(session: &Session, query: &NearestQuery<'_>) -> Result<(), PgFailure> {
    let kept = count_proposed(query.limit).min(MOST_KEPT);
    let sql = format!(
        "SELECT set_config('hnsw.ef_search', '{kept}', true), set_config('hnsw.iterative_scan', 'relaxed_order', true), \
         set_config('hnsw.max_scan_tuples', '{MOST_VISITED}', true), set_config('enable_sort', 'off', true), \
         set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true)"
    );
    session.query(&sql, vec![]).map(drop)
}

/// How many candidates the graph proposes.
fn count_proposed(limit: usize) -> usize {
    limit.saturating_mul(PROPOSED_SHARE).saturating_add(LEAST_PROPOSED)
}

/// A text and its cosine.
type ScoredText = (Vec<u8>, f32);

fn find_proposed(
    session: &Session,
    query: &NearestQuery<'_>,
    accepted: &AcceptedTexts,
) -> Result<Vec<ScoredText>, PgFailure> {
    let width = query.model.0.dimension;
    let passes = match &accepted.condition {
        None => String::new(),
        Some(_) => {
            format!("AND EXISTS (SELECT 1 FROM {} AND passages.text = vectors.text)", accepted.passages())
        }
    };
    let sql = format!(
        "WITH near AS MATERIALIZED (SELECT text, scale, vector FROM wellread.index_vectors AS vectors \
         WHERE vectors.space = $1 AND vectors.model = $2 AND vectors.dimension = {width} {passes} \
         ORDER BY (vectors.vector::public.halfvec({width})) OPERATOR(public.<=>) $3::public.halfvec({width}) LIMIT $4) \
         SELECT text, -(vector OPERATOR(public.<#>) $3::public.halfvec), scale FROM near"
    );
    score(session, query, &sql, accepted.with_limit(row_limit(count_proposed(query.limit))))
}

fn compare_all(
    session: &Session,
    query: &NearestQuery<'_>,
    accepted: &AcceptedTexts,
) -> Result<Vec<ScoredText>, PgFailure> {
    let reset = "SELECT set_config('enable_sort', 'on', true), set_config('enable_seqscan', 'on', true), \
                 set_config('enable_bitmapscan', 'on', true)";
    session.query(reset, vec![])?;
    let passes = match &accepted.condition {
        None => String::new(),
        Some(_) => format!("AND vectors.text IN (SELECT passages.text FROM {})", accepted.passages()),
    };
    // The database leaves out all but the best; which of them is the best is decided by the exact score.
    let sql = format!(
        "SELECT text, product, scale FROM (SELECT vectors.text, vectors.scale, \
         -(vectors.vector OPERATOR(public.<#>) $3::public.halfvec) AS product FROM wellread.index_vectors AS vectors \
         WHERE vectors.space = $1 AND vectors.model = $2 {passes}) AS compared ORDER BY product * scale DESC LIMIT $4"
    );
    score(session, query, &sql, accepted.with_limit(row_limit(count_proposed(query.limit))))
}

/// The best texts that a statement finds, best first.
fn score(
    session: &Session,
    query: &NearestQuery<'_>,
    sql: &str,
    values: Vec<SqlValue>,
) -> Result<Vec<ScoredText>, PgFailure> {
    let rows = session.query(sql, values)?;
    let read = |row: &tokio_postgres::Row| Ok((row.bytes(0)?, query.vector.cosine(row, 1)?));
    let mut texts = rows.iter().map(read).collect::<Result<Vec<ScoredText>, PgFailure>>()?;
    texts.sort_by(|one, other| other.1.total_cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    texts.truncate(query.limit);
    Ok(texts)
}

/// The passages that have these texts and pass: the same text may also be in a file that does not.
fn expand(
    session: &Session,
    query: &NearestQuery<'_>,
    accepted: AcceptedTexts,
    texts: &[ScoredText],
) -> Result<Vec<PassageScore>, PgFailure> {
    let passages = accepted.passages();
    let mut parameters = Parameters(accepted.parameters);
    let wanted = parameters.bind(texts.iter().map(|(text, _)| text.clone()).collect::<Vec<_>>());
    let sql = format!("SELECT passages.text, passages.id FROM {passages} AND passages.text = ANY({wanted})");
    let mut found = Vec::new();
    for row in session.query(&sql, parameters.0)? {
        let (text, id) = (row.bytes(0)?, row.number(1)?);
        let place = texts.iter().position(|(known, _)| *known == text);
        if let Some((place, (_, score))) = place.and_then(|at| texts.get(at).map(|known| (at, known))) {
            found.push((place, PassageScore { id, score: *score }));
        }
    }
    found.sort_by_key(|(place, scored)| (*place, scored.id));
    found.truncate(query.limit);
    Ok(found.into_iter().map(|(_, scored)| scored).collect())
}
